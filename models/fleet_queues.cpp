// The simulated fleet's queues: what is preempted, and what people change about shares and jobs.

#include "models/fleet.hpp"

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
  split_shares(change.pool);
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

/// Unless that would be the 65,536th attempt.
bool Fleet::stands_in_line_again(policy::JobId job) {
  JobTruth& truth = truth_[job.index];
  const bool was_preempted = std::exchange(truth.preempted, false);
  if (!was_preempted || !std::exchange(truth.requeues, false)) return false;
  if (!may_resubmit(job)) return false;
  submit_job(job, policy::Origin::queue, {truth.pool});
  return true;
}

}  // namespace reeve::models
