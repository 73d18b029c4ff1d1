#include "models/fleet/alarm_states.hpp"

#include <algorithm>
#include <utility>

#include "host/target.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;
using namespace std::chrono_literals;

void AlarmStates::put(const policy::PutAlarm& verb, bool is_local) {
  Watched& of = watched_[{verb.alarm.job, verb.attempt}];
  const auto index = static_cast<std::uint32_t>(watches_.size());
  const auto [known, is_new] = of.by_id.try_emplace(verb.alarm, index);
  if (!is_new) return update(verb, known->second);
  of.in_order.insert(index);
  create(verb, index, is_local);
}

void AlarmStates::update(const policy::PutAlarm& verb, std::uint32_t index) {
  Watch& watched = watches_[index];
  catch_up(index);
  const bool longer = looks_back(verb.rule) > looks_back(watched.alarm.rule());
  const Running* run = core_.find(verb.alarm.job, verb.attempt);
  if (longer && run != nullptr) {
    watched.series = {};  // it may have forgotten what is looked at now
    tell_history(*run, watched);
  }
  watched.alarm.update(verb.rule, core_.now);  // PutMetricAlarm leaves the state as it is
  core_.record.alarms[watched.row].rule = verb.rule;
  schedule(index);
}

void AlarmStates::create(const policy::PutAlarm& verb, std::uint32_t index, bool is_local) {
  const Metrics& metrics = core_.world.platform.metrics;
  const auto row = static_cast<std::uint32_t>(core_.record.alarms.size());
  core_.record.alarms.push_back({.id = verb.alarm,
                                 .attempt = verb.attempt,
                                 .rule = verb.rule,
                                 .created = core_.now,
                                 .deleted = policy::never,
                                 .fired = policy::never,
                                 .is_local = is_local,
                                 .changes = {}});
  const MetricsTiming timing{metrics.period, metrics.publish_delay,
                             is_local ? Duration{0} : offset_of(verb), metrics.extra_datapoints};
  watches_.push_back({.alarm = Alarm{verb.rule, timing, core_.now}, .series = {}, .row = row});
  if (!is_local) ++existing_;
  if (const Running* run = core_.find(verb.alarm.job, verb.attempt)) {
    tell_history(*run, watches_[index]);
  }
  schedule(index);
}

/// The second of the minute at which the alarm is evaluated.  Hosts that 16 bits cannot count have
/// seeds of their own, 65,536 of them each.
Duration AlarmStates::offset_of(const policy::PutAlarm& verb) const {
  const Metrics& metrics = core_.world.platform.metrics;
  if (!metrics.random_offset) return metrics.evaluation_offset;
  const auto cause = sim::Cause::alarm_offset;
  const policy::AlarmId id = verb.alarm;
  const std::uint32_t wide = id.host >> 16;
  const std::uint64_t seed =
      wide == 0
          ? core_.world.seed
          : sim::random_bits({core_.world.seed, core_.replication, cause, id.job.index, wide});
  const std::uint32_t nth = std::uint32_t{verb.attempt} << 16 | (id.host & 0xffffu);
  const double drawn = sim::uniform({seed, core_.replication, cause, id.job.index, nth});
  const auto offset = std::chrono::floor<std::chrono::seconds>(
      sim::uniform_between(Duration{0}, std::chrono::seconds{60}, drawn));
  return offset % std::chrono::seconds{60};
}

void AlarmStates::erase(const policy::DeleteAlarm& verb) {
  const auto known = watched_.find({verb.alarm.job, verb.attempt});
  if (known == watched_.end()) return;
  auto& [in_order, by_id] = known->second;
  const auto found = by_id.find(verb.alarm);
  if (found == by_id.end()) return;
  Watch& gone = watches_[found->second];
  gone.deleted = true;
  gone.series = {};
  gone.hosts = {};
  ++gone.stamp;
  core_.record.alarms[gone.row].deleted = core_.now;
  in_order.erase(found->second);
  if (!core_.record.alarms[gone.row].is_local) --existing_;
  by_id.erase(found);
  if (by_id.empty()) watched_.erase(known);
}

bool AlarmStates::over_limit(const policy::PutAlarm& verb) const {
  const std::uint64_t limit = core_.world.platform.metrics.alarm_limit;
  if (limit == 0 || existing_ < limit) return false;
  const auto known = watched_.find({verb.alarm.job, verb.attempt});
  return known == watched_.end() || !known->second.by_id.contains(verb.alarm);
}

void AlarmStates::evaluate(std::uint32_t index, std::uint64_t stamp) {
  if (watches_[index].stamp != stamp) return;
  catch_up(index);
  tell_more(watches_[index]);
  schedule(index);
}

/// An alarm that comes later than its attempt: what the host read so far, and reads next.
void AlarmStates::tell_history(const Running& run, Watch& watched) const {
  const std::uint32_t host = core_.record.alarms[watched.row].id.host;
  if (host != policy::lowest_of_hosts) {
    watched.told_until = tell_history(run, host, watched.series);
    return;
  }
  watched.hosts.assign(run.levels.empty() ? run.instances : run.levels.back().hosts, {});
  watched.told_until = policy::never;
  for (std::uint32_t each = 1; each <= watched.hosts.size(); ++each) {
    const Instant told = tell_history(run, each, watched.hosts[each - 1]);
    watched.told_until = std::min(watched.told_until, told);
  }
}

Instant AlarmStates::tell_history(const Running& run, std::uint32_t host,
                                  MetricSeries& series) const {
  Instant told_until = policy::never;
  const double factor = metrics_.factor_of(run);
  for (std::size_t i = 0; i < run.levels.size(); ++i) {
    const bool last = i + 1 == run.levels.size();
    Stretch stretch{run.levels[i].from, last ? policy::never : run.levels[i + 1].from};
    do {
      stretch.from = metrics_.tell_series(run, run.levels[i], host, stretch, factor, series);
    } while (stretch.from <= core_.now);
    told_until = stretch.from;
  }
  return told_until;
}

/// What the hosts that an alarm looks at read from `from` on, as things stand now.
void AlarmStates::tell_on(const Running& run, Watch& watched, Instant from) const {
  const std::uint32_t host = core_.record.alarms[watched.row].id.host;
  const double factor = metrics_.factor_of(run);
  const Stretch stretch{from, policy::never};
  if (host != policy::lowest_of_hosts) {
    watched.told_until =
        metrics_.tell_series(run, run.levels.back(), host, stretch, factor, watched.series);
    return;
  }
  watched.told_until = policy::never;
  const std::size_t hosts = std::max<std::size_t>(watched.hosts.size(), run.levels.back().hosts);
  watched.hosts.resize(hosts);
  for (std::uint32_t each = 1; each <= hosts; ++each) {
    MetricSeries& series = watched.hosts[each - 1];
    series.cut(from);
    const Instant told =
        metrics_.tell_series(run, run.levels.back(), each, stretch, factor, series);
    watched.told_until = std::min(watched.told_until, told);
  }
}

void AlarmStates::tell_more(Watch& watched) const {
  if (watched.told_until > core_.now) return;
  const policy::AlarmId id = core_.record.alarms[watched.row].id;
  const Running& run = core_.running[core_.truth[id.job.index].running];
  tell_on(run, watched, watched.told_until);
}

void AlarmStates::follow(const Running& run) {
  const auto known = watched_.find({run.job, run.number});
  if (known == watched_.end()) return;
  for (const std::uint32_t index : known->second.in_order) {
    Watch& watched = watches_[index];
    catch_up(index);
    watched.series.cut(core_.now);
    tell_on(run, watched, core_.now);
    schedule_soon(index);
  }
}

/// Schedules the alarm's next change of state as things stand, or the end of what it was told.
void AlarmStates::schedule(std::uint32_t index) {
  Watch& watched = watches_[index];
  ++watched.stamp;
  const auto next = watched.alarm.peek(watched.looked_at());
  const Instant changes = next ? next->at : policy::never;
  core_.push(std::min(changes, watched.told_until), sim::Phase::world, EventKind::alarm_due, index,
             watched.stamp);
}

/// The same, later: when the alarm looks next.  Most changes of level are followed by others, or by
/// the end of the alarm, before it does.
void AlarmStates::schedule_soon(std::uint32_t index) {
  Watch& watched = watches_[index];
  ++watched.stamp;
  core_.push(std::min(watched.alarm.next_evaluation(), watched.told_until), sim::Phase::world,
             EventKind::alarm_due, index, watched.stamp);
}

/// How far before an evaluation it looks back at most.
Duration AlarmStates::looks_back(const policy::AlarmRule& rule) const {
  const Metrics& metrics = core_.world.platform.metrics;
  const Duration rounding = 2 * std::max({rule.period, metrics.period, Duration{1min}});
  return metrics.publish_delay + rounding +
         rule.period * (rule.evaluation_periods + std::int64_t{metrics.extra_datapoints});
}

/// Applies the evaluations before now; an evaluation at this instant does not see it.
void AlarmStates::catch_up(std::uint32_t index) {
  Watch& watched = watches_[index];
  std::vector<Transition> changes;
  watched.alarm.advance(watched.looked_at(), core_.now, changes);
  for (const Transition& to : changes) change(index, to);
  const Instant seen = core_.now - looks_back(watched.alarm.rule());
  watched.series.forget(seen);
  for (MetricSeries& series : watched.hosts) series.forget(seen);
}

void AlarmStates::change(std::uint32_t index, const Transition& to) {
  Watch& watched = watches_[index];
  AlarmRow& row = core_.record.alarms[watched.row];
  row.state = to.to;
  if (core_.keep.alarm_changes) {
    row.changes.push_back({to.at, to.to, watched.alarm.datapoints(watched.looked_at(), to.at)});
  }
  if (to.to == policy::AlarmState::alarm) row.fired = std::min(row.fired, to.at);
  const policy::Observation seen{to.at, policy::AlarmChanged{row.id, row.attempt, to.to}};
  if (row.is_local) return events_.tell_now(seen);
  note_change(watched, to);
  if (link_is_down(watched)) return;
  ++core_.record.deliveries;
  if (row.attempt == 1) ++core_.record.first_attempt_deliveries;
  if (core_.world.platform.alarm_delivery.count() == 0) return events_.tell_now(seen);
  events_.tell_at(seen, policy::later(core_.now, core_.world.platform.alarm_delivery));
}

void AlarmStates::note_change(Watch& watched, const Transition& to) {
  if (to.to != policy::AlarmState::alarm) return end_alarm(watched, to.at);
  const AlarmRow& row = core_.record.alarms[watched.row];
  core_.note_detection(row.id.job, row.attempt);
  if (core_.find(row.id.job, row.attempt) != nullptr) watched.alarm_since = to.at;
}

/// Whether the event of this change is lost in delivery.
bool AlarmStates::link_is_down(Watch& watched) const {
  const AlarmLink& link = core_.world.platform.alarm_link;
  const std::uint32_t nth = watched.told++;
  const Duration since = core_.now - core_.world.start;
  if (std::any_of(link.down.begin(), link.down.end(), [&](const TimeSpan& window) {
        return window.first <= since && since < window.second;
      })) {
    return true;
  }
  if (link.lost <= 0) return false;
  const AlarmRow& row = core_.record.alarms[watched.row];
  const auto cause = sim::Cause::alarm_link;  // each host of each job has a seed of its own
  const std::uint64_t own =
      sim::random_bits({core_.world.seed, core_.replication, cause, row.id.job.index, row.id.host});
  return sim::uniform({own, core_.replication, cause, row.attempt, nth}) <= link.lost;
}

void AlarmStates::note_action(const host::Attempt& attempt) {
  const host::Target about = host::target(attempt.verb);
  const policy::VerbKind kind = host::kind_of(attempt.verb);
  if (kind == policy::VerbKind::put_alarm || kind == policy::VerbKind::delete_alarm) return;
  const auto known = watched_.find({about.job, about.attempt});
  if (known == watched_.end()) return;
  for (const std::uint32_t index : known->second.in_order) {
    watches_[index].alarm_since = policy::never;
  }
}

/// The alarm is over, or what it is about: it went unheard if that took more than an hour.
void AlarmStates::end_alarm(Watch& watched, Instant at) {
  if (watched.alarm_since == policy::never) return;
  AlarmRow& row = core_.record.alarms[watched.row];
  if (at - watched.alarm_since > std::chrono::hours{1}) {
    row.unheard = std::min(row.unheard, watched.alarm_since);
  }
  watched.alarm_since = policy::never;
}

void AlarmStates::leave(const Running& run) {
  const auto known = watched_.find({run.job, run.number});
  if (known == watched_.end()) return;
  for (const std::uint32_t index : known->second.in_order) end_alarm(watches_[index], core_.now);
}

void AlarmStates::close() {
  Charge alarm_time = 0;
  Charge first_attempt_time = 0;
  for (Watch& watch : watches_) {
    AlarmRow& row = core_.record.alarms[watch.row];
    row.state = watch.alarm.state();
    if (row.is_local) continue;
    // In a world without a horizon calls may come after the last work: they cost nothing.
    const Instant gone = std::min(row.deleted, core_.now);
    const std::int64_t existed = std::max((gone - row.created).count(), std::int64_t{0});
    alarm_time += existed;
    if (row.attempt == 1) first_attempt_time += existed;
    const JobTruth& job = core_.truth[row.id.job.index];
    row.orphan =
        !watch.deleted && (job.attempts > row.attempt || (job.running == no_slot && !job.waiting));
    row.unheard = std::min(row.unheard, watch.alarm_since);  // and so to the end of the run
  }
  // Usd per 30 days -> nano-dollars per hour x nanoseconds
  const Charge rate = Charge{core_.world.platform.metrics.alarm_per_month.micros()} * 1'000;
  core_.record.ledger.guardrail(rate * alarm_time / 720, rate * first_attempt_time / 720);
}

}  // namespace reeve::models
