// The alarms of rules: reeve evaluates them, the account has none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/ports.hpp"
#include "live/alarms/metric_source.hpp"
#include "live/feed/roster.hpp"
#include "models/alarm.hpp"

namespace reeve::live {

/// What is known of the platform's metrics, and who hears of trouble.
struct AlarmSettings {
  policy::Duration publish_delay{0};   ///< from the end of a sample to its use
  std::uint16_t extra_datapoints = 2;  ///< evaluation range beyond N
  /// The first evaluation is when the alarm is created, not at the next full minute.
  bool at_once = false;
  /// A read failed; the same evaluations are tried again a minute later.
  std::function<void(const FailedCall&)> on_trouble = [](const FailedCall&) {};
};

/// A feed that adds the changes of alarms to what another feed tells, and the actuator that creates
/// and deletes these alarms: at once, with the reply `done` where the host expects one.  Each alarm
/// is evaluated at each full minute as CloudWatch does: by its N newest datapoints and some more,
/// read anew each time.  So samples that come late count. Without a source of metrics, alarms are
/// accepted and never evaluated.  Once an attempt has ended and no sample of it is looked at any
/// more, its metrics are no longer read.
class LocalAlarms final : public host::Feed, public host::Actuator {
 public:
  /// The references must outlive the alarms.  `others` gets the attempts that concern no alarm;
  /// null: there are none.
  LocalAlarms(host::Feed& feed, const Roster& roster, MetricSource* metrics, AlarmSettings settings,
              host::Actuator* others = nullptr);

  policy::Instant advance(policy::Instant deadline, host::Intake& out) override;
  /// Throws std::logic_error for what concerns no alarm, if nothing gets the others.
  void submit(const host::Attempt& attempt) override;

  /// Deletes the alarms of a seat that the host muted.
  void drop(policy::SeatId seat);
  /// Since when the metrics could not be read; nothing: the last read succeeded.
  std::optional<policy::Instant> unread_since() const {
    return alarms_.empty() ? std::nullopt : unread_since_;
  }

  std::size_t size() const { return alarms_.size(); }
  std::uint64_t evaluations() const { return evaluations_; }

 private:
  struct Alarm {
    policy::AlarmRule rule;
    policy::AlarmState state = policy::AlarmState::insufficient_data;
    policy::Instant due;                  ///< the next evaluation
    std::vector<std::string> hosts = {};  ///< whose lowest datapoint counts
  };
  using Key = std::pair<policy::AlarmId, policy::AttemptNumber>;
  using Due = std::map<Key, Alarm>::iterator;

  policy::Instant next_evaluation() const;
  void evaluate(policy::Instant now, host::Intake& out);
  void evaluate(Due alarm, std::span<const models::MetricSeries> series, policy::Instant now,
                host::Intake& out);
  std::vector<std::string> hosts_of(const Key& key) const;
  policy::Instant looks_back_to(const Alarm& alarm) const;
  bool has_run_out(const Key& key, const Alarm& alarm) const;
  models::MetricsTiming timing() const;

  host::Feed& feed_;
  const Roster& roster_;
  MetricSource* metrics_;
  AlarmSettings settings_;
  host::Actuator* others_;
  std::vector<host::Reply> replies_;  ///< not handed over yet
  std::map<Key, Alarm> alarms_;
  policy::Instant now_ = policy::Instant::min();
  std::optional<policy::Instant> unread_since_;
  policy::Instant not_before_ = policy::Instant::min();  ///< after a failed read
  std::uint64_t evaluations_ = 0;
};

}  // namespace reeve::live
