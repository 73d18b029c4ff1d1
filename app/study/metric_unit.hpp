// The unit of a metric, as tables name it.
#pragma once

#include <string_view>

namespace reeve::app {

/// "usd", "s", "pct", "count", "ratio", "instance_hours", "gpu_hours" or "per_hour".
std::string_view metric_unit(std::string_view metric);

}  // namespace reeve::app
