// The answer on a recorded history: what each policy would have saved of it, which jobs it would
// have hurt, and how far to trust that.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/study/study.hpp"
#include "experiments/fit/hold_out.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// One policy beside the baseline.
struct HistorySaving {
  const PolicyNumbers* policy = nullptr;
  experiments::Estimate of_bill;                 ///< dollars, paired by run
  std::optional<experiments::Estimate> at_list;  ///< none: a fleet has no list price
  /// In the replay of the history; none: it is a forecast.
  std::optional<experiments::HistoryChange> change;
  std::optional<experiments::HoldOut> hold_out;  ///< of the saving of a week; none: untested
};

/// Of each policy but the baseline; empty unless the scenario is a history and all runs are
/// complete.
std::vector<HistorySaving> history_savings(const Study& study, std::size_t baseline);

/// One row per policy, with the part of the bill that matches.
report::Table savings_table(const Study& study, const PolicyNumbers& base,
                            const std::vector<HistorySaving>& savings);

/// The jobs that each policy hurts most; none if it hurts none.
std::optional<report::Table> hurt_table(const Study& study,
                                        const std::vector<HistorySaving>& savings);

}  // namespace reeve::app
