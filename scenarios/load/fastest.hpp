// How fast the work of a job may be done at best: where it asks to run, or where rules may send it.
#pragma once

#include <algorithm>

#include "models/progress.hpp"
#include "scenarios/load/loading.hpp"

namespace reeve::scenarios {

inline std::uint32_t fastest(const Loading& loading, const models::JobProfile& profile) {
  const models::World& world = loading.world();
  const auto speed_in = [&](const models::Pool& pool) {
    return models::speed_on(profile.throughput.get(), pool.type);
  };
  std::uint32_t speed = speed_in(world.pools[profile.pool.index]);
  if (profile.throughput == nullptr || !rules_move(loading)) return speed;
  for (const models::Pool& pool : world.pools) speed = std::max(speed, speed_in(pool));
  return speed;
}

}  // namespace reeve::scenarios
