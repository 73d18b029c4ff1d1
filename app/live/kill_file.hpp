// The kill file: while it exists, nothing is sent.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace reeve::app {

/// A file that cannot be looked at counts as one that exists; no name: there is none.
inline bool is_killed(const std::string& kill_file) {
  if (kill_file.empty()) return false;
  std::error_code error;
  const auto status = std::filesystem::symlink_status(kill_file, error);
  return status.type() != std::filesystem::file_type::not_found ||
         (error && error != std::errc::no_such_file_or_directory);
}

}  // namespace reeve::app
