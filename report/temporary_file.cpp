#include "report/temporary_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

namespace reeve::report {
namespace {

std::string temporary_name(const std::filesystem::path& becomes) {
  static std::atomic<unsigned> made{0};
  const std::string name = '.' + becomes.filename().string() + '.' + std::to_string(getpid()) +
                           '-' + std::to_string(made++) + ".tmp";
  return (becomes.parent_path() / name).string();
}

/// Gives an open file the permissions of the one that it will replace.  A link has none of its own.
bool keep_permissions(int file, const std::filesystem::path& becomes) {
  constexpr mode_t permissions = 0777;
  struct stat earlier {};
  struct stat now {};
  if (lstat(becomes.c_str(), &earlier) != 0 || !S_ISREG(earlier.st_mode)) return true;
  if (fstat(file, &now) != 0) return false;
  const mode_t wanted = earlier.st_mode & permissions;
  return (now.st_mode & permissions) == wanted || fchmod(file, wanted) == 0;
}

}  // namespace

TemporaryFile::TemporaryFile(std::filesystem::path becomes) : becomes_{std::move(becomes)} {
  constexpr mode_t readable = 0666;  // less what the umask takes
  constexpr int tries = 1000;        // a process that was killed may have left that name
  for (int nth = 0; nth < tries; ++nth) {
    const std::string name = temporary_name(becomes_);
    name_.emplace(name);  // before the file is there: an interruption removes it
    const int file =
        open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, readable);
    const int error_of_open = errno;
    if (file < 0) name_.reset();
    errno = error_of_open;
    if (file >= 0) {
      stream_.emplace(file, becomes_.string());
      if (keep_permissions(file, becomes_)) return;
      const int error = errno;
      std::remove(name.c_str());
      refuse_write(becomes_.string(), error);
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

std::string becomes_of(const std::filesystem::path& temporary) {
  constexpr std::string_view digits_and_hyphen = "0123456789-";
  if (!is_temporary(temporary)) return {};
  const std::string stem = temporary.stem().string();  // without .tmp
  const std::size_t number = stem.find_last_not_of(digits_and_hyphen);
  const bool numbered =
      number != std::string::npos && number > 0 && number + 1 < stem.size() && stem[number] == '.';
  return stem.substr(1, numbered ? number - 1 : std::string::npos);
}

}  // namespace reeve::report
