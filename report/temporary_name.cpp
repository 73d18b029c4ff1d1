#include "report/temporary_name.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <utility>

namespace reeve::report {
namespace {

// A signal handler may neither lock nor allocate: plain slots of names.
std::array<std::atomic<const char*>, 1024> open_names{};
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

TemporaryName::TemporaryName(std::string path)
    : path_{std::move(path)}, slot_{take_slot(path_.c_str())} {}

TemporaryName::~TemporaryName() {
  if (slot_ < open_names.size()) open_names[slot_] = nullptr;
}

void remove_temporaries() noexcept {
  // What lies in a directory was named after it, so from the end.
  for (auto name = open_names.rbegin(); name != open_names.rend(); ++name) {
    const char* path = *name;
    if (path != nullptr) std::remove(path);  // POSIX: unlink(2) or rmdir(2), safe in a handler
  }
}

}  // namespace reeve::report
