// Whether what an `expect` line says is true of a value.
#pragma once

#include <optional>

#include "experiments/measures.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::app {

/// Exact wherever both sides are: dollars with dollars, durations with durations; else as doubles.
/// A value that never came to be satisfies nothing.
bool holds(const scenarios::MetricComparison& comparison,
           const std::optional<experiments::Quantity>& value);

}  // namespace reeve::app
