#include "app/study/policy_watchdog.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <utility>

#include "host/policy_call.hpp"

namespace reeve::app {
namespace {

constexpr int looks = 12;

/// By thread: the call it was seen in last, and how often in a row.
using Seen = std::map<const void*, std::pair<std::uint64_t, int>>;

const std::string* stuck_seat(Seen& before) {
  Seen now;
  const std::string* stuck = nullptr;
  for (const host::CallInProgress& call : host::calls_in_progress()) {
    const auto last = before.find(call.thread);
    const bool is_same = last != before.end() && last->second.first == call.nth;
    const int times = is_same ? last->second.second + 1 : 0;
    now[call.thread] = {call.nth, times};
    if (times >= looks) stuck = call.seat;
  }
  before = std::move(now);
  return stuck;
}

void look_until_stopped(const std::stop_token& stop, std::chrono::milliseconds pause,
                        const PolicyWatchdog::OnStuck& on_stuck) {
  std::mutex mutex;
  std::condition_variable_any tick;
  std::unique_lock lock{mutex};
  Seen seen;
  while (!tick.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
    if (const std::string* seat = stuck_seat(seen)) return on_stuck(*seat);
  }
}

}  // namespace

PolicyWatchdog::PolicyWatchdog(std::chrono::milliseconds patience, OnStuck on_stuck)
    : looker_{[pause = patience / looks, on_stuck = std::move(on_stuck)](
                  const std::stop_token& stop) { look_until_stopped(stop, pause, on_stuck); }} {}

}  // namespace reeve::app
