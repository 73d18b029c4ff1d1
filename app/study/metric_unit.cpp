#include "app/study/metric_unit.hpp"

#include "scenarios/load/metric_names.hpp"

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

experiments::Estimate estimate_of(std::string_view metric, std::span<const double> samples,
                                  bool is_random) {
  const auto known = scenarios::find_metric(metric);
  if (!known || !is_random) return experiments::estimate(samples);
  const bool is_count = known->spec->unit == scenarios::MetricUnit::count;
  const scenarios::MetricRange range = scenarios::range_of(*known->spec);
  return experiments::cut_to(
      is_count ? experiments::estimate_counts(samples) : experiments::estimate(samples),
      range.least, range.most);
}

}  // namespace reeve::app
