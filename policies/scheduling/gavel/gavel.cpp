#include "gavel.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gavel_rounds.hpp"

namespace reeve::policies {

using namespace policy;

// ---- who is there ------------------------------------------------------------------------------

GavelAccount& Gavel::account(Row& row, PoolId pool) {
  for (GavelAccount& each : row.accounts) {
    if (each.pool == pool) return each;
  }
  return row.accounts.emplace_back(GavelAccount{.pool = pool});
}

JobKind Gavel::kind_of(const Candidate& candidate, const Row& row, const FleetView& fleet) {
  JobKind kind{.instances = candidate.instances};
  if (!fleet.terms(candidate.job).queue) {  // a job without a queue is not moved for others
    kind.speeds.emplace_back(candidate.pool, 1'000'000U);
    return kind;
  }
  for (std::uint32_t index = 0; index < fleet.directory().pools.size(); ++index) {
    const PoolId pool{index};
    const std::uint32_t speed = fleet.speed(candidate.job, pool);
    const bool may_go = speed > 0 && row.barred.count(pool) == 0;
    if (may_go || pool == candidate.pool) kind.speeds.emplace_back(pool, std::max(speed, 1U));
  }
  return kind;
}

/// It stands in a line, or has machines: the programme counts it from now on.
void Gavel::arrive(const Candidate& candidate, const FleetView& fleet, State state) {
  left(candidate.job);
  demands_.count_due(now_);
  Row& row = row_of(candidate.job);
  const JobTerms& terms = fleet.terms(candidate.job);
  row.pool = candidate.pool;
  row.state = state;
  row.since = now_;
  row.submitted = fleet.description(candidate.job).submitted_at;
  row.may_stop = terms.queue && !terms.keeps_machines;
  row.stays = false;
  row.of = &demands_.add(kind_of(candidate, row, fleet));
  const auto& [kind, demand] = *row.of;
  if (demand.id == kinds_.size()) {
    kinds_.push_back({.of = row.of, .pools = std::vector<PoolTurns>(kind.speeds.size())});
  }
  for (std::size_t place = 0; place < kind.speeds.size(); ++place) {
    account(row, kind.speeds[place].first).due -= demand.due[place];
  }
}

void Gavel::left(JobId job) {
  Row& row = row_of(job);
  const State before = std::exchange(row.state, State::nowhere);
  if (before == State::nowhere) return;
  demands_.count_due(now_);
  step_out(job);
  comes_no_more(job);
  const auto& [kind, demand] = *row.of;
  for (std::size_t place = 0; place < kind.speeds.size(); ++place) {
    account(row, kind.speeds[place].first).due += demand.due[place];
  }
  if (before == State::has) {
    account(row, row.pool).had += std::max<std::int64_t>(whole_ms(now_ - row.since), 0);
  }
  leaves_no_more(row);
  demands_.remove(*row.of);
  row.asked_for = std::nullopt;
  asked_.erase(job);
  if (before == State::waits) --waiting_;
  holding_.erase(job);
}

void Gavel::not_placed(JobId job, bool for_good) {
  Row& row = row_of(job);
  if (!row.asked_for) return;
  const PoolId pool = *std::exchange(row.asked_for, std::nullopt);
  row.goes = std::nullopt;
  if (for_good) row.barred.insert(pool);
  row.sent_from = now_ + model_.round;
  asked_.erase(job);
  comes(job);
}

// ---- who has a turn ----------------------------------------------------------------------------

void Gavel::comes(JobId job) {
  Row& row = rows_[job.index];
  if (row.came > 0) return;
  row.came = ++came_;
  kinds_[row.of->second.id].newcomers.emplace(row.came, job);
}

void Gavel::comes_no_more(JobId job) {
  Row& row = rows_[job.index];
  if (row.came > 0) kinds_[row.of->second.id].newcomers.erase(std::exchange(row.came, 0));
}

/// Its accounts stay as they are until it steps out.
GavelTurn Gavel::turn_of(JobId job, std::size_t place) const {
  const Row& row = rows_[job.index];
  const PoolId pool = row.of->first.speeds[place].first;
  const auto known = std::find_if(row.accounts.begin(), row.accounts.end(),
                                  [&](const GavelAccount& each) { return each.pool == pool; });
  return {known->due, known->had, row.submitted, job};
}

void Gavel::line_up(JobId job) {
  Row& row = rows_[job.index];
  if (!row.slots.empty()) return;
  std::vector<PoolTurns>& pools = kinds_[row.of->second.id].pools;
  for (std::size_t place = 0; place < pools.size(); ++place) {
    row.slots.push_back(pools[place].insert(turn_of(job, place)));
  }
}

void Gavel::step_out(JobId job) {
  Row& row = rows_[job.index];
  std::vector<PoolTurns>& pools = kinds_[row.of->second.id].pools;
  for (std::size_t place = 0; place < row.slots.size(); ++place) {
    pools[place].erase(turn_of(job, place), row.slots[place]);
  }
  row.slots.clear();
}

// ---- what is due -------------------------------------------------------------------------------

/// X / f; who had nothing yet is the most urgent, who is due nothing the least.
double Gavel::urgency(std::int64_t due, std::int64_t had) const {
  if (due <= 0) return 0;
  if (had <= 0) return std::numeric_limits<double>::max();
  return static_cast<double>(due) / static_cast<double>(had);
}

/// `due`: what its kind is due there to the end of the round.
GavelEntry Gavel::entry_of(JobId job, std::size_t place, std::int64_t due) const {
  const Row& row = rows_[job.index];
  const auto& [pool, speed] = row.of->first.speeds[place];
  const GavelTurn turn = turn_of(job, place);
  const bool holds = row.state == State::has && pool == row.pool;
  const std::int64_t had = turn.pace + (holds ? whole_ms(now_ - row.since) : 0);
  const std::int64_t its = due > 0 ? turn.offset + due : 0;
  return {urgency(its, had), its, row.submitted, speed, job, pool};
}

void Gavel::add_entries(JobId job, std::vector<GavelEntry>& to) const {
  const Row& row = rows_[job.index];
  const auto& [kind, demand] = *row.of;
  for (std::size_t place = 0; place < kind.speeds.size(); ++place) {
    if (!may_go(row, kind.speeds[place].first)) continue;
    to.push_back(entry_of(job, place, due_of(demand, place)));
  }
}

std::unique_ptr<Algorithm> gavel(const GavelModel& model) {
  return std::make_unique<Gavel>(model);
}

}  // namespace reeve::policies
