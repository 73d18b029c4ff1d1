#include "host/policy_call.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

REEVE_POLICY_METERED_NEW

namespace reeve::host {

/// One thread writes it and the watchdog reads it.
struct PolicyCall::Place {
  Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place();
  std::atomic<const std::string*> seat{nullptr};
  std::atomic<std::uint64_t> nth{0};
};

namespace {

struct Places {
  std::mutex mutex;
  std::vector<const PolicyCall::Place*> all;
};

Places& places() {
  static Places of_all_threads;
  return of_all_threads;
}

PolicyCall::Place& place() {
  static thread_local PolicyCall::Place of_this_thread;
  return of_this_thread;
}

}  // namespace

PolicyCall::Place::Place() {
  const std::scoped_lock lock{places().mutex};
  places().all.push_back(this);
}

PolicyCall::Place::~Place() {
  const std::scoped_lock lock{places().mutex};
  std::erase(places().all, this);
}

WatchedName::WatchedName(const std::string& name) {
  static std::mutex mutex;
  static std::set<std::string> names;
  const std::scoped_lock lock{mutex};
  text_ = &*names.insert(name).first;
}

PolicyCall::PolicyCall(WatchedName seat, policy::HeldMemory& held)
    : metering_{&held}, seen_{place()} {
  // No other thread writes here: there is nothing to add up atomically.
  seen_.nth.store(seen_.nth.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  seen_.seat.store(seat.text(), std::memory_order_release);
}

PolicyCall::~PolicyCall() {
  seen_.seat.store(nullptr, std::memory_order_release);
}

std::vector<CallInProgress> calls_in_progress() {
  std::vector<CallInProgress> found;
  const std::scoped_lock lock{places().mutex};
  for (const PolicyCall::Place* at : places().all) {
    const std::string* seat = at->seat.load(std::memory_order_acquire);
    if (seat != nullptr) found.push_back({at, at->nth.load(std::memory_order_relaxed), seat});
  }
  return found;
}

}  // namespace reeve::host
