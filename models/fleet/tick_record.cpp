// The record of a tick world: attempts, levels of use and peaks.
#include <algorithm>
#include <iterator>

#include "models/fleet/tick_fleet.hpp"

namespace reeve::models {

using policy::Instant;
using policy::JobId;
using policy::PoolId;
using policy::Primary;
using policy::Secondary;

void TickFleet::enter(JobId job, Primary primary, Secondary secondary, Instant told_at) {
  JobRow& row = record_.job_rows[job.index];
  row.status = primary;
  row.ended_as = secondary;
  last_work_ = std::max(last_work_, now_);
  inbox_.observations.push_back(
      {now_, policy::JobChanged{job, 1, ++truth_[job.index].revision, primary, secondary,
                                row.failure, row.interruptions}});
  ++record_.deliveries;
  ++record_.first_attempt_deliveries;
  if (!keep_.events) return;
  record_.events.push_back({now_, told_at, job, 1, primary, secondary, row.failure, false});
}

/// One that never held machines has waited for those it asked for.
void TickFleet::keep_attempt(JobId job, EndReason reason, Instant end) {
  const JobTruth& truth = truth_[job.index];
  if (!keep_.attempts) return;
  const bool held = truth.first_billed != policy::never;
  const policy::PoolId pool = held ? truth.last : profile(job).pool;
  record_.attempts.push_back({job, 1, policy::Origin::person, pool, spec(job).submit,
                              truth.first_billed, end, Duration{0}, reason,
                              record_.job_rows[job.index].failure, truth.billed,
                              record_.job_rows[job.index].interruptions, truth.billed});
}

/// Of a job that works for a part of the tick the machines are in use in that part.
void TickFleet::note_peaks() {
  std::uint64_t there = 0;
  std::uint64_t allocated = 0;
  for (const PoolTruth& pool : pools_) there += pool.offered;
  for (const JobId job : alive_) {
    if (truth_[job.index].held) allocated += spec(job).instances;
  }
  std::stable_sort(edges_.begin(), edges_.end(),
                   [](const Edge& a, const Edge& b) { return a.at < b.at; });
  std::int64_t used = 0;
  std::int64_t most_used = 0;
  for (auto edge = edges_.begin(); edge != edges_.end(); ++edge) {
    used += edge->used;
    const auto next = std::next(edge);
    if (next == edges_.end() || next->at > edge->at) most_used = std::max(most_used, used);
  }
  record_.peak_instances = std::max(record_.peak_instances, allocated);
  record_.peak_allocated.see(allocated, there);
  record_.peak_used.see(static_cast<std::uint64_t>(most_used), there);
}

/// The capacity of the pool from the first submission to the last end, also while no job was there.
void TickFleet::count_there(PoolId id) {
  const auto jobs = span(record_);
  if (!jobs) return;
  const Duration tick = world_.ticks.tick;
  const auto offset = static_cast<std::int64_t>(window_ == nullptr ? 0 : window_->first);
  std::optional<OfferCursor> market;
  if (pools_[id.index].market) market.emplace(world_, replication_, id);
  Charge& time = record_.pool_rows[id.index].there_time;
  for (Instant from = jobs->first; from < jobs->second;) {
    const std::int64_t at = (from - world_.start) / tick;
    while (market && market->next_at() <= tick * (at + offset)) market->advance();
    const std::uint32_t offered = market ? market->offered() : world_.pools[id.index].capacity;
    const Instant end = world_.start + tick * (at + 1);
    const Instant until = market ? std::min(end, jobs->second) : jobs->second;
    time += (until - from).count() * Charge{offered};
    from = until;
  }
}

/// A row for each pool of which more or fewer instances are held or used than before.
void TickFleet::note_levels(Instant at) {
  std::vector<std::uint32_t> held(pools_.size());
  for (const JobId job : alive_) {
    const auto& pool = truth_[job.index].held;
    if (pool && !over_) held[pool->index] += spec(job).instances;
  }
  for (std::uint32_t index = 0; index < pools_.size(); ++index) {
    PoolTruth& pool = pools_[index];
    std::int64_t used = 0;
    for (const Edge& edge : edges_) {
      if (edge.at <= at && edge.pool.index == index) used += edge.used;
    }
    if (pool.shown == held[index] && pool.used == used && pool.there == pool.offered) continue;
    pool.there = pool.offered;
    pool.shown = held[index];
    pool.used = static_cast<std::uint32_t>(used);
    record_.utilization.push_back({at, {index}, pool.shown, pool.used, 0, pool.there});
  }
}

void TickFleet::note_edges() {
  const Instant end = now_ + world_.ticks.tick;
  std::vector<Instant> changes{now_};
  for (const Edge& edge : edges_) {
    if (edge.at < end) changes.push_back(edge.at);
  }
  std::sort(changes.begin(), changes.end());
  changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
  for (const Instant at : changes) note_levels(at);
}

}  // namespace reeve::models
