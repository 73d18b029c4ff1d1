// The tables of proposals: a row for each rule, and a row for each proposal.
#pragma once

#include <string>
#include <vector>

#include "app/live/proposals.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// To the second; the value is exact.
report::Cell time_cell(policy::Instant at);

/// One row for each of these rules, also for those that propose nothing.
report::Table rules_table(const std::vector<std::string>& rules,
                          const std::vector<Proposal>& proposals);

/// Each proposal, so that everything printed is exported.  For people, the evidence stands for the
/// reason.
report::Table proposals_table(const std::vector<Proposal>& proposals, bool for_people);

}  // namespace reeve::app
