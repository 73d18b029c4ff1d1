// Who waited at an instant of a run, what there was of instances, and in which order they started.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/group_limits.hpp"
#include "experiments/holdings.hpp"
#include "models/record.hpp"
#include "models/world.hpp"
#include "scenarios/load/resolved/share_reach.hpp"

namespace reeve::experiments {

/// Why an attempt has no instances.  `machines`: fewer are free than it needs.  `environment`: its
/// queue's environment has no room for it.  `user_limit`: its user would exceed the limit within
/// the share.  `quota`: it would exceed the quota of its share and what that may borrow, or is in
/// no share and exceeds what is outside all quotas, or is not preemptible and exceeds what its
/// share deserves.  `account_quota`: a service quota of the account refused its start.  `turn`:
/// none of these; other jobs are ahead or the rule reserves instances.
enum class WaitsFor : std::uint8_t {
  machines,
  environment,
  user_limit,
  quota,
  account_quota,
  turn
};

/// As in tables: `machines`, `environment`, `user_limit`, `quota`, `account_quota`, `turn`.
std::string_view name(WaitsFor reason);

/// An attempt that waits for instances, or for others when it has lost its own.
struct Waiter {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::PoolId pool;
  std::uint32_t instances = 0;
  std::int32_t priority = 0;  ///< then
  policy::Instant since;      ///< when it was requested, or lost its instances
  /// When its job has instances next, be it in another attempt; `never`: not in this run.
  policy::Instant starts = policy::never;
  std::size_t start_place = 0;  ///< among those that start at one instant: Holding::place
  WaitsFor reason = WaitsFor::turn;
  const models::QuotaRefusalRow* refused = nullptr;  ///< the newest refusal; null: none
};

/// What an environment has room for, below 0 where more is held: by its `instances` of all pools,
/// and by its limit of one; none: it has no such limit.
struct EnvironmentRoom {
  std::optional<std::int64_t> of_instances;
  std::optional<std::int64_t> of_limit;

  std::optional<std::int64_t> least() const {
    if (!of_instances || !of_limit) return of_instances ? of_instances : of_limit;
    return std::min(*of_instances, *of_limit);
  }
};

/// A run at one instant, after all that happens then.  Its record must have attempts, events and
/// utilization; both must outlive this.
class QueueSnapshot {
 public:
  QueueSnapshot(const models::World& world, const scenarios::PolicySpec& policy,
                const models::Record& record, const Holdings& holdings, policy::Instant at);

  /// By pool, and then as `goes_before` says.
  const std::vector<Waiter>& waiters() const { return waiters_; }
  /// In the order in which they came to start; who never did comes last, by when it was requested,
  /// or by priority and submission where the rule goes by these.  Orders change as jobs come: this
  /// is the one that came true.
  bool goes_before(const Waiter& a, const Waiter& b) const;
  /// Instances that are available and not held.
  std::uint32_t free(policy::PoolId pool) const;
  /// Instances that are there, held or not.
  std::uint32_t offered(policy::PoolId pool) const { return offered_[pool.index]; }
  /// The most of those that jobs of its queue's environment may have; of none: all.
  std::int64_t most(policy::JobId job, policy::PoolId pool) const;
  /// Whether that is less than it wants: the rule sets it aside meanwhile, so that others pass it.
  bool is_too_large(const Waiter& waiter) const {
    return std::int64_t{waiter.instances} > most(waiter.job, waiter.pool);
  }
  /// How many instances of a pool the environment of the job's queue has room for.
  EnvironmentRoom environment_room(policy::JobId job, policy::PoolId pool) const;
  /// What the job's share has of a pool; none: it stands in no share, or the policy keeps shares to
  /// no quotas.
  std::optional<models::ShareUseRow> share_of(policy::JobId job, policy::PoolId pool) const;
  /// Instances that are free for it, whatever its turn.  Where the policy keeps shares to quotas:
  /// outside all quotas for a job in no share, else within what its share may borrow.
  std::int64_t there_for(const Waiter& waiter) const;
  /// How many of its share's quota it lacks, and is within, because others have more than theirs;
  /// 0: none, or it is beyond.
  std::int64_t lent_away(const Waiter& waiter) const;
  /// What it may have together with some others of its share; none: it is in no such group.
  std::optional<GroupLimit> limit_of(const Waiter& waiter) const;

 private:
  std::map<policy::JobId, std::int32_t> changed_priorities() const;
  std::map<std::pair<policy::JobId, policy::AttemptNumber>, policy::PoolId> not_placed_yet() const;
  void find_waiters(const Holdings& holdings);
  void find_used(const Holdings& holdings);
  bool may_borrow(const Waiter& waiter, const models::ShareUseRow& share) const;
  /// What quotas are of the pool then, as far as environments let them.
  std::int64_t covered(policy::PoolId pool) const;
  /// What is left for a job in no share of what no quota covers, of the pool and of what the job's
  /// environment may have of it.
  std::int64_t of_nobody(policy::JobId job, policy::PoolId pool) const;
  std::int64_t quota(policy::ShareId share, policy::PoolId pool) const;
  std::int64_t deserved(std::optional<policy::ShareId> share, policy::PoolId pool) const;
  /// What jobs of the environment have of the pool.
  std::int64_t had_by(policy::EnvironmentId environment, policy::PoolId pool) const;
  std::int64_t room_of(std::optional<policy::EnvironmentId> environment, policy::PoolId pool) const;
  std::int64_t idle_to_lend(policy::ShareId share, policy::PoolId pool) const;
  const models::QuotaRefusalRow* newest_refusal(const Waiter& waiter) const;
  WaitsFor reason_of(const Waiter& waiter) const;
  std::optional<policy::EnvironmentId> environment_of(policy::JobId job) const;
  const policy::JobTerms& terms_of(policy::JobId job) const;

  const models::World& world_;
  const models::Record& record_;
  policy::Instant at_;
  bool by_priority_ = false;  ///< the rule, at least inside a share
  GroupLimits limits_;
  std::optional<scenarios::Lending> lending_;          ///< none: no share is kept to its quota
  std::vector<std::uint32_t> allocated_;               ///< by pool
  std::vector<std::uint32_t> offered_;                 ///< by pool, held or not
  std::map<std::uint64_t, models::ShareUseRow> used_;  ///< by pool and share
  /// Instances that jobs of an environment have, by environment and pool.
  std::map<std::pair<policy::EnvironmentId, policy::PoolId>, std::int64_t> in_environment_;
  std::vector<Waiter> waiters_;
};

}  // namespace reeve::experiments
