// The rule `on_demand`: runs jobs on demand, whatever Spot costs.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind on_demand_kind();

}  // namespace reeve::policies
