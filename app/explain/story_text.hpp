// The story of one job in words, one line for each moment.
#pragma once

#include <string>
#include <vector>

#include "experiments/explain/job_story.hpp"

namespace reeve::app {

/// What happened at an instant; `details` are lines below it.
struct StoryLine {
  policy::Instant at;
  policy::AttemptNumber attempt = 1;
  std::string text;
  std::vector<std::string> details;
};

/// As `experiments::job_story` orders them.
std::vector<StoryLine> story_lines(const scenarios::Scenario& scenario,
                                   const experiments::RunResult& result,
                                   const experiments::JobOutcome& outcome);

}  // namespace reeve::app
