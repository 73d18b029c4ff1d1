// How much of its time each job is to have on instances of each kind, so that the worst-served job
// is served as well as possible.
#pragma once

#include <vector>

namespace reeve::policies {

struct TimeClaim {
  double weight = 1;                ///< twice the weight: twice as well served; above 0
  double instances = 1;             ///< that it holds at once; above 0
  std::vector<double> speeds = {};  ///< by kind of machine; 0: it cannot run there
  double count = 1;                 ///< how many claim the same; above 0
};

struct TimeShares {
  double least = 0;  ///< how well those are served who are served worst
  std::vector<std::vector<double>> fractions = {};  ///< of its time: by job, then by kind
};

/// Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads"
/// (OSDI 2020), section 4.1, weighted max-min fairness.  How well a job is served: instances /
/// weight x its speed by these fractions / its speed if it had each kind for a part of its time in
/// proportion to the number of instances (as proportional.py of the authors; a later version of
/// theirs divides by what an LP of equal speeds gives).  No job has more than all of its time, no
/// kind more instances than exist (`capacity`, by kind).  Among all answers with the best `least`:
/// one that serves all together best; equal claims get equal parts, in any order.  A job that can
/// run nowhere, for its size or at all, gets nothing and does not count in `least`.
TimeShares max_min_time(const std::vector<TimeClaim>& claims, const std::vector<double>& capacity);

}  // namespace reeve::policies
