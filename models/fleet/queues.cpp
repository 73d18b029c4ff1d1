// The simulated fleet's queues: what is preempted, and what people change about shares and jobs.

#include "models/fleet/fleet.hpp"
#include "models/retry_strategy.hpp"

namespace reeve::models {

using policy::Secondary;

void Fleet::expect_orders() {
  for (std::uint32_t index = 0; index < world_.quota_changes.size(); ++index) {
    const Instant at = policy::later(world_.start, world_.quota_changes[index].at);
    push(at, sim::Phase::world, quota_turns, index, 0);
  }
  for (std::uint32_t index = 0; index < world_.priority_changes.size(); ++index) {
    const Instant at = policy::later(world_.start, world_.priority_changes[index].at);
    push(at, sim::Phase::world, priority_turns, index, 0);
  }
}

void Fleet::change_quota(const QuotaChange& change) {
  ShareUseRow& row = in_share(change.share, change.pool);
  pass_share_time(row);
  row.quota = change.instances;
  split_shares(change.share, change.pool);
  note_shares(change.pool);
  tell_now({now_, policy::QuotaChanged{change.share, change.pool, change.instances}});
}

void Fleet::change_priority(const PriorityChange& change) {
  priorities_[change.job] = change.priority;
  const policy::AttemptNumber newest = truth_[change.job.index].attempts;
  if (newest == 0) return;  // its submission will say so
  tell_now({now_, policy::PriorityChanged{change.job, newest, change.priority}});
}

std::int32_t Fleet::priority(policy::JobId job) const {
  const auto changed = priorities_.find(job);
  return changed == priorities_.end() ? spec(job).priority : changed->second;
}

/// AWS Batch takes the machines of jobs that are SCHEDULED, STARTING or RUNNING; of one whose work
/// is done there is nothing to take.
bool Fleet::effect(const policy::PreemptJob& verb) {
  JobTruth& truth = truth_[verb.job.index];
  if (truth.attempts < verb.attempt) return false;
  if (truth.attempts > verb.attempt) return true;
  const JobProfile& kind = profile(verb.job);
  const policy::JobTerms& terms = world_.directory.terms[kind.terms];
  if (!terms.queue || terms.keeps_machines || truth.running == no_slot) return false;
  Running& run = running_[truth.running];
  if (run.stage == Stage::draining) return true;
  if (run.stage == Stage::uploading) return false;
  std::uint32_t& before = preempted_[verb.job];
  truth.preempted = true;
  truth.requeues = !kind.max_preemptions || before < *kind.max_preemptions;
  ++before;
  record_.preemptions.push_back(
      {now_, verb.job, verb.attempt, verb.cause, verb.to, run.instances, truth.requeues});
  stop(run, Secondary::stopped, world_.platform.stop_grace);
  return true;
}

/// AWS Batch, "Service job retry strategies": what fails for want of capacity, or is stopped
/// because it was Pending for too long, is tried again for ever, uses no attempt, and its wait goes
/// on; what else fails is tried again as its strategy says.  Who is stopped has ended (a model:
/// whoever stops a job of a queue is taken to call TerminateServiceJob).
bool Fleet::is_tried_again(policy::JobId job, const Ended& ended) {
  const JobProfile& kind = profile(job);
  if (world_.platform.model != PlatformModel::sagemaker_training) return false;
  if (!world_.directory.terms[kind.terms].queue) return false;
  const JobTruth& truth = truth_[job.index];
  if (over_limit_.contains({job, truth.attempts})) return false;
  if (ended.cause == policy::FailureClass::capacity) {
    tries_[job].waited += ended.waited;
    return true;
  }
  if (record_.job_rows[job.index].status != policy::Primary::failed) return false;
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
  const policy::AttemptNumber attempt = truth_[job.index].attempts;
  const policy::QueueId queue = *world_.directory.terms[profile(job).terms].queue;
  ++record_.queue_blocks;
  if (keep_.attempts) record_.blockages.push_back({now_, job, attempt, queue, by});
  tell({now_, policy::QueueBlocked{job, attempt, queue, by}});
}

/// Environments limit only what a scheduler lets in.
void Fleet::compare_with_environment(policy::JobId job) {
  const auto queue = world_.directory.terms[profile(job).terms].queue;
  if (!queue || !holds()) return;
  const auto environment = world_.directory.queues[queue->index].environment;
  if (!environment) return;
  const auto most =
      world_.directory.environments[environment->index].most_of(truth_[job.index].pool);
  if (most && spec(job).instances > *most) say_blocked(job, policy::Blockage::environment);
}

/// Unless that would be the 65,536th attempt.
bool Fleet::stands_in_line_again(policy::JobId job, const Ended& ended) {
  JobTruth& truth = truth_[job.index];
  const bool was_preempted = truth.preempted;
  const bool requeues = truth.requeues;
  truth.preempted = truth.requeues = false;
  if (was_preempted ? !requeues : !is_tried_again(job, ended)) return false;
  const auto tries = tries_.find(job);
  if (was_preempted && tries != tries_.end()) tries->second.waited = Duration{0};
  if (!may_resubmit(job)) return false;
  submit_job(job, policy::Origin::queue, {truth.pool});
  if (!was_preempted && ended.cause == policy::FailureClass::capacity) {
    say_blocked(job, policy::Blockage::capacity);
  }
  return true;
}

}  // namespace reeve::models
