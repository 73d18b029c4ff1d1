// Serves the sections in turn, and reports to each what the others changed.
#include <algorithm>
#include <utility>

#include "job_queues.hpp"

namespace reeve::policies {

using namespace policy;

void JobQueues::choose(const Turn& turn) {
  if (sections_.count() > 1) {
    for (const PoolId pool : touched_) note_promises(pool, turn);  // what events have changed
  }
  for (std::size_t section = 0; section < sections_.count(); ++section) {
    if (sections_.spans_pools(section)) sort_by_first_come(section);
    Turn its = turn.of_section(section);
    sections_.algorithm(section).choose(touched_, its);
    if (sections_.count() == 1) continue;
    for (const PoolId pool : touched_) note_promises(pool, its);
  }
  for (const PoolId pool : touched_) pools_[pool.index].touched = false;
  touched_.clear();
}

/// What a section gets of one pool, its environment lacks in others: the pool with the longest
/// pending job is served first.
void JobQueues::sort_by_first_come(std::size_t section) {
  const auto first_of = [&](PoolId pool) {
    const auto pending = pending_.find({section, pool});
    const bool any = pending != pending_.end() && !pending->second.empty();
    return std::pair{any ? pending->second.begin()->first : never, pool};
  };
  std::sort(touched_.begin(), touched_.end(),
            [&](PoolId a, PoolId b) { return first_of(a) < first_of(b); });
}

void JobQueues::note_pending(JobId id, bool pending, const Turn& turn) {
  const std::size_t section = sections_.of(id, turn.fleet);
  if (!sections_.spans_pools(section)) return;
  const Job& job = jobs_[id.index];
  auto& of_pool = pending_[{section, job.pool}];
  pool_of(job.pool, turn);
  const bool fits = job.instances <= usage_.most(section, job.pool);
  if (pending && fits) of_pool.emplace(job.requested_at, id);
  if (!pending) of_pool.erase({job.requested_at, id});
}

/// What one section promises no more, others may have.
void JobQueues::note_promises(PoolId pool, const Turn& turn) {
  Pool& there = pools_[pool.index];
  there.promised.resize(sections_.count());
  for (std::size_t i = 0; i < sections_.count(); ++i) {
    const std::int64_t now = sections_.algorithm(i).promised(pool);
    const std::int64_t before = std::exchange(there.promised[i], now);
    if (now == before) continue;
    for (std::size_t other = 0; other < sections_.count(); ++other) {
      if (other != i) sections_.algorithm(other).terms_changed(pool);
    }
    // Sections that were served before look again, by a timer of no section.
    const bool less = now < before;
    if (less && turn.section > 0) look_after(pool, Duration{0}, turn.of_section(sections_.count()));
    if (!sections_.spans_pools(i)) continue;
    for (std::uint32_t other = 0; other < pools_.size(); ++other) {
      if (other == pool.index) continue;
      terms_changed({other});
      if (less) look_after({other}, Duration{0}, turn.of_section(sections_.count()));
    }
  }
}

/// What an environment may have in all changes by what it has of one pool.
void JobQueues::changed_elsewhere(PoolId than, bool more) {
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    if (pool == than.index) continue;
    terms_changed({pool});
    if (more) touch({pool});
  }
}

void JobQueues::terms_changed(PoolId pool) {
  for (std::size_t i = 0; i < sections_.count(); ++i) sections_.algorithm(i).terms_changed(pool);
}

JobQueues::Pool& JobQueues::pool_of(PoolId pool, const Turn& turn) {
  while (pool.index >= pools_.size()) {
    const PoolId next{static_cast<std::uint32_t>(pools_.size())};
    const bool has_capacity = next.index < turn.fleet.pool_count();
    usage_.add_pool(has_capacity ? turn.fleet.capacity(next) : 0);
    const auto& known = turn.fleet.directory().pools;
    const Quota quota = next.index < known.size() ? quota_of(known[next.index]) : Quota{};
    pools_.push_back({.too_large = {}, .limits = refused_.add_pool(quota)});
  }
  return pools_[pool.index];
}

void JobQueues::touch(PoolId pool) {
  if (pools_[pool.index].touched) return;
  pools_[pool.index].touched = true;
  touched_.push_back(pool);
}

}  // namespace reeve::policies
