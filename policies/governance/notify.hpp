// The rule that sends messages about jobs, and stops jobs whose problem is not resolved.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind notify_kind();

}  // namespace reeve::policies
