// The JSON Schema (2020-12) of scenario files, made from the tables that decode them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "scenarios/text/shape.hpp"

namespace reeve::scenarios {

/// For editors: every key with its description, default, limits and choices; unknown keys refused.
nlohmann::ordered_json scenario_schema();

/// The schema of one value.
nlohmann::ordered_json schema_of(const Shape& shape);

}  // namespace reeve::scenarios
