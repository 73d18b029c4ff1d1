// The rule `orphan_sweep`: ends what attempts leave behind: instances, alarms, and gangs that wait
// for instances they have lost.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind orphan_sweep_kind();

}  // namespace reeve::policies
