// Imported jobs as the text of a trace.
#pragma once

#include <string>

#include "scenarios/exchange/job_import.hpp"

namespace reeve::app {

/// A header and one row per job, with the columns of scenarios::trace_columns(); tags by key.
/// Columns that few logs have are left out if no job has a value.
std::string canonical_text(const scenarios::ImportedJobs& imported);

}  // namespace reeve::app
