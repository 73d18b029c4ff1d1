// Whether anything sends an attempt back into the line before its end.
#pragma once

#include <algorithm>
#include <chrono>

#include "models/world.hpp"

namespace reeve::scenarios {

/// Whether the fleet may ever have fewer instances on offer than it has in all.
inline bool is_steady(const models::World& world, const models::Pool& pool) {
  return !pool.reclaim && !pool.replay && !pool.synthesis && !pool.capacity_wait &&
         !pool.node_faults && pool.windows.empty() && pool.zones.empty() && world.shocks.empty() &&
         world.outages.empty();
}

/// Whether no fault or retry sends an attempt of such a job back into the line.
inline bool starts_once(const models::JobProfile& profile) {
  const auto sends_back = [](const auto& fault) {
    return fault.kind == models::FaultKind::interruption ||
           fault.kind == models::FaultKind::hardware;
  };
  return profile.retries == 0 && profile.keep_alive == policy::Duration{0} &&
         std::none_of(profile.faults.begin(), profile.faults.end(), sends_back) &&
         std::none_of(profile.drawn_faults.begin(), profile.drawn_faults.end(), sends_back);
}

}  // namespace reeve::scenarios
