// What identifies a run, for the tables and timelines that have it.
#pragma once

#include "experiments/run.hpp"
#include "report/run_rows.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

report::RunInfo run_info(const scenarios::Scenario& scenario, const experiments::RunResult& result);

}  // namespace reeve::app
