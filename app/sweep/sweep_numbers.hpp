// What a sweep comes to: estimates of each policy in each cell, on the same draws everywhere.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/sweep/cell_result.hpp"
#include "app/sweep/sweep_plan.hpp"
#include "experiments/statistics.hpp"

namespace reeve::app {

/// What the baseline wastes and pays for guardrails beyond the policy, in the same cell.
inline constexpr std::string_view net_saving = "net_saving_usd";

/// How the value of one factor moves a metric of one policy.
struct Effect {
  std::size_t factor = 0;
  std::string value;             ///< of a sampled design: "1m to 10m"
  experiments::Estimate change;  ///< against the scenario as it is, or from end to end
};

class SweepNumbers {
 public:
  /// One result for each cell of the plan.
  SweepNumbers(const SweepPlan& plan, std::vector<CellResult> cells);

  const SweepPlan& plan() const { return plan_; }
  std::size_t baseline() const { return baseline_; }
  bool is_random() const { return plan_.is_random; }
  /// Whether that number of samples has an interval: one random sample has none.
  bool has_interval(std::size_t samples) const { return samples > 1 || !is_random(); }
  /// Dollars, a time or a number.
  experiments::Quantity kind(std::string_view metric) const;
  /// By run; NaN: no value.  Empty: there is no such metric.
  std::vector<double> samples(std::size_t cell, std::size_t policy, std::string_view metric) const;
  experiments::Estimate estimate(std::size_t cell, std::size_t policy,
                                 std::string_view metric) const;
  /// Against the same policy in cell 0, paired by run.
  experiments::Estimate change(std::size_t cell, std::size_t policy, std::string_view metric) const;
  /// Whether the policy has the same numbers as in cell 0: no key concerns it.
  bool is_unchanged(std::size_t cell, std::size_t policy) const;
  /// Of a grid: one for each value of each factor, the mean over all cells with it against the mean
  /// over all cells; of a single factor against cell 0.  Of a sampled design: one for each factor,
  /// by least squares.
  std::vector<Effect> effects(std::size_t policy, std::string_view metric) const;
  /// Whether each cell and policy (cell x policies + policy) is on the Pareto front of what it
  /// costs and when results are there.  Empty if they do not get the same jobs done.
  const std::vector<bool>& front() const { return front_; }
  /// A hash of all journals.
  std::string digest() const;

 private:
  std::vector<bool> find_front() const;
  std::size_t metric_index(std::string_view metric) const;
  /// By run, over cells.
  std::vector<double> means(const std::vector<std::size_t>& cells, std::size_t policy,
                            std::string_view metric) const;

  const SweepPlan& plan_;
  std::vector<CellResult> cells_;
  std::size_t baseline_ = 0;
  std::vector<bool> front_;
  std::vector<experiments::Quantity> kinds_;  ///< by metric
};

}  // namespace reeve::app
