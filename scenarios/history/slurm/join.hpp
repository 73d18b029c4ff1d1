// The records of all files of Slurm's accounting to jobs: a requeued job has several.
#pragma once

namespace reeve::scenarios {

struct History;

/// Makes jobs of History::slurm, whichever file a record is in and in whichever order; the records
/// are gone afterwards.  An id that Slurm used again is another job, called ID@DAY.  Warns in the
/// report of a file: W0618 jobs of one id that contradict, W0620 a record that stands twice.
void join_slurm(History& history);

}  // namespace reeve::scenarios
