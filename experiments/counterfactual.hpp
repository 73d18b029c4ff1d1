// What the attempts that rules stopped would have cost, had those rules only looked on.
#pragma once

#include <string_view>

#include "experiments/run.hpp"

namespace reeve::experiments {

/// The policy with every seat of that label in shadow.
scenarios::PolicySpec in_shadow(const scenarios::PolicySpec& policy, std::string_view label);

/// Fills `if_not` of every stop that was done: runs the replication again, once for each rule that
/// stopped something, with that rule in shadow.  `result` must have kept attempts and decisions.
/// Attempts that are not there without the rule, and runs that were interrupted, get no value.
void price_stops(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
                 const RunOptions& options, RunResult& result);

}  // namespace reeve::experiments
