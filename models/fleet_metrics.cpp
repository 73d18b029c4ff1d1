// What the hosts' metrics read, and the alarms that look at them.
#include <algorithm>

#include "models/fleet.hpp"

namespace reeve::models {

/// The metrics read so from now on.
void Fleet::read_level(Running& run, bool running) {
  if (world_.platform.model == PlatformModel::ideal) return;  // nobody measures there
  run.levels.push_back({now_, running, {}});
  for (const Trouble& trouble : run.troubles) run.levels.back().troubles.push_back(trouble.fault);
  feed_alarms(run);
}

std::optional<double> Fleet::reading(const Running& run, const Level& level,
                                     std::uint16_t host) const {
  const std::size_t hosts_ever = run.instances + (run.launch ? run.launch->lost.size() : 0);
  if (!level.running || host > hosts_ever) return std::nullopt;
  bool idle = false;
  bool waits = false;  // a host that trouble does not touch waits for those that it does
  for (const std::uint32_t index : level.troubles) {
    const Fault& fault = run.plan[index];
    const auto& hosts = fault.hosts;
    if (!hosts.empty() && std::find(hosts.begin(), hosts.end(), host) == hosts.end()) {
      waits |= fault.kind != FaultKind::metrics_lost;
      continue;
    }
    if (fault.kind == FaultKind::metrics_lost) return std::nullopt;
    if (fault.kind == FaultKind::node_lost) return std::nullopt;
    idle |= fault.kind == FaultKind::stall;
  }
  const JobProfile& kind = profile(run.job);
  const policy::TypeId type = world_.pools[run.pool.index].type;
  const double gpus = world_.directory.types[type.index].gpus;
  const double percent = idle ? kind.util_stalled : waits ? kind.util_waiting : kind.util_running;
  return world_.platform.metrics.gpu_sum ? percent * gpus : percent;
}

void Fleet::feed_alarms(const Running& run) {
  const auto known = watched_.find({run.job, run.number});
  if (known == watched_.end()) return;
  for (const std::uint32_t index : known->second.in_order) {
    Watch& watched = watches_[index];
    catch_up(index);
    const std::uint16_t host = record_.alarms[watched.row].id.host;
    watched.series.append(now_, reading(run, run.levels.back(), host));
    watch(index);
  }
}

/// Schedules the alarm's next change of state as things stand.
void Fleet::watch(std::uint32_t index) {
  Watch& watched = watches_[index];
  ++watched.stamp;
  if (const auto next = watched.alarm.peek(watched.series)) {
    push(next->at, sim::Phase::world, alarm_due, index, watched.stamp);
  }
}

/// Applies the evaluations before now; an evaluation at this very instant cannot see news of it.
void Fleet::catch_up(std::uint32_t index) {
  Watch& watched = watches_[index];
  std::vector<Transition> changes;
  watched.alarm.advance(watched.series, now_, changes);
  for (const Transition& change : changes) tell_alarm(index, change);
}

void Fleet::alarm_is_due(std::uint32_t index) {
  catch_up(index);
  watch(index);
}

void Fleet::tell_alarm(std::uint32_t index, const Transition& change) {
  const Watch& watched = watches_[index];
  AlarmRow& row = record_.alarms[watched.row];
  row.state = change.to;
  if (keep_.alarm_changes) {
    row.changes.push_back(
        {change.at, change.to, watched.alarm.datapoints(watched.series, change.at)});
  }
  if (change.to == policy::AlarmState::alarm) {
    row.fired = std::min(row.fired, change.at);
    note_detection(row.id.job, row.attempt);
  }
  ++record_.deliveries;
  if (row.attempt == 1) ++record_.first_attempt_deliveries;
  const policy::Observation seen{change.at, policy::AlarmChanged{row.id, row.attempt, change.to}};
  if (world_.platform.alarm_delivery.count() == 0) return tell_now(seen);
  send_later(seen, policy::later(now_, world_.platform.alarm_delivery));
}

/// Truth: the attempt stands still, and now something has noticed.
void Fleet::note_detection(policy::JobId job, policy::AttemptNumber attempt) {
  const Slot slot = truth_[job.index].running;
  if (slot == no_slot || running_[slot].number != attempt) return;
  if (running_[slot].open_stall == no_row) return;
  StallRow& stall = record_.stalls[running_[slot].open_stall];
  stall.detected = std::min(stall.detected, now_);
}

/// What the alarms cost, and which of them outlived their attempt.  Before the books of the running
/// attempts are closed: the end of the run does not end those.
void Fleet::close_alarms() {
  Charge alarm_time = 0;
  Charge first_attempt_time = 0;
  for (Watch& watch : watches_) {
    AlarmRow& row = record_.alarms[watch.row];
    // In a world without a horizon calls may come after the last work: they cost nothing.
    const Instant gone = std::min(row.deleted, now_);
    const std::int64_t existed = std::max((gone - row.created).count(), std::int64_t{0});
    alarm_time += existed;
    if (row.attempt == 1) first_attempt_time += existed;
    const JobTruth& job = truth_[row.id.job.index];
    row.orphan =
        !watch.deleted && (job.attempts > row.attempt || (job.running == no_slot && !job.waiting));
    row.state = watch.alarm.state();
  }
  // Usd per 30 days -> nano-dollars per hour x nanoseconds
  const Charge rate = Charge{world_.platform.metrics.alarm_per_month.micros()} * 1'000;
  record_.ledger.guardrail(rate * alarm_time / 720, rate * first_attempt_time / 720);
}

}  // namespace reeve::models
