// What people do with their jobs when no rule does it for them.
#include <algorithm>
#include <limits>

#include "models/fleet/fleet.hpp"

namespace reeve::models {

using policy::Primary;
using policy::Secondary;

const Human* Fleet::looks_after(policy::JobId job) const {
  const std::string& owner = core_.profile(job).owner;
  if (owner.empty()) return nullptr;
  for (const Human& human : core_.world.humans) {
    if (human.owner == owner) return &human;
  }
  return nullptr;
}

bool Fleet::is_away(const World& world, const Human& human, Instant at) {
  return std::any_of(human.away.begin(), human.away.end(), [&](const auto& absence) {
    return policy::later(world.start, absence.first) <= at &&
           at < policy::later(world.start, absence.second);
  });
}

/// By job id.  The list is made once, for all people together: owners are told apart by profile.
const std::vector<policy::JobId>& Fleet::jobs_of(const Human& human) {
  if (jobs_of_owner_.empty()) {
    std::vector<std::vector<policy::JobId>*> list_of_profile;
    for (const JobProfile& kind : core_.world.profiles) {
      list_of_profile.push_back(&jobs_of_owner_[kind.owner]);
    }
    for (std::uint32_t index = 0; index < core_.truth.size(); ++index) {
      const policy::JobId job{index};
      list_of_profile[core_.spec(job).profile]->push_back(job);
    }
  }
  return jobs_of_owner_[human.owner];
}

/// Back at the desk: what ended unfinished is submitted again, what stands still is stopped first,
/// and machines that were left running are given back.
void Fleet::person_returns(const Human& human) {
  if (human.on_return == OnReturn::nothing || is_away(human)) return;
  for (const policy::JobId job : jobs_of(human)) {
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

/// Unless it is done, or would be the 65,536th attempt: then they see that it never will be.
bool Fleet::may_resubmit(policy::JobId job) const {
  return core_.record.job_rows[job.index].status != Primary::completed &&
         core_.truth[job.index].attempts < std::numeric_limits<policy::AttemptNumber>::max();
}

void Fleet::resubmit(policy::JobId job) {
  if (!may_resubmit(job)) return;
  submit_job(job, policy::Origin::person, {core_.profile(job).pool});
}

/// To the end of that attempt: if somebody was faster, there is nothing to do.
void Fleet::person_reacts(policy::JobId job, policy::AttemptNumber ended) {
  const JobTruth& truth = core_.truth[job.index];
  const Human* human = looks_after(job);
  if (truth.attempts == ended && human != nullptr && !is_away(*human)) resubmit(job);
}

/// So long after the message, or after the end of the absence in which that would be; `never`: they
/// do not come back.
Instant Fleet::reads_at(const Human& human, Instant sent) const {
  Instant at = policy::later(sent, *human.reads_within);
  for (const auto& [from, until] : human.away) {  // in order
    if (policy::later(core_.world.start, from) > at ||
        at >= policy::later(core_.world.start, until))
      continue;
    const Instant back = policy::later(core_.world.start, until);
    at = back == policy::never ? back : policy::later(back, *human.reads_within);
  }
  return at;
}

/// Who reads messages looks at the job, sooner or later.
void Fleet::person_is_told(policy::JobId job, policy::AttemptNumber attempt) {
  const Human* human = looks_after(job);
  if (human == nullptr || !human->reads_within) return;
  core_.push(reads_at(*human, core_.now), sim::Phase::bookkeeping, EventKind::human_reads,
             job.index, attempt);
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
  const Human* human = looks_after(job);
  if (human == nullptr || !human->reacts_within || is_away(*human)) return;
  core_.push(policy::later(core_.now, *human->reacts_within), sim::Phase::bookkeeping,
             EventKind::human_reacts, job.index, truth.attempts);
}

/// Whether somebody submits a job again, then or later, though no attempt is left.
bool Fleet::awaited(Instant from) const {
  const auto comes = [&](const Human& human, Instant at) {
    return at >= from && at != policy::never && !is_away(core_.world, human, at);
  };
  const auto returns = [&](const Human& human) {
    return human.on_return != OnReturn::nothing &&
           std::any_of(human.away.begin(), human.away.end(), [&](const auto& absence) {
             return comes(human, policy::later(core_.world.start, absence.second));
           });
  };
  if (core_.world.humans.empty()) return false;
  for (std::uint32_t index = 0; index < core_.truth.size(); ++index) {
    if (!may_resubmit({index})) continue;
    const Human* human = looks_after({index});
    if (human == nullptr) continue;
    const Instant ended = core_.record.job_rows[index].end;
    const bool reacts = human->reacts_within && !is_away(core_.world, *human, ended) &&
                        comes(*human, policy::later(ended, *human->reacts_within));
    if (reacts || returns(*human)) return true;
  }
  return false;
}

}  // namespace reeve::models
