// One job as a history has it: the record of a trace, and what only exports tell.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <vector>

#include "scenarios/exchange/job_import.hpp"

namespace reeve::scenarios {

/// From one instant to another; a stretch without an end was open when the file was written.
struct Stretch {
  policy::Instant from;
  std::optional<policy::Instant> until;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// One job as one source tells it.
struct HistoryJob {
  ImportedJob record;  ///< `submit` counts from 1970 until the jobs are joined
  policy::Instant submitted;
  std::optional<policy::Instant> started;  ///< it has instances, and is billed, from here
  std::optional<policy::Instant> ended;
  std::optional<policy::Instant> described;  ///< when the source last changed what it says
  /// When that was exported, if it was not in one file: else FileReport::newest says so.
  std::optional<policy::Instant> seen;
  std::string source;  ///< the reader: "sagemaker"
  std::string file;
  std::string resource;  ///< what bills and other sources call it: an ARN, a uid, "cluster/5010"
  std::string runs_as;   ///< the name of the job that another platform runs for it; may be empty
  /// When it trained; the last one is open if it still does.  Empty: `record.duration` says how
  /// long.
  std::vector<Stretch> work;
  std::optional<policy::Duration> waited_at_least;  ///< it ended before it had instances
  std::optional<policy::Duration> waited_at_most;   ///< only the last start is known
  std::optional<policy::Duration> queued;           ///< the part of its wait in a queue
  std::optional<policy::Duration> held;             ///< how long it had instances in all
  std::optional<policy::Duration> warm;        ///< a warm pool kept its instances, billed apart
  std::string reused_by;                       ///< the job that took the warm pool
  std::map<std::string, std::int64_t> beside;  ///< instances of further types, by type
  std::string stopped_by;                      ///< who requested its stop
  bool reason_cut = false;                     ///< the failure reason is cut off
  bool sliced = false;        ///< it has parts of GPUs, of which the size is not known
  bool work_at_most = false;  ///< `record.duration` includes work that was done again
  bool saves_checkpoints = false;
  friend bool operator==(const HistoryJob&, const HistoryJob&) = default;
};

/// Ends open stretches of work, at `now` if the job still runs, and sets `duration`, the sum of its
/// work, and `lost`, the rest of the time that it had instances besides its startup.  Returns
/// whether that changed the job.
bool sum_up(HistoryJob& job, std::optional<policy::Instant> now);

}  // namespace reeve::scenarios
