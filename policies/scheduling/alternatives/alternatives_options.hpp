// The options of the rule `alternatives`.
#pragma once

#include <reeve/policy/options.hpp>
#include <vector>

namespace reeve::policies {

std::vector<policy::OptionSpec> alternatives_options();

}  // namespace reeve::policies
