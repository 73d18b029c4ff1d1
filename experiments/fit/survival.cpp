#include "experiments/fit/survival.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sim/draws.hpp"

namespace reeve::experiments {

SurvivalCurve::SurvivalCurve(std::span<const Lifetime> lifetimes) {
  std::vector<Lifetime> by_end(lifetimes.begin(), lifetimes.end());
  std::sort(by_end.begin(), by_end.end(),
            [](const Lifetime& a, const Lifetime& b) { return a.at < b.at; });
  std::vector<Lifetime> by_entry = by_end;
  std::stable_sort(by_entry.begin(), by_entry.end(),
                   [](const Lifetime& a, const Lifetime& b) { return a.entry < b.entry; });
  double at_risk = 0;
  double survival = 1;
  double variance = 0;
  std::size_t entered = 0;
  for (std::size_t i = 0; i < by_end.size();) {
    const double length = by_end[i].at;
    for (; entered < by_entry.size() && by_entry[entered].entry < length; ++entered) {
      at_risk += by_entry[entered].weight;
    }
    double here = 0;
    double ended = 0;
    for (; i < by_end.size() && by_end[i].at == length; ++i) {
      here += by_end[i].weight;
      if (by_end[i].ended) ended += by_end[i].weight;
    }
    all_ += here;
    ended_ += ended;
    if (ended > 0 && at_risk > 0) {
      const bool last = i == by_end.size();
      // While few have entered, all of them may end: the curve may not stay at 0 then.
      const double share = ended / at_risk;
      survival *= share < 1 || last ? 1 - std::min(share, 1.0) : std::exp(-share);
      variance += ended / (at_risk * std::max(at_risk - ended, 0.5));
      steps_.push_back({length, survival, variance});
    }
    at_risk -= here;
  }
}

double SurvivalCurve::at(double length) const {
  const auto after =
      std::upper_bound(steps_.begin(), steps_.end(), length,
                       [](double value, const Step& step) { return value < step.at; });
  return after == steps_.begin() ? 1 : std::prev(after)->survival;
}

std::optional<double> SurvivalCurve::quantile(double share) const {
  constexpr double rounding = 1e-12;
  const auto found = std::partition_point(steps_.begin(), steps_.end(), [&](const Step& step) {
    return step.survival > 1 - share + rounding;
  });
  if (found == steps_.end()) return std::nullopt;
  return found->at;
}

std::optional<Interval> SurvivalCurve::quantile_interval(double share, double level,
                                                         double dispersion) const {
  if (steps_.empty()) return std::nullopt;
  const double reach = sim::normal_quantile(0.5 + level / 2);
  const double wanted = 1 - share;
  Interval interval{std::numeric_limits<double>::infinity(),
                    std::numeric_limits<double>::infinity()};
  for (const Step& step : steps_) {
    if (step.survival >= 1) continue;
    double low = 0;
    double high = 0;
    if (step.survival > 0) {
      const double log_survival = std::log(step.survival);
      const double error = std::sqrt(step.variance * dispersion) / std::abs(log_survival);
      low = std::exp(log_survival * std::exp(reach * error));
      high = std::exp(log_survival * std::exp(-reach * error));
    }
    if (low <= wanted) interval.low = std::min(interval.low, step.at);
    if (high <= wanted) {
      interval.high = step.at;
      break;
    }
  }
  if (std::isinf(interval.low)) return std::nullopt;
  return interval;
}

double cluster_dispersion(std::span<const Lifetime> lifetimes, double length) {
  std::map<std::size_t, double> sums;
  double below = 0;
  double count = 0;
  const auto is_known = [&](const Lifetime& life) { return life.ended || life.at > length; };
  for (const Lifetime& life : lifetimes) {
    if (!is_known(life)) continue;
    count += 1;
    if (life.at <= length) below += 1;
  }
  if (count == 0) return 1;
  const double share = below / count;
  double squares = 0;
  for (const Lifetime& life : lifetimes) {
    if (!is_known(life)) continue;
    const double off = (life.at <= length ? 1 : 0) - share;
    sums[life.cluster] += off;
    squares += off * off;
  }
  if (squares == 0) return 1;
  double of_clusters = 0;
  for (const auto& [cluster, sum] : sums) of_clusters += sum * sum;
  return std::max(1.0, of_clusters / squares);
}

}  // namespace reeve::experiments
