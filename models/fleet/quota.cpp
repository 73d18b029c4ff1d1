// Who may have machines of a type at all, and how long an attempt may wait for them.
#include <algorithm>
#include <reeve/policy/failure_reason.hpp>

#include "models/failure_reason.hpp"
#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;

/// MaxPendingTime.  It does not count while a training plan waits for its next window.
Instant Fleet::pending_limit(policy::JobId job, Instant since) const {
  const std::vector<TimeSpan>& windows =
      core_.world.pools[core_.truth[job.index].pool.index].windows;
  Duration left = core_.profile(job).max_pending;
  if (windows.empty()) return policy::later(since, left);
  for (const auto& [from, until] : windows) {
    const Instant begins = std::max(since, policy::later(core_.world.start, from));
    const Instant ends = policy::later(core_.world.start, until);
    if (ends <= begins) continue;
    if (ends - begins >= left) return begins + left;
    left -= ends - begins;
  }
  return policy::never;
}

void Fleet::expect_pending_over(policy::JobId job, Instant since) {
  if (core_.profile(job).max_pending == Duration::max()) return;
  core_.push(std::max(core_.now, pending_limit(job, since)), sim::Phase::world,
             EventKind::wait_is_over, job.index, core_.truth[job.index].attempts);
}

/// Why an attempt failed, as DescribeTrainingJob or, where it never began, CreateTrainingJob says.
std::string Fleet::failure_reason(const policy::JobChanged& change) const {
  if (over_limit_.contains({change.job, change.attempt})) {
    return std::string{policy::runnable_limit_reason};
  }
  if (core_.world.platform.model != PlatformModel::sagemaker_training) {
    return failure_words(change.failure);
  }
  if (change.failure == policy::FailureClass::quota) {
    const policy::PoolId pool = core_.truth[change.job.index].pool;
    const std::string& type =
        core_.world.directory.types[core_.world.pools[pool.index].type.index].name;
    if (const auto use = quotas_.exhausted(change.job, pool)) {
      return quota_message(type, use->family, use->limit, use->used,
                           core_.spec(change.job).instances);
    }
  }
  const auto cause = sim::Cause::failure_text;
  return models::failure_reason(change.failure,
                                core_.uniform(cause, change.job.index, change.attempt) <= 0.5);
}

}  // namespace reeve::models
