// The records of all files of Slurm's accounting to jobs: a requeued job has several.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>

namespace reeve::scenarios {

struct History;

/// Makes jobs of History::slurm, whichever file a record is in and in whichever order, and sums
/// them up: those that still run up to `as_of` (none: HistoryJob::seen).  The records are gone
/// afterwards.  An id that Slurm used again is another job, called ID@DAY.  Warns in the report of
/// a file: W0618 jobs of one id that contradict, W0620 a record that stands twice.
void join_slurm(History& history, std::optional<policy::Instant> as_of);

}  // namespace reeve::scenarios
