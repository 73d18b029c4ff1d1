// Which jobs metrics are of, where they do not name a job as the history does.
#pragma once

#include "scenarios/history/data/history.hpp"

namespace reeve::scenarios {

/// Gives each series the name of its job: that of a pod, of a raw id of Slurm, or of what another
/// platform runs for a job.  Pods that are in no file are of the job whose operator names pods so,
/// if it is the only one; the pod is then the host.  W0634: metrics that may be of several jobs;
/// W0637: of no job here; W0638: that name none.
void join_series(History& history, const PackedJobs& jobs, FileFindings& findings);

}  // namespace reeve::scenarios
