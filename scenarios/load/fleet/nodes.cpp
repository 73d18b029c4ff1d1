// What a fleet says of its machines' faults, checked and with its defaults.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/load/resolved/losses.hpp"

namespace reeve::scenarios {
namespace {

/// Instances have numbers of 20 bits, which address their random draws.
constexpr std::uint32_t most_machines = 1'000'000;
/// The draws of their machines have addresses of their own (models/node_clock.cpp).
constexpr std::size_t most_fleets = 4'096;

/// 295 repairs of 400 GPU servers in 174 days (InfiniteHBD's trace): mean 6.4 days.
models::DurationLaw repair_of_servers() {
  return {models::Shape::lognormal, std::chrono::minutes{1896}, 1.78, longest_duration};
}

void load_stated(Loading& loading, const NodeFaultsInput& input, std::uint32_t capacity,
                 models::NodeFaults& faults) {
  for (const StatedFaultInput& stated : input.stated) {
    if (stated.machine > capacity && stated.written->find("machine")) {
      loading.error(*stated.written->find("machine"), "E0270",
                    fmt::format("the fleet has no instance {}", stated.machine),
                    fmt::format("they count from 1 to {}", capacity));
      continue;
    }
    if (stated.machine == 0) continue;  // reported already
    faults.stated.push_back({stated.machine - 1, stated.at, stated.lasts});
  }
  std::stable_sort(faults.stated.begin(), faults.stated.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
}

}  // namespace

void load_node_faults(Loading& loading, const PoolInput& input) {
  if (!input.of_market.node_faults) return;
  const NodeFaultsInput& stated = *input.of_market.node_faults;
  models::Pool& pool = loading.world().pools.back();
  models::NodeFaults faults;
  faults.per_1000_node_days = stated.rate;
  faults.replaced = stated.replaced.value_or(!policy::is_reserved(pool.market));
  faults.repair =
      stated.repair.value_or(faults.replaced ? models::DurationLaw{} : repair_of_servers());
  faults.hangs = stated.hangs;
  if (stated.lemons) {
    faults.lemon_share = stated.lemons->share;
    faults.lemon_factor = stated.lemons->factor;
  }
  if (stated.racks) {
    faults.rack = stated.racks->machines;
    faults.whole = stated.racks->share;
  }
  load_stated(loading, stated, pool.capacity, faults);
  if (loading.world().pools.size() > most_fleets) {
    loading.error(*input.written->find("node_faults"), "E0271",
                  fmt::format("fleet number {} has node faults", loading.world().pools.size()),
                  fmt::format("only possible in the first {}", most_fleets),
                  "move fleets with node faults to the start of the list");
    return;
  }
  if (pool.capacity > most_machines) {
    loading.error(*input.written->find("node_faults"), "E0271",
                  fmt::format("node faults are not supported on {} instances", pool.capacity),
                  fmt::format("at most {}", most_machines), "use a smaller \"capacity\"");
    return;
  }
  pool.node_faults = std::move(faults);
}

namespace {

/// An elastic gang of which any one machine may go on waits for none that is gone.
bool waits_for_others(const models::JobProfile& profile) {
  return !profile.elastic || profile.elastic->min > 1;
}

}  // namespace

void refuse_endless_wait(const Resolved& resolved, const ProfileInput& input,
                         const models::JobProfile& profile, std::uint32_t instances,
                         Findings& findings) {
  if (has_end(resolved.world(), profile) || instances == 1) return;
  const std::size_t lost = hosts_lost(profile, instances);
  const std::uint32_t first = models::least_instances(profile, instances);
  const bool elastic = profile.elastic != nullptr;
  const std::uint32_t min = elastic ? std::max(1U, profile.elastic->min) : 0;
  const bool enough = min == 1 || (!may_lose_some(resolved, profile) && lost + min <= first);
  if (lost == 0 || (elastic && enough)) return;
  const auto is_loss = [](const models::Fault& fault) {
    return fault.kind == models::FaultKind::node_lost;
  };
  const auto fault = std::find_if(profile.faults.begin(), profile.faults.end(), is_loss);
  const auto place = static_cast<std::size_t>(fault - profile.faults.begin());
  findings.error(*input.faults[place].written, "E0235",
                 "instances are lost permanently, and the run has no end",
                 elastic ? fmt::format("with fewer than {} instances the others wait for them", min)
                         : "the others wait for them and are billed",
                 fmt::format("set a \"horizon\", or give the job a \"max_runtime\" or a "
                             "\"watchdog\" that misses nothing{}",
                             elastic ? ", or lower \"min\" of \"elastic\": 1 is enough" : ""));
}

void check_node_faults(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  if (world.end != policy::never || world.pools.size() != resolved.input.fleet.size()) return;
  const bool own = models::is_unmanaged(world.platform.model);
  std::set<policy::PoolId> reported;
  for (std::size_t kind = 0; kind < world.profiles.size(); ++kind) {
    if (has_end(world, world.profiles[kind])) continue;
    for (const policy::PoolId id : fleets_of(resolved.scenario, world.profiles[kind])) {
      const auto& faults = world.pools[id.index].node_faults;
      if (!faults) continue;
      const bool breaks = faults->per_1000_node_days > 0;
      const bool waits = own && resolved.largest[kind] > 1 &&
                         waits_for_others(world.profiles[kind]) &&
                         (breaks || !faults->stated.empty());
      const bool hangs = breaks && faults->hangs > 0;
      if (!(waits || hangs) || !reported.insert(id).second) continue;
      findings.error(*resolved.input.fleet[id.index].written->find("node_faults"), "E0272",
                     "jobs stall for a lost instance, and the run has no end",
                     waits ? "a gang waits for a lost instance" : "some faults are never detected",
                     fmt::format("set a \"horizon\", or give the job a \"max_runtime\" or a "
                                 "\"watchdog\" that misses nothing{}",
                                 waits ? "" : ", or set \"hangs\": 0"));
    }
  }
}

}  // namespace reeve::scenarios
