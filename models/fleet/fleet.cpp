#include "models/fleet/fleet.hpp"

#include <algorithm>
#include <numeric>

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
    : world_{world},
      replication_{replication},
      admission_{admission},
      keep_{keep},
      reports_{reports},
      now_{world.start},
      in_use_since_{world.start},
      last_work_{world.start},
      last_progress_{world.start},
      pools_(world.pools.size()) {
  record_.jobs = materialize(world, replication);
  record_.start = world.start;
  record_.billed_time.resize(world.pools.size());
  record_.pool_rows.resize(world.pools.size());
  const std::vector<JobSpec>& specs = record_.jobs.specs;
  record_.job_rows.resize(specs.size(), {.first_start = policy::never, .end = policy::never});
  truth_.resize(specs.size());
  const auto earlier = [](const JobSpec& a, const JobSpec& b) { return a.submit < b.submit; };
  if (!std::is_sorted(specs.begin(), specs.end(), earlier)) {
    arrivals_.resize(specs.size());
    std::iota(arrivals_.begin(), arrivals_.end(), 0u);
    std::stable_sort(arrivals_.begin(), arrivals_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return specs[a].submit < specs[b].submit;
    });
  }
  for (std::uint32_t index = 0; index < pools_.size(); ++index) {
    PoolTruth& pool = pools_[index];
    pool.since = world.start;
    in_use_changes_.push_back({index});
    pool.offered = world.pools[index].capacity;
    for (const ZonePart& zone : world.pools[index].zones) pool.zones.push_back(zone.instances);
    pool.zones_out.resize(pool.zones.size());
    if (world.pools[index].node_faults) open_nodes({index});
    if (world.pools[index].end_warning > Duration{0}) expect_warnings({index});
    if (!offers_change(world.pools[index])) continue;
    pool.market.emplace(world, replication, policy::PoolId{index});
    pool.offered = pool.market->offered();
    expect_turn({index});
    if (world.pools[index].market != Market::spot || foresight() == Duration{0}) continue;
    pool.ahead = pool.market;
    expect_sight({index});
  }
  if (std::any_of(world.profiles.begin(), world.profiles.end(),
                  [](const JobProfile& kind) { return kind.keep_alive > Duration{0}; })) {
    number_owners();
  }
  quota_used_.resize(world.directory.types.size() * quota_family_count);
  for (std::uint32_t index = 0; index < world.outages.size(); ++index) {
    const Outage& outage = world.outages[index];
    push(policy::later(world.start, outage.from), sim::Phase::telemetry, outage_turns, index, 1);
    push(policy::later(world.start, outage.until), sim::Phase::telemetry, outage_turns, index, 0);
  }
  for (const ScriptedApiFault& fault : world.platform.api.scripted) {
    scripted_left_.push_back(fault.times);
  }
  for (std::uint32_t who = 0; who < world.humans.size(); ++who) {
    for (const auto& [from, until] : world.humans[who].away) {
      push(policy::later(world.start, until), sim::Phase::bookkeeping, human_returns, who, 0);
    }
  }
  for (const auto& [from, until] : world.kill_switch.engaged) {
    push(policy::later(world.start, from), sim::Phase::world, switch_turns, 1, 0);
    push(policy::later(world.start, until), sim::Phase::world, switch_turns, 0, 0);
  }
  open_shares();
  expect_orders();
}

void Fleet::open() {
  opened_ = true;
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) note_offer({pool});
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    tell_now({now_, policy::CapacityChanged{{pool}, pools_[pool].offered}});
  }
}

bool Fleet::next_is_arrival(Instant& at) {
  const bool arrivals_left = next_arrival_ < record_.jobs.specs.size();
  const std::uint32_t job =
      arrivals_.empty() || !arrivals_left ? next_arrival_ : arrivals_[next_arrival_];
  const Instant arrival = arrivals_left ? record_.jobs.specs[job].submit : policy::never;
  const Instant event = queue_.empty() ? policy::never : instant(queue_.top().at_ns);
  at = std::min(arrival, event);
  // An arrival was known before any event was pushed: of equals it comes first.
  return arrivals_left && arrival <= event;
}

policy::Instant Fleet::advance(Instant deadline, host::Intake& out) {
  if (!opened_) open();
  for (;;) {
    const Instant limit = inbox_.empty() ? std::max(deadline, now_) : now_;
    Instant at;
    const bool arrival = next_is_arrival(at);
    if (is_over(std::min(at, limit), deadline)) return policy::never;
    if (at > limit || at == policy::never) {
      now_ = limit == policy::never ? now_ : std::max(now_, limit);
      std::swap(inbox_, out);
      inbox_.clear();
      return limit;
    }
    REEVE_CHECK(at >= now_, "an event was pushed into the past", nanos(at), nanos(now_));
    now_ = at;
    ++events_handled_;
    if (arrival) {
      const std::uint32_t index = next_arrival_++;
      const policy::JobId job{arrivals_.empty() ? index : arrivals_[index]};
      submit_job(job, policy::Origin::person, {profile(job).pool});
    } else {
      handle(queue_.pop());
    }
  }
}

/// Nothing that happened before `next` brought a job closer to its end for very long, and no job is
/// in a stretch of training, or in a stall that ends, that began by then or is as long.
bool Fleet::stands_still(Instant next) const {
  const Instant latest = policy::later(last_progress_, longest_standstill);
  if (next <= latest) return false;
  return std::none_of(running_.begin(), running_.end(), [&](const Running& run) {
    if (run.job.index == no_slot) return false;
    // What stands still is waited for if its end is known, but not the next attempt's as well.
    if (run.stage == Stage::stalled) return run.due != policy::never && run.run_since <= latest;
    if (run.stage != Stage::training) return false;
    return run.run_since <= latest || policy::later(run.run_since, longest_standstill) < next;
  });
}

/// The world stands still, or nothing is left but markets that nobody waits for.
bool Fleet::is_over(Instant next, Instant deadline) {
  if (world_.end != policy::never || !inbox_.empty()) return false;
  const bool only_markets = turns_pending_ > 0 && queue_.size() == turns_pending_;
  if (only_markets && alive_ == 0 && deadline == policy::never &&
      next_arrival_ == record_.jobs.specs.size()) {
    return true;
  }
  if (!stands_still(next)) return false;
  // Where nothing more could happen nothing is cut, nor where every job is over and nobody, person
  // or rule, would come back to one.
  const auto done = [](const auto& row) { return row.status == policy::Primary::completed; };
  const bool ruled = deadline != policy::never &&
                     !std::all_of(record_.job_rows.begin(), record_.job_rows.end(), done);
  record_.cut_off = next != policy::never && (alive_ > 0 || ruled || awaited(next) ||
                                              next_arrival_ < record_.jobs.specs.size());
  return true;
}

void Fleet::handle(const sim::Event& event) {
  const std::uint32_t subject = event.subject;
  switch (static_cast<Kind>(event.kind)) {
    case attempt_due:
      if (running_[subject].stamp == event.stamp) attempt_is_due(subject);
      break;
    case message_due:
      tell_now(messages_.take(subject));
      break;
    case call_due: {
      const Call call = calls_.take(subject);
      const host::ReplyKind kind = take_effect(call.attempt);
      if (call.fate != Call::Fate::lost_reply) reply(call.attempt, kind);
      break;
    }
    case reply_due:
      inbox_.replies.push_back(replies_.take(subject));
      break;
    case alarm_due:
      if (watches_[subject].stamp == event.stamp) alarm_is_due(subject);
      break;
    case human_returns:
      return person_returns(world_.humans[subject]);
    case human_reacts:
      return person_reacts({subject}, static_cast<policy::AttemptNumber>(event.stamp));
    case human_reads:
      return person_reads({subject}, static_cast<policy::AttemptNumber>(event.stamp));
    case switch_turns:
      return turn_switch(subject == 1);
    case quota_turns:
      return change_quota(world_.quota_changes[subject]);
    case priority_turns:
      return change_priority(world_.priority_changes[subject]);
    case wait_is_over:
      if (truth_[subject].attempts == event.stamp) wait_over({subject});
      break;
    case market_turns:
      return turn_market({subject});
    case market_is_seen:
      return see_market({subject});
    case launch_due:
      if (running_[subject].launch_stamp == event.stamp) launch_is_due(subject);
      break;
    case false_signal_due:
      if (running_[subject].launch_stamp == event.stamp) tell_rebalance(running_[subject]);
      break;
    case report_due:
      return report_is_due(subject, event.stamp);
    case spare_due:
      return spare_is_due(subject);
    case outage_turns:
      return turn_outage(world_.outages[subject], event.stamp == 1);
    case block_warning:
      return warn_of_end({subject}, event.stamp);
    case capacity_found:
      return capacity_is_found({subject}, event.stamp);
    case nodes_turn:
      return turn_nodes({subject});
    case machines_return:
      return return_machines({subject}, static_cast<std::uint32_t>(event.stamp));
  }
}

void Fleet::push(Instant at, sim::Phase phase, Kind kind, std::uint32_t subject,
                 std::uint32_t stamp) {
  if (at == policy::never) return;
  queue_.push(nanos(at), phase, kind, subject, stamp);
}

double Fleet::luck(std::uint32_t cause, std::uint32_t entity, std::uint32_t nth) const {
  return sim::uniform({world_.seed, replication_, static_cast<sim::Cause>(cause), entity, nth});
}

void Fleet::turn_switch(bool engaged) {
  tell_now({now_, policy::KillSwitchChanged{engaged}});
}

namespace {

policy::JobId job_on_bus(const policy::Fact& fact) {
  if (const auto* change = std::get_if<policy::JobChanged>(&fact)) return change->job;
  if (const auto* lost = std::get_if<policy::NodesLost>(&fact)) return lost->job;
  if (const auto* blocked = std::get_if<policy::QueueBlocked>(&fact)) return blocked->job;
  return std::get<policy::JobSubmitted>(fact).job;
}

}  // namespace

/// Sends an observation over the event bus: late, perhaps twice, perhaps after younger ones,
/// perhaps not at all; but a submission comes, and once.
void Fleet::tell(const policy::Observation& seen) {
  const EventBus& bus = world_.platform.events;
  const auto* change = std::get_if<policy::JobChanged>(&seen.fact);
  const bool is_event = !std::holds_alternative<policy::JobSubmitted>(seen.fact);
  const std::uint32_t entity = job_on_bus(seen.fact).index;
  const std::uint32_t nth_event = truth_[entity].news++;
  const auto draw = [&](sim::Cause cause, std::uint32_t nth) {
    return luck(static_cast<std::uint32_t>(cause), entity, nth);
  };
  const auto note = [&](Instant at, bool duplicate) {
    if (keep_.events && change != nullptr) {
      record_.events.push_back({seen.happened_at, at, change->job, change->attempt, change->primary,
                                change->secondary, change->failure, duplicate,
                                change->failure == policy::FailureClass::none
                                    ? std::string{}
                                    : failure_reason(*change)});
    }
  };
  if (is_event && bus.lost > 0 && draw(sim::Cause::event_lost, nth_event) <= bus.lost) {
    const Instant look = next_poll();
    note(look, false);
    if (look == policy::never && change != nullptr) untold_.insert_or_assign(change->job, seen);
    return send_later(seen, look);
  }
  const auto send = [&](Instant at, bool duplicate) {
    note(at, duplicate);
    if (change != nullptr) {
      ++record_.deliveries;
      if (change->attempt == 1) ++record_.first_attempt_deliveries;
    }
    at == now_ ? tell_now(seen) : send_later(seen, at);
  };
  Instant at = policy::later(now_, bus.delay);
  if (bus.jitter.count() > 0) {
    at = policy::later(at, sim::uniform_between(Duration{0}, bus.jitter,
                                                draw(sim::Cause::event_delay, 2 * nth_event)));
  }
  if (!is_event) at = looked_up(std::get<policy::JobSubmitted>(seen.fact), at);
  send(at, false);
  if (is_event && bus.duplicates > 0 &&
      draw(sim::Cause::event_duplicate, 2 * nth_event) <= bus.duplicates) {
    const bool ends = change != nullptr && policy::is_terminal(change->primary);
    if (ends) ends_told_twice_[change->job] = change->attempt;
    const double later = draw(sim::Cause::event_duplicate, 2 * nth_event + 1);
    send(policy::later(at, sim::uniform_between(Duration{0}, bus.duplicate_within, later)), true);
  }
}

/// When the description of an attempt is known of which news come at `from`.  Where its events lack
/// it (those of AWS Batch have neither tags nor payload) it is asked for until a call is answered:
/// after waits as of any call, then each minute.  What rules submit they need not ask for.
Instant Fleet::looked_up(const policy::JobSubmitted& news, Instant from) const {
  const EventBus& bus = world_.platform.events;
  if (bus.lack_tags <= 0 || news.origin == policy::Origin::rule) return from;
  const std::uint32_t job = news.job.index;
  const auto draw = [&](sim::Cause cause, std::uint32_t nth) {
    return luck(static_cast<std::uint32_t>(cause), job, nth);
  };
  if (draw(sim::Cause::event_lacks_tags, news.attempt) > bus.lack_tags) return from;
  const Api& api = world_.platform.api;
  constexpr std::uint32_t per_attempt = 1 << 14;  // numbers of draws
  constexpr Duration each_minute = std::chrono::minutes{1};
  Instant call = from;
  for (std::uint32_t nth = 0; call < world_.end; ++nth) {
    double fails = api.throttled + api.rejected + api.lost_reply;
    if (fails >= 1) return policy::never;
    const Duration since = call - world_.start;
    Duration in_vain{0};  // no call works for so long
    for (const BrownOut& trouble : api.brownouts) {
      if (since < trouble.from || trouble.until <= since) continue;
      const double here = trouble.throttled + trouble.lost_reply;
      fails = std::max(fails, here);
      if (here >= 1) in_vain = std::max(in_vain, trouble.until - since);
    }
    const Instant answer = policy::later(call, bus.look_up);
    const bool certain = fails <= 0 || fails >= 1;
    const double fate = certain ? 0.5 : draw(sim::Cause::look_up, news.attempt * per_attempt + nth);
    if (fate > fails) return answer;
    const Duration wait{nth < 4 ? std::chrono::seconds{1 << nth} : each_minute};
    call = policy::later(answer, wait);
    const Duration step = bus.look_up + each_minute;
    if (nth < 4 || in_vain <= step) continue;
    const auto more = in_vain / step - 1;  // calls in vain, one like the other
    call = policy::later(call, more * step);
    nth += static_cast<std::uint32_t>(more);
  }
  return policy::never;
}

/// When somebody looks at all jobs next, if anybody does.
Instant Fleet::next_poll() const {
  const Duration poll = world_.platform.events.poll;
  if (poll == Duration{0}) return policy::never;
  return policy::later(now_, poll - (now_ - world_.start) % poll);
}

/// Sends an observation over the event bus, once: late.
void Fleet::tell_late(const policy::Observation& seen) {
  const Instant at = policy::later(now_, world_.platform.events.delay);
  at == now_ ? tell_now(seen) : send_later(seen, at);
}

void Fleet::send_later(const policy::Observation& seen, Instant at) {
  if (at == policy::never) return;
  push(at, sim::Phase::telemetry, message_due, messages_.put(seen), 0);
}

Record Fleet::finish(Instant end, bool partial) {
  now_ = world_.end == policy::never && !partial ? last_work_ : std::max(end, last_work_);
  record_.end = now_;
  record_.partial = partial;
  note_use();
  close_alarms();
  for (Running& run : running_) {
    if (run.job.index == no_slot) continue;
    end_attempt(run, policy::Primary::in_progress, policy::Secondary::other,
                policy::FailureClass::none, EndReason::horizon);
  }
  close_spares();
  for (std::uint32_t job = 0; keep_.attempts && job < truth_.size(); ++job) {
    if (truth_[job].waiting)
      note_end(request_of({job}), EndReason::horizon, policy::FailureClass::none);
  }
  for (std::uint32_t job = 0; job < truth_.size(); ++job) end_waiting_again({job});
  for (ShareUseRow& row : shares_) pass_share_time(row);
  for (std::uint32_t index = 0; index < pools_.size(); ++index) {
    PoolTruth& pool = pools_[index];
    pass_time({index});
    for (PoolTime& time : pool.tail) {
      time.stretch = {std::min(time.stretch.from, now_), std::min(time.stretch.until, now_)};
    }
    count_tail({index}, now_);
    record_.allocated_time.push_back(pool.allocated_time);
    record_.used_time.push_back(pool.used_time);
    if (policy::is_reserved(world_.pools[index].market)) bill_reserved({index});
  }
  close_use();
  sort_readings();
  record_.events_simulated = events_handled_;
  return std::move(record_);
}

}  // namespace reeve::models
