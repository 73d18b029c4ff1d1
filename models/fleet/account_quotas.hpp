// Service quotas of the account: how many instances of a type may be in use at once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/fleet/core.hpp"
#include "models/fleet/spare_instances.hpp"

namespace reeve::models {

/// What attempts and warm pools use of the quotas.
class AccountQuotas {
 public:
  AccountQuotas(FleetCore& core, const SpareInstances& spares);

  struct Use {
    QuotaFamily family = QuotaFamily::training;
    std::uint64_t used = 0;
    std::uint32_t limit = 0;
  };
  /// The quota that does not let the job have its instances.  Reserved ones need none; those of a
  /// warm pool that the job takes over are counted already.
  std::optional<Use> exhausted(policy::JobId job, policy::PoolId pool) const;
  bool is_over(policy::JobId job, policy::PoolId pool) const {
    return !core_.world.platform.quotas.empty() && exhausted(job, pool).has_value();
  }
  /// Whether no quota is smaller than the job alone.
  bool ever_fits(policy::JobId job, policy::PoolId pool) const;

  /// From CreateTrainingJob to the end of the attempt, Pending and Interrupted included.
  void count(policy::JobId job);
  void leave(policy::JobId job);
  /// A warm pool that no job uses, or uses again.
  void count_warm(const Holding& instances, bool more);
  /// A call that the quota refuses.
  void note_refusal(policy::JobId job, policy::AttemptNumber attempt, policy::PoolId pool);

 private:
  FleetCore& core_;
  const SpareInstances& spares_;
  std::vector<std::uint64_t> used_;  ///< by type and family
};

}  // namespace reeve::models
