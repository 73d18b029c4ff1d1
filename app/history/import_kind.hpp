// One kind of export alone: its jobs as a trace, or what else it says as a table.
#pragma once

#include <string>
#include <vector>

#include "app/files/import_products.hpp"
#include "app/history/import_history.hpp"

namespace reeve::app {

/// Whether `reeve import KIND` reads this kind with the readers of histories.
bool is_history_kind(std::string_view kind);

/// What files of one kind say: a trace of jobs, or a table of dollars, metrics, events, prices or
/// runs.  Throws InputError, and UsageError if the files say nothing.
Imported import_kind(const std::string& kind, const std::vector<std::string>& files,
                     const HistoryArguments& arguments, bool anonymize,
                     std::vector<scenarios::Diagnostic>& found);

}  // namespace reeve::app
