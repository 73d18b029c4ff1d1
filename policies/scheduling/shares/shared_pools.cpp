#include "shared_pools.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "turn.hpp"

namespace reeve::policies {

using namespace policy;

SharedPools::Pool& SharedPools::pool_of(PoolId id, const FleetView& fleet) {
  if (id.index >= pools_.size()) pools_.resize(std::size_t{id.index} + 1);
  Pool& pool = pools_[id.index];
  if (pool.lines.empty()) {
    pool.round = cycles_.begin_round();
    pool.lines.resize(fleet.directory().shares.size() + 1);
    pool.touched.resize(pool.lines.size());
    std::iota(pool.touched.begin(), pool.touched.end(), 0U);
  }
  return pool;
}

void SharedPools::describe(Row& row, const Candidate& candidate, const FleetView& fleet) {
  const JobTerms& terms = fleet.terms(candidate.job);
  const std::size_t shares = pool_of(candidate.pool, fleet).lines.size() - 1;
  const bool in_share = terms.share && terms.share->index < shares;
  row.share = in_share ? terms.share->index : static_cast<std::uint32_t>(shares);
  row.may_stop = terms.queue && !terms.keeps_machines;
  row.instances = candidate.instances;
  row.pool = candidate.pool;
  row.priority = fleet.description(candidate.job).priority;
  row.place = place(candidate, fleet);
}

/// `times` 1: it has its machines, or is to have them; -1: no longer.
void SharedPools::use(const Row& row, std::int64_t times) {
  Line& line = line_of(row);
  line.used += times * row.instances;
  touch(pools_[row.pool.index], row.share);
  if (!row.may_stop) line.kept += times * row.instances;
}

void SharedPools::line_up(const Row& row) {
  Pool& pool = pools_[row.pool.index];
  touch(pool, row.share);
  pool.largest = std::max(pool.largest, row.instances);
  auto& waiting = pool.lines[row.share].waiting[kind_of(row)];
  waiting.insert(row.place);
  if (*waiting.begin() == row.place || counts_all()) pool.stale = true;
}

void SharedPools::step_out(const Row& row) {
  Pool& pool = pools_[row.pool.index];
  touch(pool, row.share);
  auto& waiting = pool.lines[row.share].waiting;
  const auto kind = waiting.find(kind_of(row));
  if (*kind->second.begin() == row.place || counts_all()) pool.stale = true;
  kind->second.erase(row.place);
  if (kind->second.empty()) waiting.erase(kind);
}

void SharedPools::entered(const Candidate& candidate, const FleetView& fleet) {
  left(candidate.job);
  Row& row = row_of(candidate.job);
  describe(row, candidate, fleet);
  row.state = State::waits;
  line_up(row);
  if (!row.displaced) note_outside_change(row.pool);
}

void SharedPools::left(JobId id) {
  Row& row = row_of(id);
  const State before = std::exchange(row.state, State::nowhere);
  if (before == State::nowhere) return;
  Pool& pool = pools_[row.pool.index];
  if (!row.displaced) note_outside_change(row.pool);
  if (before == State::waits) return step_out(row);
  pool.stale = true;
  if (before == State::has) {
    end_listing(id);
    use(row, -1);
    if (cycles_.takes_part(id, pool.round)) pool.round = cycles_.begin_round();
  }
  if (before == State::promised) revoke(pool, row.promise, false);
  if (before == State::leaves) {
    pool.leaving -= row.instances;
    pool.promises.has_come(row.promise, row.instances);
  }
  if (before == State::has || before == State::leaves) line_of(row).held -= row.instances;
  row.promise = 0;
}

void SharedPools::has_machines(const Candidate& candidate, bool runs, Instant now,
                               const FleetView& fleet) {
  Row& row = row_of(candidate.job);
  if (row.state == State::leaves) return;
  if (row.state != State::has) {
    left(candidate.job);
    describe(row, candidate, fleet);
    row.state = State::has;
    row.displaced = false;
    row.since = now;
    use(row, 1);
    line_of(row).held += row.instances;
    pools_[row.pool.index].stale = true;
    note_outside_change(row.pool);
  }
  if (!runs) return;
  Pool& pool = pools_[row.pool.index];
  pool.stale = pool.stale || may_help(pool, row);
  if (safe_until(candidate.job) <= now) return begin_listing(candidate.job);
  pool.fresh.push_back(candidate.job);
}

void SharedPools::kept(JobId id) {
  Row& row = row_of(id);
  if (row.state != State::leaves) return;
  Pool& pool = pools_[row.pool.index];
  row.state = State::has;
  row.displaced = false;
  pool.stale = true;
  pool.leaving -= row.instances;
  use(row, 1);
  revoke(pool, pool.promises.has_come(std::exchange(row.promise, 0), row.instances), true);
}

void SharedPools::may_lose(JobId id) {
  if (row_of(id).state != State::has) return;
  begin_listing(id);
  pools_[row_of(id).pool.index].stale = true;
}

void SharedPools::terms_changed(PoolId id) {
  if (id.index >= pools_.size()) return;
  pools_[id.index].learned = false;
  pools_[id.index].stale = true;
  note_outside_change(id);
}

void SharedPools::reprioritized(const Candidate& candidate, const FleetView& fleet) {
  const JobId id = candidate.job;
  Row& row = row_of(id);
  const std::int32_t priority = fleet.description(id).priority;
  if (row.state == State::nowhere || priority == row.priority) return;
  const bool waits = row.state == State::waits;
  const bool listed = row.listed;
  pools_[row.pool.index].stale = true;
  note_outside_change(row.pool);
  if (waits) step_out(row);
  if (listed) end_listing(id);
  row.priority = priority;
  row.place.first = -std::int64_t{priority};
  if (listed) begin_listing(id);
  if (waits) line_up(row);
}

/// Who keeps whatever machines it gets has none yet while they are promised.
void SharedPools::begin_listing(JobId id) {
  Row& row = rows_[id.index];
  if ((row.may_stop || is_promised(id)) && !std::exchange(row.listed, true)) list(id);
}

void SharedPools::end_listing(JobId id) {
  if (std::exchange(rows_[id.index].listed, false)) unlist(id);
}

Instant SharedPools::safe_until(JobId id) const {
  const Row& row = this->row(id);
  const int cycles = cycles_.closed(id, pools_[row.pool.index].round);
  return later(row.since, Duration{std::int64_t{1} << cycles});
}

void SharedPools::list_fresh(Pool& pool, Instant now) {
  const auto list_older = [&](std::vector<JobId>& fresh, State state) {
    std::erase_if(fresh, [&](JobId job) {
      const Row& row = rows_[job.index];
      if (row.state != state || &pools_[row.pool.index] != &pool) return true;
      const bool safe = safe_until(job) > now;
      if (!safe) begin_listing(job);
      return !safe;
    });
  };
  list_older(pool.fresh, State::has);
  list_older(pool.let_in, State::promised);
}

/// Ends the promise; its job `waits` again, or is gone.
void SharedPools::revoke(Pool& pool, std::uint32_t number, bool waits) {
  if (const auto job = pool.promises.revoke(number)) no_longer_promised(*job, waits);
}

void SharedPools::no_longer_promised(JobId job, bool waits) {
  end_listing(job);
  Row& row = rows_[job.index];
  use(row, -1);
  no_longer_due(row);
  row.promise = 0;
  if (!waits) return;
  row.state = State::waits;
  line_up(row);
}

void SharedPools::no_longer_due(Row& row) {
  line_of(row).due -= std::exchange(row.due, 0);
}

void SharedPools::choose(std::span<const PoolId> changed, Turn& turn) {
  if (turn.is_closed()) {
    was_closed_ = true;
    return;
  }
  if (std::exchange(was_closed_, false)) {
    for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) note_outside_change({pool});
  }
  const bool together = goes_by_all_pools();
  bool any_stale = false;
  for (const PoolId id : changed) {
    if (!pool_of(id, turn.fleet).stale) continue;
    any_stale = true;
    if (!together) fill(id, turn);
  }
  if (!any_stale || !together) return;
  if (orders_across_pools()) return fill_in_order(turn);
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    if (!pools_[pool].lines.empty()) fill({pool}, turn);
  }
}

/// A job that starts in one pool may have been ahead of one in a pool that was looked at before.
void SharedPools::fill_in_order(Turn& turn) {
  std::vector<PoolId> used;
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    if (!pools_[pool].lines.empty()) used.push_back({pool});
  }
  for (const PoolId id : used) set_too_large_aside(pools_[id.index], id, turn);
  do {
    granted_ = false;
    for (const PoolId id : used) fill(id, turn);
  } while (granted_ && used.size() > 1);
}

void SharedPools::fill(PoolId id, Turn& turn) {
  Pool& pool = pools_[id.index];
  if (!std::exchange(pool.learned, true)) learn(pool, id, turn);
  list_fresh(pool, turn.now);
  take_back(pool, id, turn);
  if (sets_too_large_aside()) set_too_large_aside(pool, id, turn);
  plan(pool, id, turn);
  deliver(pool, id, turn);
  look_at_fresh(pool, id, turn);
}

/// The jobs that are to get these instances get them when the holders are not protected any more:
/// at the next instant, if the plan that was made has ended that.
void SharedPools::look_at_fresh(Pool& pool, PoolId id, Turn& turn) const {
  Instant first = never;
  for (const auto* const fresh : {&pool.fresh, &pool.let_in}) {
    for (const JobId job : *fresh) {
      const Row& row = rows_[job.index];
      if (may_help(pool, row)) first = std::min(first, safe_until(job));
    }
  }
  pool.stale = first != never;
  if (pool.stale) turn.look_after(id, std::max(first - turn.now, Duration{1}));
}

/// Where machines are lost there may be fewer than were promised: the newest promises are off.
void SharedPools::take_back(Pool& pool, PoolId id, const Turn& turn) {
  while (!pool.promises.empty() && turn.free(id) + pool.leaving < pool.promises.sum()) {
    revoke(pool, pool.promises.newest(), true);
  }
}

/// Starts jobs whose instances are available, and reserves what has come for other promises.
void SharedPools::deliver(Pool& pool, PoolId id, Turn& turn) {
  if (pool.promises.empty()) return;
  pool.promises.deliver(
      turn.free(id), [&](JobId job) { return may_have_now(rows_[job.index]); },
      [&](JobId job) { return reserved_from(rows_[job.index], turn); },
      [&](JobId job) {
        end_listing(job);
        Row& row = rows_[job.index];
        no_longer_due(row);
        row.promise = 0;
        start(job, turn);
      });
}

bool SharedPools::may_have_now(const Row& row) const {
  const Line& line = pools_[row.pool.index].lines[row.share];
  return line.may_have_now(row.instances, limit(row.pool, row.share));
}

/// Unused quota of other shares that no share borrows, not even while jobs that owe it leave; also
/// of shares that are scheduled elsewhere.
std::int64_t SharedPools::reserved_from(const Row& row, const Turn& turn) const {
  const Pool& pool = pools_[row.pool.index];
  if (pool.leaving == 0) return 0;
  const auto own_of = [&](std::size_t share) {
    return own(row.pool, static_cast<std::uint32_t>(share));
  };
  return turn.free_but_kept(row.pool) + idle_of_others(pool.lines, row.share, own_of);
}

void SharedPools::start(JobId job, Turn& turn) {
  Row& row = rows_[job.index];
  row.state = State::has;
  row.displaced = false;
  row.since = turn.now;
  line_of(row).held += row.instances;
  turn.start(job);
}

std::int64_t SharedPools::free(const Pool& pool, PoolId id, const Turn& turn) {
  return free_but({}, pool, id, turn);
}

std::int64_t SharedPools::free_but(const KeptForOthers& kept, const Pool& pool, PoolId id,
                                   const Turn& turn) {
  return turn.free(id, kept) + pool.leaving - pool.promises.sum();
}

/// They wait until the pool grows.
void SharedPools::set_too_large_aside(Pool& pool, PoolId id, Turn& turn) {
  const std::int64_t capacity = turn.capacity(id);
  if (pool.largest <= capacity) return;
  pool.largest = static_cast<std::uint32_t>(std::max<std::int64_t>(capacity, 0));
  for (std::uint32_t share = 0; share < pool.lines.size(); ++share) {
    auto& kinds = pool.lines[share].waiting;
    while (!kinds.empty() && kinds.rbegin()->first.instances > capacity) {
      const auto largest = std::prev(kinds.end());
      for (const Waiting& waiting : largest->second) {
        rows_[waiting.job.index].state = State::nowhere;
        turn.set_aside(waiting.job);
      }
      kinds.erase(largest);
      touch(pool, share);
    }
  }
}

void SharedPools::set_aside(JobId job, Turn& turn) {
  step_out(row(job));
  rows_[job.index].state = State::nowhere;
  turn.set_aside(job);
}

void SharedPools::grant(Pool& pool, PoolId id, JobId job, const std::vector<JobId>& victims,
                        Turn& turn) {
  Row& row = rows_[job.index];
  granted_ = true;
  step_out(row);
  use(row, 1);
  const bool is_there =
      turn.free(id) - reserved_from(row, turn) >= row.instances && may_have_now(row);
  if (victims.empty() && pool.promises.empty() && is_there) return start(job, turn);
  row.state = State::promised;
  row.since = turn.now;
  row.promise = pool.promises.make(job, row.instances);
  pool.let_in.push_back(job);
  if (victims.empty()) count_on_surplus(pool, row);
  for (const JobId each : victims) {
    if (is_promised(each)) {
      take_promise(pool, each, row.promise);
      note_preempted(pool, each, job);
      continue;
    }
    const Row& loser = rows_[each.index];
    pool.promises.will_come(row.promise, loser.instances);
    take_away(pool, each, row.promise);
    note_preempted(pool, each, job);
    const bool same = loser.share == row.share;
    turn.preempt(each, same ? PreemptCause::in_share : PreemptCause::reclaim, job);
  }
  row.due = pool.promises.come(row.promise);
  line_of(row).due += row.due;
}

void SharedPools::preempt_surplus(Pool& pool, JobId job, Turn& turn) {
  if (is_promised(job)) return revoke(pool, row(job).promise, true);
  take_away(pool, job, 0);
  pool.surplus.push_back(job);
  turn.preempt(job, PreemptCause::lowered_quota, job);
}

/// Jobs that were preempted for no other one leave for it.
void SharedPools::count_on_surplus(Pool& pool, const Row& row) {
  std::int64_t lacks = row.instances;
  std::erase_if(pool.surplus, [&](JobId job) {
    Row& leaver = rows_[job.index];
    if (leaver.state != State::leaves || leaver.promise != 0) return true;
    if (lacks <= 0) return false;
    lacks -= leaver.instances;
    leaver.promise = row.promise;
    pool.promises.will_come(row.promise, leaver.instances);
    return true;
  });
}

/// Something changed that follows from no preemption: maybe it causes some at this instant.
void SharedPools::note_outside_change(PoolId id) {
  changed_ = now_;
  pools_[id.index].changed = now_;
}

/// A victim that could have been preempted before is preempted because of what changed just now.
void SharedPools::note_preempted(Pool& pool, JobId victim, JobId by) {
  if (!breaks_cycles()) return;
  const Instant changed = goes_by_all_pools() ? changed_ : pool.changed;
  if (changed == now_ && safe_until(victim) < now_) pool.round = cycles_.begin_round();
  cycles_.preempts(by, victim, pool.round);
}

void SharedPools::take_away(Pool& pool, JobId job, std::uint32_t promise) {
  end_listing(job);
  Row& row = rows_[job.index];
  use(row, -1);
  row.state = State::leaves;
  row.displaced = true;
  row.promise = promise;
  pool.leaving += row.instances;
}

void SharedPools::take_promise(Pool& pool, JobId job, std::uint32_t to) {
  pool.promises.hand_over(rows_[job.index].promise, to);
  no_longer_promised(job, true);
}

}  // namespace reeve::policies
