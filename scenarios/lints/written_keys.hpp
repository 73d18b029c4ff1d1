// Where keys are written that a lint tells of.
#pragma once

#include <string_view>

#include "scenarios/load/resolved/resolved.hpp"

namespace reeve::scenarios {

/// The key of a job, wherever it is written: its object, or the trace, if nowhere.
Node written_key(const Resolved& resolved, std::string_view name, std::string_view key);

/// The key of the platform; the platform, or the scenario, if it is not written.
Node at_platform(const ScenarioInput& input, std::string_view key);

}  // namespace reeve::scenarios
