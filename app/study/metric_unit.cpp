#include "app/study/metric_unit.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "scenarios/load/keys/metric_names.hpp"

namespace reeve::app {

std::string_view metric_unit(std::string_view metric) {
  using enum scenarios::MetricUnit;
  const auto known = scenarios::find_metric(metric);
  if (!known) return metric.ends_with("_usd") ? "usd" : "count";  // net_saving_usd of a sweep
  switch (known->spec->unit) {
    case usd:
      return "usd";
    case duration:
    case seconds:
      return "s";
    case count:
      return "count";
    case percent:
      return "pct";
    case hours:
      return "instance_hours";
    case gpu_hours:
      return "gpu_hours";
    case per_hour:
      return "per_hour";
    case ratio:
      return "ratio";
  }
  return "";
}

namespace {

using experiments::Estimate;

/// Of a number of jobs out of `jobs`: what is rare is in it, or not in it.
Estimate estimate_of_jobs(std::span<const double> samples, double jobs) {
  const auto none = std::count(samples.begin(), samples.end(), 0.0);
  if (2 * static_cast<std::size_t>(none) >= samples.size()) {
    return experiments::cut_to(experiments::estimate_counts(samples), 0, jobs);
  }
  std::vector<double> others{samples.begin(), samples.end()};
  for (double& count : others) count = jobs - count;
  const Estimate of_others = experiments::estimate_counts(others);
  Estimate estimate = experiments::estimate(samples);
  estimate.low = jobs - of_others.high;
  estimate.high = jobs - of_others.low;
  estimate.lopsided = of_others.lopsided;
  return experiments::cut_to(estimate, 0, jobs);
}

/// A job is in it at most once.
bool is_of_jobs(std::string_view metric) {
  constexpr std::array metrics{"jobs_done", "jobs_failed", "jobs_unfinished", "jobs_never_started",
                               "jobs_not_in_data"};
  return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
}

}  // namespace

Estimate estimate_of(std::string_view metric, std::span<const double> samples, bool is_random,
                     std::size_t jobs) {
  const auto known = scenarios::find_metric(metric);
  if (!known || !is_random) return experiments::estimate(samples);
  if (is_of_jobs(metric)) {
    const auto most = static_cast<double>(jobs);
    const bool fits = jobs > 0 && std::all_of(samples.begin(), samples.end(),
                                              [&](double count) { return count <= most; });
    if (fits) return estimate_of_jobs(samples, most);
  }
  const bool is_event = known->spec->unit == scenarios::MetricUnit::count && !is_of_jobs(metric);
  const scenarios::MetricRange range = scenarios::range_of(*known->spec);
  return experiments::cut_to(
      is_event ? experiments::estimate_counts(samples) : experiments::estimate(samples),
      range.least, range.most);
}

}  // namespace reeve::app
