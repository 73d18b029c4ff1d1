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

/// The value at a uniform number in (0, 1] among those above `floor`, by inversion; never below it.
policy::Duration draw_above(const DurationLaw& law, policy::Duration floor, double uniform);

/// A distribution that was fitted: what is not known of its parameters.
struct FittedLaw {
  DurationLaw law;
  double scale_error = 0;  ///< standard error of the logarithm of `scale`
  double shape_error = 0;  ///< of the logarithm of `parameter`
  double correlation = 0;  ///< of both errors, within -1 and 1
};

/// The distribution with other parameters, as far off as their errors let expect: the logarithms
/// are jointly normal.  Both uniform numbers are in (0, 1].
DurationLaw drawn_law(const FittedLaw& fitted, double first, double second);

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
