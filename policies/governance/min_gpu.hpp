// The rule that warns of jobs that use their GPUs too little, and stops them if that goes on.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind min_gpu_kind();

}  // namespace reeve::policies
