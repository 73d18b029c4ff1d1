// Attempts from their submission until they have instances, or end without.
#include <algorithm>
#include <optional>
#include <reeve/policy/clone_fields.hpp>

#include "models/fault_plan.hpp"
#include "models/fleet/fleet.hpp"

namespace reeve::models {

using policy::Instant;
using policy::Primary;
using policy::Secondary;

void Fleet::submit_job(policy::JobId job, policy::Origin origin, const Changes& changes) {
  JobTruth& truth = core_.truth[job.index];
  const JobProfile& kind = core_.profile(job);
  const policy::PoolId pool = changes.pool;
  const bool changed = changes.max_runtime > Duration{0};
  const Duration max_runtime = changed ? changes.max_runtime : kind.max_runtime;
  ++truth.attempts;
  ++core_.record.attempts_made;
  truth.revision = 0;
  truth.waiting = true;
  core_.record.job_rows[job.index].beyond_log |= truth.ends_as_logged && core_.spec(job).censored;
  truth.ends_as_logged = false;
  // What one clone left out the next one cannot copy; a person starts anew.
  const bool copied = origin != policy::Origin::person;
  truth.keeps_tags = changes.keep_tags && (!copied || truth.keeps_tags);
  if (!truth.keeps_tags && kind.tags != policy::TagSetId{}) {
    core_.record.untagged[job].attempts.push_back(truth.attempts);
  }
  truth.loses = copied ? truth.loses | changes.loses : 0;
  if (origin != policy::Origin::queue) jobs_.forget_tries(job);
  truth.interruptions = 0;
  truth.pool = pool;
  truth.unplaced = core_.awaits_placement(origin);
  JobRow& row = core_.record.job_rows[job.index];
  row.status = Primary::queued;
  row.ended_as = Secondary::queued;
  row.failure = policy::FailureClass::none;
  row.end = policy::never;
  row.attempts = truth.attempts;
  core_.last_work = core_.now;
  core_.first_submission = std::min(core_.first_submission, core_.now);
  if (truth.attempts == 1) core_.last_progress = core_.now;  // further ones might follow for ever
  ++core_.alive;
  if (truth.attempts > 1) {
    jobs_.begin_requeue_wait(job);
    jobs_.store({job, truth.attempts, origin, core_.now, max_runtime, core_.now});
  }
  if (!truth.unplaced) pools_[pool].runnable += core_.spec(job).instances;
  jobs_.expect_wait_over(job, core_.now);
  jobs_.expect_runnable_over(job, core_.now);
  events_.tell(
      {core_.now, policy::JobSubmitted{job,
                                       truth.attempts,
                                       origin,
                                       {.submitted_at = core_.spec(job).submit,
                                        .expected_work = core_.spec(job).expected,
                                        .max_runtime = max_runtime,
                                        .deadline = kind.deadline,
                                        .instances = core_.spec(job).instances,
                                        .pool = pool,
                                        .type = core_.world.pools[pool.index].type,
                                        .tags = truth.keeps_tags ? kind.tags : policy::TagSetId{},
                                        .priority = jobs_.priority(job),
                                        .awaits_placement = truth.unplaced,
                                        .placement = kind.placement,
                                        .terms = kind.terms}}});
  if (truth.unplaced) return;
  if (!core_.holds()) return line_up(job);
  jobs_.compare_with_environment(job);
  if (core_.keep.utilization) pools_.note_utilization(pool);
}

/// The job takes its place in the line of its pool, or its machines at once.
void Fleet::line_up(policy::JobId job) {
  const policy::PoolId pool = core_.truth[job.index].pool;
  if (quotas_.is_over(job, pool)) {
    ++core_.record.quota_refusals;
    return end_request(job, Primary::failed, Secondary::failed, policy::FailureClass::quota);
  }
  quotas_.count(job);
  if (take_warm(job)) return grant(job, true);
  pools_[pool].waiting.push_back(job);
  spares_.join_queue(job);
  serve_waiting(pool);
  if (!core_.truth[job.index].waiting) return;
  const bool waits = core_.world.platform.unmanaged.waits_for_capacity || promises_.has(job);
  if (core_.unmanaged() && !waits) {
    return fail_request(job, policy::FailureClass::capacity);
  }
  enter_wait(job);
  jobs_.expect_pending_over(job, core_.now);
  if (core_.keep.utilization) pools_.note_utilization(pool);
}

/// The platform has no instances for the attempt yet.
void Fleet::enter_wait(policy::JobId job) {
  const policy::Market market = core_.world.pools[core_.truth[job.index].pool.index].market;
  const bool spot = market == policy::Market::spot;
  const Secondary waits_as = spot ? core_.world.platform.spot_waits_as : Secondary::pending;
  enter({.job = job,
         .primary = Primary::in_progress,
         .secondary = waits_as,
         .lacks_capacity = waits_as == Secondary::starting});
}

/// Gives a waiting attempt its machines.
void Fleet::grant(policy::JobId job, bool warm) {
  const JobProfile& kind = core_.profile(job);
  const Request request = jobs_.request_of(job);
  jobs_.remove(job);
  JobTruth& truth = core_.truth[job.index];
  Slot slot = static_cast<Slot>(core_.running.size());
  if (core_.free_slots.empty()) {
    core_.running.emplace_back();
  } else {
    slot = core_.free_slots.back();
    core_.free_slots.pop_back();
  }
  Running& run = core_.running[slot];
  const std::uint32_t stamp = run.stamp + 1;  // events of the slot's last tenant stay stale
  const std::uint32_t launch_stamp = run.launch_stamp + 1;
  run = Running{};
  run.stamp = stamp;
  run.launch_stamp = launch_stamp;
  run.job = job;
  run.number = request.number;
  run.origin = request.origin;
  run.requested = request.requested;
  run.runtime.max = request.max_runtime;
  run.resumed_from = core_.durable(job);
  run.bill.from = run.bill.first = policy::never;
  if (run.number == 1) run.losing = core_.record.jobs.log_of(job).lost;
  if (!kind.faults.empty() || !kind.drawn_faults.empty()) {
    run.faults = FaultCursor{fault_plan(core_.world, core_.replication, job, kind,
                                        {run.number, undisturbed_training(run)})};
  }
  truth.running = slot;
  truth.waiting = false;
  spares_.leave_queue(job);
  if (core_.holds() && !truth.in_quota) quotas_.count(job);
  run.pool = truth.pool;
  run.warm = warm;
  run.wait_limit = jobs_.wait_limit(job, run.requested);
  pools_[run.pool].runnable -= core_.spec(job).instances;
  hold_machines(run);
  const bool at_once = run.provisioning == Duration{0} && run.startup == Duration{0};
  if (core_.world.platform.model == PlatformModel::ideal && at_once) return begin_startup(run);
  enter(job, Primary::in_progress, Secondary::starting);
  if (policy::is_reserved(core_.world.pools[run.pool.index].market)) {
    run.bill.from = run.bill.first = core_.now;
  }
  if (run.provisioning.count() == 0) return begin_startup(run);
  schedule(run);
}

/// A rule has started an attempt that was held, and the platform has no machines for it yet.
void Fleet::await_start(policy::JobId job) {
  enter_wait(job);
  if (!core_.holds()) return;
  quotas_.count(job);
  Request request = jobs_.request_of(job);
  request.lined_up = core_.now;
  jobs_.store(request);
  spares_.join_queue(job);
  jobs_.expect_pending_over(job, core_.now);
}

/// The attempt gets the instances that were kept for it.  If the market has taken them meanwhile it
/// goes to the head of the queue without a second wait.  Where attempts do not wait it fails.
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

/// A warm pool has come to be: the first queued job that it fits takes it, wherever it is in the
/// queue.
void Fleet::offer_warm(policy::PoolId id, std::uint32_t instances, policy::JobId owner_job) {
  const auto job = spares_.waits_for(owner_job, id, instances);
  if (!job || !take_warm(*job)) return;
  std::deque<policy::JobId>& line = pools_[id].waiting;
  if (const auto at = std::find(line.begin(), line.end(), *job); at != line.end()) line.erase(at);
  grant(*job, true);
}

void Fleet::cancel_request(policy::JobId job) {
  core_.truth[job.index].waiting = false;
  spares_.leave_queue(job);
  quotas_.leave(job);
  promises_.drop(job);
  jobs_.remove(job);
  if (core_.truth[job.index].unplaced) return;
  const policy::PoolId id = core_.truth[job.index].pool;
  PoolTruth& pool = pools_[id];
  pool.runnable -= core_.spec(job).instances;
  std::erase(pool.waiting, job);
  if (core_.keep.utilization) pools_.note_utilization(id);
}

/// The attempt ends before it ever had machines; `cause`: why, where that is not the failure.
void Fleet::end_request(policy::JobId job, Primary primary, Secondary ends_as,
                        policy::FailureClass failure, std::optional<policy::FailureClass> cause) {
  const Request request = jobs_.request_of(job);
  cancel_request(job);
  jobs_.end_requeue_wait(job);
  --core_.alive;
  const bool was_starting = core_.record.job_rows[job.index].ended_as == Secondary::starting;
  if (was_starting && primary == Primary::stopped) {
    enter(job, Primary::stopping, Secondary::stopping);
  }
  enter(job, primary, ends_as, failure);
  core_.record.job_rows[job.index].end = core_.span_until = core_.now;
  // MaxPendingTime may be told as MaxWaitTime.
  const bool waited = jobs_.wait_limit(job, request.requested) <= core_.now;
  const bool of_queue = jobs_.ended_at_limit(job, request.number);
  note_end(request,
           of_queue                     ? EndReason::runnable_limit
           : primary == Primary::failed ? EndReason::failed
           : waited                     ? reason_of(ends_as)
                                        : EndReason::stopped,
           failure);
  serve_waiting(core_.truth[job.index].pool);  // it may have been in the way of smaller ones
  after_end(job, {cause.value_or(failure), core_.now - request.requested});
}

/// The attempt ends before it ever had machines: there are too few (InsufficientInstanceCapacity).
void Fleet::fail_request(policy::JobId job, policy::FailureClass failure) {
  const Request request = jobs_.request_of(job);
  cancel_request(job);
  jobs_.end_requeue_wait(job);
  --core_.alive;
  enter(job, policy::Primary::failed, policy::Secondary::failed, failure);
  core_.record.job_rows[job.index].end = core_.span_until = core_.now;
  note_end(request, EndReason::capacity, failure);
  after_end(job, {failure, core_.now - request.requested});
}

/// An attempt that never had machines.
void Fleet::note_end(const Request& request, EndReason reason, policy::FailureClass failure) {
  if (!core_.keep.attempts) return;
  const policy::JobId job = request.job;
  core_.record.attempts.push_back({job, request.number, request.origin, core_.truth[job.index].pool,
                                   request.requested, policy::never, core_.now, core_.durable(job),
                                   reason, failure});
}

/// MaxWaitTime, MaxPendingTime or its queue's limit of an attempt that never got machines; of one
/// that did, the attempt knows itself.  One that was placed elsewhere meanwhile has none, or one
/// that is not over yet.
void Fleet::wait_over(policy::JobId job) {
  if (!core_.truth[job.index].waiting) return;
  const Request request = jobs_.request_of(job);
  if (jobs_.wait_limit(job, request.requested) <= core_.now) {
    return end_request(job, Primary::stopped, Secondary::max_wait_time_exceeded);
  }
  if (jobs_.runnable_limit(job, request.requested) <= core_.now) {
    jobs_.end_at_limit(job, request.number);
    return end_request(job, Primary::failed, Secondary::failed, policy::FailureClass::capacity);
  }
  const bool pending = (!core_.holds() || promises_.has(job)) && !core_.truth[job.index].unplaced;
  if (pending && jobs_.pending_limit(job, request.lined_up) <= core_.now) {
    end_request(job, Primary::stopped, core_.world.platform.pending_ends_as,
                policy::FailureClass::none, policy::FailureClass::capacity);
  }
}

}  // namespace reeve::models
