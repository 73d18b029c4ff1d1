// A metric alarm as CloudWatch evaluates it, stepped from change to change instead of by minutes.
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

/// When samples are made and seen, and when this alarm looks at them.
struct MetricsTiming {
  Duration sample_period = std::chrono::seconds{60};  ///< divides a minute or is whole minutes
  Duration publish_delay{0};                          ///< from the end of a sample to its use
  Duration evaluation_offset{0};                      ///< of the minute or hour, [0, 60 s)
  std::uint16_t extra_datapoints = 2;  ///< evaluation range beyond N; AWS publishes 5 for N = 3
};

/// A change of state, the only thing that runs an alarm's actions.
struct Transition {
  Instant at;
  AlarmState from = AlarmState::insufficient_data;
  AlarmState to = AlarmState::insufficient_data;
  friend bool operator==(const Transition&, const Transition&) = default;
};

/// Whether `value` compares with the rule's threshold as the rule says.
bool breaches(const AlarmRule& rule, double value);

/// The state after one evaluation of `range` (oldest first), by CloudWatch's published M-of-N
/// algorithm with its treatment of missing data.  Evaluating the same range again changes nothing.
AlarmState evaluate(const AlarmRule& rule, std::span<const AlarmDatapoint> range,
                    AlarmState current);

/// One alarm on one series, or on the lowest of several.  It looks once a minute, at
/// `evaluation_offset`, or once an hour, so long after the full hour, if its N periods are more
/// than a day (CloudWatch User Guide, "Alarm evaluation"; which minute of the hour is not
/// published); first at or after its creation, in state INSUFFICIENT_DATA; samples from before its
/// creation count.
///
/// An evaluation at t uses samples that ended by t - publish_delay only, so a change of the series
/// at s touches no evaluation at or before s.  Hence the use: `advance` to now, append to the
/// series at now, `peek` for the next transition, schedule it.  The series must not change at
/// instants before that of the last `advance`.
///
/// Rule and timing: period in whole minutes and whole samples, 1 <= M <= N, at least one
/// datapoint; anything else is std::invalid_argument.  High-resolution alarms (periods of 10, 20
/// and 30 s) are not modelled.
class Alarm {
 public:
  Alarm(const AlarmRule& rule, const MetricsTiming& timing, Instant created);

  const AlarmRule& rule() const { return rule_; }
  AlarmState state() const { return state_; }
  /// The first evaluation that has not been applied yet.
  Instant next_evaluation() const { return next_; }

  /// Replaces the configuration at `at`, after an `advance` to it; the state stays, as
  /// PutMetricAlarm leaves it.
  void update(const AlarmRule& rule, Instant at);

  /// Applies every evaluation up to and including `until`; the changes of state go to `out`.
  void advance(std::span<const MetricSeries> series, Instant until, std::vector<Transition>& out);
  void advance(const MetricSeries& series, Instant until, std::vector<Transition>& out) {
    advance(std::span{&series, 1}, until, out);
  }

  /// The next change of state if the series stays as it is known now, its last segment for ever.
  /// As long as it does, `advance` need not look again.
  std::optional<Transition> peek(std::span<const MetricSeries> series);
  std::optional<Transition> peek(const MetricSeries& series) { return peek(std::span{&series, 1}); }

  /// The evaluation range that the evaluation at `at` sees under the present rule, oldest first.
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
  std::optional<Transition> peeked_;        ///< what `peek` has found, of the series as it was then
  std::optional<std::uint64_t> peeked_at_;  ///< its version then
};

}  // namespace reeve::models
