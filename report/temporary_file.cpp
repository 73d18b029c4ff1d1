#include "report/temporary_file.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <system_error>

namespace reeve::report {
namespace {

// A signal handler may neither lock nor allocate: plain slots of names.
std::array<std::atomic<const char*>, 64> open_names{};
static_assert(std::atomic<const char*>::is_always_lock_free);

/// The slot taken; open_names.size() if all are.
std::size_t take_slot(const char* name) {
  for (std::size_t slot = 0; slot < open_names.size(); ++slot) {
    const char* free = nullptr;
    if (open_names[slot].compare_exchange_strong(free, name)) return slot;
  }
  return open_names.size();
}

}  // namespace

TemporaryFile::TemporaryFile(std::filesystem::path becomes)
    : becomes_{std::move(becomes)},
      name_{(becomes_.parent_path() / ('.' + becomes_.filename().string() + ".tmp")).string()},
      slot_{take_slot(name_.c_str())} {}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(name_, ignored);
  if (slot_ < open_names.size()) open_names[slot_] = nullptr;
}

void TemporaryFile::put_in_place() const {
  std::error_code error;
  std::filesystem::rename(name_, becomes_, error);
  if (error) {
    throw std::runtime_error{"cannot write " + becomes_.string() + ": " + error.message()};
  }
}

void remove_temporary_files() noexcept {
  for (const std::atomic<const char*>& name : open_names) {
    if (const char* file = name) std::remove(file);  // POSIX: unlink(2), safe in a handler
  }
}

}  // namespace reeve::report
