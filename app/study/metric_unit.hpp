// The unit of a metric, as tables name it, and its mean over runs.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "experiments/statistics.hpp"

namespace reeve::app {

/// "usd", "s", "pct", "count", "ratio", "instance_hours", "gpu_hours" or "per_hour".
std::string_view metric_unit(std::string_view metric);

/// The mean of the metric over runs.  Its interval has no values that the metric cannot have, and
/// that of a count takes rare events into account if the runs are random.  `jobs`: their number in
/// each run, so that the jobs that are done and those that are not sum to it; 0: unknown.
experiments::Estimate estimate_of(std::string_view metric, std::span<const double> samples,
                                  bool is_random, std::size_t jobs = 0);

}  // namespace reeve::app
