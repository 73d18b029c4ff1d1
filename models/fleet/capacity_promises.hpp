// Instances that a market has and takes its time to find: what is kept for which queued attempt.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "models/fleet/core.hpp"
#include "models/fleet/instance_pools.hpp"

namespace reeve::models {

/// Promises of instances to attempts that wait for capacity.
class CapacityPromises {
 public:
  CapacityPromises(FleetCore& core, InstancePools& pools) : core_{core}, pools_{pools} {}

  /// It is the job's turn, and there are instances for it.  If its market takes its time to find
  /// them, the attempt stays what it is, Pending or Interrupted, and they are kept for it.  False:
  /// it need not wait, or has waited.
  bool must_wait(policy::JobId job, std::uint32_t launch);
  bool has(policy::JobId job) const { return !promises_.empty() && promises_.contains(job); }
  /// The event `capacity_found`: what was kept is free for the attempt.  None: it is stale.
  std::optional<policy::PoolId> release(policy::JobId job, std::uint64_t number);
  /// The job waits no more, or has its instances.
  void drop(policy::JobId job);

 private:
  struct Promise {
    policy::PoolId pool;
    std::uint32_t instances = 0;  ///< 0: its time has ended, but they are not there any more
    std::uint32_t number = 0;     ///< of all promises
  };

  FleetCore& core_;
  InstancePools& pools_;
  std::map<policy::JobId, Promise> promises_;
  std::uint32_t last_ = 0;
};

}  // namespace reeve::models
