// The rule `alternatives`: work that waits too long for a saturated fleet goes to another one.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind alternatives_kind();

}  // namespace reeve::policies
