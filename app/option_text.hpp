// A rule's option in words: type, default and range.
#pragma once

#include <reeve/policy/options.hpp>
#include <string>
#include <string_view>

namespace reeve::app {

std::string_view type_text(policy::OptionType type);         ///< "a duration"
std::string default_text(const policy::OptionSpec& option);  ///< "\"5m\"", "none: it is required"
std::string range_text(const policy::OptionSpec& option);    ///< "0 to 100"; empty: any

}  // namespace reeve::app
