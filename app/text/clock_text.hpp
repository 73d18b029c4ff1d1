// Time since the start of a run as a clock shows it.
#pragma once

#include <reeve/policy/units.hpp>
#include <string>

namespace reeve::app {

/// "01:16:02", "72:00:00"; with milliseconds if it has any.
std::string clock_text(policy::Duration since_start);

}  // namespace reeve::app
