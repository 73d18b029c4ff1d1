// The life of an attempt: submitted, granted machines, trained, troubled, ended, billed.
#include <algorithm>
#include <limits>
#include <reeve/policy/clone_fields.hpp>
#include <utility>

#include "models/fault_plan.hpp"
#include "models/fleet/fleet.hpp"

namespace reeve::models {

using policy::Instant;
using policy::Primary;
using policy::Secondary;

namespace {
/// Up to the most that can be counted: a row of a job should not grow for what nobody counts.
void count(std::uint16_t& times) {
  if (times < std::numeric_limits<std::uint16_t>::max()) ++times;
}
}  // namespace

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
  const bool waits = core_.world.platform.unmanaged.waits_for_capacity || was_promised(job);
  if (core_.unmanaged() && !waits) {
    return fail_request(job, policy::FailureClass::capacity);
  }
  enter(job, Primary::in_progress, Secondary::pending);
  jobs_.expect_pending_over(job, core_.now);
  if (core_.keep.utilization) pools_.note_utilization(pool);
}

void Fleet::cancel_request(policy::JobId job) {
  core_.truth[job.index].waiting = false;
  spares_.leave_queue(job);
  quotas_.leave(job);
  drop_promise(job);
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
  const bool pending = (!core_.holds() || was_promised(job)) && !core_.truth[job.index].unplaced;
  if (pending && jobs_.pending_limit(job, request.lined_up) <= core_.now) {
    end_request(job, Primary::stopped, core_.world.platform.pending_ends_as,
                policy::FailureClass::none, policy::FailureClass::capacity);
  }
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
  if (!kind.faults.empty() || !kind.drawn_faults.empty()) {
    run.faults = FaultCursor{fault_plan(core_.world, core_.replication, job, kind, run.number)};
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

void Fleet::enter(policy::JobId job, Primary primary, Secondary secondary,
                  policy::FailureClass failure, std::uint8_t doubt_pct) {
  JobTruth& truth = core_.truth[job.index];
  ++truth.revision;
  core_.last_work = core_.now;
  JobRow& row = core_.record.job_rows[job.index];
  row.status = primary;
  row.ended_as = secondary;
  row.failure = failure;
  events_.tell({core_.now, policy::JobChanged{job, truth.attempts, truth.revision, primary,
                                              secondary, failure, truth.interruptions, doubt_pct}});
}

/// The metrics of the attempt's hosts read so from now on.
void Fleet::read_level(Running& run, bool running) {
  if (core_.world.platform.model == PlatformModel::ideal) return;  // nobody measures there
  metrics_.begin_level(run, running);
  alarms_.follow(run);
}

void Fleet::begin_startup(Running& run) {
  if (run.stage == Stage::provisioning && run.bill.from != policy::never) {
    billing_.spend(run, Use::startup, run.stage_since,
                   core_.now);  // reserved machines are paid while they wait
  }
  if (run.bill.from == policy::never) run.bill.from = core_.now;
  if (run.bill.first == policy::never) run.bill.first = core_.now;
  JobRow& row = core_.record.job_rows[run.job.index];
  if (row.first_start == policy::never) row.first_start = core_.now;
  jobs_.end_requeue_wait(run.job);
  if (core_.world.platform.runtime_includes_startup) start_runtime_clock(run);
  run.stage = Stage::startup;
  run.stage_since = core_.now;
  if (core_.world.platform.model != PlatformModel::ideal) {
    enter(run.job, Primary::in_progress, Secondary::downloading);
  }
  if (run.startup == Duration::max())
    core_.record.endless.push_back({run.job, run.number, core_.now});
  if (run.startup.count() == 0 && run.runtime.at > core_.now) return begin_training(run);
  schedule(run);
}

/// MaxRuntime bounds the time that the attempt runs: the clock stands while it is interrupted.
void Fleet::start_runtime_clock(Running& run) const {
  if (run.runtime.from == policy::never) {
    run.runtime.from = core_.now;
  } else if (run.runtime.paused != policy::never) {
    run.runtime.from += core_.now - run.runtime.paused;
  } else {
    return;
  }
  run.runtime.paused = policy::never;
  set_limit(run);
}

/// Not in the past: a limit that was lowered below what has run ends the attempt now.
void Fleet::set_limit(Running& run) const {
  run.runtime.at = std::max(core_.now, policy::later(run.runtime.from, run.runtime.max));
}

void Fleet::begin_training(Running& run) {
  if (const auto failure = missing_at_start(run)) return fail(run, *failure);
  if (core_.profile(run.job).elastic) [[unlikely]] {
    if (run.launch->in_memory > Duration{0}) billing_.save_memory(run);
    if (run.instances < core_.spec(run.job).instances && may_grow(run)) return grow(run);
    run.launch->resizing = false;
  }
  start_runtime_clock(run);
  billing_.spend_start(run);
  run.stage = Stage::training;
  run.stage_since = run.run_since = core_.now;
  run.active = Duration{0};
  if (core_.profile(run.job).elastic) [[unlikely]]
    note_size(run);
  std::erase_if(run.troubles,  // over while nothing ran
                [&](const Trouble& trouble) { return trouble.until <= core_.now; });
  run.faults.train(core_.now, std::exchange(run.retried, false));
  read_level(run, true);
  if (!core_.keep.gpu_minima.empty() && core_.profile(run.job).throughput)
    core_.record.held_up.push_back({run.job, run.number, core_.now, held_up(run)});
  pools_.make_progress(run, true);
  if (reports_.has(run)) [[unlikely]]
    reports_.schedule(run);
  enter(run.job, Primary::in_progress, Secondary::training);
  schedule(run);
}

/// From the start of the run to the end of the work, if nothing intervenes.
Duration Fleet::time_to_train(const Running& run) const {
  const Checkpoint& plan = core_.profile(run.job).checkpoint;
  const Duration left = core_.spec(run.job).work - core_.durable(run.job);
  if (run.speed_ppm == full_speed) [[likely]]
    return time_to_finish(plan, left);
  return time_to_finish(plan, left, run.speed_ppm);
}

/// When something happens to the attempt next, if nobody intervenes.
Instant Fleet::next_change(const Running& run) const {
  Instant at = policy::never;
  switch (run.stage) {
    case Stage::provisioning:
      at = policy::later(run.stage_since, run.provisioning);
      break;
    case Stage::startup:
      at = policy::later(run.stage_since, run.startup);
      break;
    case Stage::training:
      at = policy::later(run.stage_since, time_to_train(run) - run.active);
      if (run.launch) at = std::min(at, run.launch->save_due);
      break;
    case Stage::away:
      if (run.fault < 0) break;  // until the pool has machines again
      at = policy::later(run.stage_since, run.faults[static_cast<std::size_t>(run.fault)].lasts);
      break;
    case Stage::stalled:  // until its troubles are over
      at = run.watchdog;
      break;
    case Stage::uploading:
      return policy::later(run.stage_since, run.upload);
    case Stage::draining:
      return run.due;
  }
  if (run.stage == Stage::training || run.stage == Stage::stalled) {
    at = std::min(at, std::max(core_.now, run.faults.next_at()));
    for (const Trouble& trouble : run.troubles) at = std::min(at, trouble.until);
  }
  return std::min({at, run.runtime.at, run.wait_limit, reclaim_of(run)});
}

void Fleet::schedule(Running& run) {
  run.due = next_change(run);
  core_.push(run.due, sim::Phase::world, EventKind::attempt_due, core_.slot_of(run), ++run.stamp);
}

/// Of several things due at one instant the work's end comes first, then faults, then the limit:
/// a job that is done is not stopped, and a fault at the limit still happened.
void Fleet::attempt_is_due(Slot slot) {
  core_.last_work = core_.now;
  Running& run = core_.running[slot];
  const Platform& platform = core_.world.platform;
  switch (run.stage) {
    case Stage::uploading:
    case Stage::draining:
      return finish_stop(run);
    case Stage::training: {
      const Duration active = run.active + (core_.now - run.stage_since);
      if (active >= time_to_train(run)) return complete(run);
      if (run.launch && run.launch->save_due <= core_.now) return finish_save(run);
      break;
    }
    default:
      break;
  }
  if (reclaim_of(run) <= core_.now) return reclaim(run);
  if ((run.stage == Stage::training || run.stage == Stage::stalled)) {
    const auto back = std::erase_if(run.troubles, [&](const Trouble& trouble) {
      return trouble.until <= core_.now && !stands_still_by(run, trouble);
    });
    if (back > 0) read_level(run, true);
    if (run.faults.next_at() <= core_.now) return meet_fault(run);
    if (run.stage == Stage::stalled && run.watchdog <= core_.now && still_stands(run, core_.now)) {
      return fail(run, core_.profile(run.job).watchdog->failure);
    }
  }
  if (run.runtime.at <= core_.now)
    return stop(run, Secondary::max_runtime_exceeded, platform.max_runtime_grace);
  if (run.wait_limit <= core_.now) {
    return stop(run, Secondary::max_wait_time_exceeded, platform.stop_grace);
  }
  if (next_change(run) > core_.now) return schedule(run);
  switch (run.stage) {
    case Stage::provisioning:
      return begin_startup(run);
    case Stage::startup:
      return begin_training(run);
    case Stage::stalled:
      return recover(run);
    case Stage::away:
      return come_back(run);
    default:
      return schedule(run);
  }
}

/// What the time from a stop, or from the end of the work, to the end of billing is for.
Use Fleet::use_of_ending(const Running& run) const {
  // Work that is done is uploaded, whether or not somebody stops the attempt meanwhile.
  if (core_.durable(run.job) == core_.spec(run.job).work) return Use::checkpoint;
  return run.wrongly_stopped ? Use::false_stop : Use::drain;
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

/// The platform returns the machines of a scripted interruption: they were kept for the attempt,
/// unless the market has gone down meanwhile.
void Fleet::come_back(Running& run) {
  pools_.take_away(run.pool, -std::int64_t{run.instances});
  const bool fit = pools_.fits(run.pool, run.job);
  if (fit && !must_wait(run.job, launch_of(run))) return relaunch(run);
  run.fault = -1;
  if (!fit) pools_[run.pool].returning.push_back(run.job);
  schedule(run);
  serve_waiting(run.pool);  // too few for this one may be enough for who was first
}

/// An interrupted attempt gets machines again, and starts like a new one.
void Fleet::relaunch(Running& run) {
  run.stage = Stage::provisioning;
  run.fault = -1;
  run.warm = false;
  hold_machines(run);
  if (policy::is_reserved(core_.world.pools[run.pool.index].market)) run.bill.from = core_.now;
  enter(run.job, Primary::in_progress, Secondary::starting);
  run.provisioning.count() == 0 ? begin_startup(run) : schedule(run);
}

void Fleet::meet_fault(Running& run) {
  const std::uint32_t index = run.faults.meet();
  const Fault& fault = run.faults[index];
  switch (fault.kind) {
    case FaultKind::failure:
      return fail(run, fault.failure, fault.diagnosis);
    case FaultKind::hardware:
      return repair(run, &fault);
    case FaultKind::interruption:
      pools_.take_away(run.pool, run.instances);  // kept for the attempt
      interrupt(run, static_cast<std::int32_t>(index));
      return;
    case FaultKind::node_lost:
      return lose_nodes(run, index);
    case FaultKind::metrics_lost:
    case FaultKind::stall:
    case FaultKind::spin_hang:
      return begin_trouble(run, index);
  }
}

/// A stall, or a loss of metrics.
void Fleet::begin_trouble(Running& run, std::uint32_t index) {
  const Fault& fault = run.faults[index];
  run.troubles.push_back({index, policy::later(core_.now, fault.lasts)});
  if (fault.kind != FaultKind::metrics_lost && run.stage != Stage::stalled) {
    pause_training(run, core_.now);
    pools_.make_progress(run, false);
    stand_still(run, index);
  }
  read_level(run, true);
  schedule(run);
}

void Fleet::stand_still(Running& run, std::uint32_t fault) {
  run.stage = Stage::stalled;
  run.stage_since = core_.now;
  if (run.launch) run.launch->save_due = policy::never;
  set_watchdog(run, fault);
  if (core_.profile(run.job).elastic) note_size(run);
  run.open_stall = static_cast<std::uint32_t>(core_.record.stalls.size());
  if (prices_.may_be_free(run.pool)) run.launch->stalls.push_back(run.open_stall);
  const bool has_tags = core_.truth[run.job.index].keeps_tags;
  core_.record.stalls.push_back({run.job, run.number, core_.now, policy::never, policy::never,
                                 run.faults[fault].kind, run.faults[fault].cause, run.pool,
                                 has_tags ? core_.profile(run.job).tags : policy::TagSetId{}});
}

bool Fleet::stands_still_by(const Running& run, const Trouble& trouble) {
  return run.faults[trouble.fault].kind != FaultKind::metrics_lost;
}

/// A standstill lasts until the last of the stalls that overlap is over.
void Fleet::recover(Running& run) {
  std::erase_if(run.troubles, [&](const Trouble& trouble) { return trouble.until <= core_.now; });
  if (std::any_of(run.troubles.begin(), run.troubles.end(),
                  [&](const Trouble& trouble) { return stands_still_by(run, trouble); })) {
    read_level(run, true);
    return schedule(run);
  }
  billing_.spend(run, Use::stalled, run.stage_since, core_.now);
  note_upload(run);
  core_.record.stalls[run.open_stall].cost =
      prices_.cost_of(run.holding(), run.stage_since, core_.now);
  core_.record.stalls[run.open_stall].ended = core_.now;
  run.open_stall = no_row;
  run.stage = Stage::training;
  run.stage_since = core_.now;
  pools_.make_progress(run, true);
  if (reports_.has(run)) reports_.schedule(run);
  read_level(run, true);
  schedule(run);
  if (!core_.profile(run.job).elastic) return;
  note_size(run);
  grow_gangs(run.pool);
}

/// `fault`: the plan index of what took the machines; -1: their pool did.  Whether the attempt
/// waits for others.
bool Fleet::interrupt(Running& run, std::int32_t fault) {
  close_run(run, false, saved_in_time(run), false);
  if (run.runtime.paused == policy::never) run.runtime.paused = core_.now;  // or it stands already
  run.runtime.at = policy::never;
  count(run.restarts.interruptions);
  count(core_.truth[run.job.index].interruptions);
  count(core_.record.job_rows[run.job.index].interruptions);
  ++core_.record.interruptions;
  ++core_.record.pool_rows[run.pool.index].interruptions;
  billing_.settle(run, Ending::reclaimed);
  run.stage = Stage::away;
  run.stage_since = core_.now;
  run.fault = fault;
  std::erase_if(run.troubles,  // other machines do not stand still
                [&](const Trouble& trouble) { return stands_still_by(run, trouble); });
  read_level(run, false);
  if (ends_on_loss(run)) {
    release_machines(run);
    const bool of_market = core_.world.pools[run.pool.index].market == Market::spot;
    end_attempt(run, Primary::failed, Secondary::failed,
                of_market ? policy::FailureClass::capacity : policy::FailureClass::infrastructure,
                EndReason::capacity);
    return false;
  }
  jobs_.begin_requeue_wait(run.job);
  enter(run.job, Primary::in_progress, Secondary::interrupted);
  release_machines(run);
  schedule(run);
  return true;
}

void Fleet::complete(Running& run) {
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

void Fleet::fail(Running& run, policy::FailureClass failure, Diagnosis read) {
  if (retry(run, failure)) return;
  close_run(run, false, false, false);
  end_attempt(run, Primary::failed, Secondary::failed, failure, EndReason::failed, read);
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
  if (core_.keep.attempts) {
    core_.record.attempts.push_back({job, run.number, run.origin, pool, run.requested,
                                     run.bill.first, core_.now, run.resumed_from, reason, failure,
                                     run.bill.held, run.restarts.interruptions,
                                     billing_.billable(run)});
  }
  if (!horizon) {
    read_level(run, false);
    alarms_.leave(run);
    quotas_.leave(job);
  }
  if (core_.keep.utilization) metrics_.note_readings(run);
  if (!core_.keep.gpu_minima.empty()) metrics_.note_gaps(run);
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

}  // namespace reeve::models
