// The rule that tells people of jobs that wait for instances for too long.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind long_wait_kind();

}  // namespace reeve::policies
