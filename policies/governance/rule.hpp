// The rule that a scenario states itself: a condition and what is done when it holds.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind rule_kind();

}  // namespace reeve::policies
