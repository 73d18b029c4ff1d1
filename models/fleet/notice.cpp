// Losses that Spot tells before they come: who is chosen when, who is told, and what is saved.
#include <algorithm>
#include <reeve/policy/clone_fields.hpp>
#include <utility>

#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;

/// How long before a loss it is decided on whom it hits.
Duration Fleet::foresight() const {
  const Rebalance& rebalance = core_.world.platform.unmanaged.rebalance;
  const Duration ahead = rebalance.probability > 0 ? rebalance.lead : Duration{0};
  return core_.world.platform.notice.lead + ahead;
}

void Fleet::expect_sight(policy::PoolId id) {
  const Instant next = policy::later(core_.world.start, pools_[id].ahead->next_at());
  if (next == policy::never) return;
  ++turns_pending_;
  core_.push(std::max(core_.now, next - foresight()), sim::Phase::telemetry,
             EventKind::market_is_seen, id.index, 0);
}

void Fleet::see_market(policy::PoolId id) {
  PoolTruth& pool = pools_[id];
  --turns_pending_;
  Foreseen change{.at = policy::later(core_.world.start, pool.ahead->next_at()),
                  .offered = pool.ahead->next_offered()};
  // All that was chosen so far goes before it; but what goes by the clock has times of its own.
  change.held = pool.counted_later;
  if (core_.world.pools[id.index].reclaim) [[unlikely]] {
    change.held = 0;
    for (const auto& [launch, held] : pool.counted) change.held += left_at(held, change.at);
  }
  pool.foreseen.push_back(change);
  pool.ahead->advance();
  choose_losers(id, change);
  expect_sight(id);
}

/// How many of its machines it has then, as is known by now.
std::int64_t Fleet::left_at(const Running& run, Instant at) {
  return left_at(counted(run), at);
}

std::int64_t Fleet::left_at(const Counted& held, Instant at) {
  if (held.loss > at || held.loss == policy::never) return held.instances;
  if (held.losing == 0) return 0;
  std::int64_t left = held.instances - held.losing;
  for (const LaterLoss& loss : held.then) {
    if (loss.at <= at) left -= loss.instances;
  }
  return std::max<std::int64_t>(left, 0);
}

Counted Fleet::counted(const Running& run) {
  const Launch& launch = *run.launch;
  return {run.instances, launch.loss, launch.foreseen, launch.losing, launch.then};
}

/// To be called wherever that may have changed: nobody sums over all who hold machines.
void Fleet::count_held(const Running& run) {
  PoolTruth& pool = pools_[run.pool];
  if (!pool.ahead) return;
  const bool holds = pool.holders.contains(run.held_as);
  Counted now = holds ? counted(run) : Counted{};
  const auto known = pool.counted.try_emplace(run.held_as).first;
  const Counted before = std::exchange(known->second, now);
  for (Foreseen& change : pool.foreseen) {
    change.held += left_at(now, change.at) - left_at(before, change.at);
  }
  pool.counted_later += left_at(now, policy::never) - left_at(before, policy::never);
  if (before.foreseen) pool.leaving.erase({before.loss, run.held_as});
  if (now.foreseen) pool.leaving.insert({now.loss, run.held_as});
  if (!holds) pool.counted.erase(known);
}

/// What is left running of jobs that are over goes first, and nobody is told of that.
void Fleet::choose_losers(policy::PoolId id, const Foreseen& change) {
  const std::int64_t need = change.held - change.offered;
  if (need <= 0) return;
  for (const Loser& loser : victims(id, need, change.at)) {
    foresee(core_.running[loser.slot], change.at, loser.instances);
  }
}

/// New machines may be among those that are known to go.
void Fleet::expect_loss(Running& run) {
  if (core_.world.pools[run.pool.index].market != Market::spot || foresight() == Duration{0})
    return;
  const auto& reclaim = core_.world.pools[run.pool.index].reclaim;
  if (reclaim) {
    run.launch->loss = policy::later(run.launched, reclaim->every);
    core_.push(std::max(core_.now, run.launch->loss - foresight()), sim::Phase::world,
               EventKind::launch_due, core_.slot_of(run), run.launch_stamp);
  }
  count_held(run);
  for (const Foreseen& change : pools_[run.pool].foreseen) {
    const std::int64_t missing = change.held - change.offered;
    const auto has = static_cast<std::uint32_t>(left_at(run, change.at));
    if (missing <= 0 || has == 0) continue;
    const bool some = missing < has && could_go_on(run, static_cast<std::uint32_t>(missing), has);
    foresee(run, change.at, some ? static_cast<std::uint32_t>(missing) : has);
    if (!some) return;
  }
}

/// Whether Spot tells of the `nth` loss of the launch that is known.
bool Fleet::is_told(const Running& run, std::uint32_t nth) const {
  const Notice& notice = core_.world.platform.notice;
  const auto cause = sim::Cause::notice;
  return notice.lead > Duration{0} &&
         core_.uniform(cause, run.job.index, launch_of(run) + nth) <= notice.probability;
}

/// And these go after others: each change of its size makes it another launch, of its own luck.
void Fleet::foresee_later(Running& run, Instant loss, std::uint32_t instances) {
  Launch& launch = *run.launch;
  launch.then.push_back({loss, instances});
  count_held(run);
  const auto nth = static_cast<std::uint32_t>(launch.then.size());
  const Platform& platform = core_.world.platform;
  const Instant notice_at = std::max(core_.now, loss - platform.notice.lead);
  const auto rebalance = sim::Cause::rebalance;
  if (core_.now < notice_at && core_.uniform(rebalance, run.job.index, launch_of(run) + nth) <=
                                   platform.unmanaged.rebalance.probability) {
    tell_rebalance(run);
  }
  if (!is_told(run, nth)) return;
  launch.then.back().tell = notice_at;
  if (notice_at <= core_.now) return give_later_notices(run);
  core_.push(notice_at, sim::Phase::world, EventKind::launch_due, core_.slot_of(run),
             run.launch_stamp);
}

/// A part of its machines is gone; what was known to go after it is next.
void Fleet::come_to_next_loss(Running& run) {
  Launch& launch = *run.launch;
  ++run.launch_stamp;
  launch.loss = launch.noticed = launch.tell = policy::never;
  launch.foreseen = false;
  launch.losing = 0;
  note_size(run);
  if (launch.then.empty()) return expect_loss(run);
  const LaterLoss next = launch.then.front();
  launch.then.erase(launch.then.begin());
  launch.loss = next.at;
  launch.noticed = next.noticed;
  launch.foreseen = true;
  launch.losing = next.instances < run.instances ? next.instances : 0;
  launch.tell = next.tell;
  count_held(run);
  note_size(run);
  const bool untold = next.noticed == policy::never && next.tell != policy::never;
  if (untold)
    core_.push(next.tell, sim::Phase::world, EventKind::launch_due, core_.slot_of(run),
               run.launch_stamp);
  for (const LaterLoss& later : launch.then) {
    if (later.noticed != policy::never || later.tell == policy::never) continue;
    core_.push(later.tell, sim::Phase::world, EventKind::launch_due, core_.slot_of(run),
               run.launch_stamp);
  }
}

/// Now it is known that the machines go at `loss`.
void Fleet::foresee(Running& run, Instant loss, std::uint32_t instances) {
  Launch& launch = *run.launch;
  if (launch.foreseen && launch.losing > 0) return foresee_later(run, loss, instances);
  launch.losing = instances < run.instances ? instances : 0;
  launch.loss = loss;
  launch.foreseen = true;
  launch.noticed = launch.tell = policy::never;
  ++run.launch_stamp;
  count_held(run);
  note_size(run);
  const Platform& platform = core_.world.platform;
  const std::uint32_t nth = launch_of(run);
  const auto happens = [&](sim::Cause cause, double probability) {
    return core_.uniform(cause, run.job.index, nth) <= probability;
  };
  // Who is ending by then is not spared: what is announced happens.
  if (core_.world.pools[run.pool.index].reclaim) {
    core_.push(loss, sim::Phase::telemetry, EventKind::launch_due, core_.slot_of(run),
               run.launch_stamp);
  }
  const Instant notice_at = loss - platform.notice.lead;
  const Rebalance& rebalance = platform.unmanaged.rebalance;
  if (core_.now < notice_at && happens(sim::Cause::rebalance, rebalance.probability)) {
    tell_rebalance(run);
  }
  if (!is_told(run, 0)) return;
  launch.tell = notice_at;
  if (notice_at <= core_.now) return give_notice(run);
  core_.push(notice_at, sim::Phase::world, EventKind::launch_due, core_.slot_of(run),
             run.launch_stamp);
}

void Fleet::tell_rebalance(const Running& run) {
  if (run.job.index == no_slot || run.stage >= Stage::away) return;
  events_.tell_late(
      {core_.now, policy::SpotNotice{run.job, run.number, policy::SpotSignal::rebalance, core_.now,
                                     run.instances}});
}

/// A loss that becomes known before makes a new stamp: the signal is then no false one.
void Fleet::expect_false_signal(const Running& run) {
  const double per_hour = core_.world.platform.unmanaged.rebalance.false_per_hour;
  if (per_hour == 0 || core_.world.pools[run.pool.index].market != Market::spot) return;
  const std::uint32_t nth = launch_of(run);
  const auto cause = sim::Cause::false_rebalance;
  const Duration mean = sim::nearest(3.6e12 / per_hour);
  core_.push(
      policy::later(core_.now, sim::exponential(mean, core_.uniform(cause, run.job.index, nth))),
      sim::Phase::telemetry, EventKind::false_signal_due, core_.slot_of(run), run.launch_stamp);
}

void Fleet::launch_is_due(Slot slot) {
  Running& run = core_.running[slot];
  if (run.job.index == no_slot) return;
  if (run.stage > Stage::away && run.launch->foreseen && run.launch->loss == core_.now) {
    return reclaim(run);
  }
  if (run.stage >= Stage::away) return;
  if (!run.launch->foreseen) return foresee(run, run.launch->loss, run.instances);
  if (run.launch->noticed == policy::never && run.launch->tell <= core_.now) give_notice(run);
  give_later_notices(run);
}

void Fleet::give_notice(Running& run) {
  const std::uint32_t losing = run.launch->losing;
  run.launch->noticed = core_.now;
  give_notice(run, run.launch->loss, losing == 0 ? run.instances : losing);
}

void Fleet::give_notice(Running& run, Instant loss, std::uint32_t instances) {
  ++core_.record.notices;
  events_.tell_late(
      {core_.now,
       policy::SpotNotice{run.job, run.number, policy::SpotSignal::interruption, loss, instances}});
}

void Fleet::give_later_notices(Running& run) {
  for (LaterLoss& later : run.launch->then) {
    if (later.noticed != policy::never || later.tell > core_.now) continue;
    later.noticed = core_.now;
    give_notice(run, later.at, later.instances);
  }
}

/// A capacity block tells once, before each of its windows ends.
void Fleet::expect_warnings(policy::PoolId id) {
  const Pool& pool = core_.world.pools[id.index];
  for (std::uint32_t window = 0; window < pool.windows.size(); ++window) {
    const auto& [from, until] = pool.windows[window];
    const Instant at = core_.world.start + std::max(from, until - pool.end_warning);
    ++turns_pending_;
    core_.push(at, sim::Phase::telemetry, EventKind::block_warning, id.index, window);
  }
}

void Fleet::warn_of_end(policy::PoolId id, std::size_t window) {
  const Pool& pool = core_.world.pools[id.index];
  --turns_pending_;
  const Instant loss = told_of_end(pool, pool.windows[window]).until;
  for (const auto& [nth, slot] : pools_[id].holders) {
    if (core_.running[slot].stage < Stage::away) tell_block_end(core_.running[slot], loss);
  }
}

/// When a block's machines are known to go, and when they do.
Stretch Fleet::told_of_end(const Pool& pool, const TimeSpan& window) const {
  const auto& [from, until] = window;
  return {core_.world.start + std::max(from, until - pool.end_warning),
          core_.world.start + std::max(from, until - pool.ends_early)};
}

void Fleet::tell_block_end(const Running& run, Instant loss) {
  ++core_.record.notices;
  events_.tell_late(
      {core_.now, policy::SpotNotice{run.job, run.number, policy::SpotSignal::block_end, loss,
                                     run.instances}});
}

/// Who comes after the warning is told at once.
void Fleet::expect_block_end(const Running& run) {
  const Pool& pool = core_.world.pools[run.pool.index];
  if (pool.end_warning == Duration{0}) return;
  for (const TimeSpan& window : pool.windows) {
    const auto [warned, loss] = told_of_end(pool, window);
    if (warned < core_.now && core_.now < loss) tell_block_end(run, loss);
  }
}

/// Those of whom it was known are lost, whether or not as many are missing.
void Fleet::lose_foreseen(policy::PoolId id) {
  PoolTruth& pool = pools_[id];
  while (!pool.foreseen.empty() && pool.foreseen.front().at <= core_.now) pool.foreseen.pop_front();
  std::vector<std::uint32_t> launches;
  for (const auto& [loss, launch] : pool.leaving) {
    if (loss > core_.now) break;
    launches.push_back(launch);
  }
  std::sort(launches.begin(), launches.end());
  std::vector<Slot> lost;
  for (const std::uint32_t launch : launches) lost.push_back(pool.holders.at(launch));
  for (const Slot slot : lost) {
    const std::uint32_t losing = core_.running[slot].launch->losing;
    lose_some(core_.running[slot], losing == 0 ? core_.running[slot].instances : losing);
  }
}

}  // namespace reeve::models
