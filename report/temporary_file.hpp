// A file with a temporary name until it is complete: readers see the old file or the new one.
#pragma once

#include <filesystem>
#include <string>

#include "report/temporary_name.hpp"

namespace reeve::report {

/// `.NAME.tmp` in the same directory as the final file.  The destructor and remove_temporaries()
/// delete it unless it was put in place.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path becomes);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& name() const { return name_.path(); }
  const std::filesystem::path& becomes() const { return becomes_; }
  /// Call it with the file closed.  Throws std::runtime_error naming the path.
  void put_in_place() const;

 private:
  std::filesystem::path becomes_;
  TemporaryName name_;
};

}  // namespace reeve::report
