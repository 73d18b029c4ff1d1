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
  make_progress(run, false);
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

/// Who holds machines where two windows touch holds them in both.
void Fleet::note_windows(policy::PoolId id, const Stretch& stretch) {
  const std::vector<TimeSpan>& windows = core_.world.pools[id.index].windows;
  PoolTruth& pool = pools_[id.index];
  pool.held_in.resize(windows.size());
  const auto [first, last] = std::minmax(stretch.from, stretch.until);
  const Charge sign = first == stretch.from ? 1 : -1;  // time that is no part of the run after all
  const Duration from = first - core_.world.start;
  const Duration until = last - core_.world.start;
  auto window =
      std::upper_bound(windows.begin(), windows.end(), from,
                       [](Duration at, const TimeSpan& later) { return at < later.second; });
  for (; window != windows.end() && window->first < until; ++window) {
    const Duration held = std::min(until, window->second) - std::max(from, window->first);
    pool.held_in[static_cast<std::size_t>(window - windows.begin())] +=
        sign * held.count() * Charge{pool.allocated};
  }
}

bool Fleet::goes_on(const PoolTime& before, const PoolTime& now) {
  return before.stretch.until == now.stretch.from && before.offered == now.offered &&
         before.free == now.free && before.down == now.down && before.there == now.there;
}

void Fleet::pass_time(policy::PoolId id) {
  PoolTruth& pool = pools_[id.index];
  if (pool.since == core_.now) return;
  note_use();
  in_use_changes_.push_back(id);
  const Charge held =
      (core_.now - pool.since).count();  // below 0 where a run ends with its last work
  const Instant from = std::exchange(pool.since, core_.now);
  pool.allocated_time += held * pool.allocated;
  pool.used_time += held * pool.used;
  if (core_.keep.ledger && pool.allocated > 0 && !core_.world.pools[id.index].windows.empty())
      [[unlikely]]
    note_windows(id, {from, core_.now});
  if (held < 0) return;
  const std::uint32_t offered = present(id);
  const std::uint32_t up =
      pool.nodes ? pool.nodes->clock.up() : core_.world.pools[id.index].capacity;
  const PoolTime time{{from, core_.now},
                      offered,
                      offered - std::min(offered, pool.allocated),
                      core_.world.pools[id.index].capacity - up,
                      std::max(offered, pool.allocated)};
  if (core_.world.end != policy::never || (pool.tail.empty() && core_.last_work >= core_.now))
      [[likely]]
    return count_time(id, time);
  if (!pool.tail.empty() && goes_on(pool.tail.back(), time)) {
    pool.tail.back().stretch.until = core_.now;
  } else {
    pool.tail.push_back(time);
  }
  if (pool.tail.front().stretch.until <= core_.last_work) count_tail(id, core_.last_work);
}

void Fleet::count_time(policy::PoolId id, const PoolTime& time) {
  const Charge length = (time.stretch.until - time.stretch.from).count();
  PoolRow& row = core_.record.pool_rows[id.index];
  row.capacity_time += length * core_.world.pools[id.index].capacity;
  row.offered_time += length * time.offered;
  row.free_time += length * time.free;
  row.down_time += length * time.down;
  count_there(id, time);
}

/// What was over by `until`.
void Fleet::count_tail(policy::PoolId id, Instant until) {
  std::erase_if(pools_[id.index].tail, [&](const PoolTime& time) {
    if (time.stretch.until > until) return false;
    count_time(id, time);
    return true;
  });
}

void Fleet::allocate(policy::PoolId id, std::int64_t instances) {
  pass_time(id);
  PoolTruth& pool = pools_[id.index];
  pool.allocated = static_cast<std::uint32_t>(pool.allocated + instances);
  core_.record.held_until = core_.span_until = core_.now;
  if (core_.keep.utilization) note_utilization(id);
}

void Fleet::make_progress(Running& run, bool begins) {
  if (run.progressing == begins) return;
  run.progressing = begins;
  const policy::PoolId id = run.pool;
  pass_time(id);
  PoolTruth& pool = pools_[id.index];
  pool.used = begins ? pool.used + run.instances : pool.used - run.instances;
  if (core_.keep.utilization) note_utilization(id);
}

void Fleet::note_utilization(policy::PoolId id) {
  const PoolTruth& pool = pools_[id.index];
  const UtilizationRow row{
      core_.now, id, pool.allocated, pool.used, static_cast<std::uint32_t>(pool.runnable),
      there(id)};
  for (auto last = core_.record.utilization.rbegin(); last != core_.record.utilization.rend();
       ++last) {
    if (last->at != core_.now) break;
    if (last->pool == id) {
      *last = row;
      return;
    }
  }
  core_.record.utilization.push_back(row);
}

}  // namespace reeve::models
