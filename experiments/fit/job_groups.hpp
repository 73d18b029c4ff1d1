// Jobs that are alike: by instance type, size and how much their user submits.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/fit/observed_job.hpp"

namespace reeve::experiments {

struct JobGroup {
  std::string name;               ///< "ml.p4d.24xlarge, 1 GPU, frequent users"; "all"
  std::vector<std::size_t> jobs;  ///< indices into the history, ascending
};

/// "1 GPU", "2-8 GPUs", "9-64 GPUs", "65+ GPUs", "no GPUs".
std::string size_class(const ObservedJob& job);

inline constexpr std::size_t least_ended_jobs = 30;

/// Groups by type, size and users; frequent users are the fewest that submit half of the jobs.  A
/// group in which fewer than 30 jobs ended by themselves joins its neighbours: first without the
/// users, then without the size, then all together.  Every job that ran is in one group.
std::vector<JobGroup> duration_groups(const ObservedHistory& history);

}  // namespace reeve::experiments
