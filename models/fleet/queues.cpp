// The simulated fleet's queues: what is preempted, and what people change about shares and jobs.

#include "models/fleet/fleet.hpp"
#include "models/retry_strategy.hpp"

namespace reeve::models {

using policy::Secondary;

void Fleet::expect_orders() {
  for (std::uint32_t index = 0; index < core_.world.quota_changes.size(); ++index) {
    const Instant at = policy::later(core_.world.start, core_.world.quota_changes[index].at);
    core_.push(at, sim::Phase::world, EventKind::quota_turns, index, 0);
  }
  for (std::uint32_t index = 0; index < core_.world.priority_changes.size(); ++index) {
    const Instant at = policy::later(core_.world.start, core_.world.priority_changes[index].at);
    core_.push(at, sim::Phase::world, EventKind::priority_turns, index, 0);
  }
}

void Fleet::change_quota(const QuotaChange& change) {
  shares_.change_quota(change);
  events_.tell_now({core_.now, policy::QuotaChanged{change.share, change.pool, change.instances}});
}

void Fleet::change_priority(const PriorityChange& change) {
  priorities_[change.job] = change.priority;
  const policy::AttemptNumber newest = core_.truth[change.job.index].attempts;
  if (newest == 0) return;  // its submission will say so
  events_.tell_now({core_.now, policy::PriorityChanged{change.job, newest, change.priority}});
}

std::int32_t Fleet::priority(policy::JobId job) const {
  const auto changed = priorities_.find(job);
  return changed == priorities_.end() ? core_.spec(job).priority : changed->second;
}

/// AWS Batch takes the machines of jobs that are SCHEDULED, STARTING or RUNNING; of one whose work
/// is done there is nothing to take.
bool Fleet::effect(const policy::PreemptJob& verb) {
  JobTruth& truth = core_.truth[verb.job.index];
  if (truth.attempts < verb.attempt) return false;
  if (truth.attempts > verb.attempt) return true;
  const JobProfile& kind = core_.profile(verb.job);
  const policy::JobTerms& terms = core_.world.directory.terms[kind.terms];
  if (!terms.queue || terms.keeps_machines || truth.running == no_slot) return false;
  Running& run = core_.running[truth.running];
  if (run.stage == Stage::draining) return true;
  if (run.stage == Stage::uploading) return false;
  std::uint32_t& before = preempted_[verb.job];
  truth.preempted = true;
  truth.requeues = !kind.max_preemptions || before < *kind.max_preemptions;
  ++before;
  core_.record.preemptions.push_back(
      {core_.now, verb.job, verb.attempt, verb.cause, verb.to, run.instances, truth.requeues});
  stop(run, Secondary::stopped, core_.world.platform.stop_grace);
  return true;
}

/// AWS Batch, "Service job retry strategies": what fails for want of capacity, or is stopped
/// because it was Pending for too long, is tried again for ever, uses no attempt, and its wait goes
/// on; what else fails is tried again as its strategy says.  Who is stopped has ended (a model:
/// whoever stops a job of a queue is taken to call TerminateServiceJob).
bool Fleet::is_tried_again(policy::JobId job, const Ended& ended) {
  const JobProfile& kind = core_.profile(job);
  if (core_.world.platform.model != PlatformModel::sagemaker_training) return false;
  if (!core_.world.directory.terms[kind.terms].queue) return false;
  const JobTruth& truth = core_.truth[job.index];
  if (over_limit_.contains({job, truth.attempts})) return false;
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

/// The queue of a job that waits says that it cannot start it.  AWS Batch says so of the job at the
/// head of its queue, and detects it in its own time; here it is said of any job, and at once (a
/// model: only rules that schedule know what stands at the head).
void Fleet::say_blocked(policy::JobId job, policy::Blockage by) {
  const policy::AttemptNumber attempt = core_.truth[job.index].attempts;
  const policy::QueueId queue = *core_.world.directory.terms[core_.profile(job).terms].queue;
  ++core_.record.queue_blocks;
  if (core_.keep.attempts) core_.record.blockages.push_back({core_.now, job, attempt, queue, by});
  events_.tell({core_.now, policy::QueueBlocked{job, attempt, queue, by}});
}

/// Environments limit only what a scheduler lets in.
void Fleet::compare_with_environment(policy::JobId job) {
  const auto queue = core_.world.directory.terms[core_.profile(job).terms].queue;
  if (!queue || !core_.holds()) return;
  const auto environment = core_.world.directory.queues[queue->index].environment;
  if (!environment) return;
  const auto most =
      core_.world.directory.environments[environment->index].most_of(core_.truth[job.index].pool);
  if (most && core_.spec(job).instances > *most) say_blocked(job, policy::Blockage::environment);
}

/// Unless that would be the 65,536th attempt.
bool Fleet::stands_in_line_again(policy::JobId job, const Ended& ended) {
  JobTruth& truth = core_.truth[job.index];
  const bool was_preempted = truth.preempted;
  const bool requeues = truth.requeues;
  truth.preempted = truth.requeues = false;
  if (was_preempted ? !requeues : !is_tried_again(job, ended)) return false;
  const auto tries = tries_.find(job);
  if (was_preempted && tries != tries_.end()) tries->second.waited = Duration{0};
  if (!operators_.may_resubmit(job)) return false;
  submit_job(job, policy::Origin::queue, {truth.pool});
  if (!was_preempted && ended.cause == policy::FailureClass::capacity) {
    say_blocked(job, policy::Blockage::capacity);
  }
  return true;
}

/// A job that had machines before stands in line for others; or for the same, which it never got.
void Fleet::await_again(policy::JobId job) {
  if (core_.record.job_rows[job.index].first_start == policy::never) return;
  waits_again_.try_emplace(job, core_.now);
}

/// It has them, or waits no more.
void Fleet::end_waiting_again(policy::JobId job) {
  const auto known = waits_again_.find(job);
  if (known == waits_again_.end()) return;
  if (known->second < core_.now) core_.record.waits_again[job] += core_.now - known->second;
  waits_again_.erase(known);
}

}  // namespace reeve::models
