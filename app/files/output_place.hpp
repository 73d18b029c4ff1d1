// Where results may go: never over a file that reeve did not write.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string_view>

namespace reeve::app {

/// A directory for tables: new, empty but for directories, or one with an export of reeve
/// (datapackage.json).  Throws UsageError otherwise.
void check_output_directory(const std::filesystem::path& directory);

/// A file: new, empty, no regular file (a pipe), or one that begins as those of reeve do.  Throws
/// UsageError otherwise; `option` is named in it.
void check_output_file(const std::filesystem::path& file, std::string_view begins,
                       std::string_view option);
/// A file that will be replaced as a whole: new or regular.  Throws UsageError as the other does.
void check_replaced_file(const std::filesystem::path& file, std::string_view option);

/// Accepts a file that is new, empty, or holds exactly `text`: no user has edited it.
void check_output_copy(const std::filesystem::path& file, std::string_view text,
                       std::string_view option);
/// The same of what `write` writes, of which few bytes are in memory.
void check_output_copy(const std::filesystem::path& file,
                       const std::function<void(std::ostream&)>& write, std::string_view option);

}  // namespace reeve::app
