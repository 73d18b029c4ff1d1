// Probability distributions of durations; one distribution is one line of a scenario.
#pragma once

#include <cstdint>
#include <reeve/policy/units.hpp>

namespace reeve::models {

enum class Shape : std::uint8_t { fixed, uniform, exponential, lognormal, weibull, pareto };

/// A distribution.  `scale`: the value, low end, mean, median, scale or minimum, by shape.
struct DurationLaw {
  Shape shape = Shape::fixed;
  policy::Duration scale{0};
  double parameter = 0;      ///< lognormal: sigma; weibull, pareto: shape
  policy::Duration high{0};  ///< uniform: high end; others: truncated here if > 0
};

/// The value at a uniform number in (0, 1], by inversion; never negative.
policy::Duration draw(const DurationLaw& law, double uniform);

/// The share of values below `limit`, without truncation at `high`.
double share_below(const DurationLaw& law, policy::Duration limit);

/// The largest value of `draw`; Duration::max() if the distribution has no upper end.
policy::Duration longest_of(const DurationLaw& law);

/// The mean of `draw`, truncation included; at most Duration::max().
policy::Duration mean(const DurationLaw& law);

/// `from` + `by`, at most Duration::max().
inline policy::Duration later(policy::Duration from, policy::Duration by) {
  return by > policy::Duration::max() - from ? policy::Duration::max() : from + by;
}

}  // namespace reeve::models
