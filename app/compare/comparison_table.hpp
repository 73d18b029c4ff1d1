// What `reeve compare` prints: policies side by side, the sentence that sums it up, expectations.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/study/study.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// The policy to compare with: `name` if given (it is one of the study's), else "none", else the
/// first.
std::size_t baseline_of(const Study& study, const std::string& name);

/// One row per policy.  A scenario of one job tells its story; one of many jobs shows means.
/// `next` is the command to name last.
report::Table comparison_table(const Study& study, std::size_t baseline, const std::string& next);

/// The lines that are untrue, with what came out instead and where they stand.
std::vector<std::string> untrue_lines(const Study& study);

/// "gpu-alarm: 17m00s": what came out where a line is untrue, and of how many runs.
std::string actual_text(const Study& study, const Verdict& verdict);

/// The footnote of means of waits where some jobs never started.
inline constexpr std::string_view waits_are_of_started_jobs = "of the jobs that started";

/// "8 instances that no rule can map to a job": still billed at the end; empty if there are none.
std::string unmapped_text(const Study& study, const PolicyNumbers& of);

/// "2 jobs run beyond the end in the log, not in the data: a, b"; empty if there are none.
std::string not_in_data_text(const Study& study, const PolicyNumbers& of);

/// "seed 1, nothing random: 1 run is exact"
std::string draws_text(const Study& study);

/// "4be1…c90a"
std::string short_digest(const std::string& digest);

}  // namespace reeve::app
