// The rule that caps what jobs may cost: each, by tag, by fleet or all together.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind budget_kind();

}  // namespace reeve::policies
