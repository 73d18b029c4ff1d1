// Runs the parts of a sweep as array jobs of Slurm.
#pragma once

#include <string>

#include "app/console.hpp"
#include "app/sweep/sweep_plan.hpp"

namespace reeve::app {

/// As finish_on().  `options`: of sbatch.
bool finish_on_slurm(const std::string& directory, const SweepPlan& plan,
                     const std::string& options, const Console& console);

}  // namespace reeve::app
