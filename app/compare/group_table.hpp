// The table of groups of jobs: waits by owner or by the value of a tag (`--by tier`).
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/study/study.hpp"
#include "experiments/measures.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// The words for owners and, where there are any, shares in `--by`; every other is the key of a
/// tag.
inline constexpr std::string_view by_owner = "owner";
inline constexpr std::string_view by_share = "share";

/// The groups that `--by` asks a table of; none of shares, which always have one.  Throws
/// UsageError if no job of the scenario has such a tag.
std::optional<std::string> grouping(const scenarios::Scenario& scenario, const std::string& by);

/// Adds a run to what each group of jobs came to.
void add_groups(const scenarios::Scenario& scenario, const experiments::RunResult& result,
                const std::string& by, PolicyNumbers& numbers);

/// A number of each row of a table of groups or shares.
struct NumberColumn {
  std::string_view metric;  ///< `share.NAME.mean_wait_s`
  std::string_view title;
  bool always = true;  ///< also where it is 0 for all

  /// `mean_wait_s`
  constexpr std::string_view what() const { return metric.substr(metric.rfind('.') + 1); }
};

std::span<const NumberColumn> group_columns();

/// The places of the columns that stand in the table: all but those which no row of a policy has.
template <class Row>
std::vector<std::size_t> shown_columns(std::span<const NumberColumn> columns,
                                       const std::vector<const PolicyNumbers*>& policies,
                                       std::vector<Row> PolicyNumbers::*rows) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto has_some = [&](const PolicyNumbers* of) {
      return std::any_of((of->*rows).begin(), (of->*rows).end(),
                         [i](const Row& row) { return row.sums[i].sum != 0; });
    };
    if (columns[i].always || std::any_of(policies.begin(), policies.end(), has_some)) {
      shown.push_back(i);
    }
  }
  return shown;
}

/// Adds a run to how even the mean slowdowns of groups are.
void add_evenness(const experiments::Measure& index, ShareNumbers::Sum& evenness);

/// What stands below a table of groups: how even their mean slowdowns are.
void note_evenness(const std::string& policy, const ShareNumbers::Sum& evenness,
                   report::Table& table);

/// Means over the runs in which each number came to be, and how even the slowdowns are.
std::optional<report::Table> group_table(const std::string& by,
                                         const std::vector<const PolicyNumbers*>& policies);

}  // namespace reeve::app
