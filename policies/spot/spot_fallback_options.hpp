// The options of `spot_fallback`.
#pragma once

#include <reeve/policy/options.hpp>
#include <vector>

namespace reeve::policies {

std::vector<policy::OptionSpec> spot_fallback_options();

}  // namespace reeve::policies
