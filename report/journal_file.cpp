#include "app/files/journal_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace reeve::app {

JournalFile::JournalFile(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ignored);
  constexpr mode_t readable = 0666;  // less what the umask takes
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, readable);
  if (file < 0) report::refuse_write(path.string(), errno);
  stream_.emplace(file, path.string());
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw std::runtime_error{"cannot write " + path.string() +
                             ": another process writes its journal; name another file"};
  }
  if (ftruncate(file, 0) != 0) report::refuse_write(path.string(), errno);
}

}  // namespace reeve::app
