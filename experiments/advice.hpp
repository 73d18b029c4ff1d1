// What a scenario's own numbers advise, by formulas, before anything is run.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>
#include <string>

#include "scenarios/load/scenario.hpp"

namespace reeve::experiments {

/// Each is none where the scenario does not say what it needs; all but the last need one single
/// job.
struct Advice {
  /// Interruptions an hour, at random, from which on Spot is expected to cost more than on-demand
  /// machines of the type; see expected_hours.  None in the tick world, and where no formula holds.
  std::optional<double> break_even_per_hour;
  /// Why there is none, though there is a Spot fleet and a dearer one on demand; empty elsewhere.
  std::string no_break_even;
  /// The same to first order: (on-demand price / Spot price - 1) / (half the time between two
  /// checkpoints + upload + start-up + restore), in hours of its machines; none without
  /// checkpoints.  Where results are delivered the numerator is as much more as that takes.
  std::optional<double> break_even_first_order_per_hour;
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
