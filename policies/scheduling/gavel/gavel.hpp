// Gavel's max-min fairness over instances of several kinds: who has how much time on which, in
// rounds.
#pragma once

#include <chrono>
#include <memory>
#include <reeve/policy/units.hpp>

#include "algorithm.hpp"

namespace reeve::policies {

struct GavelModel {
  policy::Duration round = std::chrono::minutes{6};  ///< all end together, by the clock
};

/// D. Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning
/// Workloads" (OSDI 2020).  At the start of a round, if jobs came or went, a linear program
/// computes which fraction of its time each job is to have on each pool that it may use (§4.1,
/// max_min_lp.hpp).  In each round instances go to the jobs that were due most for each hour that
/// they had there (§5: X / f), as gangs; other jobs are preempted or moved.  Here X / f are sums
/// over the life of a job: what it is due is kept when other jobs come or go.  Instances that
/// become free between rounds go to pending jobs in the same order.  One program of (kinds of jobs
/// x pools) for each round in which jobs came or went; O(kinds x pools + jobs with instances) for
/// each round, and O(kinds x pools + pools x log jobs) for each job that comes, or gets instances.
std::unique_ptr<Algorithm> gavel(const GavelModel& model);

}  // namespace reeve::policies
