#include "live/alarms/local_alarms.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>

#include "models/alarm_windows.hpp"

namespace reeve::live {

using policy::Duration;
using policy::Instant;

LocalAlarms::LocalAlarms(host::Feed& feed, const Roster& roster, MetricSource* metrics,
                         AlarmSettings settings, host::Actuator* others)
    : feed_{feed},
      roster_{roster},
      metrics_{metrics},
      settings_{std::move(settings)},
      others_{others} {}

Instant LocalAlarms::advance(Instant deadline, host::Intake& out) {
  if (!replies_.empty()) deadline = std::min(deadline, now_);
  Instant now = feed_.advance(std::min(deadline, next_evaluation()), out);
  if (now == policy::never) {
    if (replies_.empty()) return now;
    now = now_;  // nothing more is observed; the replies are
  }
  now_ = now;
  out.replies.insert(out.replies.end(), replies_.begin(), replies_.end());
  replies_.clear();
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
  const auto* gone = std::get_if<policy::DeleteAlarm>(&attempt.verb);
  const auto* wanted = std::get_if<policy::PutAlarm>(&attempt.verb);
  if (gone == nullptr && wanted == nullptr) {
    if (others_ == nullptr) throw std::logic_error{"a rule in shadow mode sent an action"};
    return others_->submit(attempt);
  }
  if (!attempt.is_local) {
    replies_.push_back({attempt.action, attempt.number, host::ReplyKind::done});
  }
  if (gone != nullptr) {
    alarms_.erase({gone->alarm, gone->attempt});
    return;
  }
  const policy::PutAlarm& put = *wanted;
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

void LocalAlarms::drop(policy::SeatId seat) {
  std::erase_if(alarms_, [&](const auto& alarm) { return alarm.first.first.seat == seat.index; });
}

/// The start of the oldest sample of the next evaluation.
Instant LocalAlarms::looks_back_to(const Alarm& alarm) const {
  const models::AlarmGrid grid{alarm.rule, timing()};
  const Instant oldest = grid.end(grid.seen_at(alarm.due)) - alarm.rule.period * (grid.points + 1);
  return std::chrono::floor<std::chrono::minutes>(oldest);
}

/// Samples may come late, hence the hour.
bool LocalAlarms::has_run_out(const Key& key, const Alarm& alarm) const {
  const auto ended = roster_.ended(key.first.job, key.second);
  return ended && *ended + std::chrono::hours{1} < looks_back_to(alarm);
}

/// Reads the metrics of all alarms that are due: each host once.
void LocalAlarms::evaluate(Instant now, host::Intake& out) {
  std::vector<Due> due;
  std::map<std::string, std::size_t> places;
  Instant from = now;
  for (auto alarm = alarms_.begin(); alarm != alarms_.end(); ++alarm) {
    if (alarm->second.due > now) continue;
    due.push_back(alarm);
    if (has_run_out(alarm->first, alarm->second)) continue;
    for (const std::string& host : alarm->second.hosts) places.emplace(host, 0);
    from = std::min(from, looks_back_to(alarm->second));
  }
  std::vector<std::string> hosts;
  for (auto& [host, place] : places) {
    place = hosts.size();
    hosts.push_back(host);
  }
  MetricSource::Read read = std::vector<models::MetricSeries>{};
  if (!hosts.empty()) read = metrics_->gpu_utilization(hosts, from, now - settings_.publish_delay);
  if (const auto* failed = std::get_if<FailedCall>(&read)) {
    settings_.on_trouble(*failed);
    if (!unread_since_) unread_since_ = now;
    not_before_ = now + models::alarm_minute;
    return;
  }
  unread_since_.reset();
  const auto& all = std::get<std::vector<models::MetricSeries>>(read);
  for (const Due alarm : due) {
    std::vector<models::MetricSeries> series;
    for (const std::string& host : alarm->second.hosts) {
      const auto place = places.find(host);
      series.push_back(place == places.end() ? models::MetricSeries{} : all[place->second]);
    }
    evaluate(alarm, series, now, out);
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
