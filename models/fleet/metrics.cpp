// What the hosts' metrics read, and the alarms that look at them.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "host/target.hpp"
#include "models/fleet/fleet.hpp"
#include "models/utilization.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;
using namespace std::chrono_literals;

namespace {
/// How far a series is told ahead of the clock at once.  A series may have no end.
constexpr int most_steps_ahead = 256;
}  // namespace

/// The metrics read so from now on.
void Fleet::read_level(Running& run, bool running) {
  if (core_.world.platform.model == PlatformModel::ideal) return;  // nobody measures there
  Level level{core_.now, running, running && run.stage == Stage::training, run.instances, {},
              {},        {}};
  if (run.launch) {
    level.pace = run.launch->pace;
    level.hosts += static_cast<std::uint32_t>(run.launch->lost.size());
  }
  if (!run.levels.empty()) {
    const Level& before = run.levels.back();
    const Duration trained = before.advancing ? core_.now - before.from : Duration{0};
    level.clock.trained = before.clock.trained + trained;
    if (before.running) level.clock.since_start = before.clock.since_start + trained;
  }
  for (const Trouble& trouble : run.troubles) level.troubles.push_back(trouble.fault);
  run.levels.push_back(std::move(level));
  feed_alarms(run);
}

/// Percent of one GPU of a host that works: it waits for data, and for the slowest host.
double Fleet::busy(const Running& run, const Level& level, std::uint32_t host) const {
  const Pace& pace = level.pace;
  const double running = core_.profile(run.job).util_running;
  const bool at_work = level.advancing && std::min(pace.busy, pace.busy_slow) < full_speed;
  if (!at_work) [[likely]]
    return running;
  const std::vector<std::uint32_t>& slow_ones = slow_sets_[pace.slow];
  const bool slow = std::find(slow_ones.begin(), slow_ones.end(), host) != slow_ones.end();
  return running * (slow ? pace.busy_slow : pace.busy) / full_speed;
}

/// Percent of one GPU, if the job's utilization is a constant.
std::optional<double> Fleet::reading(const Running& run, const Level& level,
                                     std::uint32_t host) const {
  if (!level.running || host > level.hosts) return std::nullopt;
  const JobProfile& kind = core_.profile(run.job);
  bool idle = false;
  bool waits = false;  // a host that trouble does not touch waits for those that it does
  for (const std::uint32_t index : level.troubles) {
    const Fault& fault = run.faults[index];
    const auto& hosts = fault.hosts;
    if (!hosts.empty() && std::find(hosts.begin(), hosts.end(), host) == hosts.end()) {
      waits |= fault.kind != FaultKind::metrics_lost;
      continue;
    }
    if (fault.kind == FaultKind::metrics_lost) return std::nullopt;
    if (fault.kind == FaultKind::node_lost) return std::nullopt;
    idle |= fault.kind == FaultKind::stall;
  }
  return idle ? kind.util_stalled : waits ? kind.util_waiting : busy(run, level, host);
}

double Fleet::metric_factor(const Running& run) const {
  const policy::TypeId type = core_.world.pools[run.pool.index].type;
  return core_.world.platform.metrics.gpu_sum ? core_.world.directory.types[type.index].gpus : 1.0;
}

/// Tells the series of a host what it reads in a stretch of `level`, up to so many steps; from when
/// on more is to be told, `never` if nothing is.
Instant Fleet::tell_series(const Running& run, const Level& level, std::uint32_t host,
                           const Stretch& stretch, double factor, MetricSeries& series) const {
  const JobProfile& kind = core_.profile(run.job);
  const auto constant = reading(run, level, host);
  if (!kind.utilization || !level.advancing || !constant) {
    series.append(stretch.from, constant ? std::optional{*constant * factor} : std::nullopt);
    return policy::never;
  }
  const UtilLuck luck{core_.world.seed, core_.replication, run.job};
  Instant at = stretch.from;
  for (int steps = 0; at < stretch.until; ++steps) {
    if (steps == most_steps_ahead) return at;
    const Duration into = at - level.from;
    const UtilReading now =
        read(*kind.utilization, luck, host,
             {level.clock.trained + into, level.clock.since_start + into}, busy(run, level, host));
    series.append(at, now.percent ? std::optional{*now.percent * factor} : std::nullopt);
    at = policy::later(at, now.lasts);
  }
  return policy::never;
}

/// An alarm that comes later than its attempt: what the host read so far, and reads next.
void Fleet::tell_history(const Running& run, Watch& watched) const {
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

Instant Fleet::tell_history(const Running& run, std::uint32_t host, MetricSeries& series) const {
  Instant told_until = policy::never;
  const double factor = metric_factor(run);
  for (std::size_t i = 0; i < run.levels.size(); ++i) {
    const bool last = i + 1 == run.levels.size();
    Stretch stretch{run.levels[i].from, last ? policy::never : run.levels[i + 1].from};
    do {
      stretch.from = tell_series(run, run.levels[i], host, stretch, factor, series);
    } while (stretch.from <= core_.now);
    told_until = stretch.from;
  }
  return told_until;
}

/// What the hosts that an alarm looks at read from `from` on, as things stand now.
void Fleet::tell_on(const Running& run, Watch& watched, Instant from) const {
  const std::uint32_t host = core_.record.alarms[watched.row].id.host;
  const double factor = metric_factor(run);
  const Stretch stretch{from, policy::never};
  if (host != policy::lowest_of_hosts) {
    watched.told_until = tell_series(run, run.levels.back(), host, stretch, factor, watched.series);
    return;
  }
  watched.told_until = policy::never;
  const std::size_t hosts = std::max<std::size_t>(watched.hosts.size(), run.levels.back().hosts);
  watched.hosts.resize(hosts);
  for (std::uint32_t each = 1; each <= hosts; ++each) {
    MetricSeries& series = watched.hosts[each - 1];
    series.cut(from);
    const Instant told = tell_series(run, run.levels.back(), each, stretch, factor, series);
    watched.told_until = std::min(watched.told_until, told);
  }
}

void Fleet::tell_more(Watch& watched) const {
  if (watched.told_until > core_.now) return;
  const policy::AlarmId id = core_.record.alarms[watched.row].id;
  const Running& run = core_.running[core_.truth[id.job.index].running];
  tell_on(run, watched, watched.told_until);
}

void Fleet::feed_alarms(const Running& run) {
  const auto known = watched_.find({run.job, run.number});
  if (known == watched_.end()) return;
  for (const std::uint32_t index : known->second.in_order) {
    Watch& watched = watches_[index];
    catch_up(index);
    watched.series.cut(core_.now);
    tell_on(run, watched, core_.now);
    watch_soon(index);
  }
}

/// What each host of an attempt read from its beginning to now, by host.
std::vector<MetricSeries> Fleet::readings_of(const Running& run) const {
  std::uint32_t hosts = 0;
  for (const Level& level : run.levels) hosts = std::max(hosts, level.hosts);
  std::vector<MetricSeries> all(hosts);
  for (std::uint32_t host = 1; host <= hosts; ++host) {
    for (std::size_t i = 0; i < run.levels.size(); ++i) {
      const bool last = i + 1 == run.levels.size();
      Stretch stretch{run.levels[i].from, last ? core_.now : run.levels[i + 1].from};
      while (stretch.from != policy::never) {
        stretch.from = tell_series(run, run.levels[i], host, stretch, 1, all[host - 1]);
      }
    }
  }
  return all;
}

/// What every host of an attempt read, where that is no constant.
void Fleet::note_readings(const Running& run) {
  const auto& utilization = core_.profile(run.job).utilization;
  if (!utilization) return;
  std::uint32_t host = 0;
  for (const MetricSeries& series : readings_of(run)) {
    ++host;
    for (std::size_t i = 0; i < series.segments(); ++i) {
      core_.record.host_readings.push_back({series.segment_start(i), run.job, run.number, host,
                                            utilization->draws(), series.segment_value(i)});
    }
  }
}

/// How far below each minimum every host of an attempt read, in dollars: of what a host costs while
/// it is measured, the part by which it falls short.
void Fleet::note_gaps(const Running& run) {
  for (const MetricSeries& series : readings_of(run)) {
    note_gap(run, series, {Instant::min(), core_.now}, 1);
  }
}

/// And what of it is not billed after all: these machines were free in this time.  Of several hosts
/// they have their share.
void Fleet::waive_gaps(const Running& run, const Joined& part) {
  const std::vector<MetricSeries> all = readings_of(run);
  for (std::size_t i = 0; i < run.levels.size(); ++i) {
    const Level& level = run.levels[i];
    const bool last = i + 1 == run.levels.size();
    const Stretch stretch{std::max(level.from, part.from),
                          last ? core_.now : run.levels[i + 1].from};
    if (!level.running || level.hosts == 0 || stretch.from >= stretch.until) continue;
    const double share = static_cast<double>(std::min(part.instances, level.hosts)) / level.hosts;
    for (std::uint32_t host = 0; host < level.hosts; ++host) {
      note_gap(run, all[host], stretch, -share);
    }
  }
}

void Fleet::note_gap(const Running& run, const MetricSeries& series, const Stretch& within,
                     double share) {
  Holding one = run.holding();
  one.instances = 1;
  const policy::TagSetId tags =
      tags_of(core_.record, run.job, run.number, core_.profile(run.job).tags);
  for (std::size_t i = 0; i < series.segments(); ++i) {
    const bool last = i + 1 == series.segments();
    const Instant from = std::max(series.segment_start(i), within.from);
    const Instant to = std::min(last ? core_.now : series.segment_start(i + 1), within.until);
    const auto value = series.segment_value(i);
    if (!value || from >= to) continue;
    for (std::uint32_t minimum = 0; minimum < core_.keep.gpu_minima.size(); ++minimum) {
      const double least = core_.keep.gpu_minima[minimum];
      if (*value >= least) continue;
      const auto short_ppm = std::llround(share * (least - *value) / least * full_speed);
      core_.record.gpu_gaps[{minimum, run.pool, tags}] +=
          cost_of(one, from, to) * short_ppm / full_speed;
    }
  }
}

/// By time; of two attempts that meet in one instant the later one counts.
void Fleet::sort_readings() {
  std::vector<HostReadingRow>& rows = core_.record.host_readings;
  const auto place = [](const HostReadingRow& row) {
    return std::tuple{row.at, row.job, row.host};
  };
  std::sort(rows.begin(), rows.end(), [&](const HostReadingRow& a, const HostReadingRow& b) {
    return std::pair{place(a), b.attempt} < std::pair{place(b), a.attempt};
  });
  rows.erase(std::unique(rows.begin(), rows.end(),
                         [&](const auto& a, const auto& b) { return place(a) == place(b); }),
             rows.end());
}

/// Schedules the alarm's next change of state as things stand, or the end of what it was told.
void Fleet::watch(std::uint32_t index) {
  Watch& watched = watches_[index];
  ++watched.stamp;
  const auto next = watched.alarm.peek(watched.looked_at());
  const Instant changes = next ? next->at : policy::never;
  core_.push(std::min(changes, watched.told_until), sim::Phase::world, EventKind::alarm_due, index,
             watched.stamp);
}

/// The same, later: when the alarm looks next.  Most changes of level are followed by others, or by
/// the end of the alarm, before it does.
void Fleet::watch_soon(std::uint32_t index) {
  Watch& watched = watches_[index];
  ++watched.stamp;
  core_.push(std::min(watched.alarm.next_evaluation(), watched.told_until), sim::Phase::world,
             EventKind::alarm_due, index, watched.stamp);
}

/// How far before an evaluation it looks back at most.
Duration Fleet::looks_back(const policy::AlarmRule& rule) const {
  const Metrics& metrics = core_.world.platform.metrics;
  const Duration rounding = 2 * std::max({rule.period, metrics.period, Duration{1min}});
  return metrics.publish_delay + rounding +
         rule.period * (rule.evaluation_periods + std::int64_t{metrics.extra_datapoints});
}

/// Applies the evaluations before now; an evaluation at this very instant cannot see news of it.
void Fleet::catch_up(std::uint32_t index) {
  Watch& watched = watches_[index];
  std::vector<Transition> changes;
  watched.alarm.advance(watched.looked_at(), core_.now, changes);
  for (const Transition& change : changes) tell_alarm(index, change);
  const Instant seen = core_.now - looks_back(watched.alarm.rule());
  watched.series.forget(seen);
  for (MetricSeries& series : watched.hosts) series.forget(seen);
}

void Fleet::alarm_is_due(std::uint32_t index) {
  catch_up(index);
  tell_more(watches_[index]);
  watch(index);
}

void Fleet::tell_alarm(std::uint32_t index, const Transition& change) {
  Watch& watched = watches_[index];
  AlarmRow& row = core_.record.alarms[watched.row];
  row.state = change.to;
  if (core_.keep.alarm_changes) {
    row.changes.push_back(
        {change.at, change.to, watched.alarm.datapoints(watched.looked_at(), change.at)});
  }
  if (change.to == policy::AlarmState::alarm) {
    row.fired = std::min(row.fired, change.at);
    note_detection(row.id.job, row.attempt);
    const Slot slot = core_.truth[row.id.job.index].running;
    if (slot != no_slot && core_.running[slot].number == row.attempt)
      watched.alarm_since = change.at;
  } else {
    leave_alarm(watched, change.at);
  }
  if (link_is_down(watched)) return;
  ++core_.record.deliveries;
  if (row.attempt == 1) ++core_.record.first_attempt_deliveries;
  const policy::Observation seen{change.at, policy::AlarmChanged{row.id, row.attempt, change.to}};
  if (core_.world.platform.alarm_delivery.count() == 0) return events_.tell_now(seen);
  events_.tell_at(seen, policy::later(core_.now, core_.world.platform.alarm_delivery));
}

/// Whether the news of this change get lost on their way.
bool Fleet::link_is_down(Watch& watched) const {
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

/// The alarm is over, or what it is about: it went unheard if that took more than an hour.
void Fleet::leave_alarm(Watch& watched, Instant at) {
  if (watched.alarm_since == policy::never) return;
  AlarmRow& row = core_.record.alarms[watched.row];
  if (at - watched.alarm_since > std::chrono::hours{1}) {
    row.unheard = std::min(row.unheard, watched.alarm_since);
  }
  watched.alarm_since = policy::never;
}

void Fleet::leave_alarms(const Running& run) {
  const auto known = watched_.find({run.job, run.number});
  if (known == watched_.end()) return;
  for (const std::uint32_t index : known->second.in_order) leave_alarm(watches_[index], core_.now);
}

/// Something was done about the attempt, or said to people.
void Fleet::alarms_are_heard(const host::Attempt& attempt) {
  const host::Target about = host::target(attempt.verb);
  const policy::VerbKind kind = host::kind_of(attempt.verb);
  if (kind == policy::VerbKind::put_alarm || kind == policy::VerbKind::delete_alarm) return;
  const auto known = watched_.find({about.job, about.attempt});
  if (known == watched_.end()) return;
  for (const std::uint32_t index : known->second.in_order) {
    watches_[index].alarm_since = policy::never;
  }
}

/// Truth: the attempt stands still, and now something has noticed.
void Fleet::note_detection(policy::JobId job, policy::AttemptNumber attempt) {
  const Slot slot = core_.truth[job.index].running;
  if (slot == no_slot || core_.running[slot].number != attempt) return;
  if (core_.running[slot].open_stall == no_row) return;
  StallRow& stall = core_.record.stalls[core_.running[slot].open_stall];
  stall.detected = std::min(stall.detected, core_.now);
}

/// What the alarms cost, and which of them outlived their attempt.  Before the books of the running
/// attempts are closed: the end of the run does not end those.
void Fleet::close_alarms() {
  Charge alarm_time = 0;
  Charge first_attempt_time = 0;
  for (Watch& watch : watches_) {
    AlarmRow& row = core_.record.alarms[watch.row];
    // In a world without a horizon calls may come after the last work: they cost nothing.
    const Instant gone = std::min(row.deleted, core_.now);
    const std::int64_t existed = std::max((gone - row.created).count(), std::int64_t{0});
    alarm_time += existed;
    if (row.attempt == 1) first_attempt_time += existed;
    const JobTruth& job = core_.truth[row.id.job.index];
    row.orphan =
        !watch.deleted && (job.attempts > row.attempt || (job.running == no_slot && !job.waiting));
    row.state = watch.alarm.state();
    row.unheard = std::min(row.unheard, watch.alarm_since);  // and so to the end of the run
  }
  // Usd per 30 days -> nano-dollars per hour x nanoseconds
  const Charge rate = Charge{core_.world.platform.metrics.alarm_per_month.micros()} * 1'000;
  core_.record.ledger.guardrail(rate * alarm_time / 720, rate * first_attempt_time / 720);
}

}  // namespace reeve::models
