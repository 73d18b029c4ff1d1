// What the kill switch or a rate limit kept a rule from doing, to be decided again when it may.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <reeve/policy/policy.hpp>
#include <utility>
#include <vector>

#include "timer_key.hpp"

namespace reeve::policies {

/// Remembers targets, each once, while the kill switch is engaged and until there is room.  Whether
/// a decision is still right is for the rule to say when it gets them back.  It costs as much as
/// there are targets, however often room comes for few of them.  Its one timer is no job's: rules
/// know no such job.
class HeldBack {
 public:
  struct Target {
    policy::JobId job;
    policy::AttemptNumber attempt = 0;
    friend constexpr auto operator<=>(const Target&, const Target&) = default;
  };

  void add(const policy::ActionSettled& refused, policy::Decisions& out) {
    const Target target{refused.job, refused.attempt};
    if (refused.refusal != policy::Refusal::rate_limit) return switched_off_.push_back(target);
    const bool arm = waiting_.empty() || refused.room_at > room_at_;
    waiting_.push(target);
    room_at_ = std::max(room_at_, refused.room_at);
    batch_ = 1;
    if (arm) wake(room_at_, out);
  }

  /// Those that may be decided again, by job; they are forgotten.  None while the switch is
  /// engaged.  How much room there is shows only in what is refused: so one at first, and while
  /// none is refused, twice as many in a further step at once.
  std::vector<Target> released(const policy::Step& step, policy::Decisions& out) {
    if (step.fleet.kill_switch_engaged()) return {};
    std::vector<Target> all = std::exchange(switched_off_, {});
    if (!waiting_.empty() && room_at_ <= step.now) {
      for (std::size_t left = batch_; left > 0 && !waiting_.empty(); --left) {
        all.push_back(waiting_.top());
        waiting_.pop();
      }
      batch_ *= 2;
      if (!waiting_.empty()) wake(step.now, out);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

 private:
  static void wake(policy::Instant at, policy::Decisions& out) {
    const policy::JobId nobody{std::numeric_limits<std::uint32_t>::max()};
    out.wake_at(TimerKey{.job = nobody}.packed(), at);
  }

  std::vector<Target> switched_off_;                                          ///< until the release
  std::priority_queue<Target, std::vector<Target>, std::greater<>> waiting_;  ///< for room
  policy::Instant room_at_ = policy::Instant::min();  ///< for none of them before
  std::size_t batch_ = 1;                             ///< how many may try next
};

}  // namespace reeve::policies
