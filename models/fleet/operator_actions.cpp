// What operators do with their jobs when no policy does.
#include <algorithm>

#include "models/fleet/fleet.hpp"

namespace reeve::models {

using policy::Primary;
using policy::Secondary;

/// Back at the desk: what ended unfinished is submitted again, what stands still is stopped first,
/// and machines that were left running are given back.
void Fleet::person_returns(const Human& human) {
  if (human.on_return == OnReturn::nothing || operators_.is_away(human)) return;
  for (const policy::JobId job : operators_.jobs_of(human)) {
    const JobTruth& truth = core_.truth[job.index];
    if (!spares_.empty()) terminate_spares(job, 0);
    if (truth.attempts == 0 || truth.waiting) continue;
    if (truth.running != no_slot) {
      Running& run = core_.running[truth.running];
      if (!standing_still(run)) continue;
      core_.truth[job.index].person_waits = true;
      stop(run, Secondary::stopped, core_.world.platform.stop_grace);
    } else {
      resubmit(job);
    }
  }
}

void Fleet::resubmit(policy::JobId job) {
  if (!operators_.wants_again(job)) return;
  submit_job(job, policy::Origin::person, {core_.profile(job).pool});
}

/// The reaction to the end of that attempt: if another attempt has followed, there is nothing to
/// do.
void Fleet::person_reacts(policy::JobId job, policy::AttemptNumber ended) {
  const JobTruth& truth = core_.truth[job.index];
  const Human* human = operators_.of(job);
  if (truth.attempts == ended && human != nullptr && !operators_.is_away(*human)) resubmit(job);
}

/// Who reads messages looks at the job, sooner or later.
void Fleet::person_is_told(policy::JobId job, policy::AttemptNumber attempt) {
  const Human* human = operators_.of(job);
  if (human == nullptr || !human->reads_within) return;
  core_.push(operators_.reads_at(*human, core_.now), sim::Phase::bookkeeping,
             EventKind::human_reads, job.index, attempt);
}

/// The truth of the job decides: what stands still is stopped and submitted again, what is healthy
/// is left alone.
void Fleet::person_reads(policy::JobId job, policy::AttemptNumber attempt) {
  JobTruth& truth = core_.truth[job.index];
  if (truth.attempts != attempt || truth.running == no_slot) return;
  Running& run = core_.running[truth.running];
  if (!standing_still(run)) return;
  core_.note_detection(job, attempt);
  truth.person_waits = true;
  stop(run, Secondary::stopped, core_.world.platform.stop_grace);
}

void Fleet::after_end(policy::JobId job, const Ended& ended) {
  if (core_.record.job_rows[job.index].status == Primary::completed) return;
  if (stands_in_line_again(job, ended)) return;
  JobTruth& truth = core_.truth[job.index];
  if (truth.person_waits) {
    truth.person_waits = false;
    return resubmit(job);
  }
  const Human* human = operators_.of(job);
  if (human == nullptr || !human->reacts_within || operators_.is_away(*human)) return;
  core_.push(policy::later(core_.now, *human->reacts_within), sim::Phase::bookkeeping,
             EventKind::human_reacts, job.index, truth.attempts);
}

}  // namespace reeve::models
