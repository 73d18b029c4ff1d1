// Stalls that metrics show: GPUs that were idle up to the end of a job.
#pragma once

#include <optional>
#include <span>

#include "scenarios/history/data/history.hpp"

namespace reeve::scenarios {

/// For how long all GPUs that were measured were idle (1 % at most) when the job's work ended.
/// Nothing if one was not, if there are fewer than three samples of the time, or if they do not
/// reach the end.  `gpus`: of a host, to divide sums by.
std::optional<policy::Duration> stalled_at_end(std::span<const UtilizationSeries* const> series,
                                               std::span<const Stretch> work, std::int64_t gpus);

/// GPUs of a host, as metrics show them: as many as have a name, and as sums need; at least 1.
std::int64_t gpus_seen(std::span<const UtilizationSeries* const> series);

/// Sets `stalled` of the jobs that have metrics: 0 for those that ended with a result.  Where the
/// GPUs of an instance are not known, the metrics tell them.  Returns of how many jobs.
std::uint64_t find_stalls(const History& history, PackedJobs& jobs);

}  // namespace reeve::scenarios
