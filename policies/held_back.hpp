// What the kill switch or a rate limit kept a rule from doing, to be decided again when it may.
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

/// Remembers targets, each once, while the kill switch is engaged and until there is room.  Whether
/// a decision is still right is for the rule to say when it gets them back.  Who was kept back
/// first is let try first, so that nobody who asks again and again takes all the room.  It costs as
/// much as there are targets, however often room comes for few of them.  Its one timer is no job's:
/// rules know no such job.
class HeldBack {
 public:
  struct Target {
    policy::JobId job;
    policy::AttemptNumber attempt = 0;
    friend constexpr auto operator<=>(const Target&, const Target&) = default;
  };

  /// `purpose`: of its timer, where a rule has several of these.
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
    // What keeps one of those that were let try keeps those behind it too.
    if (tried != tried_.end()) {
      if (due_.size() > there.size()) there.swap(due_);
      there.merge(due_);
      due_.clear();
      batch_ = 1;
    }
    if (due_.empty()) wake(waiting_.begin()->first, out);
  }

  /// Those that may be decided again, the first first; they are forgotten.  None while the switch
  /// is engaged.  How much room there is shows only in what is refused: so one at first, and while
  /// none is refused, twice as many in a further step at once.
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
    const policy::JobId nobody{std::numeric_limits<std::uint32_t>::max()};
    out.wake_at(TimerKey{.job = nobody, .purpose = purpose_}.packed(), at);
  }

  /// Since when it is kept back, as a number, and what.
  using Place = std::pair<std::uint64_t, Target>;

  std::uint16_t purpose_;
  std::vector<Target> switched_off_;                    ///< until the release
  std::map<policy::Instant, std::set<Place>> waiting_;  ///< by when there is room for them
  std::map<Target, std::uint64_t> places_;              ///< of those that wait or are due
  std::map<Target, std::uint64_t> tried_;               ///< the newest batch of those
  std::set<Place> due_;                                 ///< there may be room for them now
  std::size_t batch_ = 1;                               ///< how many of those may try next
  std::uint64_t made_ = 0;                              ///< numbers
};

}  // namespace reeve::policies
