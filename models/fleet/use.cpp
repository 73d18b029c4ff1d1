// How much of what is there is in use: what shares of the capacity are of.
#include <algorithm>
#include <utility>

#include "models/fleet/fleet.hpp"

namespace reeve::models {

/// What the pool offers, and what is held beyond that: on demand who holds machines keeps them.
std::uint32_t Fleet::there(policy::PoolId id) const {
  return std::max(present(id), pools_[id.index].allocated);
}

/// Before anything changes: what is so until now.  What comes and goes within one instant was never
/// together.
void Fleet::note_use() {
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

/// A job that had machines before stands in line for others; or for the same, which it never got.
void Fleet::await_again(policy::JobId job) {
  if (core_.record.job_rows[job.index].first_start == policy::never) return;
  waits_again_.try_emplace(job, core_.now);
}

/// It has them, or waits no more.
void Fleet::end_waiting_again(policy::JobId job) {
  const auto known = waits_again_.find(job);
  if (known == waits_again_.end()) return;
  if (known->second < core_.now) core_.record.waits_again[job] += core_.now - known->second;
  waits_again_.erase(known);
}

/// Of the time of Occupancy, of which it is not known yet where it ends: stretches come in their
/// order, and it has never ended within one that was counted.
void Fleet::count_there(policy::PoolId id, const PoolTime& time) {
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

/// A job that did not end counts until the end of the run.
void Fleet::close_use() {
  const auto jobs = span(core_.record);
  if (!jobs || std::max(jobs->second, core_.span_until) < core_.record.end) return;
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    core_.record.pool_rows[pool].there_time += std::exchange(pools_[pool].there_later, 0);
  }
}

}  // namespace reeve::models
