// The timeline of runs as a trace that Perfetto and Chrome show.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "report/job_times.hpp"
#include "report/run_rows.hpp"
#include "report/trace_events.hpp"

namespace reeve::report {

/// What runs must keep for a timeline.
models::Keep kept_for_timeline();

/// One process for each run, and one for each of its shares; one thread for each job.  Runs are
/// written as they are added and not kept.
class Timeline {
 public:
  /// Throws std::runtime_error naming `place` if the stream fails, as do all members.
  Timeline(std::ostream& out, std::string place);

  /// One run of a policy, with `attempts`, `ledger`, `utilization` and `events`.
  void add(const RunRows& run);
  void finish() { events_.finish(); }

 private:
  class Run;

  TraceEvents events_;
  std::uint64_t last_id_ = 0;  ///< of processes and threads: no two have the same
  std::uint64_t processes_ = 0;
};

}  // namespace reeve::report
