// The unit of a metric, as tables name it, and the range of its intervals.
#pragma once

#include <string_view>

#include "experiments/statistics.hpp"

namespace reeve::app {

/// "usd", "s", "pct", "count", "ratio", "instance_hours", "gpu_hours" or "per_hour".
std::string_view metric_unit(std::string_view metric);

/// The interval without values that the metric cannot have.
experiments::Estimate within_range(const experiments::Estimate& estimate, std::string_view measure);

}  // namespace reeve::app
