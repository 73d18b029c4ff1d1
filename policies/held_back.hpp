// What the kill switch or a rate limit kept a rule from doing, to be decided again when it may.
#pragma once

#include <algorithm>
#include <compare>
#include <limits>
#include <reeve/policy/policy.hpp>
#include <vector>

#include "timer_key.hpp"

namespace reeve::policies {

/// Remembers targets, each once, while the kill switch is engaged and until there is room.  Whether
/// a decision is still right is for the rule to say when it gets them back.  Its one timer is no
/// job's: rules know no such job.
class HeldBack {
 public:
  struct Target {
    policy::JobId job;
    policy::AttemptNumber attempt = 0;
    friend constexpr auto operator<=>(const Target&, const Target&) = default;
  };

  void add(const policy::ActionSettled& refused, policy::Decisions& out) {
    const bool waits_for_room = refused.refusal == policy::Refusal::rate_limit;
    const policy::Instant due = waits_for_room ? refused.room_at : policy::Instant::min();
    held_.push_back({{refused.job, refused.attempt}, due});
    if (due >= next_) return;
    next_ = due;
    if (waits_for_room) wake(out);
  }

  /// Those that may be decided again, by job; they are forgotten.  None while the switch is
  /// engaged.
  std::vector<Target> released(const policy::Step& step, policy::Decisions& out) {
    if (next_ > step.now || held_.empty() || step.fleet.kill_switch_engaged()) return {};
    std::vector<Target> all;
    next_ = policy::never;
    std::erase_if(held_, [&](const Held& held) {
      const bool due = held.due <= step.now;
      if (due) all.push_back(held.target);
      if (!due) next_ = std::min(next_, held.due);
      return due;
    });
    if (next_ != policy::never) wake(out);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

 private:
  struct Held {
    Target target;
    policy::Instant due;
  };

  void wake(policy::Decisions& out) const {
    const policy::JobId nobody{std::numeric_limits<std::uint32_t>::max()};
    out.wake_at(TimerKey{.job = nobody}.packed(), next_);
  }

  std::vector<Held> held_;
  policy::Instant next_ = policy::never;  ///< the earliest due
};

}  // namespace reeve::policies
