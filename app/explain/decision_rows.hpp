// The rows of the table `decisions`: what each decision of a run rested on and lost against.
#pragma once

#include <vector>

#include "experiments/run.hpp"
#include "models/world.hpp"
#include "report/run_rows.hpp"

namespace reeve::app {

std::vector<report::DecisionRow> decision_rows(const models::World& world,
                                               const experiments::RunResult& result);

}  // namespace reeve::app
