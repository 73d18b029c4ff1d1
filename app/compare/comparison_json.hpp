// A comparison for other programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/compare/history_savings.hpp"
#include "app/study/study.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// The tables and every number behind them.  Ends with a line feed.
std::string comparison_json(const Study& study, std::size_t baseline,
                            const std::vector<report::Table>& tables,
                            const std::vector<HistorySaving>& savings = {});

}  // namespace reeve::app
