// How far a run of training has come: work, durable work and checkpoint pauses as closed forms.
#pragma once

#include <algorithm>

#include "models/world.hpp"

namespace reeve::models {

/// Of one undisturbed stretch of training; `work` + `checkpointing` is the time that went by.
struct Progress {
  Duration work{0};
  Duration durable{0};  ///< work a restart need not redo, if checkpoints leave the machine
  Duration checkpointing{0};
  Duration written{0};  ///< work in the newest checkpoint, which may not be uploaded yet
};

/// How long so much work takes at a speed in millionths; rounded up, Duration::max() if it is
/// longer than that.
constexpr Duration machine_time(Duration work, std::uint32_t speed_ppm) {
  if (speed_ppm == full_speed) [[likely]]
    return work;
  __extension__ using Wide = __int128;
  const Wide time = (Wide{work.count()} * full_speed + speed_ppm - 1) / speed_ppm;
  return time > Wide{Duration::max().count()} ? Duration::max()
                                              : Duration{static_cast<std::int64_t>(time)};
}

/// The plan with machine time instead of work: all below holds for either.
constexpr Checkpoint at_speed(Checkpoint plan, std::uint32_t speed_ppm) {
  plan.every = machine_time(plan.every, speed_ppm);
  return plan;
}

/// From one checkpoint to the next but the first: none is written while another is uploaded.
constexpr Duration interval(const Checkpoint& plan) {
  return std::max(plan.every, plan.upload);
}

/// The work that so much machine time has done, when `plan` has its checkpoints after so much work,
/// and `left` is all the work; the inverse of machine_time where a checkpoint or the end is.
constexpr Duration work_of(const Checkpoint& plan, Duration left, Duration time,
                           std::uint32_t speed_ppm) {
  if (speed_ppm == full_speed) [[likely]]
    return time;
  if (time == machine_time(left, speed_ppm)) return left;
  const Duration cycle = machine_time(plan.every, speed_ppm);
  const bool put_off = plan.upload > cycle;  // the second one is where its clock says
  if (cycle.count() > 0 && !put_off && time % cycle == Duration{0}) {
    return time / cycle * plan.every;
  }
  if (put_off && time == cycle) return plan.every;
  __extension__ using Wide = __int128;
  const auto done = static_cast<std::int64_t>(Wide{time.count()} * speed_ppm / full_speed);
  return std::min(Duration{done}, left);
}

/// Checkpoints taken on the way to `remaining` work; none is taken at the very end.
constexpr std::int64_t checkpoints_before_end(const Checkpoint& plan, Duration remaining) {
  if (plan.every.count() == 0 || remaining <= plan.every) return 0;
  return 1 + ((remaining - plan.every).count() - 1) / interval(plan).count();
}

/// Work in the first so many checkpoints.
constexpr Duration work_in(const Checkpoint& plan, std::int64_t checkpoints) {
  if (checkpoints == 0) return Duration{0};
  return plan.every + (checkpoints - 1) * interval(plan);
}

/// Time from the start of training to the end of `remaining` work, if nothing intervenes;
/// Duration::max() if it is longer than that.
constexpr Duration time_to_finish(const Checkpoint& plan, Duration remaining) {
  __extension__ using Wide = __int128;
  const Wide pauses = Wide{plan.cost.count()} * checkpoints_before_end(plan, remaining);
  if (pauses > Wide{(Duration::max() - remaining).count()}) return Duration::max();
  return remaining + Duration{static_cast<std::int64_t>(pauses)};
}

/// The same for machines of such a speed.
constexpr Duration time_to_finish(const Checkpoint& plan, Duration remaining,
                                  std::uint32_t speed_ppm) {
  return time_to_finish(at_speed(plan, speed_ppm), machine_time(remaining, speed_ppm));
}

/// The state after `active` time of training on `remaining` work.  A checkpoint counts from the
/// instant its upload ends, or its pause if it has none: one that is saved at the very moment of a
/// fault is saved.
constexpr Progress progress_after(const Checkpoint& plan, Duration remaining, Duration active) {
  const std::int64_t planned = checkpoints_before_end(plan, remaining);
  if (planned == 0) return {std::min(active, remaining), Duration{0}, Duration{0}};
  const Duration first = plan.every + plan.cost;
  std::int64_t written = 0;
  if (active >= first) {
    written = std::min(1 + (active - first) / (interval(plan) + plan.cost), planned);
  }
  const Duration before = work_in(plan, written);
  const Duration into_cycle = active - before - written * plan.cost;
  const Duration room = (written < planned ? work_in(plan, written + 1) : remaining) - before;
  const Duration since = std::min(into_cycle, room);
  const bool under_way = written > 0 && into_cycle < plan.upload;
  return {before + since, work_in(plan, under_way ? written - 1 : written),
          written * plan.cost + (into_cycle - since), before};
}

}  // namespace reeve::models
