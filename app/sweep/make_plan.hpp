// The plan of a sweep that a command line requests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/study/study_arguments.hpp"
#include "app/sweep/sweep_plan.hpp"
#include "app/sweep/sweep_tables.hpp"

namespace reeve::app {

inline constexpr std::size_t most_cells = 100'000;

/// As typed.
struct SweepRequest {
  StudyArguments study;
  std::vector<std::string> sets;
  std::string sample;
  std::string baseline;
  std::string objective;
  std::vector<std::string> metrics;
};

/// The whole plan, each value of a factor checked by itself.  Throws UsageError and InputError.
SweepPlan make_plan(const SweepRequest& request, const Console& console);
/// The same with cell 0 alone.
SweepPlan plan_of_file(const SweepRequest& request, const std::vector<Factor>& factors,
                       const Console& console);
std::vector<Factor> factors_of(const SweepRequest& request);
/// Every value by itself must give a valid scenario, and each cell as far as that takes 20 s: a
/// long sweep must not fail in its last cell.  Finds whether any is random: else one run is enough.
void check_values(SweepPlan& plan, const std::vector<Factor>& factors);

/// `written`: METRIC or max:METRIC; empty: the default.  Throws UsageError with the nearest name.
Objective objective_of(const std::string& written, const SweepPlan& plan);

/// Throws UsageError if it cannot be read.
std::string text_of(const std::filesystem::path& path);

}  // namespace reeve::app
