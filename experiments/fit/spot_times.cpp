// Spot: how long a type stays up between losses, and how long it is away after one.
#include <algorithm>
#include <map>
#include <utility>

#include "experiments/fit/fit.hpp"
#include "experiments/fit/law.hpp"
#include "experiments/fit/waves.hpp"

namespace reeve::experiments {
namespace {

using policy::Instant;
using Stretch = std::pair<Instant, Instant>;

/// Of one instance type.
struct SpotType {
  std::vector<Stretch> held;  ///< when a job had Spot instances
  std::vector<Instant> losses;
  std::vector<Lifetime> down;
};

std::map<std::string, SpotType> spot_types(const ObservedHistory& history) {
  std::map<std::string, SpotType> types;
  for (const ObservedJob& job : history.jobs) {
    if (!has_run(job) || job.market != policy::Market::spot) continue;
    const Instant begin = std::max(began(job), history.start);
    const Instant end = ended(job, history.end);
    if (begin < end) types[job.instance_type].held.emplace_back(begin, end);
  }
  for (const ObservedOutage& outage : history.outages) {
    if (outage.at < history.start || outage.at >= history.end) continue;
    SpotType& type = types[outage.instance_type];
    type.losses.push_back(outage.at);
    const policy::Duration down = outage.down.value_or(history.end - outage.at);
    type.down.push_back({.at = std::max(1.0, seconds_of(down)), .ended = outage.down.has_value()});
  }
  for (auto& [name, type] : types) {
    std::sort(type.held.begin(), type.held.end());
    std::sort(type.losses.begin(), type.losses.end());
  }
  return types;
}

/// The union of sorted stretches.
std::vector<Stretch> united(std::span<const Stretch> sorted) {
  std::vector<Stretch> result;
  for (const Stretch& stretch : sorted) {
    if (!result.empty() && stretch.first <= result.back().second) {
      result.back().second = std::max(result.back().second, stretch.second);
    } else {
      result.push_back(stretch);
    }
  }
  return result;
}

/// Times of holding the type, from the start or the last wave to the next wave or the end.
std::vector<Lifetime> up_times(std::span<const Stretch> held, std::span<const EventWave> waves) {
  std::vector<Lifetime> times;
  std::size_t next = 0;
  const auto add = [&](Instant from, Instant to, bool lost) {
    if (to > from) times.push_back({.at = std::max(1.0, seconds_of(to - from)), .ended = lost});
  };
  for (const auto& [begin, end] : held) {
    Instant from = begin;
    while (next < waves.size() && waves[next].at < begin) ++next;
    for (; next < waves.size() && waves[next].at <= end; ++next) {
      add(from, waves[next].at, true);
      from = std::max(from, waves[next].at);
    }
    add(from, end, false);
  }
  return times;
}

FittedQuantity up_row(const std::string& type, std::span<const Lifetime> times) {
  constexpr double least_of_law = 20;
  FittedQuantity row{.name = "spot_up", .group = type.empty() ? "unknown type" : type, .unit = "s"};
  RateEvidence evidence;
  for (const Lifetime& time : times) {
    evidence.events += time.ended ? 1 : 0;
    evidence.exposure += time.at / 3600;
  }
  row.n = evidence.events;
  row.exposure = evidence.exposure;
  row.exposure_unit = "hours held";
  row.law = "exponential";
  row.method = "Gamma-Poisson, Jeffreys, on waves";
  if (evidence.exposure <= 0) return row;
  const RateFit rate = fit_rate(evidence);
  const double hour = 3600;
  // Without a loss the mean has no upper end.
  const double longest =
      rate.interval.low > 0 ? hour / rate.interval.low : std::numeric_limits<double>::infinity();
  row.interval90 = Interval{hour / rate.interval.high, longest};
  if (rate.per_hour > 0) row.value = hour / rate.per_hour;
  if (evidence.events < least_of_law) return row;
  const DurationFit weibull = fit_law(LawKind::weibull, times);
  row.law = "weibull";
  row.aic = weibull.aic;
  for (auto& named : weibull.named_parameters()) row.parameters.push_back(std::move(named));
  return row;
}

FittedQuantity down_row(const std::string& type, std::span<const Lifetime> down) {
  FittedQuantity row{
      .name = "spot_down", .group = type.empty() ? "unknown type" : type, .unit = "s"};
  const SurvivalCurve curve{down};
  row.n = curve.ended();
  row.exposure = curve.all();
  row.exposure_unit = "losses";
  row.value = curve.quantile(0.5);
  row.law = "kaplan-meier";
  row.method = "Kaplan-Meier, log-log";
  if (row.value) row.interval90 = curve.quantile_interval(0.5, fit_level, 1);
  if (row.n < 2) return row;
  const DurationFit lognormal = fit_law(LawKind::lognormal, down);
  row.law = "lognormal";
  row.aic = lognormal.aic;
  for (auto& named : lognormal.named_parameters()) row.parameters.push_back(std::move(named));
  return row;
}

}  // namespace

void fit_spot_times(const ObservedHistory& history, Fit& fit) {
  if (history.outages.empty()) {
    fit.notes.push_back("no times of Spot losses: only their rate is known");
    return;
  }
  for (const auto& [name, type] : spot_types(history)) {
    const auto waves = waves_of(type.losses, wave_window);
    FittedQuantity up = up_row(name, up_times(united(type.held), waves));
    if (up.exposure > 0) fit.quantities.push_back(std::move(up));
    if (!type.down.empty()) fit.quantities.push_back(down_row(name, type.down));
  }
}

}  // namespace reeve::experiments
