// The rule that tells people of many attempts that failed among the last.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind failure_rate_kind();

}  // namespace reeve::policies
