// Where an import may go: never over what a user wrote or edited.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace reeve::app {

/// What tells the files of an import from edited ones, by name: scenario.jsonc, and util with all
/// that is in it.
using ImportChecksums = std::map<std::string, std::string>;
ImportChecksums import_checksums(const std::filesystem::path& directory,
                                 const std::string& scenario);

/// A directory that is new, empty, or holds an import, and no edited scenario, forecast or file of
/// util; for an anonymous import, nothing that may have names and stays.  Throws UsageError
/// otherwise, and std::runtime_error if files cannot be made in it.
void check_import_place(const std::filesystem::path& directory, bool anonymous);

/// Removes an earlier import and its fit, so that no name and no old number stays.  Until the new
/// import.json is written, the directory is marked: an import that was interrupted can be repeated.
void begin_import(const std::filesystem::path& directory, bool anonymous);

/// Where files of util are written; finish_util() makes it util.
std::filesystem::path unfinished_util(const std::filesystem::path& directory);
void finish_util(const std::filesystem::path& directory, bool anonymous);

}  // namespace reeve::app
