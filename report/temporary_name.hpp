// Names of files and directories that must not outlive the program unless it keeps them.
#pragma once

#include <cstddef>
#include <string>

namespace reeve::report {

/// Registered with remove_temporaries() during its lifetime; at most 1024 at a time are.
class TemporaryName {
 public:
  explicit TemporaryName(std::string path);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::size_t slot_;
};

/// Removes the registered files and the empty registered directories.  For the end of the program
/// only; async-signal-safe.
void remove_temporaries() noexcept;

}  // namespace reeve::report
