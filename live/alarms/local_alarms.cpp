#include "live/alarms/local_alarms.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "models/alarm_windows.hpp"

namespace reeve::live {

using policy::Duration;
using policy::Instant;

LocalAlarms::LocalAlarms(host::Feed& feed, const Roster& roster, MetricSource* metrics,
                         AlarmSettings settings)
    : feed_{feed}, roster_{roster}, metrics_{metrics}, settings_{std::move(settings)} {}

Instant LocalAlarms::advance(Instant deadline, host::Intake& out) {
  const Instant now = feed_.advance(std::min(deadline, next_evaluation()), out);
  if (now == policy::never) return now;
  now_ = now;
  if (next_evaluation() <= now) evaluate(now, out);
  return now;
}

Instant LocalAlarms::next_evaluation() const {
  Instant next = policy::never;
  if (metrics_ == nullptr) return next;
  for (const auto& [key, alarm] : alarms_) next = std::min(next, alarm.due);
  return std::max(next, not_before_);
}

void LocalAlarms::submit(const host::Attempt& attempt) {
  if (!attempt.is_local) throw std::logic_error{"a rule in shadow mode sent an action"};
  if (const auto* gone = std::get_if<policy::DeleteAlarm>(&attempt.verb)) {
    alarms_.erase({gone->alarm, gone->attempt});
    return;
  }
  const auto& put = std::get<policy::PutAlarm>(attempt.verb);
  const Key key{put.alarm, put.attempt};
  // An alarm that exists keeps its state.
  Alarm& alarm = alarms_.try_emplace(key).first->second;
  alarm.rule = put.rule;
  alarm.hosts = hosts_of(key);
  const Duration every = models::between_evaluations(put.rule);
  alarm.due = settings_.at_once ? now_ : models::first_evaluation(now_, every, Duration{0});
}

std::vector<std::string> LocalAlarms::hosts_of(const Key& key) const {
  const auto& [id, attempt] = key;
  const std::string prefix = roster_.name(id.job, attempt) + "/algo-";
  std::vector<std::string> hosts;
  if (id.host != policy::lowest_of_hosts) return {prefix + std::to_string(id.host)};
  for (std::uint32_t host = 1; host <= roster_.instances(id.job, attempt); ++host) {
    hosts.push_back(prefix + std::to_string(host));
  }
  return hosts;
}

models::MetricsTiming LocalAlarms::timing() const {
  return {metric_sample, settings_.publish_delay, Duration{0}, settings_.extra_datapoints};
}

/// Reads the metrics of all alarms that are due, once.
void LocalAlarms::evaluate(Instant now, host::Intake& out) {
  std::vector<Due> due;
  std::vector<std::string> hosts;
  Instant from = now;
  for (auto alarm = alarms_.begin(); alarm != alarms_.end(); ++alarm) {
    const Alarm& of = alarm->second;
    if (of.due > now) continue;
    due.push_back(alarm);
    hosts.insert(hosts.end(), of.hosts.begin(), of.hosts.end());
    const models::AlarmGrid grid{of.rule, timing()};
    from = std::min(from, grid.end(grid.seen_at(of.due)) - of.rule.period * (grid.points + 1));
  }
  const MetricSource::Read read = metrics_->gpu_utilization(
      hosts, std::chrono::floor<std::chrono::minutes>(from), now - settings_.publish_delay);
  if (const auto* failed = std::get_if<FailedCall>(&read)) {
    settings_.on_trouble(*failed);
    not_before_ = now + models::alarm_minute;
    return;
  }
  const std::span series{std::get<std::vector<models::MetricSeries>>(read)};
  std::size_t first = 0;
  for (const Due alarm : due) {
    evaluate(alarm, series.subspan(first, alarm->second.hosts.size()), now, out);
    first += alarm->second.hosts.size();
  }
}

/// Each evaluation that is due; several are if the feed or a read took longer than a minute.
void LocalAlarms::evaluate(Due alarm, std::span<const models::MetricSeries> series, Instant now,
                           host::Intake& out) {
  const auto& [id, attempt] = alarm->first;
  Alarm& of = alarm->second;
  const Duration every = models::between_evaluations(of.rule);
  for (; of.due <= now; of.due += every) {
    ++evaluations_;
    const auto range = models::evaluation_range(series, of.rule, timing(), of.due);
    const policy::AlarmState state = models::evaluate(of.rule, range, of.state);
    if (state == of.state) continue;
    of.state = state;
    out.observations.push_back({of.due, policy::AlarmChanged{id, attempt, state}});
  }
}

}  // namespace reeve::live
