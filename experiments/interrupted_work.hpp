// The instance time of work under random interruptions, as closed forms.
#pragma once

namespace reeve::experiments {

/// A job on instances of its own, in hours of instance time.
struct InterruptedWork {
  double length = 0;         ///< from the start of training to its end, pauses included
  double apart = 0;          ///< between checkpoints; 0: no work is durable before the end
  double upload = 0;         ///< delay from the writing of a checkpoint until it counts
  double first_startup = 0;  ///< of the first launch
  double startup = 0;        ///< of later launches
  double restore = 0;        ///< added to launches that find a checkpoint
  double delivery = 0;       ///< of the result; an interruption ends it without a restart
  double minimum = 0;        ///< billed minimum of each launch
};

/// Expected instance hours if interruptions are a Poisson process with that hourly rate while
/// instances run, and replacements are available at once.  Exact if checkpoints are at least an
/// upload apart; without checkpoints, (e^(rate x (work + startup)) - 1) / rate.  A billing minimum
/// is exact if no uninterrupted launch is shorter, see shortest_launch.
double expected_hours(const InterruptedWork& job, double interruptions_per_hour);

/// The shortest of the uninterrupted launches.
double shortest_launch(const InterruptedWork& job);

/// The rate at which instances run `ratio` times as long as without interruptions, for a ratio
/// above 1.
double rate_of_ratio(const InterruptedWork& job, double ratio);

/// The same to first order, for few interruptions between two checkpoints: each costs half the time
/// between them, an upload, the startup and the restore; without a billing minimum.  Only for work
/// with checkpoints.
double first_order_rate_of_ratio(const InterruptedWork& job, double ratio);

}  // namespace reeve::experiments
