// Totals of whole weeks: jobs, GPU-hours and dollars, by the week of submission.
#include <cmath>
#include <functional>
#include <utility>

#include "experiments/fit/fit.hpp"
#include "experiments/statistics.hpp"

namespace reeve::experiments {
namespace {

/// What a job adds to the total of its week.
using Amount = std::function<double(const ObservedJob&)>;

std::vector<double> totals_by_week(const ObservedHistory& history, const Amount& amount) {
  std::vector<double> totals(whole_weeks(history), 0);
  for (const ObservedJob& job : history.jobs) {
    if (job.submit < history.start || job.submit >= history.end) continue;
    const auto week = static_cast<std::size_t>((job.submit - history.start) / week_length);
    if (week < totals.size()) totals[week] += amount(job);
  }
  return totals;
}

double gpu_hours_of(const ObservedJob& job) {
  return has_run(job) ? hours_of(*job.duration) * job.gpus : 0;
}

double dollars_of(const ObservedJob& job) {
  const auto amount = job.billed_usd ? job.billed_usd : job.list_usd;
  return amount ? static_cast<double>(amount->micros()) / 1e6 : 0;
}

/// The mean week, with Student's interval.
FittedQuantity mean_row(std::string name, std::string unit, std::span<const double> totals) {
  FittedQuantity row{.name = std::move(name), .group = "all", .unit = std::move(unit)};
  const Estimate mean = estimate(totals, fit_level);
  row.n = static_cast<double>(totals.size());
  row.exposure = row.n;
  row.exposure_unit = "weeks";
  row.law = "mean";
  row.value = mean.mean;
  row.method = "Student's t, Hall if skewed";
  if (totals.size() > least_training_weeks) {
    row.interval90 = Interval{std::max(mean.low, 0.0), mean.high};
  } else {
    row.note = "no interval: fewer than 5 whole weeks";
  }
  return row;
}

/// What the next week may have.
FittedQuantity forecast_row(std::string name, std::string unit, std::span<const double> totals) {
  FittedQuantity row{.name = std::move(name), .group = "all", .unit = std::move(unit)};
  row.n = static_cast<double>(totals.size());
  row.exposure = row.n;
  row.exposure_unit = "weeks";
  row.law = "lognormal between weeks";
  row.method = "Student's t on logarithms";
  const auto forecast = TotalForecast::of(totals);
  if (!forecast) {
    row.note = "no forecast: fewer than 3 whole weeks, or nothing in them";
    return row;
  }
  row.value = forecast->centre();
  row.parameters = {{"log_mean", forecast->log_mean()},
                    {"log_deviation", forecast->log_deviation()}};
  if (totals.size() > least_training_weeks) {
    row.interval90 = forecast->interval(fit_level);
  } else {
    row.note = "no interval: fewer than 5 whole weeks";
  }
  return row;
}

}  // namespace

void fit_weekly_totals(const ObservedHistory& history, const FitOptions& options, Fit& fit) {
  struct Total {
    std::string name;
    std::string unit;
    Amount amount;
  };
  std::vector<Total> kinds{{"jobs", "jobs", [](const ObservedJob&) { return 1.0; }}};
  bool has_gpus = false;
  bool has_dollars = false;
  for (const ObservedJob& job : history.jobs) {
    has_gpus = has_gpus || gpu_hours_of(job) > 0;
    has_dollars = has_dollars || dollars_of(job) > 0;
  }
  if (has_gpus) kinds.push_back({"gpu_hours", "GPU-hours", gpu_hours_of});
  if (has_dollars) kinds.push_back({"usd", "dollars", dollars_of});
  for (const Total& kind : kinds) {
    const std::vector<double> totals = totals_by_week(history, kind.amount);
    if (totals.empty()) continue;
    FittedQuantity mean = mean_row("weekly_" + kind.name, kind.unit + " per week", totals);
    FittedQuantity next = forecast_row("next_week_" + kind.name, kind.unit, totals);
    if (options.hold_out) {
      next.hold_out =
          hold_out_totals({std::vector<std::optional<double>>(totals.begin(), totals.end())});
    }
    mean.hold_out = next.hold_out;
    grade(mean);
    grade(next);
    fit.quantities.push_back(std::move(mean));
    fit.quantities.push_back(std::move(next));
  }
}

}  // namespace reeve::experiments
