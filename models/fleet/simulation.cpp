#include "models/fleet/simulation.hpp"

#include "models/fleet/fleet.hpp"
#include "models/fleet/tick_fleet.hpp"

namespace reeve::models {

std::unique_ptr<Simulation> simulate(const World& world, std::uint32_t replication,
                                     Admission admission, Keep keep, bool reports) {
  // A strategy places its jobs itself, tick by tick: there is no queue to be admitted from.
  if (world.platform.model == PlatformModel::ticks) {
    return std::make_unique<TickFleet>(world, replication, keep);
  }
  return std::make_unique<Fleet>(world, replication, admission, keep, reports);
}

}  // namespace reeve::models
