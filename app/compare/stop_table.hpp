// The table of right and wrong stops, rule by rule, and the rows of stops.csv.
#pragma once

#include <optional>
#include <vector>

#include "app/study/study.hpp"
#include "experiments/stop_verdicts.hpp"
#include "report/run_rows.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// Adds a run to what stops of each seat came to.
void add_verdicts(const scenarios::Scenario& scenario, const experiments::RunResult& result,
                  std::vector<SeatVerdicts>& seats);

/// Means over the runs.  None where no rule stopped or missed anything; `wrong_only`: nor where
/// every stop was right.
std::optional<report::Table> stop_table(const std::vector<const PolicyNumbers*>& policies,
                                        bool wrong_only);

/// Borrows from `result`.
std::vector<report::StopVerdictRow> stop_rows(const scenarios::Scenario& scenario,
                                              const experiments::RunResult& result);

}  // namespace reeve::app
