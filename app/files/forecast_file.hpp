// The file forecast.jsonc of reeve fit: its first line tells whether a user has edited it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace reeve::app {

/// How such a file begins.
inline constexpr std::string_view forecast_mark = "// reeve fit: a forecast of ";

/// The forecast of the scenario `of`: a line with a checksum of `text`, then `text`.
std::string forecast_file_text(std::string_view of, std::string_view text);

/// The file is new, empty, or as reeve fit wrote it.  Throws UsageError otherwise.
void check_forecast_file(const std::filesystem::path& file);

}  // namespace reeve::app
