// The rule `max_instances`: stops a job that requests too many instances.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind max_instances_kind();

}  // namespace reeve::policies
