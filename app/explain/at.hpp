// Why a job waits at an instant: who is ahead of it, and what would have let it run sooner; and the
// whole line of a queue or fleet at that instant.
#pragma once

#include <string>

#include "app/console.hpp"
#include "experiments/explain/run_at_instant.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

struct WaitQuestion {
  std::string id;  ///< a job, a queue or a fleet
  experiments::InstantQuestion instant;
};

/// Whether the scenario has a queue or fleet of that name.
bool has_line(const scenarios::Scenario& scenario, const std::string& name);

/// Runs the policy, and for a job that waits once for each thing that might have let it run.
/// Returns the exit code.
int explain_at(const scenarios::Scenario& scenario, const WaitQuestion& question,
               const Console& console);

}  // namespace reeve::app
