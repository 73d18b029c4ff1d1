// What the attempts that rules stopped would have cost, had those rules stopped nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

/// Fills `if_not` of every stop that was done: runs the replication again, once for each rule that
/// stopped something, without its stops; whatever else the
/// rule does it does there too.  `result` must have kept attempts and decisions.
/// Attempts that are not there without the rule, and runs that were interrupted, get no value.
void price_stops(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
                 const RunOptions& options, RunResult& result);

/// The same run without one of its decisions, as far as the decision's job goes.
struct Otherwise {
  /// Why what should have been done instead was not; empty: it was, or nothing was to be.
  std::string failed;
  /// End of the attempt that the decision was about; none if there is no such attempt.
  std::optional<policy::Instant> attempt_end;
  std::optional<policy::Instant> done_at;  ///< of the job; none if it is not done
  policy::Usd job_more;                    ///< billed for the job
  policy::Usd all_more;                    ///< billed in all
};

/// Runs the replication of `result` once more without that decision; none if interrupted.  Up to
/// the decision both runs are the same; afterwards whoever decides may decide otherwise, but the
/// rule that made it may not make up for it: it does not stop that attempt later, and clones the
/// job no more.
std::optional<Otherwise> run_without(const scenarios::Scenario& scenario,
                                     const scenarios::PolicySpec& policy, const RunOptions& options,
                                     const RunResult& result, const DecisionRow& decision);

/// Runs the replication of `result` once more with something else in place of that decision; none
/// if interrupted.  Up to there both runs are the same.
std::optional<Otherwise> run_instead(const scenarios::Scenario& scenario,
                                     const scenarios::PolicySpec& policy, const RunOptions& options,
                                     const RunResult& result, const DecisionRow& decision,
                                     std::vector<Deed> deeds);

}  // namespace reeve::experiments
