// Rates of failures, stalls, node faults and interruptions, for all jobs and by instance type.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "experiments/fit/event_kinds.hpp"
#include "experiments/fit/fit.hpp"
#include "experiments/fit/waves.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::experiments {
namespace {

/// The counts of coming weeks by the rate of the weeks before, within the hours that they had.
std::optional<HoldOut> hold_out_rate(const ObservedHistory& history, const EventSeries& series) {
  constexpr std::size_t least_events = 5;
  if (series.at.size() < least_events) return std::nullopt;
  const std::vector<std::optional<double>> actual(series.weekly_events.begin(),
                                                  series.weekly_events.end());
  return hold_out(actual, [&](std::size_t week) -> std::unique_ptr<Forecast> {
    const RateEvidence before = series.evidence(history, week);
    if (before.exposure <= 0 || series.weekly_exposure[week] <= 0) return nullptr;
    return std::make_unique<CountForecast>(fit_rate(before), series.weekly_exposure[week]);
  });
}

FittedQuantity rate_row(const EventKind& kind, const EventSeries& series, const RateFit& rate) {
  FittedQuantity row{.name = std::string{kind.name},
                     .group = series.type.empty() ? "all" : series.type,
                     .unit = std::string{kind.unit}};
  row.n = static_cast<double>(series.at.size());
  row.exposure = series.exposure;
  row.exposure_unit = std::string{kind.exposure_unit};
  row.law = "exponential";
  row.value = rate.per_hour;
  row.interval90 = rate.interval;
  row.method = rate.per_hour == 0 ? "one-sided 95 %, 3.0 / T" : "Gamma-Poisson, Jeffreys";
  row.parameters = {{"gamma_shape", rate.shape}, {"gamma_hours", rate.hours}};
  if (rate.prior_weight > 0) row.parameters.emplace_back("prior_weight", rate.prior_weight);
  if (rate.exact) {
    row.parameters.emplace_back("exact_low", rate.exact->low);
    row.parameters.emplace_back("exact_high", rate.exact->high);
  }
  if (rate.dispersion > 1) {
    row.method += ", overdispersed";
    row.parameters.emplace_back("dispersion", rate.dispersion);
    std::size_t largest = 0;
    const auto waves = waves_of(series.at, wave_window);
    for (const EventWave& wave : waves) largest = std::max(largest, wave.events);
    row.parameters.emplace_back("waves", static_cast<double>(waves.size()));
    row.parameters.emplace_back("largest_wave", static_cast<double>(largest));
  }
  return row;
}

void describe_hazard(FittedQuantity& row, const EventSeries& series) {
  const auto hazard = fit_hazard(series.ages);
  if (!hazard) return;
  row.parameters.emplace_back("hazard_shape", hazard->shape);
  row.parameters.emplace_back("hazard_shape_low", hazard->interval.low);
  row.parameters.emplace_back("hazard_shape_high", hazard->interval.high);
  row.parameters.emplace_back("hazard_scale_h", hazard->scale_hours);
  if (!hazard->interval.contains(1)) row.law = "weibull";
}

void add_kind(const EventKind& kind, const ObservedHistory& history, const FitOptions& options,
              Fit& fit) {
  const std::vector<EventSeries> series = series_of(kind, history);
  RateEvidence before;
  if (kind.has_prior && options.node_fault_prior) {
    before = {.events = options.node_fault_prior->events,
              .exposure = options.node_fault_prior->node_hours};
  }
  const EventSeries all = series.empty() ? EventSeries{} : together(series);
  if (all.exposure <= 0 && before.exposure <= 0) {
    fit.notes.push_back(std::string{kind.name} + ": no job shows them, so their rate is not known");
    return;
  }
  const auto add = [&](const EventSeries& one, const RateFit& rate) {
    FittedQuantity row = rate_row(kind, one, rate);
    describe_hazard(row, one);
    if (options.hold_out) row.hold_out = hold_out_rate(history, one);
    grade(row);
    if (one.exposure <= 0) row.grade = Grade::prior_only;
    fit.quantities.push_back(std::move(row));
  };
  add(all, fit_rate(all.evidence(history), before));
  constexpr std::size_t few = 5;
  if (all.at.size() < few) {
    fit.notes.push_back(
        fmt::format("{}: {}. A forecast has only recorded events, so it lacks the risk of others",
                    kind.name, scenarios::counted(all.at.size(), "event")));
  }
  if (series.size() < 2) return;
  std::vector<RateEvidence> evidence;
  for (const EventSeries& one : series) evidence.push_back(one.evidence(history));
  const std::vector<RateFit> rates = fit_rates(evidence);
  for (std::size_t i = 0; i < series.size(); ++i) {
    EventSeries one = series[i];
    if (one.type.empty()) one.type = "unknown type";
    if (one.exposure > 0) add(one, rates[i]);
  }
}

}  // namespace

void fit_event_rates(const ObservedHistory& history, const FitOptions& options, Fit& fit) {
  for (const EventKind& kind : event_kinds()) add_kind(kind, history, options, fit);
}

}  // namespace reeve::experiments
