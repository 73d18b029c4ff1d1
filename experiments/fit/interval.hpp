// The two ends of an interval, and the levels that all estimates of a fit use.
#pragma once

namespace reeve::experiments {

/// `high` may be infinite: the data do not bound the value.
struct Interval {
  double low = 0;
  double high = 0;
  bool contains(double value) const { return low <= value && value <= high; }
};

inline constexpr double fit_level = 0.9;  ///< of every interval of a fit

}  // namespace reeve::experiments
