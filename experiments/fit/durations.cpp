// Durations of jobs: Kaplan-Meier for the body, a law for the tail.
#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/fit/fit.hpp"
#include "experiments/fit/job_groups.hpp"
#include "experiments/fit/lifetimes.hpp"
#include "experiments/fit/tail.hpp"

namespace reeve::experiments {
namespace {

/// The quantile of each whole week, by submission; of weeks with fewer than ten jobs that ended
/// there is none.
std::vector<std::optional<double>> weekly_quantiles(const ObservedHistory& history,
                                                    const Lifetimes& lifetimes,
                                                    std::span<const std::size_t> jobs,
                                                    double share) {
  constexpr double least_ended = 10;
  std::vector<std::vector<Lifetime>> weeks(whole_weeks(history));
  for (const std::size_t job : jobs) {
    const policy::Instant submit = history.jobs[job].submit;
    if (submit < history.start || submit >= history.end) continue;
    const auto week = static_cast<std::size_t>((submit - history.start) / week_length);
    const auto life = lifetimes.of(job, WorkEnds::by_itself);
    if (week < weeks.size() && life) weeks[week].push_back(*life);
  }
  std::vector<std::optional<double>> quantiles;
  for (const auto& lives : weeks) {
    const SurvivalCurve curve{lives};
    quantiles.push_back(curve.ended() < least_ended ? std::nullopt : curve.quantile(share));
  }
  return quantiles;
}

void add_quantile(FittedQuantity& row, std::string name, const std::optional<double>& value) {
  if (value) row.parameters.emplace_back(std::move(name), *value);
}

/// The length that `share` of the jobs do not exceed: from the curve and, in the tail, the law.
std::optional<double> quantile_of(const SurvivalCurve& curve, const DurationTail& tail,
                                  double share) {
  const double above = curve.at(tail.threshold_s);
  if (!tail.law || 1 - share >= above) return curve.quantile(share);
  const double log_survival =
      tail.law->log_survival(tail.threshold_s) + std::log((1 - share) / above);
  return tail.law->quantile(-std::expm1(log_survival));
}

/// Quantiles for draws: 0.5 % to 99.5 %.
std::vector<double> quantile_table(const SurvivalCurve& curve, const DurationTail& tail) {
  std::vector<double> table;
  for (int i = 0; i < 100; ++i) {
    const auto length = quantile_of(curve, tail, (i + 0.5) / 100);
    if (!length) break;
    table.push_back(*length);
  }
  return table;
}

void describe_tail(FittedQuantity& row, const DurationTail& tail) {
  row.aic = tail.best.aic;
  row.ks = tail.p_value;
  row.parameters.emplace_back("tail_from_s", tail.threshold_s);
  if (!tail.law) {
    row.law = "kaplan-meier";
    row.note = "the test refuses all laws for the tail: lengths beyond the longest are not known";
    return;
  }
  row.aic = tail.law->aic;
  row.law = "kaplan-meier, tail " + tail.law->name();
  for (auto& named : tail.law->named_parameters()) row.parameters.push_back(std::move(named));
}

/// Told where stops by people matter: they are no random censoring.
void describe_stops(FittedQuantity& row, const Lifetimes& lifetimes, const JobGroup& group) {
  constexpr double much = 0.1;
  const SurvivalCurve other{lifetimes.of(group.jobs, WorkEnds::by_itself_or_people)};
  const auto median = other.quantile(0.5);
  if (!median || !row.value || *median == *row.value) return;
  row.parameters.emplace_back("median_if_stops_are_ends_s", *median);
  if (std::abs(*median - *row.value) <= much * *row.value) return;
  row.note += row.note.empty() ? "" : "; ";
  row.note += "the median depends on whether stops by people are ends of the work";
}

FittedQuantity group_row(const Lifetimes& lifetimes, const JobGroup& group, std::uint64_t seed,
                         std::uint32_t number) {
  const std::vector<Lifetime> lives = lifetimes.of(group.jobs);
  const SurvivalCurve curve{lives};
  FittedQuantity row{.name = "duration", .group = group.name, .unit = "s"};
  row.n = curve.ended();
  row.exposure = curve.all();
  row.exposure_unit = "jobs";
  row.method = "Kaplan-Meier, log-log";
  row.law = "kaplan-meier";
  row.value = curve.quantile(0.5);
  if (row.value) {
    const double dispersion = cluster_dispersion(lives, *row.value);
    row.interval90 = curve.quantile_interval(0.5, fit_level, dispersion);
    row.parameters.emplace_back("dispersion", dispersion);
  }
  const auto tail = fit_tail(lives, seed, number);
  if (!tail) return row;
  add_quantile(row, "p90_s", quantile_of(curve, *tail, 0.9));
  add_quantile(row, "p95_s", quantile_of(curve, *tail, 0.95));
  add_quantile(row, "p99_s", quantile_of(curve, *tail, 0.99));
  describe_tail(row, *tail);
  row.lists.emplace_back("quantiles_s", quantile_table(curve, *tail));
  describe_stops(row, lifetimes, group);
  return row;
}

/// A quantile of all jobs, as the next week may have it.
FittedQuantity week_row(const ObservedHistory& history, const Lifetimes& lifetimes,
                        const JobGroup& all, double share, std::string name, bool test) {
  FittedQuantity row{.name = std::move(name), .group = "all", .unit = "s"};
  const auto weekly = weekly_quantiles(history, lifetimes, all.jobs, share);
  std::vector<double> known;
  for (const auto& value : weekly) {
    if (value) known.push_back(*value);
  }
  row.n = static_cast<double>(known.size());
  row.exposure = static_cast<double>(weekly.size());
  row.exposure_unit = "weeks";
  row.law = "lognormal between weeks";
  row.method = "Student's t on logarithms";
  const auto forecast = TotalForecast::of(known);
  if (forecast) {
    row.value = forecast->centre();
    if (known.size() > least_training_weeks) row.interval90 = forecast->interval(fit_level);
  }
  if (test) row.hold_out = hold_out_totals(weekly);
  grade(row);
  return row;
}

}  // namespace

void fit_durations(const ObservedHistory& history, const FitOptions& options, Fit& fit) {
  const Lifetimes lifetimes{history};
  JobGroup all{.name = "all", .jobs = {}};
  for (std::size_t i = 0; i < history.jobs.size(); ++i) {
    if (has_run(history.jobs[i])) all.jobs.push_back(i);
  }
  if (lifetimes.of(all.jobs).empty()) {
    fit.notes.push_back("no job ran within the window: durations are not known");
    return;
  }
  for (const auto& [name, share] : {std::pair{"next_week_p50", 0.5}, {"next_week_p95", 0.95}}) {
    fit.quantities.push_back(week_row(history, lifetimes, all, share, name, options.hold_out));
  }
  std::vector<JobGroup> groups = duration_groups(history);
  if (groups.size() == 1) {
    groups.front().name = "all";
  } else {
    groups.insert(groups.begin(), std::move(all));
  }
  std::uint32_t number = 0;
  for (const JobGroup& group : groups) {
    if (lifetimes.of(group.jobs).empty()) continue;
    FittedQuantity row = group_row(lifetimes, group, fit.seed, number++);
    if (options.hold_out) {
      row.hold_out = hold_out_totals(weekly_quantiles(history, lifetimes, group.jobs, 0.5));
    }
    grade(row);
    fit.quantities.push_back(std::move(row));
  }
}

}  // namespace reeve::experiments
