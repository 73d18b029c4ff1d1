// How much of its time each job is to have on machines of each kind, so that whoever is served
// worst is served as well as can be.
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
/// proportion to the instances there are (as proportional.py of the authors; a later version of
/// theirs divides by what an LP of equal speeds gives).  Nobody has more than all of its time, no
/// kind more instances than there are (`capacity`, by kind).  Of all answers with the best `least`
/// one that serves all together best; whoever claims the same has the same, in whatever order they
/// stand. Who can run nowhere, for its size or at all, has nothing, and does not count in `least`.
TimeShares max_min_time(const std::vector<TimeClaim>& claims, const std::vector<double>& capacity);

}  // namespace reeve::policies
