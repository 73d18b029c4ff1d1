// Advice from a scenario's own numbers by formulas, before any run.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>
#include <string>

#include "scenarios/load/keys/scenario.hpp"

namespace reeve::experiments {

/// A value is none if the scenario lacks its inputs.  All except the last require a single job.
struct Advice {
  /// The rate of random interruptions, per hour, above which Spot is expected to cost more than
  /// on-demand instances of the type; see expected_hours.  None in the tick model, and if no
  /// formula applies.
  std::optional<double> break_even_per_hour;
  /// The reason if there is none despite a Spot fleet and a more expensive on-demand fleet; else
  /// empty.
  std::string no_break_even;
  /// The same to first order: (on-demand price / Spot price - 1) / (half the time between two
  /// checkpoints + upload + startup + restore), all in hours of instance time; none without
  /// checkpoints.  If results are delivered, the numerator grows in proportion to that time.
  std::optional<double> break_even_first_order_per_hour;
  /// Spot reclaims instances on a fixed schedule before any work becomes durable.
  bool never_done = false;
  /// The square root of 2 x cost of a checkpoint x mean time between interruptions (Young 1974),
  /// but at least an upload; none if it is longer than the work.  In units of work, like
  /// checkpoint.every.
  std::optional<policy::Duration> checkpoint_every;
  /// The reason why `checkpoint_every` is none.
  bool losses_are_rare = false;
  /// How often per hour the job loses instances, to first order: a reclaim, or a fault of one of
  /// them.
  std::optional<double> losses_per_hour;
  /// The monthly bill above which the managed premium costs more than self-managed operation.
  std::optional<policy::Usd> managed_break_even;
};

Advice advise(const scenarios::Scenario& scenario);

/// Young's interval between checkpoints.
policy::Duration young_interval(policy::Duration cost, policy::Duration between_interruptions);

}  // namespace reeve::experiments
