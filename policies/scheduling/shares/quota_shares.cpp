#include "quota_shares.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "quota_pool.hpp"
#include "shared_pools.hpp"
#include "turn.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// Shares are served in turn, in a share the highest priority and then the earliest submission;
/// only the first of a share is looked at.  A job within its share's quota gets instances, if they
/// are lent by preempting borrowers.  Beyond the quota idle instances of shares that lend are
/// borrowed, in order of submission; if there are none, lower priorities of the same share may be
/// preempted.  Each pool is planned for itself, in O(shares + sizes + log jobs) for each job that
/// starts or is preempted.
class QuotaShares final : public SharedPools {
 public:
  explicit QuotaShares(QuotaModel model) : model_{std::move(model)} {}

 private:
  /// The first job of a share.
  struct First {
    std::int64_t wants = 0;  ///< instances; 0: no job is pending
    Waiting place;
  };

  struct Plan {
    QuotaPool quotas;
    std::vector<First> firsts;  ///< by share
    std::int64_t capacity = 0;  ///< of the pool
    std::size_t last = 0;       ///< the share that was served last
    /// Whether a pending job may have back what others borrow; nothing: not looked up since the
    /// last plan.
    mutable std::optional<bool> wants_back;
  };

  void learn(const Pool& pool, PoolId id, const Turn& turn) override;
  void plan(Pool& pool, PoolId id, Turn& turn) override;
  BorrowLimit limit(PoolId id, std::uint32_t share) const override {
    return plans_[id.index].quotas.shares()[share].limit;
  }
  std::int64_t own(PoolId id, std::uint32_t share) const override {
    const QuotaShare& of = plans_[id.index].quotas.shares()[share];
    return of.sharing == Sharing::reserve ? of.quota : 0;
  }
  /// AWS Batch documents no such thing.
  bool breaks_cycles() const override { return false; }
  /// Only the first of a share, when it is looked at.
  bool sets_too_large_aside() const override { return false; }
  bool may_help(const Pool& pool, const Row& row) const override;
  void list(JobId job) override {
    quotas_of(job).add(row(job).share, victims_of(job), model_.victims, victim(job));
  }
  void unlist(JobId job) override {
    quotas_of(job).remove(row(job).share, victims_of(job), model_.victims, victim(job));
  }

  Plan& plan_of(PoolId id, std::size_t shares) {
    if (id.index >= plans_.size()) plans_.resize(std::size_t{id.index} + 1);
    Plan& plan = plans_[id.index];
    if (plan.firsts.empty()) {
      plan.quotas.resize(shares);
      plan.firsts.resize(shares);
      plan.last = shares - 1;
    }
    return plan;
  }
  QuotaPool& quotas_of(JobId job) {
    const PoolId id = row(job).pool;
    return plan_of(id, pools()[id.index].lines.size()).quotas;
  }
  Victims QuotaVictims::*victims_of(JobId job) const {
    return is_promised(job) ? &QuotaVictims::promised : &QuotaVictims::running;
  }
  Victim victim(JobId job) const {
    const Row& of = row(job);
    return {job, of.priority, of.since, of.instances};
  }

  static bool wants_back(const Plan& plan);
  void look(Pool& pool, PoolId id);
  const First& first(Pool& pool, PoolId id, std::size_t share, Turn& turn);
  void cover_surplus(Pool& pool, PoolId id, Turn& turn);
  bool serve(Pool& pool, PoolId id, bool in_share, Turn& turn);
  bool borrow(Pool& pool, PoolId id, Turn& turn);
  bool may_borrow(QuotaPool& quotas, std::size_t share, std::int64_t wanted) const;
  bool admit(Pool& pool, PoolId id, JobId job, bool preempts, Turn& turn);
  std::optional<std::vector<JobId>> clear(QuotaPool& quotas, const QuotaGoal& goal);
  void give_back(QuotaPool& quotas, JobId job) {
    end_listing(job);
    quotas.use(row(job).share, -std::int64_t{row(job).instances});
  }
  void take_back(QuotaPool& quotas, JobId job) {
    begin_listing(job);
    quotas.use(row(job).share, row(job).instances);
  }

  QuotaModel model_;
  std::vector<Plan> plans_;  ///< by pool
};

/// Jobs of no share have what no quota covers.
void QuotaShares::learn(const Pool& pool, PoolId id, const Turn& turn) {
  const std::vector<ShareFacts>& facts = turn.fleet.directory().shares;
  std::vector<QuotaShare>& shares = plan_of(id, pool.lines.size()).quotas.shares();
  for (std::uint32_t place = 0; place + 1 < pool.lines.size(); ++place) {
    QuotaShare& share = shares[place];
    share.quota = turn.quota({place}, id);
    share.sharing = model_.sharing.value_or(facts[place].sharing);
    share.in_share_preemption = model_.in_share_preemption && facts[place].in_share_preemption;
    share.limit = BorrowLimit{share.quota, share.sharing, facts[place]};
  }
  shares.back().quota = turn.uncovered(id);
  shares.back().limit = BorrowLimit{shares.back().quota};
  plans_[id.index].quotas.sum_up();
}

void QuotaShares::plan(Pool& pool, PoolId id, Turn& turn) {
  look(pool, id);
  Plan& plan = plans_[id.index];
  plan.capacity = turn.capacity(id);
  plan.quotas.set_free(free(pool, id, turn));
  if (model_.surplus_at_once) cover_surplus(pool, id, turn);
  // No share preempts its own jobs, nor borrows, what a pending job within its quota wants.
  while (serve(pool, id, false, turn) || serve(pool, id, true, turn) || borrow(pool, id, turn)) {
    continue;
  }
  plan.wants_back.reset();
}

/// A share that preempts its own jobs may want back what others have borrowed besides.
bool QuotaShares::wants_back(const Plan& plan) {
  if (plan.wants_back) return *plan.wants_back;
  bool wants_back = false;
  for (std::size_t share = 0; share < plan.firsts.size() && !wants_back; ++share) {
    const QuotaShare& of = plan.quotas.shares()[share];
    const std::int64_t wants = plan.firsts[share].wants;
    wants_back = wants > 0 && (wants <= of.left() || of.in_share_preemption);
  }
  plan.wants_back = wants_back;
  return wants_back;
}

/// What shares use, and their first jobs, as they are now.
void QuotaShares::look(Pool& pool, PoolId id) {
  Plan& plan = plans_[id.index];
  for (const std::uint32_t share : pool.touched) {
    Line& line = pool.lines[share];
    line.touched = false;
    plan.quotas.set_used(share, line.used);
    First& first = plan.firsts[share] = {};
    for (const auto& [kind, waiting] : line.waiting) {
      const Waiting& place = *waiting.begin();
      if (first.wants == 0 || place < first.place) first = {kind.instances, place};
    }
  }
  pool.touched.clear();
}

/// The first job of the share.  A job that is larger than the pool would block it for ever.
const QuotaShares::First& QuotaShares::first(Pool& pool, PoolId id, std::size_t share, Turn& turn) {
  Plan& plan = plans_[id.index];
  while (plan.firsts[share].wants > plan.capacity) {
    set_aside(plan.firsts[share].place.job, turn);
    look(pool, id);
  }
  return plan.firsts[share];
}

/// Whether a pending job might start for it, as the pool was when it was last planned.
bool QuotaShares::may_help(const Pool& pool, const Row& row) const {
  if (row.pool.index >= plans_.size()) return true;
  const Plan& plan = plans_[row.pool.index];
  const std::vector<QuotaShare>& shares = plan.quotas.shares();
  if (shares.empty()) return true;
  std::int64_t lacks = plan.quotas.lacks();
  for (const std::uint32_t share : pool.touched) {
    lacks += shares[share].lacks(pool.lines[share].used) - shares[share].lacks(shares[share].used);
  }
  if (lacks > 0) return true;
  const QuotaShare& own = shares[row.share];
  if (pool.lines[row.share].used > own.quota && wants_back(plan)) return true;
  if (!own.in_share_preemption) return false;
  const auto& waiting = pool.lines[row.share].waiting;
  return std::any_of(waiting.begin(), waiting.end(),
                     [&](const auto& kind) { return -kind.second.begin()->first > row.priority; });
}

/// Finds victims until the goal is met, and spares the superfluous, the last chosen first; in the
/// plan the victims have left.  Nothing if the goal cannot be met; but what was lowered is covered
/// as far as it can be.
std::optional<std::vector<JobId>> QuotaShares::clear(QuotaPool& quotas, const QuotaGoal& goal) {
  std::vector<JobId> victims;
  if (goal.share && !quotas.can_hold(goal)) return std::nullopt;
  bool met = quotas.holds(goal);
  while (!met) {
    const std::optional<JobId> next = quotas.next_victim(goal, model_.victims);
    if (!next) break;
    give_back(quotas, *next);
    victims.push_back(*next);
    met = quotas.holds(goal);
  }
  for (std::size_t place = victims.size(); met && place-- > 0;) {
    const JobId job = victims[place];
    take_back(quotas, job);
    if (quotas.holds(goal)) {
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(place));
    } else {
      give_back(quotas, job);
    }
  }
  if (met || !goal.share) return victims;
  for (const JobId job : victims) take_back(quotas, job);
  return std::nullopt;
}

void QuotaShares::cover_surplus(Pool& pool, PoolId id, Turn& turn) {
  QuotaPool& quotas = plans_[id.index].quotas;
  if (quotas.uncovered() == 0) return;
  const auto victims = clear(quotas, {});
  for (const JobId job : *victims) preempt_surplus(pool, job, turn);
  look(pool, id);
}

/// Starts the job, or promises it instances, if that is possible.  `preempts`: it may preempt jobs
/// of its share if it is beyond the quota.
bool QuotaShares::admit(Pool& pool, PoolId id, JobId job, bool preempts, Turn& turn) {
  const Row& of = row(job);
  QuotaPool& quotas = plans_[id.index].quotas;
  const QuotaGoal goal{.share = of.share,
                       .uncovered = quotas.uncovered(),
                       .below = of.priority,
                       .in_share = preempts};
  quotas.use(of.share, of.instances);
  const auto victims = clear(quotas, goal);
  if (!victims) {
    quotas.use(of.share, -std::int64_t{of.instances});
    return false;
  }
  grant(pool, id, job, *victims, turn);
  look(pool, id);
  return true;
}

/// Whether the share could borrow so much now.
bool QuotaShares::may_borrow(QuotaPool& quotas, std::size_t share, std::int64_t wanted) const {
  const QuotaGoal goal{.share = share, .uncovered = quotas.uncovered()};
  quotas.use(share, wanted);
  const bool may = quotas.holds(goal);
  quotas.use(share, -wanted);
  return may;
}

/// The next share in turn gets instances: within its quota, or beyond it, `in_share`, those of its
/// own lower priorities.
bool QuotaShares::serve(Pool& pool, PoolId id, bool in_share, Turn& turn) {
  Plan& plan = plans_[id.index];
  std::size_t share = plan.last;
  for (std::size_t left = plan.firsts.size(); left > 0; --left) {
    if (++share == plan.firsts.size()) share = 0;
    const First& first = this->first(pool, id, share, turn);
    const QuotaShare& of = plan.quotas.shares()[share];
    const bool is_within = first.wants <= of.left();
    if (first.wants == 0 || is_within == in_share) continue;
    if (in_share && !of.in_share_preemption) continue;
    if (in_share && may_borrow(plan.quotas, share, first.wants)) continue;
    if (!admit(pool, id, first.place.job, in_share, turn)) continue;
    plan.last = share;
    return true;
  }
  return false;
}

/// The earliest submission borrows what is idle.
bool QuotaShares::borrow(Pool& pool, PoolId id, Turn& turn) {
  const Plan& plan = plans_[id.index];
  if (plan.quotas.free() <= 0) return false;
  std::vector<std::pair<std::int64_t, JobId>> borrowers;
  for (std::size_t share = 0; share < plan.firsts.size(); ++share) {
    const QuotaShare& of = plan.quotas.shares()[share];
    if (of.sharing != Sharing::lend_and_borrow) continue;
    const First& first = this->first(pool, id, share, turn);
    if (first.wants == 0 || first.wants <= of.left()) continue;
    if (first.wants > plan.quotas.free() && !model_.blocked_borrower_blocks) continue;
    borrowers.emplace_back(first.place.second, first.place.job);
  }
  std::sort(borrowers.begin(), borrowers.end());
  for (const auto& borrower : borrowers) {
    if (admit(pool, id, borrower.second, false, turn)) return true;
    if (model_.blocked_borrower_blocks) return false;
  }
  return false;
}

}  // namespace

std::unique_ptr<Algorithm> quota_shares(QuotaModel model) {
  return std::make_unique<QuotaShares>(std::move(model));
}

}  // namespace reeve::policies
