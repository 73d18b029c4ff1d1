// All that `reeve explain` finds out about one job: its run, and runs with one thing changed.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/counterfactual.hpp"
#include "experiments/explain/job_outcome.hpp"
#include "experiments/explain/nearest_changes.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::experiments {

/// Which job of which run.
struct JobQuestion {
  std::string job;
  const scenarios::PolicySpec* policy = nullptr;
  std::uint32_t replication = 0;
};

/// A decision, and the run without it or with something else in its place.
struct OtherRun {
  DecisionRow decision;
  std::string instead;  ///< "on spot-b"; empty: nothing
  Otherwise outcome;
};

struct JobExplanation {
  RunResult result;
  JobOutcome outcome;
  std::vector<OtherRun> without;  ///< each of the first decisions that changed the job
  std::vector<OtherRun> instead;  ///< of these, by decision
  std::optional<NearestChanges> nearest;
  bool partial = false;  ///< interrupted: what follows is missing
};

/// The scenario must have the job.  Stops early when `interrupted` is set.
JobExplanation explain_job(const scenarios::Scenario& scenario, const JobQuestion& question,
                           const std::atomic<bool>* interrupted);

}  // namespace reeve::experiments
