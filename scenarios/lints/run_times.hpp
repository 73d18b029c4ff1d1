// How long attempts may run.
#pragma once

#include <vector>

#include "scenarios/load/resolved/resolved.hpp"

namespace reeve::scenarios {

/// The longest that an attempt of each profile may train, by their places, wherever rules may send
/// it; Duration::max() where nothing but a limit ends what holds it up.
std::vector<policy::Duration> longest_training(const Resolved& resolved);

/// The shortest limit that rules of the policy have the platform keep; Duration::max(): none.
policy::Duration limit_by_rules(const PolicySpec& policy);

}  // namespace reeve::scenarios
