// One job of one run as a list of moments, and what each of its attempts cost.
#pragma once

#include <string>
#include <vector>

#include "experiments/explain/job_outcome.hpp"
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

/// Moments by time.
struct JobStory {
  experiments::JobOutcome outcome;
  std::vector<Moment> moments;
};

/// The run must have kept everything, decisions too.
JobStory tell(const scenarios::Scenario& scenario, const experiments::RunResult& result,
              policy::JobId job);

/// Since the start of the clock: "01:16:02", "72:00:00".
std::string clock_text(policy::Duration since_start);

}  // namespace reeve::app
