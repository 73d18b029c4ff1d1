// Regular expressions of scenarios, by RE2: no text can make one take long.
#pragma once

#include <optional>
#include <reeve/policy/pattern.hpp>
#include <string>

namespace reeve::scenarios {

/// Nothing, and why in `problem`, if the text is no regular expression of RE2's syntax.
std::optional<policy::Pattern> compile_pattern(const std::string& text, std::string& problem);

}  // namespace reeve::scenarios
