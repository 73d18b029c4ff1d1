// Policies with one thing changed: a rule in shadow, an option at another value.
#pragma once

#include <optional>
#include <string_view>

#include "scenarios/scenario.hpp"

namespace reeve::app {

/// The policy with every seat of that label in shadow.
scenarios::PolicySpec in_shadow(const scenarios::PolicySpec& policy, std::string_view label);

/// The policy with one option of that seat at another value; none if the rule refuses the
/// combination.
std::optional<scenarios::PolicySpec> with_option(const scenarios::PolicySpec& policy,
                                                 std::string_view label, std::string_view option,
                                                 const policy::OptionValue& value);

}  // namespace reeve::app
