// Machines that are there and yet not to be had at once: who waits for them, and what is kept for
// whom.
#include <algorithm>
#include <utility>

#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;

/// What was kept for the attempt is its own now; if the market has taken it away meanwhile the
/// attempt is first in line, and does not wait twice.  Where nobody waits its request fails.
void Fleet::capacity_is_found(policy::JobId job, std::uint64_t number) {
  const auto found = promises_.release(job, number);
  if (!found) return;
  const policy::PoolId id = *found;
  PoolTruth& pool = pools_[id];
  const bool launched = core_.truth[job.index].running != no_slot;
  const bool fit = pools_.fits(id, job);
  if (!fit && !launched && core_.unmanaged() &&
      !core_.world.platform.unmanaged.waits_for_capacity) {
    fail_request(job, policy::FailureClass::capacity);
  } else if (!fit) {
    std::deque<policy::JobId>& line = launched ? pool.returning : pool.waiting;
    line.insert(std::find_if(line.begin(), line.end(),
                             [&](policy::JobId other) { return !promises_.has(other); }),
                job);
  } else if (launched) {
    relaunch(core_.running[core_.truth[job.index].running]);
  } else {
    grant(job);
  }
  serve_waiting(id);
}

}  // namespace reeve::models
