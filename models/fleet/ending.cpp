// How attempts end: completed, stopped, failed, or with the run.
#include <algorithm>

#include "models/failure_reason.hpp"
#include "models/fleet/fleet.hpp"

namespace reeve::models {

using policy::FailureClass;
using policy::Instant;
using policy::Primary;
using policy::Secondary;

/// What the time from a stop, or from the end of the work, to the end of billing is for.
Use Fleet::use_of_ending(const Running& run) const {
  // Completed work is uploaded even if the attempt is stopped meanwhile.
  const JobSpec& job = core_.spec(run.job);
  if (core_.durable(run.job) == job.work) return Use::checkpoint;
  // The log has a stop of the job too, so a stop of a rule does not add its grace.
  if (job.ends == WorkEnd::stopped || job.ends == WorkEnd::time_limit) return Use::drain;
  return run.wrongly_stopped ? Use::false_stop : Use::drain;
}

/// The end that the log tells.  The user of the log did not submit this job again: where the log
/// has a further job, it is a job of its own.
void Fleet::end_as_logged(Running& run, WorkEnd end) {
  core_.truth[run.job.index].ends_as_logged = true;
  const FailureClass failure = failure_of(end);
  if (failure != FailureClass::none) return fail(run, failure);
  if (end == WorkEnd::running) {  // nothing says that its work was lost
    close_run(run, true, true, false);
    return end_attempt(run, Primary::stopped, Secondary::stopped, FailureClass::none,
                       EndReason::stopped);
  }
  const Platform& platform = core_.world.platform;
  if (end == WorkEnd::time_limit)
    return stop(run, Secondary::max_runtime_exceeded, platform.max_runtime_grace);
  stop(run, Secondary::stopped, platform.stop_grace);
}

void Fleet::complete(Running& run) {
  if (run.losing > Duration{0}) [[unlikely]]
    return lose_as_logged(run);
  const WorkEnd end = core_.spec(run.job).ends;
  if (end != WorkEnd::completed) [[unlikely]]
    return end_as_logged(run, end);
  close_run(run, true, true, false);
  if (core_.world.platform.model == PlatformModel::ideal) return finish_ending(run);
  read_level(run, false);
  run.stage = Stage::uploading;
  run.ends_as = Secondary::completed;
  run.stage_since = core_.now;
  run.upload = core_.world.platform.upload;
  enter(run.job, Primary::in_progress, Secondary::uploading);
  if (!core_.uploads()) return finish_ending(run);
  schedule(run);
}

/// How long it uploads after its stop: now and then very long.
Duration Fleet::upload_after_stop(const Running& run) const {
  const LateUpload& late = core_.world.platform.late_upload;
  if (late.probability > 0 && run.ends_as == Secondary::stopped) {
    const auto cause = sim::Cause::late_upload;
    const std::uint32_t nth = 2 * std::uint32_t{run.number};
    if (core_.uniform(cause, run.job.index, nth) <= late.probability) {
      return draw(late.lasts, core_.uniform(cause, run.job.index, nth + 1));
    }
  }
  return core_.world.platform.upload;
}

/// SIGTERM now, the end after `grace`.  An attempt whose container does not run yet
/// ends at once.
void Fleet::stop(Running& run, Secondary ends_as, Duration grace) {
  if (run.stage == Stage::draining || run.stage == Stage::uploading) return;
  const bool has_container = run.stage == Stage::training || run.stage == Stage::stalled;
  const bool saves = saves_when_stopped(run, grace);
  if (saves) run.launch->keeps = true;
  close_run(run, true, false, false);
  if (saves) run.launch->keeps = false;
  read_level(run, false);
  run.ends_as = ends_as;
  run.upload = upload_after_stop(run);
  if (!has_container || (grace.count() == 0 && run.upload.count() == 0)) {
    if (saves) billing_.save_memory(run);
    if (ends_as == Secondary::stopped) enter(run.job, Primary::stopping, Secondary::stopping);
    return end_attempt(run, Primary::stopped, ends_as, policy::FailureClass::none,
                       reason_of(ends_as));
  }
  run.stage = Stage::draining;
  run.stage_since = core_.now;
  run.due = policy::later(core_.now, grace);
  enter(run.job, Primary::stopping, Secondary::stopping);
  schedule(run);
}

/// The grace is over, or the upload is done.
void Fleet::finish_stop(Running& run) {
  billing_.spend(run, use_of_ending(run), run.stage_since, core_.now);
  if (run.stage == Stage::draining) end_last_save(run);
  if (run.stage == Stage::draining && run.upload.count() > 0) {
    run.stage = Stage::uploading;
    run.stage_since = core_.now;
    enter(run.job, Primary::stopping, Secondary::uploading);
    return schedule(run);
  }
  finish_ending(run);
}

void Fleet::finish_ending(Running& run) {
  if (run.ends_as == Secondary::completed) {
    return end_attempt(run, Primary::completed, Secondary::completed, policy::FailureClass::none,
                       EndReason::completed);
  }
  end_attempt(run, Primary::stopped, run.ends_as, policy::FailureClass::none,
              reason_of(run.ends_as));
}

EndReason Fleet::reason_of(Secondary ends_as) {
  if (ends_as == Secondary::max_runtime_exceeded) return EndReason::max_runtime;
  return ends_as == Secondary::max_wait_time_exceeded ? EndReason::max_wait : EndReason::stopped;
}

void Fleet::fail(Running& run, policy::FailureClass failure, Diagnosis read) {
  if (retry(run, failure)) return;
  close_run(run, false, false, false);
  end_attempt(run, Primary::failed, Secondary::failed, failure, EndReason::failed, read);
}

/// The rows of an attempt, and the end of what follows it.
void Fleet::note_end(Running& run, EndReason reason, FailureClass failure) {
  if (core_.keep.attempts) {
    core_.record.attempts.push_back({run.job, run.number, run.origin, run.pool, run.requested,
                                     run.bill.first, core_.now, run.resumed_from, reason, failure,
                                     run.bill.held, run.restarts.interruptions,
                                     billing_.billable(run)});
  }
  if (reason != EndReason::horizon) {
    read_level(run, false);
    alarms_.leave(run);
    quotas_.leave(run.job);
  }
  if (core_.keep.utilization) metrics_.note_readings(run);
  if (core_.keep.host_metrics) metrics_.note_metrics(run);
  if (!core_.keep.gpu_minima.empty()) metrics_.note_gaps(run);
}

void Fleet::end_attempt(Running& run, Primary primary, Secondary secondary,
                        policy::FailureClass failure, EndReason reason, Diagnosis read) {
  const policy::JobId job = run.job;
  const policy::PoolId pool = run.pool;
  if (reason == EndReason::stopped && core_.truth[job.index].preempted)
    reason = EndReason::preempted;
  const bool horizon = reason == EndReason::horizon;
  const bool held_machines = run.stage != Stage::away;
  if (run.stage == Stage::draining) end_last_save(run);
  if (horizon) {
    if (run.stage == Stage::draining || run.stage == Stage::uploading) {
      billing_.spend(run, use_of_ending(run), run.stage_since, core_.now);
    }
    close_run(run, false, false, true);
  }
  const auto spare = horizon ? std::nullopt : outlives(run, primary, reason, failure);
  const Instant launched = run.bill.from;
  const Duration waited = std::min(run.bill.first, core_.now) - run.requested;
  billing_.settle(run, horizon || spare ? Ending::horizon : Ending::by_user);
  const Diagnosis told = diagnosed(spare, failure, read);
  if (reason == EndReason::completed) {  // what was delivered cannot be lost
    billing_.deliver(job);
  }
  jobs_.end_requeue_wait(job);
  JobRow& row = core_.record.job_rows[job.index];
  row.end = horizon ? policy::never : core_.now;
  core_.span_until = core_.now;
  note_end(run, reason, failure);
  core_.truth[job.index].running = no_slot;
  if (spare) {
    const Duration kept = *spare == Spare::Kind::held   ? core_.world.platform.unmanaged.debug_hold
                          : *spare == Spare::Kind::warm ? core_.profile(job).keep_alive
                                                        : Duration::max();
    keep_spare(run, *spare, launched, policy::later(core_.now, kept));
  } else {
    leave_pool(run, held_machines);
  }
  ++run.stamp;
  ++run.launch_stamp;
  run.job.index = no_slot;
  core_.free_slots.push_back(core_.slot_of(run));
  if (horizon) return;
  --core_.alive;
  if (primary == Primary::completed || run.number == 1) core_.last_progress = core_.now;
  enter(job, primary, secondary, told.read_as, told.doubt_pct);
  row.failure = failure;
  if (spare == Spare::Kind::warm) offer_warm(pool, run.instances, job);
  serve_waiting(pool);
  after_end(job, {told.read_as, waited});
}

/// What a failed attempt said is lost with its machines, unless they last until it has arrived.
/// That there was no capacity EC2 says itself.
Diagnosis Fleet::diagnosed(const std::optional<Spare::Kind>& spare, FailureClass failure,
                           Diagnosis read) const {
  if (failure == FailureClass::none) return {};
  if (read.read_as == FailureClass::none) read.read_as = failure;
  const Unmanaged& own = core_.world.platform.unmanaged;
  // What the platform says itself is read in no log, unless it is taken for what it does not say.
  if (is_said(failure) && is_said(read.read_as)) return read;
  read.doubt_pct = std::max(read.doubt_pct, core_.world.platform.log_doubt_pct);
  const bool is_lost = own.log_flush != Duration{0} && spare != Spare::Kind::orphan &&
                       !(spare == Spare::Kind::held && own.log_flush <= own.debug_hold);
  return is_lost ? Diagnosis{.read_as = FailureClass::unknown} : read;
}

bool Fleet::is_said(FailureClass failure) const {
  return models::is_said(core_.world.platform.model, failure);
}

}  // namespace reeve::models
