// The cost of stopped attempts if the rules had not stopped them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

/// Fills `if_not` of every done stop: repeats the replication once for each rule with stops,
/// without its stops; the rule's other actions stay.  `result` must have kept attempts and
/// decisions.  Attempts that do not exist without the rule, and interrupted runs, get no value.
void price_stops(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
                 const RunOptions& options, RunResult& result);

/// The same run without one decision, for the job of that decision.
struct Otherwise {
  /// The reason if the replacement actions failed; empty: they did not, or there were none.
  std::string failed;
  /// End of the attempt that the decision targeted; none if there is no such attempt.
  std::optional<policy::Instant> attempt_end;
  std::optional<policy::Instant> done_at;  ///< of the job; none if it is not done
  policy::Usd job_more;                    ///< billed for the job
  policy::Usd all_more;                    ///< billed in total
};

/// Repeats the replication of `result` without that decision; none if interrupted.  Up to the
/// decision both runs are equal; afterwards all rules may decide differently.  The rule that made
/// the decision cannot compensate: it does not stop that attempt later, and does not clone the job
/// any more.
std::optional<Otherwise> run_without(const scenarios::Scenario& scenario,
                                     const scenarios::PolicySpec& policy, const RunOptions& options,
                                     const RunResult& result, const DecisionRow& decision);

/// Repeats the replication of `result` with `deeds` in place of that decision; none if interrupted.
/// Up to the decision both runs are equal.
std::optional<Otherwise> run_instead(const scenarios::Scenario& scenario,
                                     const scenarios::PolicySpec& policy, const RunOptions& options,
                                     const RunResult& result, const DecisionRow& decision,
                                     std::vector<Deed> deeds);

}  // namespace reeve::experiments
