// A file under another name until it is whole: readers meet the old one or the new one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace reeve::report {

/// `.NAME.tmp` beside the file it becomes.  Gone when destroyed, unless it was put in place.  At
/// most 64 at a time are known to remove_temporary_files().
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path becomes);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& name() const { return name_; }
  const std::filesystem::path& becomes() const { return becomes_; }
  /// Call it with the file closed.  Throws std::runtime_error naming the path.
  void put_in_place() const;

 private:
  std::filesystem::path becomes_;
  std::string name_;
  std::size_t slot_;
};

/// Unlinks those that exist.  For the end of the program only; may be called in a signal handler.
void remove_temporary_files() noexcept;

}  // namespace reeve::report
