// Decisions that the kill switch or a rate limit prevented: the rule decides again when it may.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <reeve/policy/policy.hpp>
#include <set>
#include <utility>
#include <vector>

#include "timer_key.hpp"

namespace reeve::policies {

/// Remembers each target once, while the kill switch is engaged and until there is room.  The rule
/// decides again for each released target.  The target that was held back first is released first,
/// so a rule that proposes repeatedly cannot take all the room.  The cost grows with the number of
/// targets and not with the number of releases.  Its single timer has a job id that no rule uses.
class HeldBack {
 public:
  struct Target {
    policy::JobId job;
    policy::AttemptNumber attempt = 0;
    friend constexpr auto operator<=>(const Target&, const Target&) = default;
  };

  /// `purpose`: of its timer, if a rule has several HeldBack members.
  explicit HeldBack(std::uint16_t purpose = 0) : purpose_{purpose} {}

  void add(const policy::ActionSettled& refused, policy::Decisions& out) {
    const Target target{refused.job, refused.attempt};
    if (refused.refusal != policy::Refusal::rate_limit) return switched_off_.push_back(target);
    const auto tried = tried_.find(target);
    auto known = places_.find(target);
    if (known == places_.end()) {
      known = places_.emplace(target, tried != tried_.end() ? tried->second : ++made_).first;
    }
    std::set<Place>& there = waiting_[refused.room_at];
    there.emplace(known->second, target);
    // The refusal also applies to the targets behind this one: all become due together.
    if (tried != tried_.end()) {
      if (due_.size() > there.size()) there.swap(due_);
      there.merge(due_);
      due_.clear();
      batch_ = 1;
    }
    if (due_.empty()) wake(waiting_.begin()->first, out);
  }

  /// Returns and forgets the targets that may be decided again, oldest first; none while the kill
  /// switch is engaged.  Refusals are the only sign that there is no room.  So the first batch has
  /// one target, and each batch without a refusal doubles the next one, in a further step at the
  /// same instant.
  std::vector<Target> released(const policy::Step& step, policy::Decisions& out) {
    if (is_idle()) [[likely]]
      return {};
    return release(step, out);
  }

 private:
  bool is_idle() const {
    return switched_off_.empty() && waiting_.empty() && due_.empty() && tried_.empty();
  }

  std::vector<Target> release(const policy::Step& step, policy::Decisions& out) {
    if (step.fleet.kill_switch_engaged()) return {};
    std::vector<Target> all = std::exchange(switched_off_, {});
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    while (!waiting_.empty() && waiting_.begin()->first <= step.now) {
      std::set<Place>& there = waiting_.begin()->second;
      if (due_.size() < there.size()) due_.swap(there);  // few join many
      due_.merge(there);
      waiting_.erase(waiting_.begin());
    }
    tried_.clear();
    for (std::size_t left = batch_; left > 0 && !due_.empty(); --left) {
      const auto [number, target] = due_.extract(due_.begin()).value();
      tried_.emplace(target, number);
      if (places_.erase(target) > 0) all.push_back(target);
    }
    batch_ = due_.empty() ? 1 : batch_ * 2;
    if (!due_.empty()) {
      wake(step.now, out);
    } else if (!waiting_.empty()) {
      wake(waiting_.begin()->first, out);
    }
    return all;
  }

  void wake(policy::Instant at, policy::Decisions& out) const {
    const policy::JobId no_job{std::numeric_limits<std::uint32_t>::max()};
    out.wake_at(TimerKey{.job = no_job, .purpose = purpose_}.packed(), at);
  }

  /// A number that grows with the time of the first refusal, and the target.
  using Place = std::pair<std::uint64_t, Target>;

  std::uint16_t purpose_;
  std::vector<Target> switched_off_;                    ///< until the kill switch is released
  std::map<policy::Instant, std::set<Place>> waiting_;  ///< by the time of room for them
  std::map<Target, std::uint64_t> places_;              ///< of the targets in `waiting_` and `due_`
  std::map<Target, std::uint64_t> tried_;               ///< the newest batch
  std::set<Place> due_;                                 ///< there may be room for them now
  std::size_t batch_ = 1;                               ///< size of the next batch
  std::uint64_t made_ = 0;                              ///< numbers given out
};

}  // namespace reeve::policies
