// Jobs that still ran when the history ended: the law of the work of jobs like them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/fit/law.hpp"
#include "experiments/fit/observed_job.hpp"

namespace reeve::experiments {

/// Jobs of one group, and what their group says of their whole work.
struct RunningJobs {
  std::string group;              ///< whose jobs the law is of
  std::vector<std::size_t> jobs;  ///< that still ran, ascending
  double ended = 0;               ///< jobs of the group that ended, in whatever way
  double all = 0;                 ///< jobs of the group
  double failed = 0;              ///< share of those that ended, but for those at their limit
  double stopped = 0;             ///< likewise: by people, or preempted
  DurationFit law;                ///< lognormal or Weibull, by AIC; failures and stops are ends
  LawErrors errors;               ///< jobs of one user's week end alike: wider by that
};

/// Standard errors on each side of a value that hold 90 %.
inline constexpr double normal_reach = 1.6449;

/// A law needs at least this number of jobs that ended.
inline constexpr double least_ended_of_running = 10;

/// By groups as those of durations.  A group with fewer than ten ended jobs has the law of all
/// jobs, and without ten of these there is none: `jobs` of what is left out stay as they are.
std::vector<RunningJobs> fit_running_jobs(const ObservedHistory& history);

}  // namespace reeve::experiments
