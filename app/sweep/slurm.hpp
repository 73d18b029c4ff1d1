// Runs the parts of a sweep as an array job of Slurm, until none is missing.
#pragma once

#include <string>

#include "app/console.hpp"
#include "app/sweep/sweep_plan.hpp"

namespace reeve::app {

/// Submits the missing shards, watches their results and submits again what is missing once Slurm
/// has nothing of them: a node or the controller may have lost it.  Results count, not what the
/// queue says.  False: interrupted, and the job is cancelled.  `options`: of sbatch.  Throws
/// std::runtime_error if Slurm takes no job for ten minutes, or three jobs in a row finish no cell.
bool finish_on_slurm(const std::string& directory, const SweepPlan& plan,
                     const std::string& options, const Console& console);

}  // namespace reeve::app
