#include "experiments/counterfactual.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace reeve::experiments {
namespace {

using Key = std::pair<policy::JobId, policy::AttemptNumber>;

std::map<Key, const models::AttemptRow*> attempts_of(const models::Record& record) {
  std::map<Key, const models::AttemptRow*> attempts;
  for (const models::AttemptRow& row : record.attempts) attempts[{row.job, row.number}] = &row;
  return attempts;
}

bool is_done_stop(const DecisionRow& row) {
  return std::holds_alternative<policy::StopJob>(row.verb) && row.verdict == "accepted" &&
         row.outcome == "done";
}

/// One that waited for reserved machines had none.
bool held_reserved(const models::World& world, const models::AttemptRow& attempt) {
  return attempt.had_machines() && policy::is_reserved(world.pools[attempt.pool.index].market);
}

/// Whether reserved machines are all that either had: they are paid for anyway.
bool only_reserved(const models::World& world, const models::AttemptRow& a,
                   const models::AttemptRow& b) {
  const bool a_held = held_reserved(world, a);
  const bool b_held = held_reserved(world, b);
  return (a_held && (b_held || !b.had_machines())) || (b_held && !a.had_machines());
}

/// Of the pool it ran in, whichever it had asked for; nothing in a reserved one, which is paid for
/// anyway.  Where the price moves, that of the mean from the first billed second to the end: when
/// an interrupted attempt was away is not in its row.
models::Charge charge_of(const models::World& world, const models::AttemptRow& attempt,
                         std::uint32_t instances) {
  const models::Pool& pool = world.pools[attempt.pool.index];
  if (!attempt.had_machines() || held_reserved(world, attempt)) return 0;
  if (pool.prices.empty() || attempt.billed_from >= attempt.end) {
    return models::charge(pool.price, instances, attempt.billed);
  }
  const policy::Duration begin = attempt.billed_from - world.start;
  const policy::Duration end = attempt.end - world.start;
  const models::Charge whole = models::cost(pool.prices, begin, end) * instances;
  return whole / (end - begin).count() * attempt.billed.count();
}

}  // namespace

scenarios::PolicySpec in_shadow(const scenarios::PolicySpec& policy, std::string_view label) {
  scenarios::PolicySpec changed = policy;
  for (scenarios::SeatSpec& seat : changed.seats) {
    if (seat.label == label) seat.mode = host::Mode::shadow;
  }
  return changed;
}

std::optional<Otherwise> run_without(const scenarios::Scenario& scenario,
                                     const scenarios::PolicySpec& policy, const RunOptions& options,
                                     const RunResult& result, const DecisionRow& decision) {
  RunOptions again;
  again.keep.attempts = true;
  again.interrupted = options.interrupted;
  again.undone = {decision.id};
  const RunResult other = run(scenario, policy, result.replication, again);
  if (other.record.partial) return std::nullopt;
  const std::size_t job = decision.job.index;
  const models::JobRow& mine = result.record.job_rows[job];
  const models::JobRow& theirs = other.record.job_rows[job];
  Otherwise otherwise;
  const auto attempts = attempts_of(other.record);
  const auto attempt = attempts.find({decision.job, decision.attempt});
  if (attempt != attempts.end()) otherwise.attempt_end = attempt->second->end;
  if (theirs.status == policy::Primary::completed) otherwise.done_at = theirs.end;
  otherwise.job_more = models::to_usd(theirs.billed) - models::to_usd(mine.billed);
  otherwise.all_more =
      models::to_usd(other.record.ledger.billed()) - models::to_usd(result.record.ledger.billed());
  return otherwise;
}

void price_stops(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
                 const RunOptions& options, RunResult& result) {
  std::set<std::string> rules;
  for (const DecisionRow& row : result.decisions) {
    if (is_done_stop(row)) rules.insert(row.rule);
  }
  const auto with = attempts_of(result.record);
  for (const std::string& rule : rules) {
    RunOptions quiet;
    quiet.keep.attempts = true;
    quiet.interrupted = options.interrupted;
    const RunResult other = run(scenario, in_shadow(policy, rule), result.replication, quiet);
    if (other.record.partial) return;
    const auto without = attempts_of(other.record);
    for (DecisionRow& row : result.decisions) {
      if (row.rule != rule || !is_done_stop(row)) continue;
      const auto mine = with.find({row.job, row.attempt});
      const auto theirs = without.find({row.job, row.attempt});
      if (mine == with.end() || theirs == without.end()) continue;
      const models::JobSpec& job = result.record.jobs.specs[row.job.index];
      row.if_not = {.until = theirs->second->end,
                    .longer = theirs->second->billed - mine->second->billed,
                    .more = {}};
      const models::World& world = scenario.world;
      if (only_reserved(world, *mine->second, *theirs->second)) continue;
      row.if_not->more = models::to_usd(charge_of(world, *theirs->second, job.instances) -
                                        charge_of(world, *mine->second, job.instances));
    }
  }
}

}  // namespace reeve::experiments
