// Probability distributions of durations, fitted by the likelihood of censored lifetimes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/fit/random_numbers.hpp"
#include "experiments/fit/survival.hpp"

namespace reeve::experiments {

enum class LawKind : std::uint8_t { lognormal, weibull, two_lognormals };

/// A distribution of seconds.
struct DurationFit {
  LawKind kind = LawKind::lognormal;
  /// lognormal: mean and deviation of the logarithm; weibull: shape and scale; two_lognormals: the
  /// two means, the two deviations, and the weight of the first.
  std::array<double, 5> parameters{};
  double aic = 0;  ///< of the logarithms of the lifetimes

  std::string name() const;
  std::vector<std::pair<std::string, double>> named_parameters() const;
  /// The natural logarithm of the share that is longer.
  double log_survival(double length) const;
  /// The length that `share` in (0, 1) of the jobs do not exceed.
  double quantile(double share) const;
  /// A draw among those longer than `threshold`.
  double draw_above(double threshold, RandomNumbers& random) const;
};

/// At most this many weighted lifetimes enter a likelihood; more are put together in order.
inline constexpr std::size_t most_lifetimes = 2'000;

/// The same lifetimes with neighbours put together, at most about `most_lifetimes` of them.
std::vector<Lifetime> condensed(std::span<const Lifetime> lifetimes);

/// The most likely law of the kind.  `lifetimes` has at least one that ended.
DurationFit fit_law(LawKind kind, std::span<const Lifetime> lifetimes);

/// What is not known of a law with a scale (the median of a lognormal) and a shape (its deviation).
struct LawErrors {
  double log_scale = 0;  ///< standard error of the logarithm of the scale
  double log_shape = 0;
  double correlation = 0;
};

/// From the curvature of the likelihood at the most likely law, lognormal or Weibull, of
/// `lifetimes`. Throws std::invalid_argument for two lognormals.
LawErrors errors_of(const DurationFit& law, std::span<const Lifetime> lifetimes);

}  // namespace reeve::experiments
