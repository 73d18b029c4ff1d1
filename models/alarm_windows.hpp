// The windows of an alarm: where they end, when it looks at them, and the samples that they hold.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/alarm_rule.hpp>
#include <span>
#include <vector>

#include "models/alarm.hpp"

namespace reeve::models {

/// CloudWatch evaluates alarms and slides their windows by minutes.
inline constexpr Duration alarm_minute = std::chrono::minutes{1};

constexpr std::int64_t floor_of(Duration time, Duration step) {
  return time / step - (time % step < Duration{0} ? 1 : 0);
}

/// Whether each datapoint holds the same number of samples.
bool holds_whole_samples(const AlarmRule& rule, const MetricsTiming& timing);

/// From one evaluation to the next: an alarm that looks back for more than a day does it hourly.
Duration between_evaluations(const AlarmRule& rule);

/// The first evaluation at or after `at`.
Instant first_evaluation(Instant at, Duration every, Duration offset);

/// The ends of windows, numbered.  Datapoint i (0 = newest) of the range that ends at number g is
/// the bucket of one period that ends at number g - i * lag.
struct AlarmGrid {
  Duration step;
  Duration period;
  std::int64_t lag;
  std::int64_t points;  ///< datapoints in the evaluation range
  Duration publish_delay;
  Duration offset;
  Duration every;  ///< from one evaluation to the next

  AlarmGrid(const AlarmRule& rule, const MetricsTiming& timing);

  Instant end(std::int64_t g) const { return Instant{g * step}; }
  std::int64_t floor(Instant at) const { return floor_of(at.time_since_epoch(), step); }
  std::int64_t ceil(Instant at) const { return -floor_of(-at.time_since_epoch(), step); }
  /// The windows are the newest ones whose last sample is published.  If they ended at the clock's
  /// minute instead, a publish delay would cost no time: an onset at 1:00:00 seen through 60 s of
  /// delay would alarm at 1:15:00 on four idle samples and one that is not yet published.  This way
  /// delay is lag: 1:15:00 without it, 1:16:00 with it.
  std::int64_t seen_at(Instant evaluation) const { return floor(evaluation - publish_delay); }
  /// The first evaluation that sees windows ending at number g or later.
  Instant evaluation_of(std::int64_t g) const {
    return first_evaluation(end(g) + publish_delay, every, offset);
  }
};

/// The statistic of some samples; nothing if there are none.
std::optional<double> statistic(const SampleSet& samples, policy::Statistic which);

/// The evaluation range of the evaluation at `at`, oldest first.  A sample belongs to the window in
/// which it ends.
std::vector<AlarmDatapoint> evaluation_range(std::span<const MetricSeries> series,
                                             const AlarmRule& rule, const MetricsTiming& timing,
                                             Instant at);

/// The evaluation after which all ranges repeat, if the last segments of the series hold for ever.
/// An alarm whose windows hold unequal numbers of samples sees other ranges until then.
Instant last_new_range(std::span<const MetricSeries> series, const AlarmRule& rule,
                       const MetricsTiming& timing, Instant from);

}  // namespace reeve::models
