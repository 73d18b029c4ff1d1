#include "report/temporary_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace reeve::report {
namespace {

std::string temporary_name(const std::filesystem::path& becomes) {
  static std::atomic<unsigned> made{0};
  const std::string name = '.' + becomes.filename().string() + '.' + std::to_string(getpid()) +
                           '-' + std::to_string(made++) + ".tmp";
  return (becomes.parent_path() / name).string();
}

}  // namespace

TemporaryFile::TemporaryFile(std::filesystem::path becomes) : becomes_{std::move(becomes)} {
  constexpr mode_t readable = 0666;  // less what the umask takes
  constexpr int tries = 1000;        // a process that was killed may have left that name
  for (int nth = 0; nth < tries; ++nth) {
    const std::string name = temporary_name(becomes_);
    const int file =
        open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, readable);
    if (file >= 0) {
      name_.emplace(name);
      stream_.emplace(file, becomes_.string());
      return;
    }
    if (errno != EEXIST) break;
  }
  refuse_write(becomes_.string(), errno);
}

TemporaryFile::~TemporaryFile() {
  if (name_) std::remove(name_->path().c_str());
}

void TemporaryFile::close() {
  stream_->close();
}

void TemporaryFile::put_in_place() {
  if (std::rename(name_->path().c_str(), becomes_.c_str()) != 0) {
    refuse_write(becomes_.string(), errno);
  }
  name_.reset();
}

bool is_temporary(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with('.') && name.ends_with(".tmp");
}

}  // namespace reeve::report
