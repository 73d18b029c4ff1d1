// Preemption, requeues, and changes of quotas and priorities.
#include "models/fleet/fleet.hpp"

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
  jobs_.change_priority(change.job, change.priority);
  const policy::AttemptNumber newest = core_.truth[change.job.index].attempts;
  if (newest == 0) return;  // its submission will say so
  events_.tell_now({core_.now, policy::PriorityChanged{change.job, newest, change.priority}});
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
  const std::uint32_t before = jobs_.count_preemption(verb.job);
  truth.preempted = true;
  truth.requeues = !kind.max_preemptions || before < *kind.max_preemptions;
  core_.record.preemptions.push_back(
      {core_.now, verb.job, verb.attempt, verb.cause, verb.to, run.instances, truth.requeues});
  stop(run, Secondary::stopped, core_.world.platform.stop_grace);
  return true;
}

/// Unless that would be the 65,536th attempt.
bool Fleet::stands_in_line_again(policy::JobId job, const Ended& ended) {
  JobTruth& truth = core_.truth[job.index];
  const bool was_preempted = truth.preempted;
  const bool requeues = truth.requeues;
  truth.preempted = truth.requeues = false;
  if (was_preempted ? !requeues : !jobs_.is_tried_again(job, ended)) return false;
  if (was_preempted) jobs_.forget_wait(job);
  if (!operators_.may_resubmit(job)) return false;
  submit_job(job, policy::Origin::queue, {truth.pool});
  if (!was_preempted && ended.cause == policy::FailureClass::capacity) {
    jobs_.tell_blocked(job, policy::Blockage::capacity);
  }
  return true;
}

}  // namespace reeve::models
