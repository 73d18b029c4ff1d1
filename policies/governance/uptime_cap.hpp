// The rule that caps how long instances are held for a job, over all of its attempts.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind uptime_cap_kind();

}  // namespace reeve::policies
