// What a sweep runs: a scenario, the values that it varies, and one cell for each combination.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/design.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

/// A key of the scenario and what it is set to: "policies.alarm.stalled_gpu.period=1m,5m", or a
/// range "=1m..10m" that samples are taken from.
struct Factor {
  std::string path;
  std::vector<std::string> values;  ///< as written; empty: a range
  struct Range {
    double low = 0;
    double high = 0;
    bool is_time = false;   ///< in seconds
    bool is_whole = false;  ///< whole numbers only
    bool is_log = false;    ///< even in the logarithm
  } range;
  /// The value at a place from 0 to 1: of a list, the element there.
  std::string at(double place) const;
  /// Where that value is from the low end (0) to the high end (1), or from the first of a list to
  /// its last.  Values are rounded, so `at` was given another place.
  double place_of(const std::string& value) const;
};

/// Throws UsageError with what is wrong.
Factor read_factor(const std::string& written);

/// Metrics that tables of a sweep need.
inline constexpr std::array<std::string_view, 4> always_kept{"billed_usd", "wasted_usd",
                                                             "guardrail_usd", "jobs_done"};

/// Cell 0 is the scenario as it is; each other one has a value for each factor.
struct SweepPlan {
  std::string file;                              ///< for messages
  std::string name;                              ///< of the scenario
  std::string folder;                            ///< of its traces
  std::string text;                              ///< of the scenario
  std::map<std::string, std::string> inputs;     ///< SHA-256 of each trace, by path in `folder`
  std::vector<std::string> factors;              ///< paths
  std::vector<std::vector<std::string>> cells;   ///< by cell, then factor
  std::vector<experiments::DesignPoint> points;  ///< of a sampled design, by cell from 1 on
  std::vector<std::string> policies;             ///< the first one or `none` is the baseline
  std::string baseline;
  std::vector<std::string> metrics;
  std::uint64_t seed = 1;
  std::uint32_t runs = 1;
  bool is_random = false;  ///< in any cell
  std::size_t cells_per_shard = 1;

  std::size_t shards() const { return (cells.size() + cells_per_shard - 1) / cells_per_shard; }
  /// "period 1m, datapoints 3"; "as in the file" of cell 0.
  std::string words(std::size_t cell) const;
};

experiments::DesignPoint places_of(const std::vector<Factor>& factors,
                                   const std::vector<std::string>& cell);

/// All combinations of the values of the factors, the last one varying fastest.
std::vector<std::vector<std::string>> grid(const std::vector<Factor>& factors);

/// What the file has at the path; empty: nothing.  Throws UsageError for a path that leads nowhere.
std::string value_in_file(const SweepPlan& plan, const std::string& path);
/// The text of the scenario of a cell.  Throws UsageError for a path that leads nowhere.
std::string cell_text(const SweepPlan& plan, std::size_t cell);
/// The scenario of a cell, with the seed and runs of the plan and without expectations.  Throws
/// InputError, which names the cell.
scenarios::Scenario cell_scenario(const SweepPlan& plan, std::size_t cell);

/// As kept in `plan.json`; reading throws UsageError if it is not of this version of reeve.
std::string plan_json(const SweepPlan& plan);
SweepPlan read_plan(const std::string& text, const std::string& file);

}  // namespace reeve::app
