// Finish-time fairness: compares each job with a run on its own part of the fleet.
#pragma once

#include <vector>

#include "models/record.hpp"
#include "models/world.hpp"

namespace reeve::experiments {

/// ρ = T_shared / T_independent of each job, by JobId; 0 for those without a result (Mahajan et
/// al., Themis, NSDI 2020, section 3).  T_shared is the time from submission to result.
/// T_independent is its work on 1/n of the fleet that it was submitted to, where n is the mean
/// number of jobs present in that time, itself included; proportionally longer if its gang is
/// larger than that part.  Above 1, the job would have finished earlier alone.  Work below ten
/// seconds counts as ten.  O(jobs log jobs).
std::vector<double> finish_time_fairness(const models::World& world, const models::Record& record);

}  // namespace reeve::experiments
