// The quotas of one pool while it is planned: what shares use, lend and borrow, and which of their
// jobs may be preempted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <reeve/policy/queue.hpp>
#include <vector>

#include "borrow_limit.hpp"
#include "victims.hpp"

namespace reeve::policies {

/// One share in one pool.
struct QuotaShare {
  std::int64_t quota = 0;
  BorrowLimit limit;
  std::int64_t used = 0;  ///< in the plan
  policy::Sharing sharing = policy::Sharing::reserve;
  bool in_share_preemption = false;

  std::int64_t over() const { return used - quota; }
  std::int64_t left() const { return quota - used; }
  /// What the pool lacks because the share `uses` instances; below 0: what it lends.
  std::int64_t lacks(std::int64_t uses) const {
    const bool lends = sharing != policy::Sharing::reserve;
    return uses > quota || lends ? uses - quota : 0;
  }
};

/// The jobs of one share in one pool that may be preempted.
struct QuotaVictims {
  Victims running;
  Victims promised;  ///< they have promises, and lose nothing with them

  /// Instances of all, or of those with a priority below that.
  std::int64_t gives() const { return running.instances() + promised.instances(); }
  std::int64_t gives(std::int64_t below) const {
    return running.instances(below) + promised.instances(below);
  }
};

/// What a preemption is for.
struct QuotaGoal {
  /// The share that gets instances; none: to cover what a lowered quota left without cover.
  std::optional<std::size_t> share = std::nullopt;
  std::int64_t uncovered = 0;              ///< at most
  std::int64_t below = Victims::no_limit;  ///< priority of victims inside the share
  bool in_share = false;                   ///< jobs of the share may be preempted
};

/// All changes of what a share uses or gives go through its functions, so that the sums are right:
/// each costs O(1) beside the victims.
class QuotaPool {
 public:
  void resize(std::size_t shares) {
    shares_.resize(shares);
    victims_.resize(shares);
  }
  /// By share; the last is of jobs of no share.
  std::vector<QuotaShare>& shares() { return shares_; }
  const std::vector<QuotaShare>& shares() const { return shares_; }

  /// The sums anew, after terms of shares were set from outside.
  void sum_up();
  std::int64_t free() const { return free_; }
  void set_free(std::int64_t free) { free_ = free; }
  void set_used(std::size_t share, std::int64_t used) {
    change(share, [&] { shares_[share].used = used; });
  }
  /// The share uses `instances` more, or fewer.
  void use(std::size_t share, std::int64_t instances) {
    change(share, [&] { shares_[share].used += instances; });
    free_ -= instances;
  }
  void add(std::size_t share, Victims QuotaVictims::*to, const VictimOrder& order,
           const Victim& victim);
  void remove(std::size_t share, Victims QuotaVictims::*from, const VictimOrder& order,
              const Victim& victim);

  /// What the pool lacks because of all shares; below 0: what they lend.
  std::int64_t lacks() const { return lacks_; }
  /// What is borrowed and not idle in shares that lend.
  std::int64_t uncovered() const { return std::max<std::int64_t>(lacks_, 0); }
  bool holds(const QuotaGoal& goal) const;
  /// Whether all victims together would do: if not, none need be looked at.
  bool can_hold(const QuotaGoal& goal) const;
  /// The next to preempt for it; jobs with promises before jobs with instances.
  std::optional<policy::JobId> next_victim(const QuotaGoal& goal, const VictimOrder& order) const;

 private:
  template <class Change>
  void change(std::size_t share, const Change& change) {
    count(share, -1);
    change();
    count(share, 1);
  }
  void count(std::size_t share, int sign) {
    const QuotaShare& of = shares_[share];
    lacks_ += sign * of.lacks(of.used);
    if (of.over() > 0) borrowed_ += sign * victims_[share].gives();
  }
  std::int64_t enough(std::size_t share, const QuotaGoal& goal) const;
  std::optional<Preference> best(Victims QuotaVictims::*of, const QuotaGoal& goal,
                                 const VictimOrder& order) const;

  std::vector<QuotaShare> shares_;
  std::vector<QuotaVictims> victims_;  ///< by share
  std::int64_t lacks_ = 0;             ///< the sum of theirs
  std::int64_t borrowed_ = 0;          ///< what shares above their quota give
  std::int64_t free_ = 0;              ///< when all that leave have left
};

}  // namespace reeve::policies
