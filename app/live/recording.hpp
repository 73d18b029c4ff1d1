// Writes what a simulated fleet tells as events of AWS, so that `reeve live` can be tried on it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

#include "scenarios/load/scenario.hpp"

namespace reeve::app {

/// Observations that no event of AWS tells, by name.
using LeftOut = std::map<std::string, std::uint64_t>;

/// The policy with each rule in shadow mode that is not off: it changes nothing.
scenarios::PolicySpec shadowed(scenarios::PolicySpec policy);

/// One line for each observation of the first run of the policy in shadow mode, when the host gets
/// it.  Needs the platform sagemaker-training.
LeftOut record_events(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
                      std::ostream& out);

}  // namespace reeve::app
