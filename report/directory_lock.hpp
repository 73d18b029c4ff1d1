// One process at a time writes results to a directory.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "report/temporary_name.hpp"

namespace reeve::report {

/// Holds a lock on `.reeve.lock` in the directory.  The file is removed with the lock.  Throws
/// std::runtime_error naming the directory if another process holds the lock.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  bool take(const std::filesystem::path& directory);

  std::string path_;
  std::optional<TemporaryName> file_;  ///< from when it is held
  int descriptor_ = -1;
};

/// Whether a file has the name of the lock.
bool is_lock(const std::filesystem::path& file);

}  // namespace reeve::report
