// A metric alarm as CloudWatch evaluates it, computed per change of the metric and not per minute.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/alarm_rule.hpp>
#include <reeve/policy/observation.hpp>
#include <span>
#include <vector>

#include "models/metric_series.hpp"
#include "models/record.hpp"

namespace reeve::models {

using policy::AlarmRule;
using policy::AlarmState;

/// When samples are taken and become visible, and when this alarm evaluates them.
struct MetricsTiming {
  Duration sample_period = std::chrono::seconds{60};  ///< divides a minute, or whole minutes
  Duration publish_delay{0};                          ///< from the end of a sample to its use
  Duration evaluation_offset{0};                      ///< of the minute or hour, [0, 60 s)
  std::uint16_t extra_datapoints = 2;  ///< evaluation range beyond N; AWS publishes 5 for N = 3
};

/// A change of state, the only trigger of an alarm's actions.
struct Transition {
  Instant at;
  AlarmState from = AlarmState::insufficient_data;
  AlarmState to = AlarmState::insufficient_data;
  friend bool operator==(const Transition&, const Transition&) = default;
};

/// Whether `value` breaches the rule's threshold.
bool breaches(const AlarmRule& rule, double value);

/// The state after one evaluation of `range` (oldest first), by CloudWatch's published M-of-N
/// algorithm and its treatment of missing data.  Idempotent for the same range.
AlarmState evaluate(const AlarmRule& rule, std::span<const AlarmDatapoint> range,
                    AlarmState current);

/// One alarm on one series, or on the lowest of several.  It evaluates once a minute, at
/// `evaluation_offset`.  If its N periods exceed a day, it evaluates once an hour, at
/// `evaluation_offset` after the full hour (CloudWatch User Guide, "Alarm evaluation"; the minute
/// of the hour is not published).  The first evaluation is at or after its creation, in state
/// INSUFFICIENT_DATA; samples from before its creation count.
///
/// An evaluation at t uses only samples that ended by t - publish_delay, so a change of the series
/// at s affects no evaluation at or before s.  Hence the use: `advance` to now, append to the
/// series at now, `peek` for the next transition, schedule it.  The series must not change at
/// instants before the last `advance`.
///
/// Rule and timing: period in whole minutes, 1 <= M <= N, at least one datapoint; otherwise throws
/// std::invalid_argument.  If the period is no multiple of the sample period, a sample belongs to
/// the datapoint in which it ends, and datapoints without one are missing.  High-resolution alarms
/// (periods of 10, 20 and 30 s) are not modelled.
class Alarm {
 public:
  Alarm(const AlarmRule& rule, const MetricsTiming& timing, Instant created);

  const AlarmRule& rule() const { return rule_; }
  AlarmState state() const { return state_; }
  /// The first evaluation that is not applied yet.
  Instant next_evaluation() const { return next_; }

  /// Replaces the configuration at `at`, after an `advance` to `at`.  The state stays, as with
  /// PutMetricAlarm.
  void update(const AlarmRule& rule, Instant at);

  /// Applies all evaluations up to and including `until`; appends the transitions to `out`.
  void advance(std::span<const MetricSeries> series, Instant until, std::vector<Transition>& out);
  void advance(const MetricSeries& series, Instant until, std::vector<Transition>& out) {
    advance(std::span{&series, 1}, until, out);
  }

  /// The next transition if the last segment of the series holds for ever.  As long as the series
  /// does not change, `advance` need not evaluate again.
  std::optional<Transition> peek(std::span<const MetricSeries> series);
  std::optional<Transition> peek(const MetricSeries& series) { return peek(std::span{&series, 1}); }

  /// The evaluation range of the evaluation at `at` under the present rule, oldest first.
  std::vector<AlarmDatapoint> datapoints(std::span<const MetricSeries> series, Instant at) const;
  std::vector<AlarmDatapoint> datapoints(const MetricSeries& series, Instant at) const {
    return datapoints(std::span{&series, 1}, at);
  }

 private:
  Instant evaluation_from(Instant at) const;
  bool has_peeked(std::span<const MetricSeries> series) const;
  void look_up_to(std::span<const MetricSeries> series, Instant until,
                  std::vector<Transition>& out);

  AlarmRule rule_;
  MetricsTiming timing_;
  AlarmState state_ = AlarmState::insufficient_data;
  Instant next_;
  std::optional<Transition> peeked_;        ///< the result of `peek` for that version of the series
  std::optional<std::uint64_t> peeked_at_;  ///< that version
};

}  // namespace reeve::models
