// Imported jobs as the text of a trace.
#pragma once

#include <functional>
#include <ostream>

#include "scenarios/exchange/job_import.hpp"

namespace reeve::app {

/// Calls a function with each job, in order.
using EachJob = std::function<void(const std::function<void(const scenarios::ImportedJob&)>&)>;

/// Writes a header and one row per job, with the columns of scenarios::trace_columns(); tags by
/// key. Columns that few logs have are left out if no job has a value.
void write_trace(std::ostream& out, const EachJob& for_each);

}  // namespace reeve::app
