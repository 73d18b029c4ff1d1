// The rule that tells people what happened to jobs, and stops those that nobody mends.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind notify_kind();

}  // namespace reeve::policies
