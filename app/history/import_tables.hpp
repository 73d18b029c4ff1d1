// What an import of exports found, as tables: the files, the instances, the bill.
#pragma once

#include "app/history/import_place.hpp"
#include "report/table.hpp"
#include "scenarios/history/history_scenario.hpp"
#include "scenarios/history/join.hpp"

namespace reeve::app {

/// `anonymous`: files have their number in the order of reading instead of their name.
report::Table files_table(const scenarios::History& history, bool anonymous);
/// Files by kind, for a terminal with many files.
report::Table kinds_table(const scenarios::History& history);
report::Table machines_table(const scenarios::JoinedHistory& joined,
                             scenarios::HistoryPrices prices);
/// Without a bill it has notes and no rows.
report::Table bill_table(const scenarios::JoinedHistory& joined);

/// The pages import.md and import.json.
std::string import_page(const scenarios::History& history, const scenarios::JoinedHistory& joined,
                        scenarios::HistoryPrices prices, bool anonymous);
std::string import_json(const scenarios::History& history, const scenarios::JoinedHistory& joined,
                        scenarios::HistoryPrices prices, bool anonymous,
                        const ImportChecksums& checksums);

}  // namespace reeve::app
