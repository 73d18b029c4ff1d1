// A measured value as people read it.
#pragma once

#include <string>
#include <string_view>

#include "experiments/measures.hpp"
#include "experiments/statistics.hpp"
#include "models/world.hpp"
#include "report/reach.hpp"
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

/// A time as fine as its interval, of which `half` is half the width, makes sense: to the second if
/// either has a minute or `half` two seconds, else to the millisecond.
policy::Duration readable_beside(policy::Duration time, policy::Duration half);

/// A computed number as a quantity of the kind of `kind`; a time as fine as `half` allows.
std::string text_beside(std::string_view name, const experiments::Quantity& kind, double value,
                        double half);

/// The mean of an estimate and its interval: "$24.00 ± $3.00", or "0.20 [0, 0.62]" if the mean is
/// not in its middle.
std::string estimate_text(std::string_view name, const experiments::Quantity& mean,
                          const experiments::Estimate& estimate);

/// How far the interval reaches from the size of its mean.
report::Reach<double> reach_of(const experiments::Estimate& estimate);

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
