// Which trouble an attempt will meet, and when: the explicit faults and the drawn ones together.
#pragma once

#include <cstddef>
#include <vector>

#include "models/world.hpp"

namespace reeve::models {

/// How many drawn faults a profile may list: their draws have addresses of their own.
inline constexpr std::size_t drawn_faults_max = 64;

/// Faults of one attempt ordered by `at`; equal times keep their order in the file, drawn ones
/// last.
std::vector<Fault> fault_plan(const World& world, std::uint32_t replication, policy::JobId job,
                              const JobProfile& profile, policy::AttemptNumber attempt);

}  // namespace reeve::models
