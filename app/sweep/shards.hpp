// The parts of a sweep: which cells are in each, which are missing, and running them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/console.hpp"
#include "app/sweep/cell_result.hpp"
#include "app/sweep/sweep_plan.hpp"

namespace reeve::app {

struct Range {
  std::size_t first = 0;
  std::size_t last = 0;  ///< behind the last one
};

/// The cells of a shard.
Range cells_of(const SweepPlan& plan, std::size_t shard);

/// Runs the cells that are not kept in `directory`; false: interrupted.  An empty directory keeps
/// none: the results are in `cells`.
bool run_cells(const SweepPlan& plan, Range range, const std::string& directory, unsigned threads,
               const Console& console, std::vector<CellResult>* cells);

/// The cells that have no result; those of all others are added to `cells` unless it is null.
std::vector<std::size_t> missing_in(const std::string& directory, const SweepPlan& plan,
                                    std::vector<CellResult>* cells);

/// The shards of these cells; both are ascending.
std::vector<std::size_t> shards_of(const SweepPlan& plan, const std::vector<std::size_t>& cells);

/// Ascending shards as Slurm takes them: "3,7-9".
std::string shards_text(const std::vector<std::size_t>& shards);

/// The shard at a place from 0 in such a text.  Nothing: there is none, or it is no such text.
std::optional<std::size_t> shard_at(std::string_view text, std::size_t place);

}  // namespace reeve::app
