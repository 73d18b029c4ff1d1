// Writes the report page of a directory of results into it.
#pragma once

#include <filesystem>
#include <string>

namespace reeve::app {

/// Throws UsageError if a file there was not written by reeve, or is no regular file.
void check_report_place(const std::filesystem::path& file);

/// Writes `file` from the tables of `directory`; `title` replaces that of the scenario unless it is
/// empty.  Throws std::runtime_error naming the file.
void write_report(const std::filesystem::path& directory, const std::filesystem::path& file,
                  const std::string& title);

}  // namespace reeve::app
