// What a scenario's own numbers advise, by first-order formulas, before anything is run.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>

#include "scenarios/scenario.hpp"

namespace reeve::experiments {

/// Each is none where the scenario does not say what it needs; the first three need one single job.
struct Advice {
  /// Interruptions an hour from which on Spot costs more than on-demand machines of the type, to
  /// first order: (on-demand price / Spot price - 1) / (half the time between two checkpoints +
  /// upload + start-up + restore), in hours that its machines need.  Where nothing counts before
  /// the end, x / (work + start-up) with (e^x - 1) / x = on-demand price / Spot price.  None in the
  /// tick world, where notices save the work, gangs are elastic or the first hour is free.
  std::optional<double> break_even_per_hour;
  /// Spot takes machines away by the clock before anything counts.
  bool never_done = false;
  /// The square root of 2 x cost of a checkpoint x mean time between interruptions (Young 1974),
  /// but not less than an upload takes; none if that is longer than the work.  As work, as
  /// checkpoint.every is.
  std::optional<policy::Duration> checkpoint_every;
  /// That is why there is none.
  bool losses_are_rare = false;
  /// How often an hour the job loses machines, to first order: the market takes them, or one of
  /// them breaks.
  std::optional<double> losses_per_hour;
  /// The monthly bill from which on the managed premium costs more than one's own operations.
  std::optional<policy::Usd> managed_break_even;
};

Advice advise(const scenarios::Scenario& scenario);

/// Young's interval.
policy::Duration young_interval(policy::Duration cost, policy::Duration between_interruptions);

}  // namespace reeve::experiments
