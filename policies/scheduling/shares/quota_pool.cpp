#include "quota_pool.hpp"

#include <algorithm>
#include <limits>

namespace reeve::policies {

using namespace policy;

namespace {

/// Instances: more than any job has.
constexpr std::int64_t the_largest_job = std::numeric_limits<std::int64_t>::max() / 4;

}  // namespace

void QuotaPool::sum_up() {
  lacks_ = borrowed_ = 0;
  for (std::size_t share = 0; share < shares_.size(); ++share) count(share, 1);
}

void QuotaPool::add(std::size_t share, Victims QuotaVictims::*to, const VictimOrder& order,
                    const Victim& victim) {
  change(share, [&] { (victims_[share].*to).add(order, victim); });
}

void QuotaPool::remove(std::size_t share, Victims QuotaVictims::*from, const VictimOrder& order,
                       const Victim& victim) {
  change(share, [&] { (victims_[share].*from).remove(order, victim); });
}

bool QuotaPool::holds(const QuotaGoal& goal) const {
  if (free_ < 0 && goal.share) return false;
  if (goal.share && !shares_[*goal.share].limit.allows(shares_[*goal.share].used)) return false;
  return uncovered() <= goal.uncovered;
}

bool QuotaPool::can_hold(const QuotaGoal& goal) const {
  const std::int64_t need = std::max(goal.share ? -free_ : 0, uncovered() - goal.uncovered);
  const bool over = goal.share && shares_[*goal.share].over() > 0;
  if (over && !goal.in_share) return holds(goal);
  if (over) {
    const QuotaShare& share = shares_[*goal.share];
    const std::int64_t gives = victims_[*goal.share].gives(goal.below);
    if (gives < share.limit.excess(share.used)) return false;
    return gives >= share.over() || gives >= need;  // or then borrowers of other shares
  }
  return borrowed_ >= need;
}

/// How many instances of one job of the share would do.
std::int64_t QuotaPool::enough(std::size_t share, const QuotaGoal& goal) const {
  const QuotaShare& of = shares_[share];
  const std::int64_t lacks = uncovered() - goal.uncovered;
  if (of.sharing == Sharing::reserve && lacks > of.over()) return the_largest_job;
  std::int64_t need = std::max<std::int64_t>(lacks, 1);
  if (goal.share) need = std::max(need, -free_);
  if (goal.share == share) need = std::max(need, of.limit.excess(of.used));
  return need;
}

std::optional<JobId> QuotaPool::next_victim(const QuotaGoal& goal, const VictimOrder& order) const {
  auto found = best(&QuotaVictims::promised, goal, order);
  if (!found) found = best(&QuotaVictims::running, goal, order);
  return found ? std::optional{found->job} : std::nullopt;
}

std::optional<Preference> QuotaPool::best(Victims QuotaVictims::*of, const QuotaGoal& goal,
                                          const VictimOrder& order) const {
  std::optional<Preference> best;
  const auto look = [&](std::size_t share, std::int64_t below) {
    const Victims& victims = victims_[share].*of;
    if (victims.instances() == 0) return;
    const auto found = victims.best(order, enough(share, goal), below);
    if (found && (!best || *found < *best)) best = found;
  };
  if (goal.share && shares_[*goal.share].over() > 0) {
    if (goal.in_share) look(*goal.share, goal.below);
  } else {
    for (std::size_t share = 0; share < shares_.size(); ++share) {
      if (shares_[share].over() > 0) look(share, Victims::no_limit);
    }
  }
  return best;
}

}  // namespace reeve::policies
