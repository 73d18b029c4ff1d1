// The mixture of two lognormals that is most likely for censored lifetimes.
#pragma once

#include <array>
#include <span>

#include "experiments/fit/survival.hpp"

namespace reeve::experiments {

inline constexpr double least_deviation = 0.05;  ///< of a part: no part is a single length

/// The means and deviations of the logarithms of both parts, and the weight of the first, which is
/// the shorter one: {mean, mean, deviation, deviation, weight}.  By expectation maximization from
/// three starts.  Ignores `entry`.
std::array<double, 5> fit_mixture(std::span<const Lifetime> lifetimes);

}  // namespace reeve::experiments
