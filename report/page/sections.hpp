// The sections of the report page, each computed from tables of results.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/page/result_directory.hpp"

namespace reeve::report {

/// Bounds that keep a page small, whatever the number of jobs and policies.
inline constexpr std::size_t most_points = 600;        ///< of one line over time
inline constexpr std::size_t all_points = 20'000;      ///< of all lines over time
inline constexpr std::size_t most_quantiles = 200;     ///< of one distribution
inline constexpr std::size_t all_quantiles = 40'000;   ///< of all distributions
inline constexpr std::size_t most_tiers = 20;          ///< those with most jobs
inline constexpr std::size_t most_jobs = 200;          ///< of one policy in the chart of jobs
inline constexpr std::size_t all_jobs = 1'000;         ///< of all policies there
inline constexpr std::size_t all_parts = 20'000;       ///< of the time of all jobs
inline constexpr std::size_t most_marks = 500;         ///< of one policy in the chart of jobs
inline constexpr std::size_t most_decisions = 2'000;   ///< of all policies
inline constexpr std::size_t most_inputs = 1'500'000;  ///< bytes of what rules saw
inline constexpr std::size_t most_groups = 40;         ///< values of one tag

/// Whether an action is part of any run: it gives way where there is no room for all.
inline bool is_routine(std::string_view action) {
  return action == "start_job" || action == "put_alarm" || action == "delete_alarm" ||
         action == "notify";
}

/// By policy: what it bills, by use.  Means over the runs, in dollars.
nlohmann::ordered_json bill_section(const ResultDirectory& results);
/// By key of a tag and its values: billed and wasted dollars of each policy.  Means over the runs.
nlohmann::ordered_json tag_section(const ResultDirectory& results);
/// Capacity, allocated and used instances over time, in replication 0.
nlohmann::ordered_json usage_section(const ResultDirectory& results);
/// What the time of jobs was, in replication 0: the jobs that waste most.
nlohmann::ordered_json job_section(const ResultDirectory& results);
/// Distributions of times to result and waits, over all runs, by tier.
nlohmann::ordered_json distribution_section(const ResultDirectory& results);
/// How stops are judged, and the delays of those that were right or late.
nlohmann::ordered_json stop_section(const ResultDirectory& results);
/// Decisions with what the rule saw, of replication 0.
nlohmann::ordered_json decision_section(const ResultDirectory& results);

}  // namespace reeve::report
