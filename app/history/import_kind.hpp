// One kind of export alone: its jobs as a trace, or what else it says as a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/files/import_products.hpp"
#include "app/history/import_history.hpp"

namespace reeve::app {

/// Whether `reeve import KIND` reads this kind with the readers of histories.
bool is_history_kind(std::string_view kind);

/// What files of one kind say: jobs, or else a table of dollars, metrics, events, prices or runs.
struct ReadKind {
  EachJob jobs;
  std::optional<policy::Instant> zero;  ///< when their `submit` counts from
  bool by_nodes = true;                 ///< instances are nodes of a type; else single GPUs
  std::optional<Imported> table;
};

/// Throws InputError, and UsageError if the files say nothing.
ReadKind read_kind(const std::string& kind, const std::vector<std::string>& files,
                   const HistoryArguments& arguments, bool anonymize,
                   std::vector<scenarios::Diagnostic>& found);

}  // namespace reeve::app
