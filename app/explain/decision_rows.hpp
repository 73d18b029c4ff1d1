// The rows of the table `decisions`: what each decision of a run rested on and lost against.
#pragma once

#include <string>
#include <vector>

#include "experiments/run.hpp"
#include "models/world.hpp"
#include "report/run_rows.hpp"

namespace reeve::app {

/// `seats`: labels in the host's order.
std::vector<report::DecisionRow> decision_rows(const models::World& world,
                                               const experiments::RunResult& result,
                                               const std::vector<std::string>& seats);

}  // namespace reeve::app
