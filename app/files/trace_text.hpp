// Imported jobs as the text of a trace.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <ostream>
#include <set>
#include <string>

#include "scenarios/exchange/job_import.hpp"

namespace reeve::app {

/// Calls a function with each job, in order.
using EachJob = std::function<void(const std::function<void(const scenarios::ImportedJob&)>&)>;

/// The columns of a trace, in the order of scenarios::trace_columns(), then tags by key.  A column
/// that few logs have is left out if no job has a value.
class TraceColumns {
 public:
  TraceColumns();
  void note(const scenarios::ImportedJob& job);
  bool has(std::size_t column) const { return used_[column]; }
  const std::set<std::string, std::less<>>& tags() const { return tags_; }

 private:
  std::array<bool, scenarios::TraceOrder::column_count> used_{};
  std::set<std::string, std::less<>> tags_;  ///< by key
};

/// Writes a header and one row per job.  `columns` has noted all of them.
void write_trace(std::ostream& out, const TraceColumns& columns, const EachJob& for_each);
/// The same; the jobs are passed over twice.
void write_trace(std::ostream& out, const EachJob& for_each);

}  // namespace reeve::app
