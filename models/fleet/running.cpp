// Attempts that hold instances: startup, training, and what happens to them next.
#include <algorithm>
#include <reeve/policy/clone_fields.hpp>
#include <utility>

#include "models/fleet/fleet.hpp"

namespace reeve::models {

using policy::FailureClass;
using policy::Instant;
using policy::Primary;
using policy::Secondary;

void Fleet::enter(policy::JobId job, Primary primary, Secondary secondary,
                  policy::FailureClass failure, std::uint8_t doubt_pct) {
  enter({.job = job,
         .primary = primary,
         .secondary = secondary,
         .failure = failure,
         .doubt_pct = doubt_pct});
}

/// `change` says what; of which attempt is known here.
void Fleet::enter(policy::JobChanged change) {
  JobTruth& truth = core_.truth[change.job.index];
  core_.last_work = core_.now;
  JobRow& row = core_.record.job_rows[change.job.index];
  row.status = change.primary;
  row.ended_as = change.secondary;
  row.failure = change.failure;
  change.attempt = truth.attempts;
  change.revision = ++truth.revision;
  change.interruptions = truth.interruptions;
  events_.tell({core_.now, change});
}

/// The metrics of the attempt's hosts read so from now on.
void Fleet::read_level(Running& run, bool running) {
  if (core_.world.platform.model == PlatformModel::ideal) return;  // it has no metrics
  metrics_.begin_level(run, running);
  alarms_.follow(run);
}

/// Image, data and set-up; nodes of a gang then look for their master.
Duration Fleet::startup_of_launch(const Running& run) const {
  const Platform& platform = core_.world.platform;
  if (const auto logged = core_.record.jobs.log_of(run.job).startup) return *logged;
  const bool first = run.number == 1 && run.restarts.interruptions == 0 &&
                     run.restarts.retries == 0 && run.restarts.repairs == 0;
  const Duration own = first ? platform.first_startup.value_or(platform.startup) : platform.startup;
  const auto& rendezvous = platform.unmanaged.rendezvous;
  if (!rendezvous || run.instances == 1) return own;
  if (!rendezvous->tags_after) return Duration::max();
  const auto cause = sim::Cause::rendezvous;
  const Duration tags =
      draw(*rendezvous->tags_after, core_.uniform(cause, run.job.index, launch_of(run)));
  return meets_after(*rendezvous, own, tags);
}

/// And what was saved is read back, if anything was.
Duration Fleet::with_restore(const Running& run, Duration startup) const {
  const Duration restore = core_.profile(run.job).checkpoint.restore;
  if (core_.durable(run.job).count() == 0 || restore > Duration::max() - startup) return startup;
  return startup + restore;
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

/// What a clone that left out fields fails for, once it would train.
std::optional<FailureClass> Fleet::missing_at_start(const Running& run) const {
  const std::uint16_t loses = core_.truth[run.job.index].loses;
  if (policy::has_lost(loses, policy::CloneLoss::vpc)) return FailureClass::configuration;
  if (policy::has_lost(loses, policy::CloneLoss::input_data)) return FailureClass::data;
  return std::nullopt;
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
    pools_.note_size(run);
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
  const auto [plan, left] = core_.ahead(run);
  if (run.speed_ppm == full_speed) [[likely]]
    return time_to_finish(plan, left);
  return time_to_finish(plan, left, run.speed_ppm);
}

/// How long an attempt trains that begins now, at full speed and if nothing intervenes.
Duration Fleet::undisturbed_training(const Running& run) const {
  const Duration left = core_.spec(run.job).work - core_.durable(run.job);
  const Duration work = time_to_finish(core_.profile(run.job).checkpoint, left);
  return std::min(work > Duration::max() - run.losing ? Duration::max() : work + run.losing,
                  run.runtime.max);
}

/// When the attempt changes next, if no call or operator intervenes.
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
  return std::min({at, run.runtime.at, run.wait_limit, market_.reclaim_of(run)});
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
  if (market_.reclaim_of(run) <= core_.now) return reclaim(run);
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

/// The platform returns the machines of a scripted interruption: they were kept for the attempt,
/// unless the market has gone down meanwhile.
void Fleet::come_back(Running& run) {
  pools_.take_away(run.pool, -std::int64_t{run.instances});
  const bool fit = pools_.fits(run.pool, run.job);
  if (fit && !promises_.must_wait(run.job, launch_of(run))) return relaunch(run);
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

}  // namespace reeve::models
