// Limits for groups of jobs within a share: the jobs of one user (`capacity`), and the jobs that
// are not preemptible (`kai`).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "experiments/holdings.hpp"
#include "models/record.hpp"
#include "models/world.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::experiments {

/// A limit in instances of a pool.
struct GroupLimit {
  bool of_user = false;  ///< else of jobs that are not preemptible
  std::string user;
  std::int64_t user_limit_pct = 0;
  std::int64_t most = 0;
  std::int64_t held = 0;
  /// Whether a job of the group may have `instances` more.  A user may always run one job of any
  /// size.
  bool allows(std::int64_t instances) const {
    return held + instances <= most || (of_user && held == 0);
  }
};

/// The group limits of a policy at one instant of its run.
class GroupLimits {
 public:
  GroupLimits(const models::World& world, const scenarios::PolicySpec& policy,
              const models::Record& record, const Holdings& holdings, policy::Instant at);

  /// The limit in the pool for which the job is or was queued; `quota`: the share's deserved part
  /// of the pool.  Nothing if the job is in no such group.
  std::optional<GroupLimit> of(policy::JobId job, policy::AttemptNumber attempt,
                               policy::PoolId pool, std::int64_t quota) const;
  bool any() const { return of_ != Of::none; }
  /// Whether deserved parts are scaled below the quotas if the quotas exceed the capacity.
  bool scales_quotas() const { return of_ == Of::keepers; }

 private:
  enum class Of : std::uint8_t { none, users, keepers };
  std::optional<std::string> group_of(policy::JobId job, policy::AttemptNumber attempt) const;
  const policy::JobTerms& terms_of(policy::JobId job) const;

  const models::World& world_;
  const models::Record& record_;
  Of of_ = Of::none;
  std::int64_t user_limit_pct_ = 0;
  std::map<std::tuple<policy::PoolId, std::optional<policy::ShareId>, std::string>, std::int64_t>
      held_;
};

}  // namespace reeve::experiments
