// Machines that are there and yet not to be had at once: who waits for them, and what is kept for
// whom.
#include <algorithm>
#include <utility>

#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;

/// It is the job's turn, and there are machines for it.  Where its market takes its time to find
/// them the attempt stays what it is, Pending or Interrupted; nobody holds them, and nobody else is
/// given them.  False: it need not wait, or has waited.
bool Fleet::must_wait(policy::JobId job, std::uint32_t launch) {
  const policy::PoolId id = core_.truth[job.index].pool;
  const std::optional<DurationLaw>& law = core_.world.pools[id.index].capacity_wait;
  if (!law || promises_.contains(job)) return false;
  const auto cause = sim::Cause::capacity_wait;
  const Duration wait = draw(*law, core_.uniform(cause, job.index, launch));
  if (wait == Duration{0}) return false;
  const std::uint32_t instances = std::min(core_.spec(job).instances, pools_.room_for(id, job));
  promises_[job] = {id, instances, ++last_promise_};
  pools_[id].promised += instances;
  core_.push(policy::later(core_.now, wait), sim::Phase::world, EventKind::capacity_found,
             job.index, last_promise_);
  return true;
}

/// What was kept for the attempt is its own now; if the market has taken it away meanwhile the
/// attempt is first in line, and does not wait twice.  Where nobody waits its request fails.
void Fleet::capacity_is_found(policy::JobId job, std::uint64_t number) {
  const auto known = promises_.find(job);
  if (known == promises_.end() || known->second.number != number) return;
  Promise& promise = known->second;
  const policy::PoolId id = promise.pool;
  PoolTruth& pool = pools_[id];
  pool.promised -= std::exchange(promise.instances, 0);
  const bool launched = core_.truth[job.index].running != no_slot;
  const bool fit = pools_.fits(id, job);
  if (!fit && !launched && core_.unmanaged() &&
      !core_.world.platform.unmanaged.waits_for_capacity) {
    fail_request(job, policy::FailureClass::capacity);
  } else if (!fit) {
    std::deque<policy::JobId>& line = launched ? pool.returning : pool.waiting;
    line.insert(std::find_if(line.begin(), line.end(),
                             [&](policy::JobId other) { return !was_promised(other); }),
                job);
  } else if (launched) {
    relaunch(core_.running[core_.truth[job.index].running]);
  } else {
    grant(job);
  }
  serve_waiting(id);
}

/// It waits no more, or has its machines.
void Fleet::drop_promise(policy::JobId job) {
  if (promises_.empty()) [[likely]]
    return;
  const auto known = promises_.find(job);
  if (known == promises_.end()) return;
  pools_[known->second.pool].promised -= known->second.instances;
  promises_.erase(known);
}

}  // namespace reeve::models
