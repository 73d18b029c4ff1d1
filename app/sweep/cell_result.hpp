// The numbers of one cell of a sweep, by run, and the file that keeps them.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/sweep/sweep_plan.hpp"
#include "experiments/measures.hpp"

namespace reeve::app {

/// Of a run that lacks the metric.
inline constexpr double no_sample = std::numeric_limits<double>::quiet_NaN();

/// One policy in one cell.
struct PolicyCell {
  std::string digest;                        ///< of the journals of its runs
  std::vector<std::vector<double>> samples;  ///< by metric of the plan, then run; NaN: no value
};

/// Policies are in the order of the plan.
struct CellResult {
  std::vector<PolicyCell> policies;
  std::vector<experiments::Quantity> kinds;  ///< by metric of the plan: dollars, a time, a number
  std::size_t jobs = 0;                      ///< of each run
};

/// Runs the cell.  Nothing if the user interrupts it.  Throws what loading and runs throw.
std::optional<CellResult> run_cell(const SweepPlan& plan, std::size_t cell, unsigned threads,
                                   const Console& console);

/// What the numbers of the cell depend on, as 64 hex digits.
std::string cell_key(const SweepPlan& plan, std::size_t cell);

/// Where a sweep in `directory` keeps the cell.
std::string cell_file(const std::string& directory, std::size_t cell);
/// Puts the file in place whole.  Throws std::runtime_error naming it.
void keep_cell(const std::string& directory, const SweepPlan& plan, std::size_t cell,
               const CellResult& result);
/// Nothing if the file is missing, damaged or of another plan.
std::optional<CellResult> kept_cell(const std::string& directory, const SweepPlan& plan,
                                    std::size_t cell);

}  // namespace reeve::app
