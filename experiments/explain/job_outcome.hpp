// What rules did to one job of a run, and what each of its attempts cost.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/run.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::experiments {

/// One attempt with its bill.
struct AttemptBill {
  policy::AttemptNumber number = 1;
  policy::Instant end;
  models::EndReason reason = models::EndReason::completed;
  bool had_machines = false;
  bool reserved = false;  ///< its instances were reserved, which are paid for anyway
  policy::Usd billed;
  models::UseCharges uses{};
};

/// A decision about the job, or a stop of another job that stopped this one.
struct JobDecision {
  DecisionRow row;                                    ///< as if of this job
  std::optional<policy::JobId> meant = std::nullopt;  ///< the other job
  bool ended_attempt = false;                         ///< a stop that ended its attempt
};

/// The stop, or the limit, of a rule that ended an attempt.
struct RuleStop {
  policy::Instant at;
  policy::AttemptNumber attempt = 1;
  std::string rule;  ///< label of the seat
};

/// Attempts by number, decisions in order.
struct JobOutcome {
  policy::JobId job;
  std::vector<AttemptBill> attempts;
  std::vector<JobDecision> decisions;
  std::vector<DecisionRow> changes;  ///< decisions that changed the job, other than its start
  std::vector<RuleStop> stops;       ///< that ended an attempt
  policy::Instant run_end;           ///< the end of the clock
  policy::Usd run_billed;            ///< for all jobs, and what belongs to none

  /// Null: the job has no such attempt.
  const AttemptBill* attempt(policy::AttemptNumber number) const;
};

/// The job of that name in the run; none: there is none.
std::optional<policy::JobId> job_named(const models::Jobs& jobs, std::string_view name);

/// The run must have kept its attempts, ledger and decisions.
JobOutcome job_outcome(const scenarios::Scenario& scenario, const RunResult& result,
                       policy::JobId job);

/// `stops`, and the limits of rules that the platform enforced, by attempt.
std::vector<RuleStop> endings_by_rules(const JobOutcome& outcome);

}  // namespace reeve::experiments
