// The options of the rule `schedule`, by the algorithms that they are for.
#pragma once

#include <reeve/policy/options.hpp>
#include <vector>

namespace reeve::policies {

std::vector<policy::OptionSpec> schedule_options();

}  // namespace reeve::policies
