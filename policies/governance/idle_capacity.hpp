// The rule that tells people of instances that are idle although jobs wait for them.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind idle_capacity_kind();

}  // namespace reeve::policies
