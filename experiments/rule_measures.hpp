// The measures of the rules of a policy.
#pragma once

#include <optional>
#include <string_view>

#include "experiments/run.hpp"

namespace reeve::experiments {

/// Of the seat with that label, if the policy has it.
std::optional<Quantity> of_rule(const scenarios::Scenario& scenario, const RunResult& result,
                                std::string_view label, std::string_view what);

}  // namespace reeve::experiments
