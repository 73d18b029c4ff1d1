#include "experiments/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numeric>

namespace reeve::experiments {
namespace {

/// The skewness beyond which it is no chance: twice its standard error of normal samples.
double chance_skewness(double count) {
  return 2 * std::sqrt(6 * count * (count - 1) / ((count - 2) * (count + 1) * (count + 3)));
}

/// The value of Student's statistic that Hall's transformation takes to `reach`.  `skew`: the
/// skewness divided by the root of the count.
double hall_quantile(double reach, double skew) {
  return 3 / skew * (std::cbrt(1 + skew * (reach - skew / 6)) - 1);
}

/// Sums of powers of the distances of the samples from their mean.
struct Distances {
  double squares = 0;
  double cubes = 0;
};

Estimate with_interval(std::size_t samples, double mean, const Distances& from, double level) {
  constexpr std::size_t least_for_skewness = 8;
  constexpr double least_skew = 0.1;  // less moves the ends by some percent of their distance
  Estimate result{.samples = samples, .mean = mean, .low = mean, .high = mean};
  if (samples < 2 || from.squares == 0) return result;
  const auto count = static_cast<double>(samples);
  const boost::math::students_t distribution{count - 1};
  const double reach = boost::math::quantile(distribution, 0.5 + level / 2);
  const double error = std::sqrt(from.squares / (count - 1) / count);
  result.low = mean - reach * error;
  result.high = mean + reach * error;
  const double variance = from.squares / count;
  const double skewness = from.cubes / count / (variance * std::sqrt(variance));
  const double skew = skewness / std::sqrt(count);
  if (samples < least_for_skewness || !(std::abs(skewness) > chance_skewness(count))) return result;
  if (std::abs(skew) < least_skew) return result;
  result.low = std::min(result.low, mean - hall_quantile(reach, skew) * error);
  result.high = std::max(result.high, mean - hall_quantile(-reach, skew) * error);
  result.lopsided = true;
  return result;
}

/// `centre`, and the quantiles of the values, extended to it.  Less than 2 values: no width.
Estimate about(double centre, std::size_t samples, std::vector<double> drawn, double level) {
  Estimate estimate{samples, centre, centre, centre};
  if (drawn.size() < 2) return estimate;
  std::sort(drawn.begin(), drawn.end());
  const auto quantile = [&](double share) {
    const double at = share * static_cast<double>(drawn.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, drawn.size() - 1);
    return drawn[below] + (at - static_cast<double>(below)) * (drawn[above] - drawn[below]);
  };
  estimate.low = std::min(centre, quantile((1 - level) / 2));
  estimate.high = std::max(centre, quantile((1 + level) / 2));
  estimate.lopsided = true;
  return estimate;
}

}  // namespace

Estimate estimate(std::span<const double> samples, double level) {
  if (samples.empty()) return {};
  // Of equal samples the mean is each of them; a sum divided by its count may miss it by a bit.
  if (std::all_of(samples.begin(), samples.end(),
                  [&](double value) { return value == samples.front(); })) {
    return with_interval(samples.size(), samples.front(), {}, level);
  }
  double sum = 0;
  for (const double value : samples) sum += value;
  const double mean = sum / static_cast<double>(samples.size());
  Distances from;
  for (const double value : samples) {
    const double off = value - mean;
    from.squares += off * off;
    from.cubes += off * off * off;
  }
  return with_interval(samples.size(), mean, from, level);
}

Estimate bootstrap(std::span<const double> samples, double level) {
  if (samples.empty()) return {};
  return about(samples.front(), samples.size(), {samples.begin() + 1, samples.end()}, level);
}

Estimate predicted(std::span<const double> samples, double level) {
  if (samples.empty()) return {};
  const double mean = estimate(samples, level).mean;
  const bool few = samples.size() < 3;
  return about(mean, samples.size(), {few ? samples.end() : samples.begin(), samples.end()}, level);
}

Estimate estimate_counts(std::span<const double> samples, double level) {
  Estimate estimate = experiments::estimate(samples, level);
  const auto none = std::count(samples.begin(), samples.end(), 0.0);
  if (samples.size() < 2 || 2 * static_cast<std::size_t>(none) < samples.size()) return estimate;
  const double total = std::accumulate(samples.begin(), samples.end(), 0.0);
  const auto count = static_cast<double>(samples.size());
  const double tail = (1 - level) / 2;
  const double most = boost::math::gamma_p_inv(total + 1, 1 - tail) / count;
  const double least = total == 0 ? 0 : boost::math::gamma_p_inv(total, tail) / count;
  if (least < estimate.low || most > estimate.high) estimate.lopsided = true;
  estimate.low = std::min(estimate.low, least);
  estimate.high = std::max(estimate.high, most);
  return estimate;
}

Estimate cut_to(Estimate estimate, double least, double most) {
  if (estimate.mean < least || estimate.mean > most) return estimate;
  if (estimate.low < least || estimate.high > most) estimate.lopsided = true;
  estimate.low = std::max(estimate.low, least);
  estimate.high = std::min(estimate.high, most);
  return estimate;
}

void RunningEstimate::add(double sample) {  // recurrences of Welford and Terriberry
  ++samples_;
  const auto count = static_cast<double>(samples_);
  const double off = sample - mean_;
  const double step = off / count;
  const double square = off * step * (count - 1);
  cubes_ += square * step * (count - 2) - 3 * step * squares_;
  squares_ += square;
  mean_ += step;
}

Estimate RunningEstimate::now(double level) const {
  return with_interval(samples_, mean_, {squares_, cubes_}, level);
}

}  // namespace reeve::experiments
