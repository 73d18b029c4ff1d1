// The rule `spot_only`: runs jobs on Spot alone, however long that takes.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind spot_only_kind();

}  // namespace reeve::policies
