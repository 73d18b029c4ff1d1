// Means with confidence intervals.
#pragma once

#include <cstddef>
#include <span>

namespace reeve::experiments {

/// A mean and its two-sided Student-t interval; one sample, or equal ones, have zero width.
struct Estimate {
  std::size_t samples = 0;
  double mean = 0;
  double low = 0;
  double high = 0;
  bool cut = false;  ///< an end is a bound of the values: the mean is not in the middle
  double half_width() const { return (high - low) / 2; }
};

inline constexpr double confidence = 0.95;

/// Of independent samples or paired differences.  Sums in order: equal samples give equal bits.
Estimate estimate(std::span<const double> samples, double level = confidence);

/// The interval without values that the mean cannot have: those outside `least` to `most`, between
/// which all samples are.  The true mean is never there, so the coverage stays.
Estimate cut_to(Estimate estimate, double least, double most);

/// The estimate of samples that arrive one by one, in constant time each; differs from `estimate`
/// only in the last bits.
class RunningEstimate {
 public:
  void add(double sample);
  Estimate now(double level = confidence) const;

 private:
  std::size_t samples_ = 0;
  double mean_ = 0;
  double squares_ = 0;  ///< sum of squared distances from the mean
};

}  // namespace reeve::experiments
