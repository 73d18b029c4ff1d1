// The rule that caps how long an attempt may run.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind max_runtime_kind();

}  // namespace reeve::policies
