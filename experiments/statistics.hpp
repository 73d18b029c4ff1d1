// Means with confidence intervals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace reeve::experiments {

/// A mean and its two-sided interval; one sample, or equal ones, have zero width.
struct Estimate {
  std::size_t samples = 0;
  double mean = 0;
  double low = 0;
  double high = 0;
  bool lopsided = false;  ///< the mean is not in the middle
  double half_width() const { return (high - low) / 2; }
  /// To the end that is further from the mean: mean ± reach has the whole interval.
  double reach() const { return std::max(high - mean, mean - low); }
};

inline constexpr double confidence = 0.95;

/// Of independent samples or paired differences: Student's t interval.  Eight samples or more that
/// are skewed beyond chance have the hull of it and of Hall's interval (P. Hall, "On the removal of
/// skewness by transformation", J. R. Statist. Soc. B 54, 1992), which holds the mean of skewed
/// samples more often.  Sums in order: equal samples give equal bits.
Estimate estimate(std::span<const double> samples, double level = confidence);

/// Of a measured sample, the first, and others that were drawn from it again: the first, and the
/// quantiles of the others (percentile bootstrap: B. Efron, "Bootstrap methods", Ann. Statist. 7,
/// 1979), extended to the first.  Less than 2 others: no width.
Estimate bootstrap(std::span<const double> samples, double level = confidence);

/// Of drawn futures: their mean, and the quantiles between which a share of `level` of them are.
/// Less than 3: no width.
Estimate predicted(std::span<const double> samples, double level = confidence);

/// Of random counts: if half of them are 0, or more, the interval is the hull of that of `estimate`
/// and of the exact Poisson interval of their sum (F. Garwood, Biometrika 28, 1936).  No event at
/// all has an upper end as well.
Estimate estimate_counts(std::span<const double> samples, double level = confidence);

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
  double cubes_ = 0;    ///< of their cubes
};

}  // namespace reeve::experiments
