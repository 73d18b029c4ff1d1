#include "report/journal_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace reeve::report {
namespace {

namespace fs = std::filesystem;

/// Whether a rename would replace more than a file: a pipe, a device, or the name of an open file.
bool has_no_other_name(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return false;
  if (!fs::is_regular_file(status)) return true;
  const fs::path folder = fs::canonical(fs::absolute(path).parent_path(), error);
  return folder == "/dev" || folder.string().starts_with("/proc/");
}

}  // namespace

JournalFile::JournalFile(fs::path path) : path_{std::move(path)} {
  if (has_no_other_name(path_)) {
    const int file = open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (file < 0) refuse_write(path_.string(), errno);
    direct_.emplace(file, path_.string());
    return;
  }
  if (path_.has_parent_path()) made_.emplace(path_.parent_path());
  temporary_ = std::make_unique<TemporaryFile>(path_);
}

void JournalFile::close() {
  if (direct_) return direct_->close();
  temporary_->close();
}

void JournalFile::put_in_place() {
  if (temporary_) temporary_->put_in_place();
}

std::uintmax_t JournalFile::bytes() const {
  return temporary_ ? temporary_->bytes() : 0;
}

std::string JournalFile::name_in(const fs::path& directory) const {
  std::error_code error;
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  const bool inside = temporary_ && fs::equivalent(folder, directory, error);
  return inside ? path_.filename().string() : std::string{};
}

bool is_journal(const fs::path& file) {
  constexpr std::string_view begins = "reeve-journal";
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(file, error))) return false;
  std::ifstream in{file, std::ios::binary};
  std::string start(begins.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return in && start == begins;
}

}  // namespace reeve::report
