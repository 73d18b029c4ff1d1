// Writes a text file whole, with the folders it needs.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string_view>

namespace reeve::app {

/// Readers meet the old text or the new one, never a part.  Throws std::runtime_error naming the
/// path.
void write_text_file(const std::filesystem::path& path, std::string_view text);

/// The same of what `write` puts into the stream.
void write_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

}  // namespace reeve::app
