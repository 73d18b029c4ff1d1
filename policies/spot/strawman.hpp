// The rule `strawman`: waits for Spot until only on-demand instances meet the deadline.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind strawman_kind();

}  // namespace reeve::policies
