// The standard normal distribution far from its middle, in logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/draws.hpp"

namespace reeve::experiments {

inline double log_normal_density(double z) {
  return -z * z / 2 - std::log(2 * std::numbers::pi) / 2;
}

/// The natural logarithm of the share above `z`, also where the share itself is 0 as a double.
inline double log_normal_survival(double z) {
  constexpr double far = 30;
  if (z < far) return std::log(std::erfc(z / std::numbers::sqrt2) / 2);
  return log_normal_density(z) - std::log(z) - 1 / (z * z);
}

/// log(e^a + e^b)
inline double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  if (std::isinf(larger)) return larger;
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

/// The value above `z` that the share `u` in (0, 1] of the values above `z` exceed.
inline double normal_above(double z, double u) {
  constexpr double far = 30;
  if (z > far) return std::sqrt(z * z - 2 * std::log(u));  // the density falls like exp(-z²/2)
  const double share = u * std::erfc(z / std::numbers::sqrt2) / 2;
  return std::max(z, share < 1 ? -sim::normal_quantile(share) : z);
}

}  // namespace reeve::experiments
