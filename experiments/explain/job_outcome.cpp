#include "experiments/explain/job_outcome.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace reeve::experiments {
namespace {

const std::string& label_of(const RunResult& result, policy::SeatId seat) {
  return result.seats[seat.index].label;
}

/// The stop of this job by a call about another job, if the alarm of that job has this job's name.
/// Null: there is none.
const models::StopRow* mistaken_stop(const RunResult& result, policy::JobId job,
                                     const DecisionRow& call) {
  const auto* verb = std::get_if<policy::StopJob>(&call.verb);
  if (verb == nullptr || verb->found_by != policy::FoundBy::alarm_name) return nullptr;
  const auto found = std::ranges::find_if(result.record.stops, [&](const models::StopRow& stop) {
    return stop.job == job && stop.meant != stop.job && stop.meant == call.job &&
           stop.decided == call.at && label_of(result, stop.seat) == call.rule;
  });
  return found == result.record.stops.end() ? nullptr : &*found;
}

/// The stops that ended attempts of the job.
std::map<policy::AttemptNumber, const models::StopRow*> stops_of(const models::Record& record,
                                                                 policy::JobId job) {
  std::map<policy::AttemptNumber, const models::StopRow*> stops;
  for (const models::StopRow& stop : record.stops) {
    if (stop.job == job) stops[stop.attempt] = &stop;
  }
  return stops;
}

std::vector<JobDecision> decisions_about(const RunResult& result, policy::JobId job) {
  const auto stops = stops_of(result.record, job);
  // A stop that came after the end of its attempt is accepted like any other and stops nothing.
  // Nor does one in the last instant of the run.
  const auto has_ended = [&](const DecisionRow& row) {
    const auto stop = stops.find(row.attempt);
    return std::holds_alternative<policy::StopJob>(row.verb) && row.verdict == "accepted" &&
           !row.outcome.empty() && stop != stops.end() && stop->second->decided == row.at &&
           label_of(result, stop->second->seat) == row.rule;
  };
  std::vector<JobDecision> decisions;
  for (const DecisionRow& row : result.decisions) {
    JobDecision decision{.row = row};
    if (row.job != job) {
      const models::StopRow* mistaken = mistaken_stop(result, job, row);
      if (mistaken == nullptr) continue;
      decision.meant = row.job;
      decision.row.job = job;
      decision.row.attempt = mistaken->attempt;
      decision.row.outcome = "done";  // the call had no effect on the job that was meant
    }
    decision.ended_attempt = has_ended(decision.row);
    decisions.push_back(std::move(decision));
  }
  return decisions;
}

bool changes_job(const JobDecision& decision) {
  const DecisionRow& row = decision.row;
  const bool changes = std::holds_alternative<policy::CloneJob>(row.verb) ||
                       std::holds_alternative<policy::LimitRuntime>(row.verb) ||
                       std::holds_alternative<policy::PlaceJob>(row.verb);
  return decision.ended_attempt || (changes && row.verdict == "accepted" && row.outcome == "done");
}

std::vector<AttemptBill> bills_of(const scenarios::Scenario& scenario, const models::Record& record,
                                  policy::JobId job) {
  struct Sum {
    models::UseCharges uses{};
    models::Charge whole = 0;
  };
  std::map<policy::AttemptNumber, Sum> sums;
  for (const models::LedgerLine& line : record.ledger_lines) {
    if (line.job != job) continue;
    Sum& sum = sums[line.attempt];
    sum.uses[static_cast<std::size_t>(line.use)] += line.amount;
    sum.whole += line.amount;
  }
  std::vector<AttemptBill> bills;
  for (const models::AttemptRow& attempt : record.attempts) {
    if (attempt.job != job) continue;
    AttemptBill& bill = bills.emplace_back();
    bill.number = attempt.number;
    bill.end = attempt.end;
    bill.reason = attempt.reason;
    bill.had_machines = attempt.had_machines();
    bill.reserved =
        bill.had_machines && policy::is_reserved(scenario.world.pools[attempt.pool.index].market);
    bill.uses = sums[attempt.number].uses;
    bill.billed = models::to_usd(sums[attempt.number].whole);
  }
  std::ranges::sort(bills, {}, &AttemptBill::number);
  return bills;
}

/// The lowest limit that a rule set for the attempt; null: none did.
const DecisionRow* lowest_limit(const JobOutcome& outcome, policy::AttemptNumber attempt) {
  const auto limit = [](const DecisionRow& row) {
    return std::get<policy::LimitRuntime>(row.verb).limit;
  };
  const DecisionRow* lowest = nullptr;
  for (const DecisionRow& row : outcome.changes) {
    const bool limits = std::holds_alternative<policy::LimitRuntime>(row.verb);
    if (!limits || row.attempt != attempt) continue;
    if (lowest == nullptr || limit(row) < limit(*lowest)) lowest = &row;
  }
  return lowest;
}

}  // namespace

const AttemptBill* JobOutcome::attempt(policy::AttemptNumber number) const {
  const auto found = std::ranges::find(attempts, number, &AttemptBill::number);
  return found == attempts.end() ? nullptr : &*found;
}

std::optional<policy::JobId> job_named(const models::Jobs& jobs, std::string_view name) {
  for (std::uint32_t index = 0; index < jobs.specs.size(); ++index) {
    if (jobs.name({index}) == name) return policy::JobId{index};
  }
  return std::nullopt;
}

JobOutcome job_outcome(const scenarios::Scenario& scenario, const RunResult& result,
                       policy::JobId job) {
  JobOutcome outcome;
  outcome.job = job;
  outcome.attempts = bills_of(scenario, result.record, job);
  outcome.decisions = decisions_about(result, job);
  for (const JobDecision& decision : outcome.decisions) {
    const DecisionRow& row = decision.row;
    if (changes_job(decision)) outcome.changes.push_back(row);
    if (!decision.ended_attempt) continue;
    outcome.stops.push_back({row.at, row.attempt, std::string{row.rule}});
  }
  outcome.run_end = scenario.world.end;
  outcome.run_billed = models::to_usd(result.record.ledger.billed());
  return outcome;
}

std::vector<RuleStop> endings_by_rules(const JobOutcome& outcome) {
  std::vector<RuleStop> endings = outcome.stops;
  for (const AttemptBill& bill : outcome.attempts) {
    if (bill.reason != models::EndReason::max_runtime) continue;
    const DecisionRow* limit = lowest_limit(outcome, bill.number);
    if (limit != nullptr) endings.push_back({bill.end, bill.number, std::string{limit->rule}});
  }
  std::ranges::stable_sort(endings, {}, &RuleStop::attempt);
  return endings;
}

}  // namespace reeve::experiments
