// Runs settings one by one, each chosen by what is known of those before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/sweep/cell_result.hpp"
#include "app/sweep/sweep_numbers.hpp"
#include "app/sweep/sweep_plan.hpp"
#include "app/sweep/sweep_tables.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// "false_stops <= 0.5": of the mean over the runs.
struct Limit {
  std::string metric;
  std::string text;  ///< as written
  double value = 0;  ///< in dollars, seconds, or a number
  bool is_most = true;
};

/// Throws UsageError for what is no limit.
std::vector<Limit> limits_of(const std::vector<std::string>& written);

struct TuneBudget {
  std::uint64_t runs = 0;
  unsigned threads = 1;
};

struct Tuned {
  SweepPlan plan;  ///< with a cell for each setting that was run
  std::vector<CellResult> cells;
  std::optional<std::size_t> best;  ///< a cell; nothing: none keeps the limits
  /// The file and the best cell with another seed, which had no part in the choice.
  SweepPlan fresh_plan = {};
  std::vector<CellResult> fresh = {};
  bool is_interrupted = false;
};

/// Throws what loading and runs throw.
Tuned tune_cells(SweepPlan plan, const std::vector<Factor>& factors, const Objective& objective,
                 const std::vector<Limit>& limits, TuneBudget budget, const Console& console);

/// The best settings first; the closing lines name the best one, and how sure that is.
report::Table tuned_table(const SweepNumbers& numbers, const Tuned& tuned,
                          const Objective& objective, const std::vector<Limit>& limits);

}  // namespace reeve::app
