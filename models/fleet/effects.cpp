// What calls of the control plane do, and what the platform answers.
#include <algorithm>
#include <reeve/policy/clone_fields.hpp>
#include <reeve/policy/training_job_name.hpp>

#include "host/target.hpp"
#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using host::ReplyKind;
using policy::Primary;
using policy::Secondary;

void Fleet::submit(const host::Attempt& attempt) {
  if (attempt.is_local) return evaluate_here(attempt.verb);
  const ApiCalls::Fate fate = calls_.fate_of(attempt);
  if (fate.kind != ReplyKind::done) alarms_.note_action(attempt);  // to no effect, but they were
  if (core_.world.platform.api.latency.count() > 0) return calls_.send(attempt, fate);
  const ReplyKind kind = fate.kind == ReplyKind::done ? take_effect(attempt) : fate.kind;
  if (!fate.loses_reply) events_.answer(attempt, kind);
}

/// An alarm of a rule in shadow mode: no call is made.
void Fleet::evaluate_here(const policy::Verb& verb) {
  if (const auto* put = std::get_if<policy::PutAlarm>(&verb)) alarms_.put(*put, true);
  if (const auto* gone = std::get_if<policy::DeleteAlarm>(&verb)) alarms_.erase(*gone);
}

/// Makes the call happen, and says what the platform answers.  A repeat changes nothing.
ReplyKind Fleet::take_effect(const host::Attempt& attempt) {
  const auto* notice = std::get_if<policy::Notify>(&attempt.verb);
  if (notice != nullptr) {
    alarms_.note_action(attempt);
    if (!notified_.emplace(attempt.seat, notice->job, attempt.incident).second) {
      return ReplyKind::done;
    }
  }
  const auto* clone = std::get_if<policy::CloneJob>(&attempt.verb);
  if (clone != nullptr && lacks_quota(*clone)) {
    quotas_.note_refusal(clone->job, clone->attempt,
                         clone->pool.value_or(core_.truth[clone->job.index].pool));
    return ReplyKind::no_room;
  }
  const auto* start = std::get_if<policy::StartJob>(&attempt.verb);
  if (start != nullptr && lacks_quota(*start)) {
    quotas_.note_refusal(start->job, start->attempt, core_.truth[start->job.index].pool);
    return ReplyKind::no_room;
  }
  const auto* put = std::get_if<policy::PutAlarm>(&attempt.verb);
  if (put != nullptr && alarms_.over_limit(*put)) {
    ++core_.record.quota_refusals;
    return ReplyKind::no_room;
  }
  const auto has_effect = [&]<class Verb>(const Verb& verb) {
    if constexpr (std::is_same_v<Verb, policy::StopJob>) {
      return effect(verb, attempt);
    } else {
      return effect(verb);
    }
  };
  const bool accepted = std::visit(has_effect, attempt.verb);
  if (accepted && notice == nullptr) alarms_.note_action(attempt);
  return accepted ? ReplyKind::done : ReplyKind::rejected;
}

/// ResourceLimitExceeded: nothing else is against it.
bool Fleet::lacks_quota(const policy::CloneJob& verb) const {
  const JobTruth& truth = core_.truth[verb.job.index];
  if (core_.holds() || truth.attempts == 0 || truth.attempts + 1 != verb.attempt) return false;
  if (truth.waiting || truth.running != no_slot) return false;
  const policy::PoolId pool = verb.pool.value_or(truth.pool);
  return pools_.could_fit(pool, verb.job) && quotas_.is_over(verb.job, pool);
}

bool Fleet::lacks_quota(const policy::StartJob& verb) const {
  const JobTruth& truth = core_.truth[verb.job.index];
  if (!core_.holds() || truth.attempts != verb.attempt || !truth.waiting || truth.unplaced)
    return false;
  return !promises_.has(verb.job) && has_machines_for(verb.job) &&
         quotas_.is_over(verb.job, truth.pool);
}

/// For who starts by a call.
bool Fleet::has_machines_for(policy::JobId job) const {
  const policy::PoolId pool = core_.truth[job.index].pool;
  if (!spares_.empty() && spares_.warm_for(job, pool)) return true;
  return pools_.free_instances(pool) >= pools_.claimed(pool) + pools_.least_instances(job) &&
         pools_.fits(pool, job);
}

bool Fleet::effect(const policy::StartJob& verb) {
  const JobTruth& truth = core_.truth[verb.job.index];
  if (truth.attempts != verb.attempt) return false;
  if (!truth.waiting) return truth.running != no_slot;
  if (truth.unplaced) return false;
  if (promises_.has(verb.job)) return true;
  if (!has_machines_for(verb.job)) return false;
  const policy::PoolId pool = truth.pool;
  const bool warm = !spares_.empty() && spares_.warm_for(verb.job, pool);
  std::erase(pools_[pool].waiting, verb.job);
  if (warm) {
    grant(verb.job, take_warm(verb.job));
  } else if (promises_.must_wait(verb.job, first_launch(verb.job))) {
    await_start(verb.job);
  } else {
    grant(verb.job);
  }
  return true;
}

/// The call is about another job, which it stops, or none: the one that was meant runs on.  Further
/// attempts have other names.
bool Fleet::stop_instead(const std::string& called, const policy::StopJob& verb,
                         const host::Attempt& call) {
  const auto found = names_.job(called);
  if (!found) return false;
  policy::StopJob other = verb;
  other.job = *found;
  other.attempt = 1;
  other.found_by = policy::FoundBy::job_name;
  if (core_.truth[other.job.index].attempts != 1) return false;
  const std::size_t before = core_.record.stops.size();
  effect(other, call);
  if (core_.record.stops.size() > before) core_.record.stops.back().meant = verb.job;
  return false;
}

/// Stopping what is already over is no error (SageMaker: ValidationException, a no-op).
bool Fleet::effect(const policy::StopJob& verb, const host::Attempt& call) {
  const JobTruth& truth = core_.truth[verb.job.index];
  if (truth.attempts < verb.attempt) return false;
  if (truth.attempts > verb.attempt) return true;
  if (verb.found_by == policy::FoundBy::alarm_name) {
    const std::string name = core_.record.jobs.name(verb.job);
    const std::string called = policy::job_in_alarm_name(name);
    if (called != name) return stop_instead(called, verb, call);
  }
  if (truth.waiting) {
    note_stop(verb, call, nullptr);
    end_request(verb.job, Primary::stopped, Secondary::stopped);
    return true;
  }
  if (truth.running == no_slot) return true;
  Running& run = core_.running[truth.running];
  if (run.stage == Stage::draining) return true;
  if (run.stage == Stage::uploading) {
    // The work is done and stays so, but the attempt ends as Stopped when its upload does.
    if (run.ends_as != Secondary::completed) return true;
    note_stop(verb, call, &run);
    run.ends_as = Secondary::stopped;
    enter(verb.job, Primary::stopping, Secondary::uploading);
    return true;
  }
  note_stop(verb, call, &run);
  if (prices_.may_be_free(run.pool)) {
    run.launch->stop = static_cast<std::uint32_t>(core_.record.stops.size() - 1);
  }
  if (verb.cause != policy::StopCause::rule_broken) {
    run.wrongly_stopped = core_.record.stops.back().onset == policy::never;
    if (run.wrongly_stopped) {
      billing_.blame_stop(run);
    }
  }
  const bool accused = verb.cause == policy::StopCause::standing_still ||
                       verb.cause == policy::StopCause::using_little;
  if (accused) core_.note_detection(verb.job, verb.attempt);
  stop(run, Secondary::stopped, core_.world.platform.stop_grace);
  return true;
}

/// Writes down what is true of an attempt that a rule is about to stop; null: it has no machines.
void Fleet::note_stop(const policy::StopJob& verb, const host::Attempt& call, const Running* run) {
  StopRow row{.job = verb.job,
              .attempt = verb.attempt,
              .meant = verb.job,
              .seat = call.seat,
              .cause = verb.cause,
              .decided = call.decided,
              .onset = policy::never};
  if (verb.cause != policy::StopCause::rule_broken) {
    if (run != nullptr) row.onset = onset_of(verb.cause, *run);
    if (row.onset == policy::never) {
      ++core_.record.false_stops;
    } else {
      const Instant late = policy::later(row.onset, core_.world.late_after);
      const bool stood = verb.cause == policy::StopCause::standing_still;
      if (stood) row.stalled = prices_.cost_of(run->holding(), row.onset, core_.now);
      if (late < core_.now) row.late = prices_.cost_of(run->holding(), late, core_.now);
    }
  }
  core_.record.stops.push_back(row);
}

/// Since when the attempt is what a stop accuses it of; `never`: it is not.
Instant Fleet::onset_of(policy::StopCause cause, const Running& run) const {
  using policy::StopCause;
  if (cause == StopCause::never_starting) {
    const bool endless = run.stage == Stage::startup && run.startup == Duration::max();
    return endless ? run.stage_since : policy::never;
  }
  if (cause != StopCause::learning_nothing && standing_still(run)) return run.stage_since;
  if (cause == StopCause::using_little) return held_up(run) ? run.run_since : policy::never;
  if (cause == StopCause::standing_still) return policy::never;
  return run.launch ? run.launch->futile : policy::never;
}

bool Fleet::effect(const policy::CloneJob& verb) {
  JobTruth& truth = core_.truth[verb.job.index];
  if (truth.attempts >= verb.attempt) return true;  // ResourceInUse: it was cloned already
  if (truth.attempts == 0 || truth.attempts + 1 != verb.attempt) return false;
  if (truth.waiting || truth.running != no_slot) return false;
  const policy::PoolId pool = verb.pool.value_or(truth.pool);
  if (!pools_.could_fit(pool, verb.job)) return false;
  const bool appended = verb.naming == policy::CloneNaming::appended;
  if (appended && !names_.append(verb.job, verb.attempt)) return false;
  using policy::CloneLoss;
  const bool scratch = verb.from == policy::ResumeFrom::scratch;
  if (scratch || has_lost(verb.loses, CloneLoss::checkpoint)) billing_.forget_progress(verb.job);
  const bool keep_tags = verb.keep_tags && !has_lost(verb.loses, CloneLoss::tags);
  // Both are called the same, as SageMaker takes each name once (ResourceInUse): one of them runs.
  const bool repeated = events_.repeated_end(verb.job, verb.attempt - 1u);
  if (verb.each_copy && repeated) ++core_.record.duplicate_creates;
  submit_job(verb.job, policy::Origin::rule, {pool, keep_tags, verb.max_runtime, verb.loses});
  return true;
}

bool Fleet::effect(const policy::PlaceJob& verb) {
  JobTruth& truth = core_.truth[verb.job.index];
  if (truth.attempts > verb.attempt) return true;
  if (truth.attempts != verb.attempt) return false;
  if (!truth.unplaced && truth.pool == verb.pool) return true;
  if (!truth.waiting || !pools_.could_fit(verb.pool, verb.job)) return false;
  // A scheduler would ask for it for ever; without one it fails at once.
  const bool own = verb.pool == core_.profile(verb.job).pool;
  if (core_.holds() && !own && !quotas_.ever_fits(verb.job, verb.pool)) return false;
  Request request = jobs_.request_of(verb.job);
  request.lined_up = core_.now;
  const policy::PoolId before = truth.pool;
  if (core_.keep.attempts)
    core_.record.placements.push_back({core_.now, verb.job, verb.attempt, before});
  cancel_request(verb.job);
  truth.waiting = true;
  truth.unplaced = false;
  truth.pool = verb.pool;
  jobs_.store(request);
  pools_[verb.pool].runnable += core_.spec(verb.job).instances;
  jobs_.expect_wait_over(verb.job, request.requested);
  events_.tell_now({core_.now, policy::JobPlaced{verb.job, verb.attempt, verb.pool}});
  jobs_.compare_with_environment(verb.job);
  if (!core_.holds()) {
    line_up(verb.job);
  } else if (core_.keep.utilization) {
    pools_.note_utilization(verb.pool);
  }
  serve_waiting(before);  // it may have been in the way of smaller ones
  return true;
}

/// A training job cannot change its machines.
bool Fleet::effect(const policy::MoveJob&) {
  return false;
}

/// SageMaker has no orphaned instances.
bool Fleet::effect(const policy::TerminateInstances& verb) {
  if (!core_.unmanaged() || core_.truth[verb.job.index].attempts < verb.attempt) return false;
  terminate_spares(verb.job, verb.attempt);
  return true;
}

/// Machines of one's own have no StoppingCondition.
bool Fleet::effect(const policy::LimitRuntime& verb) {
  if (core_.unmanaged()) return false;
  const JobTruth& truth = core_.truth[verb.job.index];
  if (truth.attempts != verb.attempt) return false;
  if (truth.waiting) {
    Request request = jobs_.request_of(verb.job);
    request.max_runtime = std::min(request.max_runtime, verb.limit);
    jobs_.store(request);
    return true;
  }
  if (truth.running == no_slot) return false;
  Running& run = core_.running[truth.running];
  run.runtime.max = std::min(run.runtime.max, verb.limit);
  if (run.runtime.from != policy::never && run.runtime.paused == policy::never) set_limit(run);
  if (run.stage != Stage::draining && run.stage != Stage::uploading) schedule(run);
  return true;
}

bool Fleet::effect(const policy::PutAlarm& verb) {
  alarms_.put(verb);
  return true;
}

bool Fleet::effect(const policy::DeleteAlarm& verb) {
  alarms_.erase(verb);
  return true;
}

bool Fleet::effect(const policy::Notify& verb) {
  ++core_.record.notifications;
  if (verb.attempt == 1) ++core_.record.first_attempt_notifications;
  person_is_told(verb.job, verb.attempt);
  return true;
}

}  // namespace reeve::models
