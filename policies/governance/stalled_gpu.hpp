// The rule that puts an alarm on GPU use and stops the job the alarm is about.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind stalled_gpu_kind();

}  // namespace reeve::policies
