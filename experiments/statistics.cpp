#include "experiments/statistics.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

namespace reeve::experiments {

Estimate estimate(std::span<const double> samples, double level) {
  Estimate result{.samples = samples.size()};
  if (samples.empty()) return result;
  const auto count = static_cast<double>(samples.size());
  double sum = 0;
  for (const double value : samples) sum += value;
  result.mean = result.low = result.high = sum / count;
  if (samples.size() < 2) return result;
  double squares = 0;
  for (const double value : samples) squares += (value - result.mean) * (value - result.mean);
  if (squares == 0) return result;
  const boost::math::students_t distribution{count - 1};
  const double reach = boost::math::quantile(distribution, 0.5 + level / 2);
  const double half = reach * std::sqrt(squares / (count - 1) / count);
  result.low = result.mean - half;
  result.high = result.mean + half;
  return result;
}

Estimate paired_difference(std::span<const double> a, std::span<const double> b, double level) {
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  return estimate(differences, level);
}

}  // namespace reeve::experiments
