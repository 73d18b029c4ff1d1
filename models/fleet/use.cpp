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
  if (now_ <= in_use_since_) return;
  in_use_since_ = now_;
  for (const policy::PoolId id : in_use_changes_) {
    PoolTruth& pool = pools_[id.index];
    const InUse before = std::exchange(pool.in_use, {there(id), pool.allocated, pool.used});
    in_use_.there += pool.in_use.there - before.there;
    in_use_.allocated += pool.in_use.allocated - before.allocated;
    in_use_.used += pool.in_use.used - before.used;
  }
  in_use_changes_.clear();
  record_.peak_instances = std::max(record_.peak_instances, in_use_.allocated);
  record_.peak_allocated.see(in_use_.allocated, in_use_.there);
  record_.peak_used.see(in_use_.used, in_use_.there);
}

/// A job that had machines before stands in line for others; or for the same, which it never got.
void Fleet::await_again(policy::JobId job) {
  if (record_.job_rows[job.index].first_start == policy::never) return;
  waits_again_.try_emplace(job, now_);
}

/// It has them, or waits no more.
void Fleet::end_waiting_again(policy::JobId job) {
  const auto known = waits_again_.find(job);
  if (known == waits_again_.end()) return;
  if (known->second < now_) record_.waits_again[job] += now_ - known->second;
  waits_again_.erase(known);
}

/// Of the time of Occupancy, of which it is not known yet where it ends: stretches come in their
/// order, and it has never ended within one that was counted.
void Fleet::count_there(policy::PoolId id, const PoolTime& time) {
  const policy::Instant until = time.stretch.until;
  const policy::Instant from = std::max(time.stretch.from, first_submission_);
  if (from >= until) return;
  PoolTruth& pool = pools_[id.index];
  policy::Instant split = from;
  if (span_until_ >= from) {
    record_.pool_rows[id.index].there_time += std::exchange(pool.there_later, 0);
    split = std::min(until, span_until_);
  }
  record_.pool_rows[id.index].there_time += (split - from).count() * Charge{time.there};
  pool.there_later += (until - split).count() * Charge{time.there};
}

/// A job that did not end counts until the end of the run.
void Fleet::close_use() {
  const auto jobs = span(record_);
  if (!jobs || std::max(jobs->second, span_until_) < record_.end) return;
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    record_.pool_rows[pool].there_time += std::exchange(pools_[pool].there_later, 0);
  }
}

}  // namespace reeve::models
