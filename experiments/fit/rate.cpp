#include "experiments/fit/rate.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <functional>
#include <utility>

namespace reeve::experiments {
namespace {

constexpr double least_events = 5;  // fewer: the exact interval stands beside
constexpr double least_of_shape = 20;

Interval gamma_interval(double shape, double hours) {
  const double tail = (1 - fit_level) / 2;
  return {boost::math::gamma_p_inv(shape, tail) / hours,
          boost::math::gamma_p_inv(shape, 1 - tail) / hours};
}

/// F. Garwood, Biometrika 28, 1936.
Interval exact_interval(const RateEvidence& evidence) {
  const double tail = (1 - fit_level) / 2;
  const double events = evidence.events;
  return {events == 0 ? 0 : boost::math::gamma_p_inv(events, tail) / evidence.exposure,
          boost::math::gamma_p_inv(events + 1, 1 - tail) / evidence.exposure};
}

/// The variance between the rates of groups, by moments; 0: chance explains the differences.
double variance_between(std::span<const RateEvidence> groups, double mean, double exposure) {
  double squares = 0;
  double chance = 0;
  double exposures = 0;
  for (const RateEvidence& group : groups) {
    if (group.exposure <= 0) continue;
    const double off = group.events / group.exposure - mean;
    squares += group.exposure * off * off;
    chance += mean * group.dispersion * (1 - group.exposure / exposure);
    exposures += group.exposure * group.exposure / exposure;
  }
  const double scale = exposure - exposures;
  return scale > 0 ? std::max(0.0, (squares - chance) / scale) : 0;
}

/// Sums over ages: few weighted ages stand for many, in order, each run at its mean logarithm.
struct WeightedAges {
  std::vector<double> log_hours;
  std::vector<double> weights;
};

WeightedAges weighted_ages(std::span<const AttemptAge> ages) {
  constexpr std::size_t most = 4'000;
  std::vector<AttemptAge> sorted(ages.begin(), ages.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const AttemptAge& a, const AttemptAge& b) { return a.hours < b.hours; });
  const std::size_t step = std::max<std::size_t>(1, (sorted.size() + most - 1) / most);
  WeightedAges result;
  for (std::size_t first = 0; first < sorted.size(); first += step) {
    double weight = 0;
    double sum = 0;
    for (std::size_t i = first; i < std::min(first + step, sorted.size()); ++i) {
      weight += sorted[i].weight;
      sum += sorted[i].weight * std::log(sorted[i].hours);
    }
    result.log_hours.push_back(sum / weight);
    result.weights.push_back(weight);
  }
  return result;
}

/// The log-likelihood of the shape, with the best scale for it.
struct Profile {
  WeightedAges ages;
  double events = 0;
  double log_ages = 0;  ///< sum over the events

  /// The sum of weight × age^shape and that of weight × age^shape × log(age).
  std::pair<double, double> sums(double shape) const {
    double sum = 0;
    double logs = 0;
    for (std::size_t i = 0; i < ages.weights.size(); ++i) {
      const double power = ages.weights[i] * std::exp(shape * ages.log_hours[i]);
      sum += power;
      logs += power * ages.log_hours[i];
    }
    return {sum, logs};
  }
  double at(double shape) const {
    return events * (std::log(shape) - std::log(sums(shape).first)) + (shape - 1) * log_ages;
  }
  double slope(double shape) const {
    const auto [sum, logs] = sums(shape);
    return events / shape - events * logs / sum + log_ages;
  }
};

/// Where `rises` changes from true to false, between two logarithms.
double crossing(double low, double high, const std::function<bool(double)>& rises) {
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    (rises(middle) ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

RateFit fit_rate(const RateEvidence& evidence) {
  return fit_rate(evidence, {});
}

RateFit fit_rate(const RateEvidence& evidence, const RateEvidence& before) {
  constexpr double one_sided_95 = 3.0;  // -log 0.05
  RateFit fit;
  fit.dispersion = evidence.dispersion;
  // Events that come in waves are worth fewer independent ones.
  fit.shape = (evidence.events + before.events) / evidence.dispersion + 0.5;
  fit.hours = (evidence.exposure + before.exposure) / evidence.dispersion;
  fit.prior_weight = before.exposure / (evidence.exposure + before.exposure);
  fit.per_hour = (evidence.events + before.events) / (evidence.exposure + before.exposure);
  fit.interval = gamma_interval(fit.shape, fit.hours);
  if (evidence.events + before.events == 0) fit.interval = {0, one_sided_95 / fit.hours};
  if (evidence.events < least_events && evidence.exposure > 0) {
    fit.exact = exact_interval(evidence);
  }
  return fit;
}

std::vector<RateFit> fit_rates(std::span<const RateEvidence> groups) {
  RateEvidence all;
  for (const RateEvidence& group : groups) {
    all.events += group.events;
    all.exposure += group.exposure;
  }
  std::vector<RateFit> fits;
  if (all.exposure <= 0) return std::vector<RateFit>(groups.size());
  const double mean = all.events / all.exposure;
  const double variance = variance_between(groups, mean, all.exposure);
  for (const RateEvidence& group : groups) {
    const double others = all.exposure - group.exposure;
    RateEvidence before;
    if (others > 0 && mean > 0) {
      before.exposure = variance > 0 ? std::min(mean / variance, others) : others;
      before.events = before.exposure * (all.events - group.events) / others;
    }
    fits.push_back(fit_rate(group, before));
  }
  return fits;
}

std::optional<HazardShape> fit_hazard(std::span<const AttemptAge> ages) {
  Profile profile{.ages = weighted_ages(ages)};
  for (const AttemptAge& age : ages) {
    if (!age.event) continue;
    profile.events += 1;
    profile.log_ages += std::log(age.hours);
  }
  if (profile.events < least_of_shape) return std::nullopt;
  constexpr double widest = 3;  // shapes from e^-3 to e^3
  const double best = crossing(
      -widest, widest, [&](double log_shape) { return profile.slope(std::exp(log_shape)) > 0; });
  HazardShape result;
  result.shape = std::exp(best);
  const double lost = boost::math::gamma_p_inv(0.5, fit_level);  // half of chi-square's quantile
  const double least = profile.at(result.shape) - lost;
  const auto far = [&](double log_shape) { return profile.at(std::exp(log_shape)) < least; };
  result.interval.low = std::exp(crossing(-widest, best, far));
  result.interval.high =
      std::exp(crossing(best, widest, [&](double log_shape) { return !far(log_shape); }));
  result.scale_hours =
      std::pow(profile.sums(result.shape).first / profile.events, 1 / result.shape);
  return result;
}

}  // namespace reeve::experiments
