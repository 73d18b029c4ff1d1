#include "experiments/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace reeve::experiments {
namespace {

/// `squares`: the sum of the squared distances of the samples from `mean`.
Estimate with_interval(std::size_t samples, double mean, double squares, double level) {
  Estimate result{.samples = samples, .mean = mean, .low = mean, .high = mean};
  if (samples < 2 || squares == 0) return result;
  const auto count = static_cast<double>(samples);
  const boost::math::students_t distribution{count - 1};
  const double reach = boost::math::quantile(distribution, 0.5 + level / 2);
  const double half = reach * std::sqrt(squares / (count - 1) / count);
  result.low = mean - half;
  result.high = mean + half;
  return result;
}

}  // namespace

Estimate estimate(std::span<const double> samples, double level) {
  if (samples.empty()) return {};
  // Of equal samples the mean is each of them; a sum divided by its count may miss it by a bit.
  if (std::all_of(samples.begin(), samples.end(),
                  [&](double value) { return value == samples.front(); })) {
    return with_interval(samples.size(), samples.front(), 0, level);
  }
  double sum = 0;
  for (const double value : samples) sum += value;
  const double mean = sum / static_cast<double>(samples.size());
  double squares = 0;
  for (const double value : samples) squares += (value - mean) * (value - mean);
  return with_interval(samples.size(), mean, squares, level);
}

Estimate cut_to(Estimate estimate, double least, double most) {
  if (estimate.mean < least || estimate.mean > most) return estimate;
  estimate.cut = estimate.low < least || estimate.high > most;
  estimate.low = std::max(estimate.low, least);
  estimate.high = std::min(estimate.high, most);
  return estimate;
}

void RunningEstimate::add(double sample) {  // Welford's recurrence
  ++samples_;
  const double off = sample - mean_;
  mean_ += off / static_cast<double>(samples_);
  squares_ += off * (sample - mean_);
}

Estimate RunningEstimate::now(double level) const {
  return with_interval(samples_, mean_, squares_, level);
}

}  // namespace reeve::experiments
