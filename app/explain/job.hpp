// Prints what there is to say about one job under one policy: what happened, what was decided, what
// it cost, and what it would have cost otherwise.
#pragma once

#include <string>

#include "app/console.hpp"
#include "experiments/explain/job_explanation.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

/// Whether a run of the scenario has a job of that name.
bool has_job(const scenarios::Scenario& scenario, const std::string& job,
             std::uint32_t replication);

/// Runs the policy, and runs with one thing changed.  Prints the story; returns the exit code.
int explain_job(const scenarios::Scenario& scenario, const experiments::JobQuestion& question,
                const Console& console);

}  // namespace reeve::app
