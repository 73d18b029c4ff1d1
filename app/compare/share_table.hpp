// The table of shares: waits, borrowed quota and lost work of each share.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/compare/group_table.hpp"
#include "app/study/study.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// Its columns of numbers.
std::span<const NumberColumn> share_columns();

/// Adds a run to what each share came to; nothing where there are no shares.
void add_shares(const scenarios::Scenario& scenario, const experiments::RunResult& result,
                std::vector<ShareNumbers>& shares);

/// Means over the runs in which each number came to be.  None where there are no shares.
std::optional<report::Table> share_table(const std::vector<const PolicyNumbers*>& policies);

}  // namespace reeve::app
