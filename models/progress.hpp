// Progress of training: work, durable work and checkpoint pauses as closed forms.
#pragma once

#include <algorithm>

#include "models/world.hpp"

namespace reeve::models {

/// Of one undisturbed period of training; `work` + `checkpointing` is the elapsed time.
struct Progress {
  Duration work{0};
  Duration durable{0};  ///< work that a restart need not redo, if checkpoints leave the instance
  Duration checkpointing{0};
  Duration written{0};  ///< work in the newest checkpoint, which may not be uploaded yet
};

/// The time for an amount of work at a speed in millionths; rounded up, at most Duration::max().
constexpr Duration machine_time(Duration work, std::uint32_t speed_ppm) {
  if (speed_ppm == full_speed) [[likely]]
    return work;
  __extension__ using Wide = __int128;
  const Wide time = (Wide{work.count()} * full_speed + speed_ppm - 1) / speed_ppm;
  return time > Wide{Duration::max().count()} ? Duration::max()
                                              : Duration{static_cast<std::int64_t>(time)};
}

/// The plan in instance time instead of work: everything below holds for both.
constexpr Checkpoint at_speed(Checkpoint plan, std::uint32_t speed_ppm) {
  plan.every = machine_time(plan.every, speed_ppm);
  return plan;
}

/// Between checkpoints after the first one: none is written while another is uploaded.
constexpr Duration interval(const Checkpoint& plan) {
  return std::max(plan.every, plan.upload);
}

/// The work done in `time` of instance time, if `plan` has its checkpoints in units of work and
/// `left` is all the work.  The inverse of machine_time at checkpoints and at the end.
constexpr Duration work_of(const Checkpoint& plan, Duration left, Duration time,
                           std::uint32_t speed_ppm) {
  if (speed_ppm == full_speed) [[likely]]
    return time;
  if (time == machine_time(left, speed_ppm)) return left;
  const Duration cycle = machine_time(plan.every, speed_ppm);
  const bool put_off = plan.upload > cycle;  // the second one follows its clock
  if (cycle.count() > 0 && !put_off && time % cycle == Duration{0}) {
    return time / cycle * plan.every;
  }
  if (put_off && time == cycle) return plan.every;
  __extension__ using Wide = __int128;
  const auto done = static_cast<std::int64_t>(Wide{time.count()} * speed_ppm / full_speed);
  return std::min(Duration{done}, left);
}

/// Checkpoints before the end of `remaining` work; none is taken at the end itself.
constexpr std::int64_t checkpoints_before_end(const Checkpoint& plan, Duration remaining) {
  if (plan.every.count() == 0 || remaining <= plan.every) return 0;
  return 1 + ((remaining - plan.every).count() - 1) / interval(plan).count();
}

/// The work in the first `checkpoints` checkpoints.
constexpr Duration work_in(const Checkpoint& plan, std::int64_t checkpoints) {
  if (checkpoints == 0) return Duration{0};
  return plan.every + (checkpoints - 1) * interval(plan);
}

/// Time from the start of training to the end of `remaining` undisturbed work; at most
/// Duration::max().
constexpr Duration time_to_finish(const Checkpoint& plan, Duration remaining) {
  __extension__ using Wide = __int128;
  const Wide pauses = Wide{plan.cost.count()} * checkpoints_before_end(plan, remaining);
  if (pauses > Wide{(Duration::max() - remaining).count()}) return Duration::max();
  return remaining + Duration{static_cast<std::int64_t>(pauses)};
}

/// The same for instances of that speed.
constexpr Duration time_to_finish(const Checkpoint& plan, Duration remaining,
                                  std::uint32_t speed_ppm) {
  return time_to_finish(at_speed(plan, speed_ppm), machine_time(remaining, speed_ppm));
}

/// The state after `active` time of training on `remaining` work.  A checkpoint counts from the end
/// of its upload, or of its pause if it has no upload.  A checkpoint that is saved at the instant
/// of a fault counts.
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
