// Means with confidence intervals, and the paired differences that make policies comparable.
#pragma once

#include <cstddef>
#include <span>

namespace reeve::experiments {

/// A mean and its two-sided Student-t interval; one sample, or equal ones, have no width.
struct Estimate {
  std::size_t samples = 0;
  double mean = 0;
  double low = 0;
  double high = 0;
  double half_width() const { return (high - low) / 2; }
};

inline constexpr double confidence = 0.95;

/// Of independent samples.  Sums in order: the same samples give the same bits.
Estimate estimate(std::span<const double> samples, double level = confidence);

/// Of a[i] - b[i]: replications share their luck, so differences are less noisy than values.
Estimate paired_difference(std::span<const double> a, std::span<const double> b,
                           double level = confidence);

/// The estimate of samples that come one by one, in constant time each; differs from `estimate` in
/// the last bits only.
class RunningEstimate {
 public:
  void add(double sample);
  Estimate now(double level = confidence) const;

 private:
  std::size_t samples_ = 0;
  double mean_ = 0;
  double squares_ = 0;  ///< of the distances from the mean
};

}  // namespace reeve::experiments
