#include "models/alarm_windows.hpp"

#include <algorithm>
#include <numeric>

namespace reeve::models {

namespace {

using policy::Statistic;
using policy::Window;

Instant floor_to(Instant at, Duration step) {
  return Instant{floor_of(at.time_since_epoch(), step) * step};
}

}  // namespace

bool holds_whole_samples(const AlarmRule& rule, const MetricsTiming& timing) {
  return rule.period % timing.sample_period == Duration{0};
}

Duration between_evaluations(const AlarmRule& rule) {
  using std::chrono::hours;
  const bool rare = rule.period > Duration{hours{24}} / rule.evaluation_periods;
  return rare ? Duration{hours{1}} : alarm_minute;
}

Instant first_evaluation(Instant at, Duration every, Duration offset) {
  return Instant{-floor_of(offset - at.time_since_epoch(), every) * every + offset};
}

AlarmGrid::AlarmGrid(const AlarmRule& rule, const MetricsTiming& timing)
    : step{rule.window == Window::wall_clock   ? rule.period
           : holds_whole_samples(rule, timing) ? std::max(alarm_minute, timing.sample_period)
                                               : alarm_minute},
      period{rule.period},
      lag{period / step},
      points{rule.evaluation_periods + std::int64_t{timing.extra_datapoints}},
      publish_delay{timing.publish_delay},
      offset{timing.evaluation_offset},
      every{between_evaluations(rule)} {}

std::optional<double> statistic(const SampleSet& samples, Statistic which) {
  if (samples.count == 0) return std::nullopt;
  switch (which) {
    case Statistic::average:
      return samples.mean();
    case Statistic::minimum:
      return samples.minimum;
    case Statistic::maximum:
      return samples.maximum;
    case Statistic::sum:
      return samples.sum;
    case Statistic::sample_count:
      return static_cast<double>(samples.count);
  }
  return std::nullopt;
}

std::vector<AlarmDatapoint> evaluation_range(std::span<const MetricSeries> series,
                                             const AlarmRule& rule, const MetricsTiming& timing,
                                             Instant at) {
  const AlarmGrid grid{rule, timing};
  const std::int64_t newest = grid.seen_at(at);
  const Duration sample = timing.sample_period;
  std::vector<AlarmDatapoint> out;
  out.reserve(static_cast<std::size_t>(grid.points));
  for (std::int64_t i = grid.points; i-- > 0;) {
    const Instant until = grid.end(newest - i * grid.lag);
    const Instant from = until - rule.period;
    const Instant first = floor_to(from, sample);
    const Instant last = floor_to(until, sample);
    std::optional<double> lowest;
    for (const MetricSeries& each : series) {
      const auto value = statistic(each.samples(first, last, sample), rule.statistic);
      if (value) lowest = std::min(lowest.value_or(*value), *value);
    }
    out.push_back({from, lowest.has_value(), lowest.value_or(0)});
  }
  return out;
}

Instant last_new_range(std::span<const MetricSeries> series, const AlarmRule& rule,
                       const MetricsTiming& timing, Instant from) {
  Instant changed = from;
  for (const MetricSeries& each : series) {
    if (each.segments() > 0) {
      changed = std::max(changed, each.segment_start(each.segments() - 1));
    }
  }
  const AlarmGrid grid{rule, timing};
  const Duration looks_back =
      grid.publish_delay + timing.sample_period + rule.period * (grid.points + 1);
  const Duration cycle{
      std::lcm(std::lcm(timing.sample_period.count(), grid.every.count()), grid.step.count())};
  return policy::later(policy::later(changed, looks_back), cycle + grid.every);
}

}  // namespace reeve::models
