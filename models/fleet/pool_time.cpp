// The time of pools: what they offered, what was held and used, and when it changed.
#include <algorithm>
#include <utility>

#include "models/fleet/instance_pools.hpp"

namespace reeve::models {

using policy::Instant;

/// What the pool offers, and what is held beyond that: on demand who holds machines keeps them.
std::uint32_t InstancePools::there(policy::PoolId id) const {
  return std::max(present(id), pools_[id.index].allocated);
}

void InstancePools::pass_time(policy::PoolId id) {
  PoolTruth& pool = pools_[id.index];
  if (pool.since == core_.now) return;
  note_use();
  in_use_changes_.push_back(id);
  const Charge held =
      (core_.now - pool.since).count();  // below 0 where a run ends with its last work
  const Instant from = std::exchange(pool.since, core_.now);
  pool.allocated_time += held * pool.allocated;
  pool.used_time += held * pool.used;
  if (core_.keep.ledger && pool.allocated > 0 && !core_.world.pools[id.index].windows.empty())
      [[unlikely]]
    note_windows(id, {from, core_.now});
  if (held < 0) return;
  const std::uint32_t offered = present(id);
  const std::uint32_t up =
      pool.nodes ? pool.nodes->clock.up() : core_.world.pools[id.index].capacity;
  const PoolTime time{{from, core_.now},
                      offered,
                      offered - std::min(offered, pool.allocated),
                      core_.world.pools[id.index].capacity - up,
                      std::max(offered, pool.allocated)};
  if (core_.world.end != policy::never || (pool.tail.empty() && core_.last_work >= core_.now))
      [[likely]]
    return count_time(id, time);
  if (!pool.tail.empty() && goes_on(pool.tail.back(), time)) {
    pool.tail.back().stretch.until = core_.now;
  } else {
    pool.tail.push_back(time);
  }
  if (pool.tail.front().stretch.until <= core_.last_work) count_tail(id, core_.last_work);
}

bool InstancePools::goes_on(const PoolTime& before, const PoolTime& now) {
  return before.stretch.until == now.stretch.from && before.offered == now.offered &&
         before.free == now.free && before.down == now.down && before.there == now.there;
}

/// Who holds machines where two windows touch holds them in both.
void InstancePools::note_windows(policy::PoolId id, const Stretch& stretch) {
  const std::vector<TimeSpan>& windows = core_.world.pools[id.index].windows;
  PoolTruth& pool = pools_[id.index];
  pool.held_in.resize(windows.size());
  const auto [first, last] = std::minmax(stretch.from, stretch.until);
  const Charge sign = first == stretch.from ? 1 : -1;  // time that is no part of the run after all
  const Duration from = first - core_.world.start;
  const Duration until = last - core_.world.start;
  auto window =
      std::upper_bound(windows.begin(), windows.end(), from,
                       [](Duration at, const TimeSpan& later) { return at < later.second; });
  for (; window != windows.end() && window->first < until; ++window) {
    const Duration held = std::min(until, window->second) - std::max(from, window->first);
    pool.held_in[static_cast<std::size_t>(window - windows.begin())] +=
        sign * held.count() * Charge{pool.allocated};
  }
}

void InstancePools::count_time(policy::PoolId id, const PoolTime& time) {
  const Charge length = (time.stretch.until - time.stretch.from).count();
  PoolRow& row = core_.record.pool_rows[id.index];
  row.capacity_time += length * core_.world.pools[id.index].capacity;
  row.offered_time += length * time.offered;
  row.free_time += length * time.free;
  row.down_time += length * time.down;
  count_there(id, time);
}

/// What was over by `until`.
void InstancePools::count_tail(policy::PoolId id, Instant until) {
  std::erase_if(pools_[id.index].tail, [&](const PoolTime& time) {
    if (time.stretch.until > until) return false;
    count_time(id, time);
    return true;
  });
}

/// Of the time of Occupancy, of which it is not known yet where it ends: stretches come in their
/// order, and it has never ended within one that was counted.
void InstancePools::count_there(policy::PoolId id, const PoolTime& time) {
  const policy::Instant until = time.stretch.until;
  const policy::Instant from = std::max(time.stretch.from, core_.first_submission);
  if (from >= until) return;
  PoolTruth& pool = pools_[id.index];
  policy::Instant split = from;
  if (core_.span_until >= from) {
    core_.record.pool_rows[id.index].there_time += std::exchange(pool.there_later, 0);
    split = std::min(until, core_.span_until);
  }
  core_.record.pool_rows[id.index].there_time += (split - from).count() * Charge{time.there};
  pool.there_later += (until - split).count() * Charge{time.there};
}

/// Before anything changes: what is so until now.  What comes and goes within one instant was never
/// together.
void InstancePools::note_use() {
  if (core_.now <= in_use_since_) return;
  in_use_since_ = core_.now;
  for (const policy::PoolId id : in_use_changes_) {
    PoolTruth& pool = pools_[id.index];
    const InUse before = std::exchange(pool.in_use, {there(id), pool.allocated, pool.used});
    in_use_.there += pool.in_use.there - before.there;
    in_use_.allocated += pool.in_use.allocated - before.allocated;
    in_use_.used += pool.in_use.used - before.used;
  }
  in_use_changes_.clear();
  core_.record.peak_instances = std::max(core_.record.peak_instances, in_use_.allocated);
  core_.record.peak_allocated.see(in_use_.allocated, in_use_.there);
  core_.record.peak_used.see(in_use_.used, in_use_.there);
}

void InstancePools::close_use() {
  const auto jobs = span(core_.record);
  if (!jobs || std::max(jobs->second, core_.span_until) < core_.record.end) return;
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    core_.record.pool_rows[pool].there_time += std::exchange(pools_[pool].there_later, 0);
  }
}

void InstancePools::allocate(policy::PoolId id, std::int64_t instances) {
  pass_time(id);
  PoolTruth& pool = pools_[id.index];
  pool.allocated = static_cast<std::uint32_t>(pool.allocated + instances);
  core_.record.held_until = core_.span_until = core_.now;
  if (core_.keep.utilization) note_utilization(id);
}

void InstancePools::take_away(policy::PoolId id, std::int64_t instances) {
  pass_time(id);
  PoolTruth& pool = pools_[id.index];
  pool.taken = static_cast<std::uint32_t>(pool.taken + instances);
  if (core_.keep.utilization) note_utilization(id);
}

void InstancePools::make_progress(Running& run, bool begins) {
  if (run.progressing == begins) return;
  run.progressing = begins;
  const policy::PoolId id = run.pool;
  pass_time(id);
  PoolTruth& pool = pools_[id.index];
  pool.used = begins ? pool.used + run.instances : pool.used - run.instances;
  if (core_.keep.utilization) note_utilization(id);
}

void InstancePools::note_utilization(policy::PoolId id) {
  const PoolTruth& pool = pools_[id.index];
  const UtilizationRow row{
      core_.now, id, pool.allocated, pool.used, static_cast<std::uint32_t>(pool.runnable),
      there(id)};
  for (auto last = core_.record.utilization.rbegin(); last != core_.record.utilization.rend();
       ++last) {
    if (last->at != core_.now) break;
    if (last->pool == id) {
      *last = row;
      return;
    }
  }
  core_.record.utilization.push_back(row);
}

void InstancePools::note_loss(const Running& run, std::uint32_t instances) {
  note_lost(instances);
  if (run.launch && run.launch->noticed != policy::never) {
    turn_.notice = std::max(turn_.notice.value_or(Duration{0}), core_.now - run.launch->noticed);
  }
}

void InstancePools::note_offer(policy::PoolId id) {
  OfferRow row = std::exchange(turn_, {});
  if (!core_.keep.utilization) return;
  row.at = core_.now;
  row.pool = id;
  row.offered = present(id);
  core_.record.offers.push_back(row);
  note_utilization(id);
}

void InstancePools::close(policy::PoolId id) {
  pass_time(id);
  PoolTruth& pool = pools_[id.index];
  for (PoolTime& time : pool.tail) {
    time.stretch = {std::min(time.stretch.from, core_.now),
                    std::min(time.stretch.until, core_.now)};
  }
  count_tail(id, core_.now);
  core_.record.allocated_time.push_back(pool.allocated_time);
  core_.record.used_time.push_back(pool.used_time);
}

}  // namespace reeve::models
