// One job of one run as a list of moments, and what each of its attempts cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/run.hpp"
#include "scenarios/load/scenario.hpp"

namespace reeve::app {

/// Something that happened; `details` are lines below it.  At one instant causes precede effects:
/// by attempt, then by `rank`.
struct Moment {
  policy::Instant at;
  policy::AttemptNumber attempt = 1;
  int rank = 0;
  std::string text;
  std::vector<std::string> details;
};

/// One attempt with its bill.
struct AttemptBill {
  policy::AttemptNumber number = 1;
  policy::Origin origin = policy::Origin::person;
  policy::Instant end;
  models::EndReason reason = models::EndReason::completed;
  bool had_machines = false;
  bool reserved = false;  ///< the machines it had: they are paid for anyway
  policy::Usd billed;
  models::UseCharges uses{};
};

/// The stop, or the limit, that ended an attempt.
struct RuleStop {
  policy::Instant at;
  policy::AttemptNumber attempt = 1;
  std::string rule;  ///< label of the seat
  std::uint64_t decision = 0;
};

/// Moments by time.
struct JobStory {
  policy::JobId job;
  std::vector<Moment> moments;
  std::vector<AttemptBill> attempts;
  std::vector<RuleStop> stops;                    ///< of rules, each of which ended its attempt
  std::vector<experiments::DecisionRow> changes;  ///< what rules did to it but start it
  policy::Usd billed;
  policy::Usd wasted;
  policy::Usd run_billed;  ///< for all jobs, and what belongs to none
};

/// What of rules' ended attempts, by attempt: a stop, or a limit that the platform kept for a rule.
std::vector<RuleStop> ended_by(const JobStory& story);

/// The run must have kept everything, decisions too.
JobStory tell(const scenarios::Scenario& scenario, const experiments::RunResult& result,
              policy::JobId job);

/// Since the start of the clock: "01:16:02", "72:00:00".
std::string clock_text(policy::Duration since_start);

}  // namespace reeve::app
