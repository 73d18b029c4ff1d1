// Attempts that wait for instances for too long.
#pragma once

#include "scenarios/load/resolved/resolved.hpp"

namespace reeve::scenarios {

/// Whether the MaxWaitTime of an attempt may be over before its end: it waits for instances, or may
/// run for as long.
bool may_reach_max_wait(const models::World& world, const PolicySpec& policy,
                        const models::JobProfile& profile);

}  // namespace reeve::scenarios
