// What a scenario's own numbers advise, by first-order formulas, before anything is run.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>

#include "scenarios/scenario.hpp"

namespace reeve::experiments {

/// Each is none where the scenario does not say what it needs; the first three need one single job.
struct Advice {
  /// Interruptions an hour from which on Spot costs more than on-demand machines of the type:
  /// (on-demand price / Spot price - 1) / (half a checkpoint interval + its upload + start-up +
  /// restore), in hours.
  std::optional<double> break_even_per_hour;
  /// The square root of 2 x cost of a checkpoint x mean time between interruptions (Young 1974).
  std::optional<policy::Duration> checkpoint_every;
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
