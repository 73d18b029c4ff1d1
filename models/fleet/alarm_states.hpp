// Alarms of a fleet: when each is evaluated, what state it is in, and when the host hears of it.
//
// A local alarm belongs to a rule in shadow mode.  reeve itself evaluates it at each full minute
// and needs no delivery.  It costs nothing and does not count as an alarm of the account.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "models/alarm.hpp"
#include "models/fleet/core.hpp"
#include "models/fleet/event_delivery.hpp"
#include "models/fleet/host_metrics.hpp"

namespace reeve::models {

/// The alarms on the hosts' metrics.  Rows are in Record::alarms.
class AlarmStates {
 public:
  AlarmStates(FleetCore& core, EventDelivery& events, const HostMetrics& metrics)
      : core_{core}, events_{events}, metrics_{metrics} {}

  /// PutMetricAlarm and DeleteAlarms.
  void put(const policy::PutAlarm& verb, bool is_local = false);
  void erase(const policy::DeleteAlarm& verb);
  /// LimitExceeded: the account has as many alarms as it may, and this is none of them.
  bool over_limit(const policy::PutAlarm& verb) const;
  /// The event `alarm_due`; stale ones do nothing.
  void evaluate(std::uint32_t index, std::uint64_t stamp);
  /// The attempt's newest level has begun now.
  void follow(const Running& run);
  /// An action was taken on the attempt, or a person was notified.
  void note_action(const host::Attempt& attempt);
  /// The attempt ends.
  void leave(const Running& run);
  /// Books what alarms cost, and which outlived their attempt.  Before the books of the running
  /// attempts are closed: the end of the run does not end those.
  void close();

 private:
  struct Watch {  ///< an alarm and the metric it looks at
    Alarm alarm;
    MetricSeries series;
    std::uint32_t stamp = 0;
    std::uint32_t row = 0;  ///< in Record::alarms
    bool deleted = false;
    Instant told_until = policy::never;    ///< from when on the series says nothing yet
    std::uint32_t told = 0;                ///< changes of its state
    Instant alarm_since = policy::never;   ///< in ALARM since then, and no action was taken
    std::vector<MetricSeries> hosts = {};  ///< in the place of `series`: of an alarm on the lowest
    /// What the alarm looks at.
    std::span<const MetricSeries> looked_at() const {
      return hosts.empty() ? std::span{&series, 1} : std::span{hosts};
    }
  };
  struct Watched {  ///< the alarms of an attempt
    std::set<std::uint32_t> in_order;
    std::map<policy::AlarmId, std::uint32_t> by_id;
  };

  void create(const policy::PutAlarm& verb, std::uint32_t index, bool is_local);
  void update(const policy::PutAlarm& verb, std::uint32_t index);
  Duration offset_of(const policy::PutAlarm& verb) const;
  void tell_history(const Running& run, Watch& watched) const;
  Instant tell_history(const Running& run, std::uint32_t host, MetricSeries& series) const;
  void tell_on(const Running& run, Watch& watched, Instant from) const;
  void tell_more(Watch& watched) const;
  void schedule(std::uint32_t index);
  void schedule_soon(std::uint32_t index);
  Duration looks_back(const policy::AlarmRule& rule) const;
  void catch_up(std::uint32_t index);
  void change(std::uint32_t index, const Transition& change);
  void note_change(Watch& watched, const Transition& to);
  bool link_is_down(Watch& watched) const;
  void end_alarm(Watch& watched, Instant at);

  FleetCore& core_;
  EventDelivery& events_;
  const HostMetrics& metrics_;
  std::vector<Watch> watches_;
  std::uint64_t existing_ = 0;
  std::map<std::pair<policy::JobId, policy::AttemptNumber>, Watched> watched_;
};

}  // namespace reeve::models
