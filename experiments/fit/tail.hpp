// The law of the longest jobs: the best one by AIC that their lengths do not refuse.
#pragma once

#include <optional>
#include <span>

#include "experiments/fit/law.hpp"

namespace reeve::experiments {

struct DurationTail {
  double threshold_s = 0;                         ///< the tail is what is longer
  DurationFit best = {};                          ///< by AIC
  std::optional<DurationFit> law = std::nullopt;  ///< nothing: the test refuses all laws
  std::optional<double> p_value =
      std::nullopt;  ///< of `law`, else of `best`; nothing: too few jobs to test
};

/// A law is refused if the p-value of its test is below this.
inline constexpr double refused_below = 0.01;

/// Where the tail begins: the 95 % quantile of the jobs that ended or, from the median on, the
/// first quantile above which more than 20 % of the jobs are censored.
double tail_threshold(std::span<const Lifetime> lifetimes);

/// Fits the three laws to all lifetimes.  The test compares the Kaplan-Meier curve of the tail with
/// the law (Kolmogorov-Smirnov) and has its p-value from 199 samples of the law that are cut short
/// at the same `limit`s.  The law of the samples is not fitted again, so the test refuses less
/// often than its level says.  Nothing without a job that ended.
std::optional<DurationTail> fit_tail(std::span<const Lifetime> lifetimes, std::uint64_t seed,
                                     std::uint32_t group);

}  // namespace reeve::experiments
