// The rule `uniform_progress`: keeps a job on a straight line from its submission to its deadline.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind uniform_progress_kind();

}  // namespace reeve::policies
