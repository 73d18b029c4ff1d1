// Gavel's max-min fairness over machines of several kinds: who has how much time on which, in
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
/// Workloads" (OSDI 2020).  At the begin of a round, if jobs came or went, a linear programme says
/// which part of its time each is to have on the machines of each pool that it is for (§4.1,
/// max_min_lp.hpp).  In each round machines go to whoever was due most of them for each hour that
/// it had there (§5: X / f), as gangs; who is not among them is preempted, or moved.  Here X / f
/// are sums over the life of a job: what it is due is not forgotten when others come or go.  What
/// is free between rounds goes to who waits, in the same order.  One programme of (kinds of jobs x
/// pools) for each round in which jobs came or went, O(jobs x pools) for each round, and O(log
/// jobs) for each who has machines of it.
std::unique_ptr<Algorithm> gavel(const GavelModel& model);

}  // namespace reeve::policies
