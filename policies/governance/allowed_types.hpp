// The rule `allowed_types`: stops a job on instance types that are not allowed.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind allowed_types_kind();

}  // namespace reeve::policies
