// The JSON Schema of scenario files: its text, and the file for editors.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace reeve::app {

std::string schema_text();

/// Throws UsageError, which names `option`, if another program wrote the file.
void check_schema_file(const std::filesystem::path& file, std::string_view option);

}  // namespace reeve::app
