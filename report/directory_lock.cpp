#include "report/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>

#include "report/file_stream.hpp"

namespace reeve::report {
namespace {

constexpr std::string_view lock_name = ".reeve.lock";

/// Whether the open file is the one of that name: its last holder may have removed it.
bool is_same_file(int descriptor, const std::string& path) {
  struct stat held {};
  struct stat named {};
  return fstat(descriptor, &held) == 0 && lstat(path.c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::filesystem::path& directory)
    : path_{(directory / lock_name).string()} {
  while (!take(directory)) {
  }
  file_.emplace(path_);
}

DirectoryLock::~DirectoryLock() {
  unlink(path_.c_str());  // while it is held: no other process removes it
  close(descriptor_);
}

bool DirectoryLock::take(const std::filesystem::path& directory) {
  constexpr mode_t readable = 0666;
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, readable);
  if (descriptor_ < 0) refuse_write(path_, errno);
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
    if (is_same_file(descriptor_, path_)) return true;
    close(descriptor_);
    return false;
  }
  const int error = errno;
  close(descriptor_);
  if (error != EWOULDBLOCK) refuse_write(path_, error);
  throw std::runtime_error{"cannot write " + directory.string() +
                           ": another process writes results to it; name another directory"};
}

bool is_lock(const std::filesystem::path& file) {
  return file.filename() == lock_name;
}

}  // namespace reeve::report
