// Limits that some jobs of a share have together, besides what the share may have: those of one
// user (`capacity`), and those who can never be made to give back (`kai`).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "experiments/holdings.hpp"
#include "models/record.hpp"
#include "models/world.hpp"
#include "scenarios/load/scenario.hpp"

namespace reeve::experiments {

/// Instances of a pool.
struct GroupLimit {
  bool of_user = false;  ///< else of those who are not preemptible
  std::string user;
  std::int64_t user_limit_pct = 0;
  std::int64_t most = 0;
  std::int64_t held = 0;
  /// Whether one of them may have so many more.  Of a user one job may run, however large.
  bool allows(std::int64_t instances) const {
    return held + instances <= most || (of_user && held == 0);
  }
};

/// Those of a policy, at one instant of its run.
class GroupLimits {
 public:
  GroupLimits(const models::World& world, const scenarios::PolicySpec& policy,
              const models::Record& record, const Holdings& holdings, policy::Instant at);

  /// Where the job waits, or has waited; `quota`: what its share deserves of the pool.  Nothing: it
  /// is in no such group.
  std::optional<GroupLimit> of(policy::JobId job, policy::AttemptNumber attempt,
                               policy::PoolId pool, std::int64_t quota) const;
  bool any() const { return of_ != Of::nobody; }
  /// Whether what shares deserve is less than their quotas where these are more than there is.
  bool scales_quotas() const { return of_ == Of::keepers; }

 private:
  enum class Of : std::uint8_t { nobody, users, keepers };
  std::optional<std::string> group_of(policy::JobId job, policy::AttemptNumber attempt) const;
  const policy::JobTerms& terms_of(policy::JobId job) const;

  const models::World& world_;
  const models::Record& record_;
  Of of_ = Of::nobody;
  std::int64_t user_limit_pct_ = 0;
  std::map<std::tuple<policy::PoolId, std::optional<policy::ShareId>, std::string>, std::int64_t>
      held_;
};

}  // namespace reeve::experiments
