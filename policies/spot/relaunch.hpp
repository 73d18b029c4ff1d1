// The rule `relaunch`: keeps a list of preempted jobs and starts them anew, poll by poll.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind relaunch_kind();

}  // namespace reeve::policies
