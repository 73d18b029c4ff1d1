// The zones of a fleet: how many instances each holds, and how fast a gang works across them.
#include <fmt/format.h>

#include <cmath>

#include "scenarios/load/fleet/steps.hpp"

namespace reeve::scenarios {
namespace {

/// Reports a key of the fleet that has no meaning here.
void refuse_zone_key(Loading& loading, const Node& fleet, std::string_view key, bool allowed,
                     std::string_view why) {
  const auto node = fleet.find(key);
  if (!node || allowed) return;
  loading.findings.add(
      at_key(*node, "E0228", fmt::format("\"{}\" has no meaning here", key), std::string{why}));
}

}  // namespace

void load_zones(Loading& loading, const PoolInput& input) {
  const ZonesInput& zones = input.zones;
  models::Pool& pool = loading.world().pools.back();
  const Node fleet = *input.written;
  refuse_zone_key(loading, fleet, "spread_speed", !zones.zones.empty(), "only with \"zones\"");
  if (zones.zones.empty()) return;
  for (const std::string_view key : {"zone", "availability", "reclaim", "windows"}) {
    refuse_zone_key(loading, fleet, key, false,
                    "a fleet with several zones is always fully available");
  }
  std::uint64_t sum = 0;
  for (const auto& [name, instances] : zones.zones) {
    pool.zones.push_back({name, instances});
    sum += instances;
  }
  pool.spread_ppm = static_cast<std::uint32_t>(std::lround(zones.spread_speed * 1e6));
  if (sum == pool.capacity) return;
  loading.error(*fleet.find("zones"), "E0238",
                fmt::format("the zones of {} hold {} instances, but its capacity is {}",
                            in_quotes(pool.name), sum, pool.capacity),
                "every instance must be in one zone");
}

}  // namespace reeve::scenarios
