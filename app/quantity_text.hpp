// A measured value as people read it.
#pragma once

#include <string>
#include <string_view>

#include "experiments/measures.hpp"
#include "models/world.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// By the kind of the value and the suffix of its name: "$17,280.00", "16m00s", "48.5 %", "1,234".
std::string quantity_text(std::string_view name, const experiments::Quantity& value);

/// With every digit: what an expectation was compared with.
std::string exact_text(const experiments::Quantity& value);

/// A cell of the value.
report::Cell quantity_cell(std::string_view name, const experiments::Quantity& value);

/// A computed number as a quantity of the kind of `kind`: a duration to the second.
experiments::Quantity quantity_like(const experiments::Quantity& kind, double value);

/// A mean as it is printed: of durations, to the second.
experiments::Quantity to_the_second(const experiments::Quantity& mean);

/// The value that `quantity_text` prints, near enough to compute with.
experiments::Quantity as_shown(std::string_view name, const experiments::Quantity& value);

/// What a - b is of two values as they are shown, so that the printed ones add up.
experiments::Quantity shown_difference(std::string_view name, const experiments::Quantity& a,
                                       const experiments::Quantity& b);

/// The use `drain` in words: "stop grace".
std::string_view drain_text(const models::World& world);

}  // namespace reeve::app
