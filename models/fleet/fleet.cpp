#include "models/fleet/fleet.hpp"

#include <algorithm>

#include "host/check.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;

namespace {
std::int64_t nanos(Instant at) {
  return at.time_since_epoch().count();
}
Instant instant(std::int64_t at_ns) {
  return Instant{Duration{at_ns}};
}

/// A world without a horizon is over when no job has come closer to its end for so long: what can
/// never finish would else keep rules, or a market that takes its machines away, busy for ever.
/// Well above the longest that a platform lets a job run (SageMaker: 28 days).
constexpr Duration longest_standstill = std::chrono::days{366};
}  // namespace

Fleet::Fleet(const World& world, std::uint32_t replication, Admission admission, Keep keep,
             bool reports)
    : core_{world, replication, admission, std::move(keep)},
      arrivals_{core_.record.jobs.specs},
      events_{core_,
              [this](const policy::JobChanged& change) { return jobs_.failure_reason(change); }},
      calls_{core_, events_},
      shares_{core_},
      prices_{world},
      speeds_{core_},
      metrics_{core_, prices_, speeds_},
      alarms_{core_, events_, metrics_},
      billing_{core_, prices_, shares_, metrics_},
      reports_{core_, events_, reports},
      spares_{core_, events_},
      quotas_{core_, spares_},
      jobs_{core_, events_, quotas_},
      operators_{core_},
      names_{core_.record.jobs},
      pools_{core_},
      market_{core_, events_, pools_},
      promises_{core_, pools_} {
  for (std::uint32_t index = 0; index < pools_.size(); ++index) {
    if (world.pools[index].node_faults) expect_node_turn({index});
    market_.open({index});
  }
  for (std::uint32_t index = 0; index < world.outages.size(); ++index) {
    const Outage& outage = world.outages[index];
    core_.push(policy::later(world.start, outage.from), sim::Phase::telemetry,
               EventKind::outage_turns, index, 1);
    core_.push(policy::later(world.start, outage.until), sim::Phase::telemetry,
               EventKind::outage_turns, index, 0);
  }
  for (std::uint32_t who = 0; who < world.humans.size(); ++who) {
    for (const auto& [from, until] : world.humans[who].away) {
      core_.push(policy::later(world.start, until), sim::Phase::bookkeeping,
                 EventKind::human_returns, who, 0);
    }
  }
  for (const auto& [from, until] : world.kill_switch.engaged) {
    core_.push(policy::later(world.start, from), sim::Phase::world, EventKind::switch_turns, 1, 0);
    core_.push(policy::later(world.start, until), sim::Phase::world, EventKind::switch_turns, 0, 0);
  }
  expect_orders();
}

void Fleet::open() {
  opened_ = true;
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) pools_.note_offer({pool});
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    events_.tell_now({core_.now, policy::CapacityChanged{{pool}, pools_[{pool}].offered}});
  }
}

bool Fleet::next_is_arrival(Instant& at) {
  const Instant arrival = arrivals_.next_at();
  const Instant event = core_.queue.empty() ? policy::never : instant(core_.queue.top().at_ns);
  at = std::min(arrival, event);
  // An arrival was known before any event was pushed: of equals it comes first.
  return !arrivals_.empty() && arrival <= event;
}

policy::Instant Fleet::advance(Instant deadline, host::Intake& out) {
  if (!opened_) open();
  for (;;) {
    const Instant limit = events_.has_none() ? std::max(deadline, core_.now) : core_.now;
    Instant at;
    const bool arrival = next_is_arrival(at);
    if (is_over(std::min(at, limit), deadline)) return policy::never;
    if (at > limit || at == policy::never) {
      core_.now = limit == policy::never ? core_.now : std::max(core_.now, limit);
      events_.hand_over(out);
      return limit;
    }
    REEVE_CHECK(at >= core_.now, "an event was pushed into the past", nanos(at), nanos(core_.now));
    core_.now = at;
    ++events_handled_;
    if (arrival) {
      const policy::JobId job = arrivals_.take();
      submit_job(job, policy::Origin::person, {core_.profile(job).pool});
    } else {
      handle(core_.queue.pop());
    }
  }
}

/// Nothing that happened before `next` brought a job closer to its end for very long, and no job is
/// in a stretch of training, or in a stall that ends, that began by then or is as long.
bool Fleet::stands_still(Instant next) const {
  const Instant latest = policy::later(core_.last_progress, longest_standstill);
  if (next <= latest) return false;
  return std::none_of(core_.running.begin(), core_.running.end(), [&](const Running& run) {
    if (run.job.index == no_slot) return false;
    // What stands still is waited for if its end is known, but not the next attempt's as well.
    if (run.stage == Stage::stalled) return run.due != policy::never && run.run_since <= latest;
    if (run.stage != Stage::training) return false;
    return run.run_since <= latest || policy::later(run.run_since, longest_standstill) < next;
  });
}

/// No job can progress any more, or only changes of markets are left that no job waits for.
bool Fleet::is_over(Instant next, Instant deadline) {
  if (core_.world.end != policy::never || !events_.has_none()) return false;
  const bool only_markets = core_.turns_pending > 0 && core_.queue.size() == core_.turns_pending;
  if (only_markets && core_.alive == 0 && deadline == policy::never && arrivals_.empty()) {
    return true;
  }
  if (!stands_still(next)) return false;
  // The run is not cut off where nothing more could happen, nor where every job has ended and no
  // person or rule would restart one.
  const auto done = [](const auto& row) { return row.status == policy::Primary::completed; };
  const bool ruled = deadline != policy::never &&
                     !std::all_of(core_.record.job_rows.begin(), core_.record.job_rows.end(), done);
  core_.record.cut_off =
      next != policy::never &&
      (core_.alive > 0 || ruled || operators_.will_resubmit(next) || !arrivals_.empty());
  return true;
}

void Fleet::handle(const sim::Event& event) {
  const std::uint32_t subject = event.subject;
  switch (static_cast<EventKind>(event.kind)) {
    case EventKind::attempt_due:
      if (core_.running[subject].stamp == event.stamp) attempt_is_due(subject);
      break;
    case EventKind::message_due:
      events_.deliver(subject);
      break;
    case EventKind::call_due: {
      const ApiCalls::Call call = calls_.take(subject);
      const host::ReplyKind kind = take_effect(call.attempt);
      if (!call.loses_reply) events_.answer(call.attempt, kind);
      break;
    }
    case EventKind::reply_due:
      calls_.refuse(subject);
      break;
    case EventKind::alarm_due:
      alarms_.evaluate(subject, event.stamp);
      break;
    case EventKind::wait_is_over:
      if (core_.truth[subject].attempts == event.stamp) wait_over({subject});
      break;
    case EventKind::market_turns:
      return turn_market({subject});
    case EventKind::market_is_seen:
      return market_.see({subject});
    case EventKind::launch_due:
      launch_is_due(subject, event.stamp);
      break;
    case EventKind::false_signal_due:
      if (core_.running[subject].launch_stamp == event.stamp)
        market_.tell_rebalance(core_.running[subject]);
      break;
    case EventKind::report_due:
      return reports_.report(subject, event.stamp);
    case EventKind::spare_due:
      return spare_is_due(subject);
    case EventKind::outage_turns:
      return turn_outage(core_.world.outages[subject], event.stamp == 1);
    case EventKind::block_warning:
      return market_.warn_of_end({subject}, event.stamp);
    case EventKind::capacity_found:
      return capacity_is_found({subject}, event.stamp);
    case EventKind::nodes_turn:
      return turn_nodes({subject});
    case EventKind::machines_return:
      return return_machines({subject}, static_cast<std::uint32_t>(event.stamp));
    default:
      return handle_order(event);
  }
}

/// What operators and administrators do.
void Fleet::handle_order(const sim::Event& event) {
  const std::uint32_t subject = event.subject;
  switch (static_cast<EventKind>(event.kind)) {
    case EventKind::human_returns:
      return person_returns(core_.world.humans[subject]);
    case EventKind::human_reacts:
      return person_reacts({subject}, static_cast<policy::AttemptNumber>(event.stamp));
    case EventKind::human_reads:
      return person_reads({subject}, static_cast<policy::AttemptNumber>(event.stamp));
    case EventKind::switch_turns:
      return turn_switch(subject == 1);
    case EventKind::quota_turns:
      return change_quota(core_.world.quota_changes[subject]);
    case EventKind::priority_turns:
      return change_priority(core_.world.priority_changes[subject]);
    default:
      break;
  }
}

void Fleet::turn_switch(bool engaged) {
  events_.tell_now({core_.now, policy::KillSwitchChanged{engaged}});
}

std::vector<MetricSeries> Fleet::metrics_since(policy::JobId job, policy::AttemptNumber attempt,
                                               Instant from) const {
  const Slot slot = core_.truth[job.index].running;
  if (slot == no_slot || core_.running[slot].number != attempt) return {};
  const Running& run = core_.running[slot];
  return metrics_.readings_of(run, metrics_.factor_of(run), from);
}

Record Fleet::finish(Instant end, bool partial) {
  core_.now = core_.world.end == policy::never && !partial ? core_.last_work
                                                           : std::max(end, core_.last_work);
  core_.record.end = core_.now;
  core_.record.partial = partial;
  pools_.note_use();
  alarms_.close();
  for (Running& run : core_.running) {
    if (run.job.index == no_slot) continue;
    end_attempt(run, policy::Primary::in_progress, policy::Secondary::other,
                policy::FailureClass::none, EndReason::horizon);
  }
  close_spares();
  for (std::uint32_t job = 0; core_.keep.attempts && job < core_.truth.size(); ++job) {
    if (core_.truth[job].waiting)
      note_end(jobs_.request_of({job}), EndReason::horizon, policy::FailureClass::none);
  }
  for (std::uint32_t job = 0; job < core_.truth.size(); ++job) jobs_.end_requeue_wait({job});
  shares_.close();
  for (std::uint32_t index = 0; index < pools_.size(); ++index) {
    PoolTruth& pool = pools_[{index}];
    pools_.close({index});
    if (policy::is_reserved(core_.world.pools[index].market))
      billing_.bill_reserved({index}, pool.allocated_time, std::move(pool.held_in));
  }
  pools_.close_use();
  metrics_.sort_readings();
  core_.record.events_simulated = events_handled_;
  return std::move(core_.record);
}

}  // namespace reeve::models
