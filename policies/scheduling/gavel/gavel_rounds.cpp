#include "gavel_rounds.hpp"

#include <algorithm>
#include <utility>

namespace reeve::policies {

using namespace policy;

// ---- rounds ------------------------------------------------------------------------------------

void Gavel::choose(std::span<const PoolId>, Turn& turn) {
  if (turn.is_closed()) return;
  const bool begins = since_round() == Duration{0} && round_held_ != now_;
  if (begins) hold_round(turn);
  fill(turn);
  look_again(turn);
}

void Gavel::hold_round(Turn& turn) {
  round_held_ = now_;
  demands_.count_due(now_);
  demands_.solve(turn);
  Rooms room;
  for (const PoolId pool : demands_.pools()) room[pool] = turn.own_and_free(pool);
  const std::vector<JobId> leases = begin_round(room);
  take_turns(room, When::begin);
  end_leases(leases, turn);
}

/// Forgets what was promised, but to those who are on their way.  Who has machines now that others
/// may have.
std::vector<JobId> Gavel::begin_round(Rooms& rooms) {
  for (const JobId job : std::exchange(promised_, {})) {
    Row& row = rows_[job.index];
    if (row.state != State::waits || row.asked_for || !row.goes) continue;
    row.goes = std::nullopt;
    line_up(job);
  }
  for (KindTurns& kind : kinds_) {
    for (const auto& [number, job] : std::exchange(kind.newcomers, {})) {
      Row& row = rows_[job.index];
      row.came = 0;
      if (row.state == State::waits && !row.goes) line_up(job);
    }
    for (std::size_t place = 0; place < kind.pools.size(); ++place) {
      kind.pools[place].begin_round(due_of(kind.of->second, place));
    }
  }
  for (const JobId job : asked_) {
    Row& row = rows_[job.index];
    row.goes = row.asked_for;
    promised_.push_back(job);
    rooms[*row.goes] -= instances(row);
  }
  leases_.clear();
  std::vector<JobId> leases;
  for (const JobId job : holding_) {
    Row& row = rows_[job.index];
    if (row.leaves) {
      if (!row.goes) continue;
      promised_.push_back(job);
      rooms[*row.goes] -= instances(row);
    } else if (!row.may_stop || row.starts || row.stays) {
      rooms[row.pool] -= instances(row);
    } else {
      add_entries(job, leases_);
      leases.push_back(job);
    }
  }
  std::sort(leases_.rbegin(), leases_.rend());
  return leases;
}

/// A job without instances in this round returns those that it has; a job with others moves.
void Gavel::end_leases(const std::vector<JobId>& leases, Turn& turn) {
  std::erase_if(leases_, [this](const GavelEntry& each) { return rows_[each.job.index].goes; });
  std::vector<JobId> losers;
  for (const JobId job : leases) {
    Row& row = rows_[job.index];
    if (row.goes == row.pool) {
      row.goes = std::nullopt;
    } else {
      losers.push_back(job);
    }
  }
  std::erase_if(promised_, [this](JobId job) { return !rows_[job.index].goes; });
  std::map<PoolId, ForWhom> come = who_comes(turn);
  for (const JobId job : losers) {
    Row& row = rows_[job.index];
    row.leaves = true;
    leaving_[row.pool] += instances(row);
    // A job that moves to faster instances may leave for its own sake only.
    turn.preempt(job, PreemptCause::in_share, come[row.pool].leaves(instances(row), job));
  }
}

/// The jobs that have a promise of instances, by pool.
std::map<PoolId, ForWhom> Gavel::who_comes(const Turn& turn) const {
  std::map<PoolId, ForWhom> come;
  for (const PoolId pool : demands_.pools()) {
    const auto leave = leaving_.find(pool);
    come[pool] = ForWhom{turn.free(pool), leave == leaving_.end() ? 0 : leave->second};
  }
  for (const JobId job : promised_) {
    const Row& row = rows_[job.index];
    come[*row.goes].comes(job, instances(row));
  }
  return come;
}

// ---- machines ----------------------------------------------------------------------------------

/// Those that are free or asked back, less those that are promised.
Gavel::Rooms Gavel::rooms(const Turn& turn) const {
  Rooms all = leaving_;
  for (const PoolId pool : demands_.pools()) all[pool] += turn.free(pool);
  for (const JobId job : promised_) {
    const Row& row = rows_[job.index];
    if (row.goes) all[*row.goes] -= instances(row);
  }
  return all;
}

bool Gavel::any(const Rooms& rooms) {
  return std::any_of(rooms.begin(), rooms.end(), [](const auto& each) { return each.second > 0; });
}

/// Who waits has its turn at any time, who has machines when a round begins.
bool Gavel::has_turn(JobId job, When when) const {
  const Row& row = rows_[job.index];
  if (row.goes) return false;
  return row.state == State::waits || (when == When::begin && row.state == State::has);
}

/// Promises the machines, if they are there.
bool Gavel::give(const GavelEntry& entry, Rooms& rooms) {
  Row& row = rows_[entry.job.index];
  std::int64_t& room = rooms[entry.pool];
  if (instances(row) > room) return false;
  room -= instances(row);
  row.goes = entry.pool;
  promised_.push_back(entry.job);
  return true;
}

/// To the next of the stream that may have its turn there; whether there is any.
bool Gavel::find_next(Stream& stream) const {
  const PoolId pool = stream.kind->of->first.speeds[stream.place].first;
  for (auto job = stream.walk.front(); job; job = stream.walk.front()) {
    const Row& row = rows_[job->index];
    if (!row.goes && may_go(row, pool)) {
      const std::int64_t due = stream.kind->pools[stream.place].due();
      stream.first = entry_of(*job, stream.place, due);
      return true;
    }
    stream.walk.pop();
  }
  return false;
}

/// Those in which anybody may fit.
std::vector<Gavel::Stream> Gavel::streams(const Rooms& rooms) const {
  std::vector<Stream> all;
  for (const KindTurns& kind : kinds_) {
    for (std::size_t place = 0; place < kind.pools.size(); ++place) {
      const auto& [of, demand] = *kind.of;
      if (of.instances > room_of(rooms, of.speeds[place].first)) continue;
      Stream stream{PoolTurns::Walk{kind.pools[place]}, &kind, place};
      if (find_next(stream)) all.push_back(std::move(stream));
    }
  }
  return all;
}

/// In the order of the beginning of the round.  Rooms only become smaller: who does not fit once
/// never does.
void Gavel::take_turns(Rooms& rooms, When when) {
  std::vector<Stream> all = streams(rooms);
  std::vector<JobId> given;
  auto lease = leases_.begin();
  while (any(rooms)) {
    std::erase_if(all, [&](Stream& stream) {
      const JobKind& kind = stream.kind->of->first;
      if (kind.instances > room_of(rooms, stream.first.pool)) return true;
      return rows_[stream.first.job.index].goes && !find_next(stream);
    });
    const auto best = std::max_element(
        all.begin(), all.end(), [](const Stream& a, const Stream& b) { return a.first < b.first; });
    while (lease != leases_.end() && !has_turn(lease->job, when)) ++lease;
    const bool is_lease = lease != leases_.end() && (best == all.end() || best->first < *lease);
    if (!is_lease && best == all.end()) break;
    const GavelEntry next = is_lease ? *lease++ : best->first;
    if (give(next, rooms)) given.push_back(next.job);
  }
  for (const JobId job : given) {
    if (rows_[job.index].state == State::waits) step_out(job);
    comes_no_more(job);
  }
}

/// Who came since the round began, the first first.
void Gavel::take_newcomers(Rooms& rooms) {
  std::vector<std::map<std::uint64_t, JobId>::iterator> next;
  for (KindTurns& kind : kinds_) next.push_back(kind.newcomers.begin());
  const auto fits = [&](const JobKind& kind) {
    return std::any_of(kind.speeds.begin(), kind.speeds.end(), [&](const auto& place) {
      return kind.instances <= room_of(rooms, place.first);
    });
  };
  while (any(rooms)) {
    std::optional<std::size_t> first;
    for (std::size_t id = 0; id < kinds_.size(); ++id) {
      if (next[id] == kinds_[id].newcomers.end() || !fits(kinds_[id].of->first)) continue;
      if (!first || next[id]->first < next[*first]->first) first = id;
    }
    if (!first) return;
    const JobId job = (next[*first]++)->second;
    std::vector<GavelEntry> all;
    if (has_turn(job, When::between)) add_entries(job, all);
    std::sort(all.rbegin(), all.rend());
    const auto gives = [&](const GavelEntry& each) { return give(each, rooms); };
    if (all.empty() || std::any_of(all.begin(), all.end(), gives)) comes_no_more(job);
  }
}

/// What became free since the round began is for those who wait; who came since is the last.
void Gavel::fill(Turn& turn) {
  deliver(turn);
  Rooms room = rooms(turn);
  if (waiting_ == 0 || !any(room)) return;
  take_turns(room, When::between);
  take_newcomers(room);
  deliver(turn);
}

/// Gives instances that have become free to the jobs that they are promised to.
void Gavel::deliver(Turn& turn) {
  take_back_promises(turn);
  for (const JobId job : std::exchange(promised_, {})) {
    Row& row = rows_[job.index];
    if (!row.goes) continue;
    const bool is_there = row.state == State::waits && row.pool == *row.goes;
    if (is_there && instances(row) <= turn.free(row.pool)) {
      start(job, turn);
      continue;
    }
    promised_.push_back(job);
    if (is_there || row.state != State::waits || row.asked_for) continue;
    row.asked_for = row.goes;
    asked_.insert(job);
    turn.place(job, *row.goes);
  }
}

/// Of more than there is now the last are not kept.
void Gavel::take_back_promises(const Turn& turn) {
  Rooms room = rooms(turn);
  for (auto job = promised_.rbegin(); job != promised_.rend(); ++job) {
    Row& row = rows_[job->index];
    if (!row.goes || row.asked_for || room[*row.goes] >= 0) continue;
    room[*row.goes] += instances(row);
    row.goes = std::nullopt;
    comes(*job);
  }
}

void Gavel::start(JobId job, Turn& turn) {
  Row& row = rows_[job.index];
  row.goes = std::nullopt;
  row.state = State::has;
  row.starts = true;
  row.since = now_;
  --waiting_;
  holding_.insert(job);
  turn.start(job);
}

/// Rounds go on while anybody waits, could have other machines, or is due more or less than it was.
void Gavel::look_again(Turn& turn) const {
  const bool is_due_otherwise = demands_.is_stale() && !holding_.empty();
  if (waiting_ == 0 && !demands_.any_may_move() && !is_due_otherwise) return;
  turn.look_after(demands_.pools().front(), model_.round - since_round());
}

}  // namespace reeve::policies
