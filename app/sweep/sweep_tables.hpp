// The tables of a sweep: its cells, the effect of each factor, and the heat map of two factors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/sweep/sweep_numbers.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// Which metric decides, and whether more of it is better.
struct Objective {
  std::string metric;
  bool is_most = false;
};

/// One row for each cell and policy; the closing line names the best one.
report::Table cells_table(const SweepNumbers& numbers, const Objective& objective);
/// One row for each policy, factor and value: how much it moves the objective (tornado).
report::Table effects_table(const SweepNumbers& numbers, const Objective& objective);
/// The objective of one policy over two factors of a grid; nothing for other sweeps.
std::optional<report::Table> heat_map(const SweepNumbers& numbers, std::size_t policy,
                                      const Objective& objective);

/// The cell and policy with the best mean of the objective; nothing: none has a value.
struct BestCell {
  std::size_t cell = 0;
  std::size_t policy = 0;
};
std::optional<BestCell> best_cell(const SweepNumbers& numbers, const Objective& objective);

/// A line that says which cell is best, and how sure that is against the scenario as it is.
std::string best_line(const SweepNumbers& numbers, const Objective& objective);
/// What the changes in the table of effects are against.
std::string_view meaning_of_effects(const SweepPlan& plan);
/// What else to know of the numbers, one line each.
std::vector<std::string> notes_on(const SweepNumbers& numbers);

/// Writes cells.csv, sweep.csv and effects.csv into the directory.
void write_sweep_csv(const std::string& directory, const SweepNumbers& numbers,
                     const Objective& objective);

}  // namespace reeve::app
