// Losses that are known before they come: how they are counted, and who is notified.
#include <algorithm>
#include <utility>

#include "models/fleet/spot_market.hpp"

namespace reeve::models {

using policy::Instant;

/// How many of its machines it has then, as is known by now.
std::int64_t SpotMarket::left_at(const Running& run, Instant at) {
  return left_at(counted(run), at);
}

std::int64_t SpotMarket::left_at(const Counted& held, Instant at) {
  if (held.loss > at || held.loss == policy::never) return held.instances;
  if (held.losing == 0) return 0;
  std::int64_t left = held.instances - held.losing;
  for (const LaterLoss& loss : held.then) {
    if (loss.at <= at) left -= loss.instances;
  }
  return std::max<std::int64_t>(left, 0);
}

Counted SpotMarket::counted(const Running& run) {
  const Launch& launch = *run.launch;
  return {run.instances, launch.loss, launch.foreseen, launch.losing, launch.then};
}

void SpotMarket::count_held(const Running& run) {
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

void SpotMarket::expect_loss(Running& run) {
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
bool SpotMarket::is_told(const Running& run, std::uint32_t nth) const {
  const Notice& notice = core_.world.platform.notice;
  const auto cause = sim::Cause::notice;
  return notice.lead > Duration{0} &&
         core_.uniform(cause, run.job.index, launch_of(run) + nth) <= notice.probability;
}

/// These follow others: each change of the attempt's size is a new launch with its own draws.
void SpotMarket::foresee_later(Running& run, Instant loss, std::uint32_t instances) {
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

void SpotMarket::come_to_next_loss(Running& run) {
  Launch& launch = *run.launch;
  ++run.launch_stamp;
  launch.loss = launch.noticed = launch.tell = policy::never;
  launch.foreseen = false;
  launch.losing = 0;
  pools_.note_size(run);
  if (launch.then.empty()) return expect_loss(run);
  const LaterLoss next = launch.then.front();
  launch.then.erase(launch.then.begin());
  launch.loss = next.at;
  launch.noticed = next.noticed;
  launch.foreseen = true;
  launch.losing = next.instances < run.instances ? next.instances : 0;
  launch.tell = next.tell;
  count_held(run);
  pools_.note_size(run);
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
void SpotMarket::foresee(Running& run, Instant loss, std::uint32_t instances) {
  Launch& launch = *run.launch;
  if (launch.foreseen && launch.losing > 0) return foresee_later(run, loss, instances);
  launch.losing = instances < run.instances ? instances : 0;
  launch.loss = loss;
  launch.foreseen = true;
  launch.noticed = launch.tell = policy::never;
  ++run.launch_stamp;
  count_held(run);
  pools_.note_size(run);
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

void SpotMarket::tell_rebalance(const Running& run) {
  if (run.job.index == no_slot || run.stage >= Stage::away) return;
  events_.tell_late(
      {core_.now, policy::SpotNotice{run.job, run.number, policy::SpotSignal::rebalance, core_.now,
                                     run.instances}});
}

/// A loss that becomes known before makes a new stamp: the signal is then no false one.
void SpotMarket::expect_false_signal(const Running& run) {
  const double per_hour = core_.world.platform.unmanaged.rebalance.false_per_hour;
  if (per_hour == 0 || core_.world.pools[run.pool.index].market != Market::spot) return;
  const std::uint32_t nth = launch_of(run);
  const auto cause = sim::Cause::false_rebalance;
  const Duration mean = sim::nearest(3.6e12 / per_hour);
  core_.push(
      policy::later(core_.now, sim::exponential(mean, core_.uniform(cause, run.job.index, nth))),
      sim::Phase::telemetry, EventKind::false_signal_due, core_.slot_of(run), run.launch_stamp);
}

void SpotMarket::give_notice(Running& run) {
  const std::uint32_t losing = run.launch->losing;
  run.launch->noticed = core_.now;
  give_notice(run, run.launch->loss, losing == 0 ? run.instances : losing);
}

void SpotMarket::give_notice(Running& run, Instant loss, std::uint32_t instances) {
  ++core_.record.notices;
  events_.tell_late(
      {core_.now,
       policy::SpotNotice{run.job, run.number, policy::SpotSignal::interruption, loss, instances}});
}

void SpotMarket::give_later_notices(Running& run) {
  for (LaterLoss& later : run.launch->then) {
    if (later.noticed != policy::never || later.tell > core_.now) continue;
    later.noticed = core_.now;
    give_notice(run, later.at, later.instances);
  }
}

bool SpotMarket::launch_due(Running& run) {
  if (run.job.index == no_slot) return false;
  if (run.stage > Stage::away && run.launch->foreseen && run.launch->loss == core_.now) {
    return true;
  }
  if (run.stage >= Stage::away) return false;
  if (!run.launch->foreseen) {
    foresee(run, run.launch->loss, run.instances);
    return false;
  }
  if (run.launch->noticed == policy::never && run.launch->tell <= core_.now) give_notice(run);
  give_later_notices(run);
  return false;
}

/// A capacity block tells once, before each of its windows ends.
void SpotMarket::expect_warnings(policy::PoolId id) {
  const Pool& pool = core_.world.pools[id.index];
  for (std::uint32_t window = 0; window < pool.windows.size(); ++window) {
    const auto& [from, until] = pool.windows[window];
    const Instant at = core_.world.start + std::max(from, until - pool.end_warning);
    ++core_.turns_pending;
    core_.push(at, sim::Phase::telemetry, EventKind::block_warning, id.index, window);
  }
}

void SpotMarket::warn_of_end(policy::PoolId id, std::size_t window) {
  const Pool& pool = core_.world.pools[id.index];
  --core_.turns_pending;
  const Instant loss = told_of_end(pool, pool.windows[window]).until;
  for (const auto& [nth, slot] : pools_[id].holders) {
    if (core_.running[slot].stage < Stage::away) tell_block_end(core_.running[slot], loss);
  }
}

/// When a block's machines are known to go, and when they do.
Stretch SpotMarket::told_of_end(const Pool& pool, const TimeSpan& window) const {
  const auto& [from, until] = window;
  return {core_.world.start + std::max(from, until - pool.end_warning),
          core_.world.start + std::max(from, until - pool.ends_early)};
}

void SpotMarket::tell_block_end(const Running& run, Instant loss) {
  ++core_.record.notices;
  events_.tell_late(
      {core_.now, policy::SpotNotice{run.job, run.number, policy::SpotSignal::block_end, loss,
                                     run.instances}});
}

/// Who comes after the warning is told at once.
void SpotMarket::expect_block_end(const Running& run) {
  const Pool& pool = core_.world.pools[run.pool.index];
  if (pool.end_warning == Duration{0}) return;
  for (const TimeSpan& window : pool.windows) {
    const auto [warned, loss] = told_of_end(pool, window);
    if (warned < core_.now && core_.now < loss) tell_block_end(run, loss);
  }
}

}  // namespace reeve::models
