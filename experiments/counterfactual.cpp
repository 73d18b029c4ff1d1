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

}  // namespace

scenarios::PolicySpec in_shadow(const scenarios::PolicySpec& policy, std::string_view label) {
  scenarios::PolicySpec changed = policy;
  for (scenarios::SeatSpec& seat : changed.seats) {
    if (seat.label == label) seat.mode = host::Mode::shadow;
  }
  return changed;
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
      const models::JobProfile& profile = scenario.world.profiles[job.profile];
      const models::Pool& pool = scenario.world.pools[profile.pool.index];
      row.if_not = {.until = theirs->second->end,
                    .longer = theirs->second->billed - mine->second->billed,
                    .more = {}};
      if (pool.market == policy::Market::reserved) continue;  // paid for anyway
      row.if_not->more =
          models::to_usd(models::charge(pool.price, job.instances, theirs->second->billed) -
                         models::charge(pool.price, job.instances, mine->second->billed));
    }
  }
}

}  // namespace reeve::experiments
