// How the jobs of a trace end, as its log has it.
#pragma once

#include <cstdint>
#include <optional>

#include "models/world.hpp"
#include "scenarios/load/loading.hpp"
#include "scenarios/records/trace.hpp"

namespace reeve::scenarios {

/// Reads the column `end_status` of the rows of one trace.
class TraceEnds {
 public:
  explicit TraceEnds(EndStatusUse use) : replays_{use == EndStatusUse::replay} {}

  /// Whether the job never started in its log: there is no work to replay.
  bool never_started(const TraceReader& reader, const TraceRow& row);
  models::WorkEnd end_of(const TraceRow& row);

  /// Warns of jobs that were running when the log ended (W0604).
  void report_running(Loading& loading, std::uint64_t jobs) const;
  /// What is wrong with a trace of no other jobs.
  Diagnostic none_started() const;
  /// Warns of jobs that are left out (W0605).
  void report_never_started(Loading& loading, std::uint64_t jobs) const;

 private:
  bool replays_;
  std::uint64_t running_ = 0;        ///< when the log ended, perhaps
  std::uint64_t first_running_ = 0;  ///< its line
  std::uint64_t never_started_ = 0;
  std::optional<Diagnostic> first_never_started_;  ///< at its row
};

}  // namespace reeve::scenarios
