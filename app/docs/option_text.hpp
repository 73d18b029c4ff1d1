// A rule's option in words: type, default and range.
#pragma once

#include <reeve/policy/options.hpp>
#include <string>
#include <string_view>

namespace reeve::app {

std::string_view type_text(policy::OptionType type);         ///< "a duration"
std::string default_text(const policy::OptionSpec& option);  ///< "\"5m\"", "none: it is required"
std::string range_text(const policy::OptionSpec& option);    ///< "0 to 100"; empty: any

/// As a scenario would write it: "7d", "23h59m59s".
std::string seconds_text(double seconds);

}  // namespace reeve::app
