// Finish-time fairness: whether jobs end as soon as on a part of the fleet of their own.
#pragma once

#include <vector>

#include "models/record.hpp"
#include "models/world.hpp"

namespace reeve::experiments {

/// ρ = T_shared / T_independent of each job, by JobId; 0 for those without a result (Mahajan et
/// al., Themis, NSDI 2020, section 3).  T_shared is from its submission to its result.
/// T_independent is its work on 1/n of the fleet it was submitted to, where n is how many jobs were
/// there on the mean between, itself among them; where its gang is larger than that, as much
/// longer.  Above 1 it would have been better off by itself.  Work below ten seconds counts as ten.
/// O(jobs log jobs).
std::vector<double> finish_time_fairness(const models::World& world, const models::Record& record);

}  // namespace reeve::experiments
