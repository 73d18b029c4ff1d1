// A limit on startup: an attempt that holds instances for so long without training is stopped.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind startup_limit_kind();

}  // namespace reeve::policies
