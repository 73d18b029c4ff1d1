// The table of groups of jobs: who waits, by owner or by what a tag says (`--by tier`).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/study.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// The word for owners in `--by`; every other is the key of a tag.
inline constexpr std::string_view by_owner = "owner";

/// Throws UsageError if no job of the scenario has such a tag.
void check_grouping(const scenarios::Scenario& scenario, const std::string& by);

/// Adds a run to what each group of jobs came to.
void add_groups(const scenarios::Scenario& scenario, const experiments::RunResult& result,
                const std::string& by, std::vector<GroupNumbers>& groups);

/// Means over the runs in which each number came to be, and how even the slowdowns are.
std::optional<report::Table> group_table(const std::string& by,
                                         const std::vector<const PolicyNumbers*>& policies);

}  // namespace reeve::app
