// Files of other programs, recognized by their first lines: what they are, and what to do with
// them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {

/// What a file is needed as.
enum class FileUse : std::uint8_t { jobs, utilization, batch, scenario };

struct ForeignFile {
  std::string_view what;  ///< "the output of `sacct`"
  std::string_view help;  ///< which command reads it, or what to record instead
};

/// The program that wrote a file which begins so, unless reeve reads its files for that use, or by
/// that importer.
std::optional<ForeignFile> foreign_file(std::string_view head, FileUse use,
                                        std::string_view importer = {});

/// Throws E0301 if a file with that name and beginning is recognized.
void refuse_foreign_text(std::string_view name, std::string_view head, FileUse use,
                         std::string_view importer = {});

/// Throws E0301 if the file is recognized.
void refuse_foreign(const std::filesystem::path& path, FileUse use, std::string_view importer = {});

/// Whether a reader failed before the first row: then the file as a whole is not what it expects.
inline bool failed_at_once(const InputError& error) {
  return error.diagnostics().empty() || error.diagnostics().front().position.line <= 1;
}

/// Runs `read`.  If it fails at once and the file is recognized, the error is E0301, which says
/// what the file is.
template <class Read>
auto read_own(const std::filesystem::path& path, FileUse use, const Read& read,
              std::string_view importer = {}) {
  try {
    return read();
  } catch (const InputError& error) {
    if (failed_at_once(error)) refuse_foreign(path, use, importer);
    throw;
  }
}

}  // namespace reeve::scenarios
