// The rule `heartbeat`: stops an attempt that has written nothing of itself for too long.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind heartbeat_kind();

}  // namespace reeve::policies
