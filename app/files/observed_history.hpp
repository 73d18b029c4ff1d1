// A trace as the history that a fit reads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/fit/observed_job.hpp"
#include "scenarios/records/trace.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {

/// The jobs of one trace, in its order, and its window: from the first submission to a
/// second after the last.
struct TraceHistory {
  std::vector<experiments::ObservedJob> jobs;
  policy::Instant start{};
  policy::Instant end{};
  bool dated = false;                          ///< the trace has dates; else it counts from a clock
  std::map<std::size_t, std::string> running;  ///< job_id of jobs that still ran, by job
  std::vector<scenarios::Diagnostic> warnings;

  experiments::ObservedHistory view() const { return {start, end, jobs, {}}; }
};

/// `clock`: where submissions without dates count from.  Throws InputError: what TraceReader
/// throws, and E0385 if the window has no length.
TraceHistory read_history(const std::string& file, policy::Instant clock = {},
                          scenarios::ColumnNames columns = {});

}  // namespace reeve::app
