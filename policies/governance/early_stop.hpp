// The rule `early_stop`: ends training that has diverged, or learns no more.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind early_stop_kind();

}  // namespace reeve::policies
