#include "models/fleet/job_queue.hpp"

#include <algorithm>
#include <reeve/policy/failure_reason.hpp>

#include "models/failure_reason.hpp"
#include "models/retry_strategy.hpp"

namespace reeve::models {

using policy::Instant;
using policy::Secondary;

Request JobQueue::request_of(policy::JobId job) const {
  const auto stored = requests_.find(job);
  if (stored != requests_.end()) return stored->second;
  return {job,
          1,
          policy::Origin::person,
          core_.spec(job).submit,
          core_.profile(job).max_runtime,
          core_.spec(job).submit};
}

Instant JobQueue::wait_limit(policy::JobId job, Instant requested) const {
  if (core_.world.pools[core_.truth[job.index].pool.index].market != Market::spot)
    return policy::never;
  return policy::later(requested, core_.profile(job).max_wait);
}

Instant JobQueue::runnable_limit(policy::JobId job, Instant requested) const {
  const auto queue = core_.world.directory.terms[core_.profile(job).terms].queue;
  if (!queue) return policy::never;
  const auto known = tries_.find(job);
  const Duration waited = known != tries_.end() ? known->second.waited : Duration{0};
  const Duration left = core_.world.directory.queues[queue->index].runnable_limit - waited;
  return policy::later(requested, std::max(left, Duration{0}));
}

Instant JobQueue::pending_limit(policy::JobId job, Instant since) const {
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

void JobQueue::expect_runnable_over(policy::JobId job, Instant requested) {
  core_.push(std::max(core_.now, runnable_limit(job, requested)), sim::Phase::world,
             EventKind::wait_is_over, job.index, core_.truth[job.index].attempts);
}

void JobQueue::expect_wait_over(policy::JobId job, Instant requested) {
  core_.push(std::max(core_.now, wait_limit(job, requested)), sim::Phase::world,
             EventKind::wait_is_over, job.index, core_.truth[job.index].attempts);
}

void JobQueue::expect_pending_over(policy::JobId job, Instant since) {
  if (core_.profile(job).max_pending == Duration::max()) return;
  core_.push(std::max(core_.now, pending_limit(job, since)), sim::Phase::world,
             EventKind::wait_is_over, job.index, core_.truth[job.index].attempts);
}

bool JobQueue::is_tried_again(policy::JobId job, const Ended& ended) {
  const JobProfile& kind = core_.profile(job);
  if (core_.world.platform.model != PlatformModel::sagemaker_training) return false;
  if (!core_.world.directory.terms[kind.terms].queue) return false;
  const JobTruth& truth = core_.truth[job.index];
  if (ended_at_limit(job, truth.attempts)) return false;
  if (ended.cause == policy::FailureClass::capacity) {
    tries_[job].waited += ended.waited;
    return true;
  }
  if (core_.record.job_rows[job.index].status != policy::Primary::failed) return false;
  if (!kind.retry_strategy) return false;
  Tries& tries = tries_[job];
  tries.waited = Duration{0};
  if (++tries.failures >= kind.retry_strategy->attempts) return false;
  const std::string reason = failure_reason({.job = job,
                                             .attempt = truth.attempts,
                                             .revision = truth.revision,
                                             .primary = policy::Primary::failed,
                                             .secondary = Secondary::failed,
                                             .failure = ended.cause});
  return retries(*kind.retry_strategy, status_reason(reason));
}

void JobQueue::forget_wait(policy::JobId job) {
  const auto tries = tries_.find(job);
  if (tries != tries_.end()) tries->second.waited = Duration{0};
}

std::int32_t JobQueue::priority(policy::JobId job) const {
  const auto changed = priorities_.find(job);
  return changed == priorities_.end() ? core_.spec(job).priority : changed->second;
}

void JobQueue::begin_requeue_wait(policy::JobId job) {
  if (core_.record.job_rows[job.index].first_start == policy::never) return;
  requeued_.try_emplace(job, core_.now);
}

void JobQueue::end_requeue_wait(policy::JobId job) {
  const auto known = requeued_.find(job);
  if (known == requeued_.end()) return;
  if (known->second < core_.now) core_.record.waits_again[job] += core_.now - known->second;
  requeued_.erase(known);
}

void JobQueue::tell_blocked(policy::JobId job, policy::Blockage by) {
  const policy::AttemptNumber attempt = core_.truth[job.index].attempts;
  const policy::QueueId queue = *core_.world.directory.terms[core_.profile(job).terms].queue;
  ++core_.record.queue_blocks;
  if (core_.keep.attempts) core_.record.blockages.push_back({core_.now, job, attempt, queue, by});
  events_.tell({core_.now, policy::QueueBlocked{job, attempt, queue, by}});
}

void JobQueue::compare_with_environment(policy::JobId job) {
  const auto queue = core_.world.directory.terms[core_.profile(job).terms].queue;
  if (!queue || !core_.holds()) return;
  const auto environment = core_.world.directory.queues[queue->index].environment;
  if (!environment) return;
  const auto most =
      core_.world.directory.environments[environment->index].most_of(core_.truth[job.index].pool);
  if (most && core_.spec(job).instances > *most) tell_blocked(job, policy::Blockage::environment);
}

std::string JobQueue::failure_reason(const policy::JobChanged& change) const {
  if (ended_at_limit(change.job, change.attempt)) {
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
