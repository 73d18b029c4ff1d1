// How the jobs of a trace end, as its log has it.
#pragma once

#include <cstdint>
#include <optional>

#include "models/world.hpp"
#include "scenarios/load/resolved/loading.hpp"
#include "scenarios/records/trace.hpp"

namespace reeve::scenarios {

/// Whether the log shows only a part of the work of a job that ended so: it was ended from outside,
/// or had not ended.
bool ends_from_outside(EndStatus status);

/// Reads the column `end_status` of the rows of one trace.
class TraceEnds {
 public:
  explicit TraceEnds(EndStatusUse use) : replays_{use == EndStatusUse::replay} {}

  /// Whether the job did not start in its log: there is no work to replay.
  bool never_started(const TraceReader& reader, const TraceRow& row);
  models::WorkEnd end_of(const TraceRow& row, bool is_drawn);

  /// Warns of jobs that were running when the log ended (W0610), or may have been (W0604).
  void report_running(Loading& loading, std::uint64_t jobs) const;
  /// What is wrong with a trace of no other jobs.
  Diagnostic none_started() const;
  /// Warns of jobs that are left out (W0605, W0611).
  void report_never_started(Loading& loading, std::uint64_t jobs) const;

 private:
  struct Counted {
    std::uint64_t count = 0;
    std::uint64_t first = 0;  ///< its line
  };
  struct LeftOut {
    std::uint64_t count = 0;
    std::optional<Diagnostic> first;  ///< at its row
  };

  bool replays_;
  Counted running_;  ///< when the log ended
  Counted perhaps_running_;
  LeftOut never_started_;
  LeftOut pending_;
};

}  // namespace reeve::scenarios
