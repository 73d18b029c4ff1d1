// What runs of training made, and what of it was saved.
#include <algorithm>
#include <reeve/policy/clone_fields.hpp>
#include <utility>

#include "models/fleet/fleet.hpp"

namespace reeve::models {

using policy::Instant;

namespace {

/// The first instant from `from` on, in steps of `poll`, that is not before `at`.
Instant next_look(Instant from, Duration poll, Instant at) {
  if (at <= from || poll == Duration{0}) return std::max(from, at);
  const Duration into = (at - from) % poll;
  return into == Duration{0} ? at : at + (poll - into);
}

}  // namespace

/// Books what the present stage used up to now.  `orderly`: the platform syncs what was saved;
/// `finished`: the work is done; `horizon`: nothing ended, the books are closed for looking.
void Fleet::close_run(Running& run, bool orderly, bool finished, bool horizon) {
  if (run.stage == Stage::provisioning || run.stage == Stage::startup) {
    if (run.bill.from != policy::never) billing_.spend_start(run);
    if (run.launch && run.launch->in_memory > Duration{0}) [[unlikely]] {
      horizon ? billing_.save_memory(run) : billing_.lose_memory(*run.launch);
    }
    return;
  }
  if (run.stage != Stage::training && run.stage != Stage::stalled) return;
  if (run.launch) run.launch->save_due = policy::never;
  const auto [stated, left] = core_.ahead(run);
  const bool loses = run.losing > Duration{0};
  if (loses && run.launch) run.launch->keeps = false;
  Instant worked_until = core_.now;
  if (run.stage == Stage::stalled) {
    worked_until = run.stage_since;
    note_upload(run);
    billing_.spend(run, Use::stalled, run.stage_since, core_.now);
    core_.record.stalls[run.open_stall].cost =
        prices_.cost_of(run.holding(), run.stage_since, core_.now);
    core_.record.stalls[run.open_stall].ended = horizon ? policy::never : core_.now;
    run.open_stall = no_row;
  } else {
    pause_training(run, core_.now);
  }
  // In machine time, from here on: what is booked is time.
  const Checkpoint plan = at_speed(stated, run.speed_ppm);
  const Duration remaining = machine_time(left, run.speed_ppm);
  const Progress made = progress_after(plan, remaining, run.active);
  // Who ends in good order lets an upload come to its end.
  Duration saved = orderly ? made.written : made.durable;
  if (run.launch) saved = std::max(saved, std::exchange(run.launch->uploaded, Duration{0}));
  const bool unsaved =
      policy::has_lost(core_.truth[run.job.index].loses, policy::CloneLoss::checkpoint);
  if (plan.sync == Sync::none || unsaved || loses) saved = Duration{0};
  if (plan.sync == Sync::at_end && !orderly) saved = Duration{0};
  if (finished && !loses) saved = made.work;
  const Duration kept = horizon && !loses ? made.work : saved;
  if (saved.count() > 0) core_.last_progress = core_.now;
  const Duration counts = work_of(stated, left, saved, run.speed_ppm);
  core_.durable(run.job) += counts;
  if (run.launch && run.launch->keeps) [[unlikely]] {
    run.launch->in_memory = work_of(stated, left, made.work, run.speed_ppm) - counts;
  }
  billing_.book_training(run, {plan, remaining, made, kept, worked_until});
  if (loses) run.losing -= work_of(stated, left, made.work, run.speed_ppm);
  run.active = Duration{0};
  run.trained.clear();
  pools_.make_progress(run, false);
}

/// An upload goes on while the work stands still.
void Fleet::note_upload(Running& run) const {
  const auto [stated, left] = core_.ahead(run);
  if (stated.upload.count() == 0) return;
  const Checkpoint plan = at_speed(stated, run.speed_ppm);
  const Progress made = progress_after(plan, machine_time(left, run.speed_ppm), run.active);
  const Duration since_written = made.work - made.written + (core_.now - run.stage_since);
  if (made.durable < made.written && since_written >= plan.upload)
    run.launch->uploaded = made.written;
}

/// The time from when the stage began until `at` was training.
void Fleet::pause_training(Running& run, Instant at) const {
  run.active += at - run.stage_since;
  if (!core_.world.pools[run.pool.index].prices.empty() && run.stage_since < at) {
    run.trained.push_back({run.stage_since, at});
  }
}

/// Whether the job saves all of its work because it was told of this loss.  Its hook looks every
/// `poll`, and saves at last when it must.
bool Fleet::saved_in_time(Running& run) {
  const auto& hook = core_.profile(run.job).checkpoint.on_notice;
  if (!hook || !run.launch || run.stage != Stage::training) return false;
  if (run.losing > Duration{0}) return false;
  // What is never uploaded goes with the machines.
  if (core_.profile(run.job).checkpoint.sync == Sync::none) return false;
  if (policy::has_lost(core_.truth[run.job.index].loses, policy::CloneLoss::checkpoint))
    return false;
  const Launch& launch = *run.launch;
  if (launch.noticed == policy::never || launch.loss != core_.now) return false;
  const Instant seen = next_look(run.bill.from, core_.world.platform.notice.poll, launch.noticed);
  if (hook->save > core_.now - std::max(seen, run.stage_since)) return false;
  const std::uint32_t nth = launch_of(run);
  const auto cause = sim::Cause::hook;
  if (core_.uniform(cause, run.job.index, nth) > hook->hook_probability) return false;
  if (!hook->pauses_work) return true;
  pause_training(run, core_.now - hook->save);
  run.stage_since = core_.now;
  billing_.spend(run, Use::checkpoint, core_.now - hook->save, core_.now);
  return true;
}

/// Whether its script runs, and what it saved would be kept.
bool Fleet::can_save(const Running& run) const {
  if (!run.launch || run.stage != Stage::training || run.losing > Duration{0}) return false;
  if (core_.profile(run.job).checkpoint.sync == Sync::none) return false;
  return !policy::has_lost(core_.truth[run.job.index].loses, policy::CloneLoss::checkpoint);
}

/// Who is at it already goes on.
bool Fleet::effect(const policy::SaveCheckpoint& verb) {
  const JobTruth& truth = core_.truth[verb.job.index];
  if (truth.attempts != verb.attempt || truth.running == no_slot) return false;
  Running& run = core_.running[truth.running];
  const auto& save = core_.profile(run.job).checkpoint.on_request;
  if (!save || !can_save(run)) return false;
  if (run.launch->save_due != policy::never) return true;
  run.launch->save_due = policy::later(core_.now, *save);
  schedule(run);
  return true;
}

/// All that was done is saved, and training goes on from there.
void Fleet::finish_save(Running& run) {
  close_run(run, false, true, false);
  run.stage_since = run.run_since = core_.now;
  pools_.make_progress(run, true);
  schedule(run);
}

/// The log had attempts without a result up to here: training begins anew on the same instances.
void Fleet::lose_as_logged(Running& run) {
  close_run(run, false, false, false);
  run.stage_since = run.run_since = core_.now;
  pools_.make_progress(run, true);
  schedule(run);
}

bool Fleet::saves_when_stopped(const Running& run, Duration grace) const {
  const auto& save = core_.profile(run.job).checkpoint.on_stop;
  return save && *save <= grace && can_save(run);
}

/// Of an attempt that was stopped: its machines run no longer, and whether it was over in time
/// shows.
void Fleet::end_last_save(Running& run) {
  if (!run.launch || run.launch->in_memory == Duration{0}) return;
  const bool saved = core_.now - run.stage_since >= core_.profile(run.job).checkpoint.on_stop;
  saved ? billing_.save_memory(run) : billing_.lose_memory(*run.launch);
}

}  // namespace reeve::models
