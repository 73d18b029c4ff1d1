// What work costs in machine time where interruptions come at random, as closed forms.
#pragma once

namespace reeve::experiments {

/// A job on machines of its own, in hours of machine time.
struct InterruptedWork {
  double length = 0;         ///< from the start of training to its end, pauses included
  double apart = 0;          ///< from one checkpoint to the next; 0: nothing counts before the end
  double upload = 0;         ///< a checkpoint counts so long after it was written
  double first_startup = 0;  ///< of the first launch
  double startup = 0;        ///< of those after it
  double restore = 0;        ///< more of those that find a checkpoint
  double delivery = 0;       ///< of what is done; an interruption ends it, and nothing begins again
  double minimum = 0;        ///< of each launch that is billed
};

/// Expected hours of machines, if so many interruptions an hour come as a Poisson process while
/// machines run, and others are there at once.  Exact for checkpoints at least an upload apart;
/// without any, (e^(rate x (work + start-up)) - 1) / rate.  A billing minimum is counted exactly if
/// no launch that is left alone is shorter, see shortest_launch.
double expected_hours(const InterruptedWork& job, double interruptions_per_hour);

/// Of the launches that are left alone.
double shortest_launch(const InterruptedWork& job);

/// The rate at which interrupted machines are used `ratio` times as long as undisturbed ones, for a
/// ratio above 1.
double rate_of_ratio(const InterruptedWork& job, double ratio);

/// The same to first order, for few interruptions between two checkpoints: each costs half the time
/// between them, an upload and the start-up; a billing minimum is left out.  Only for work that has
/// checkpoints.
double first_order_rate_of_ratio(const InterruptedWork& job, double ratio);

}  // namespace reeve::experiments
