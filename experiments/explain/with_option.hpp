// Policies with one thing changed: an option of a rule at another value.
#pragma once

#include <optional>
#include <string_view>

#include "scenarios/load/keys/scenario.hpp"

namespace reeve::experiments {

/// The policy with one option of that seat at another value; none if it is out of its
/// range, or the rule refuses the combination.
std::optional<scenarios::PolicySpec> with_option(const scenarios::PolicySpec& policy,
                                                 std::string_view label, std::string_view option,
                                                 const policy::OptionValue& value);

}  // namespace reeve::experiments
