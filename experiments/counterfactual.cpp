#include "experiments/counterfactual.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "host/enum_names.hpp"

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

/// What each attempt was billed, for the machines that it really had and at the prices of each
/// hour; reserved ones are paid for anyway.
std::map<Key, models::Charge> charges_of(const models::World& world, const models::Record& record) {
  std::map<Key, models::Charge> charges;
  for (const models::LedgerLine& line : record.ledger_lines) {
    if (line.attempt == 0 || policy::is_reserved(world.pools[line.pool.index].market)) continue;
    charges[{line.job, line.attempt}] += line.amount;
  }
  return charges;
}

models::Charge charge_of(const std::map<Key, models::Charge>& charges, const Key& attempt) {
  const auto charge = charges.find(attempt);
  return charge == charges.end() ? 0 : charge->second;
}

/// Of the job and of all, as far as the decision's attempt and job go.
Otherwise difference(const RunResult& result, const RunResult& other, const DecisionRow& decision) {
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

/// What became of the first of the deeds that was not done; empty: all were.
std::string failure(const RunResult& other, std::size_t deeds) {
  std::size_t done = 0;
  for (const DecisionRow& row : other.decisions) {
    if (row.reason != instead_reason) continue;
    if (row.verdict != "accepted") return fmt::format("refused: {}", row.why);
    const bool saves = std::holds_alternative<policy::SaveCheckpoint>(row.verb);
    if (saves && row.outcome == host::name_of(policy::Outcome::refused)) {
      return "refused: an attempt saves only while it trains and if its checkpoints persist";
    }
    if (row.outcome != "done")
      return row.outcome.empty() ? "no outcome before the run ended" : std::string{row.outcome};
    ++done;
  }
  return done < deeds ? "the run ended first" : "";
}

}  // namespace

std::optional<Otherwise> run_without(const scenarios::Scenario& scenario,
                                     const scenarios::PolicySpec& policy, const RunOptions& options,
                                     const RunResult& result, const DecisionRow& decision) {
  RunOptions again;
  again.keep.attempts = true;
  again.interrupted = options.interrupted;
  again.undone = {decision.id};
  const RunResult other = run(scenario, policy, result.replication, again);
  if (other.record.partial) return std::nullopt;
  return difference(result, other, decision);
}

std::optional<Otherwise> run_instead(const scenarios::Scenario& scenario,
                                     const scenarios::PolicySpec& policy, const RunOptions& options,
                                     const RunResult& result, const DecisionRow& decision,
                                     std::vector<Deed> deeds) {
  RunOptions again;
  again.keep.attempts = true;
  again.decisions = true;
  again.interrupted = options.interrupted;
  again.instead = Instead{std::string{decision.rule}, decision.at, decision.verb, std::move(deeds)};
  const RunResult other = run(scenario, policy, result.replication, again);
  if (other.record.partial) return std::nullopt;
  Otherwise otherwise = difference(result, other, decision);
  otherwise.failed = failure(other, again.instead->deeds.size());
  return otherwise;
}

void price_stops(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
                 const RunOptions& options, RunResult& result) {
  std::set<std::string> rules;
  for (const DecisionRow& row : result.decisions) {
    if (is_done_stop(row)) rules.emplace(row.rule);
  }
  if (rules.empty()) return;
  const models::World& world = scenario.world;
  const auto with = attempts_of(result.record);
  const auto charged_with = charges_of(world, result.record);
  for (const std::string& rule : rules) {
    RunOptions quiet;
    quiet.keep.attempts = quiet.keep.ledger = true;
    quiet.interrupted = options.interrupted;
    quiet.stops_left_out = rule;
    const RunResult other = run(scenario, policy, result.replication, quiet);
    if (other.record.partial) return;
    const auto without = attempts_of(other.record);
    const auto charged_without = charges_of(world, other.record);
    for (DecisionRow& row : result.decisions) {
      if (row.rule != rule || !is_done_stop(row)) continue;
      const Key attempt{row.job, row.attempt};
      const auto mine = with.find(attempt);
      const auto theirs = without.find(attempt);
      if (mine == with.end() || theirs == without.end()) continue;
      row.if_not = {.until = theirs->second->end,
                    .longer = theirs->second->billed - mine->second->billed,
                    .more = {}};
      if (only_reserved(world, *mine->second, *theirs->second)) continue;
      row.if_not->more =
          models::to_usd(charge_of(charged_without, attempt) - charge_of(charged_with, attempt));
    }
  }
}

}  // namespace reeve::experiments
