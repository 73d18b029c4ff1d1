// What runs of training made, and the time in which instances of a pool were held.
#include <algorithm>
#include <reeve/policy/clone_fields.hpp>
#include <utility>

#include "models/fleet/fleet.hpp"

namespace reeve::models {

using policy::Instant;

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
  const Checkpoint& stated = core_.profile(run.job).checkpoint;
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
  const Duration left = core_.spec(run.job).work - core_.durable(run.job);
  const Checkpoint plan = at_speed(stated, run.speed_ppm);
  const Duration remaining = machine_time(left, run.speed_ppm);
  const Progress made = progress_after(plan, remaining, run.active);
  // Who ends in good order lets an upload come to its end.
  Duration saved = orderly ? made.written : made.durable;
  if (run.launch) saved = std::max(saved, std::exchange(run.launch->uploaded, Duration{0}));
  const bool unsaved =
      policy::has_lost(core_.truth[run.job.index].loses, policy::CloneLoss::checkpoint);
  if (plan.sync == Sync::none || unsaved) saved = Duration{0};
  if (plan.sync == Sync::at_end && !orderly) saved = Duration{0};
  if (finished) saved = made.work;
  const Duration kept = horizon ? made.work : saved;
  if (saved.count() > 0) core_.last_progress = core_.now;
  const Duration counts = work_of(stated, left, saved, run.speed_ppm);
  core_.durable(run.job) += counts;
  if (run.launch && run.launch->keeps) [[unlikely]] {
    run.launch->in_memory = work_of(stated, left, made.work, run.speed_ppm) - counts;
  }
  billing_.book_training(run, {plan, remaining, made, kept, worked_until});
  run.active = Duration{0};
  run.trained.clear();
  pools_.make_progress(run, false);
}

/// An upload goes on while the work stands still.
void Fleet::note_upload(Running& run) const {
  const Checkpoint& stated = core_.profile(run.job).checkpoint;
  if (stated.upload.count() == 0) return;
  const Duration left = core_.spec(run.job).work - core_.durable(run.job);
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

}  // namespace reeve::models
