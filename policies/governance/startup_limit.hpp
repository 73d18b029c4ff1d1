// A limit on start-up: an attempt that holds machines for so long without training is stopped.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind startup_limit_kind();

}  // namespace reeve::policies
