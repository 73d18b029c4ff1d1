// The story of one job under one policy: what happened, what was seen, what was decided, what it
// cost, and what it would have cost otherwise.
#pragma once

#include <string>

#include "app/console.hpp"
#include "scenarios/load/scenario.hpp"

namespace reeve::app {

/// Which story.
struct JobQuestion {
  std::string job;
  const scenarios::PolicySpec* policy = nullptr;
  std::uint32_t replication = 0;
};

/// Whether a run of the scenario has a job of that name.
bool has_job(const scenarios::Scenario& scenario, const std::string& job,
             std::uint32_t replication);

/// Runs the policy, and for the counterfactual again with the rule that acted in shadow.
/// Prints the story; returns the exit code.
int explain_job(const scenarios::Scenario& scenario, const JobQuestion& question,
                const Console& console);

}  // namespace reeve::app
