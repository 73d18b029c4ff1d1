// The rule `spot_fallback`: leaves Spot for good after too many interruptions.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind spot_fallback_kind();

}  // namespace reeve::policies
