#include "models/fleet/capacity_promises.hpp"

#include <algorithm>
#include <utility>

namespace reeve::models {

bool CapacityPromises::must_wait(policy::JobId job, std::uint32_t launch) {
  const policy::PoolId id = core_.truth[job.index].pool;
  const std::optional<DurationLaw>& law = core_.world.pools[id.index].capacity_wait;
  if (!law || promises_.contains(job)) return false;
  const auto cause = sim::Cause::capacity_wait;
  const Duration wait = draw(*law, core_.uniform(cause, job.index, launch));
  if (wait == Duration{0}) return false;
  const std::uint32_t instances = std::min(core_.spec(job).instances, pools_.room_for(id, job));
  promises_[job] = {id, instances, ++last_};
  pools_[id].promised += instances;
  core_.push(policy::later(core_.now, wait), sim::Phase::world, EventKind::capacity_found,
             job.index, last_);
  return true;
}

std::optional<policy::PoolId> CapacityPromises::release(policy::JobId job, std::uint64_t number) {
  const auto known = promises_.find(job);
  if (known == promises_.end() || known->second.number != number) return std::nullopt;
  Promise& promise = known->second;
  pools_[promise.pool].promised -= std::exchange(promise.instances, 0);
  return promise.pool;
}

void CapacityPromises::drop(policy::JobId job) {
  if (promises_.empty()) [[likely]]
    return;
  const auto known = promises_.find(job);
  if (known == promises_.end()) return;
  pools_[known->second.pool].promised -= known->second.instances;
  promises_.erase(known);
}

}  // namespace reeve::models
