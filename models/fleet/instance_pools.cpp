#include "models/fleet/instance_pools.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace reeve::models {

using policy::Instant;

InstancePools::InstancePools(FleetCore& core)
    : core_{core}, pools_(core.world.pools.size()), in_use_since_{core.now} {
  for (std::uint32_t index = 0; index < pools_.size(); ++index) {
    PoolTruth& pool = pools_[index];
    const Pool& facts = core.world.pools[index];
    pool.since = core.now;
    in_use_changes_.push_back({index});
    pool.offered = facts.capacity;
    for (const ZonePart& zone : facts.zones) pool.zones.push_back(zone.instances);
    pool.zones_out.resize(pool.zones.size());
    if (!facts.node_faults) continue;
    pool.nodes.emplace(Nodes{NodeClock{core.world, core.replication, {index}}, {}, {}});
    pool.nodes->keepers.resize(facts.capacity);
    for (std::uint32_t machine = 0; machine < facts.capacity; ++machine) {
      pool.nodes->free.insert(pool.nodes->free.end(), machine);
    }
  }
}

std::uint32_t InstancePools::on_offer(policy::PoolId id) const {
  const PoolTruth& pool = pools_[id.index];
  if (pool.outages > 0) [[unlikely]]
    return 0;
  const std::uint32_t offered = pool.offered - pool.gone;
  return pool.nodes ? std::min(offered, pool.nodes->clock.up()) : offered;
}

std::uint32_t InstancePools::present(policy::PoolId id) const {
  const PoolTruth& pool = pools_[id.index];
  const std::uint32_t offered = on_offer(id);
  return offered - std::min(offered - std::min(offered, pool.allocated), pool.taken);
}

std::uint32_t InstancePools::free_instances(policy::PoolId id) const {
  const PoolTruth& pool = pools_[id.index];
  std::uint32_t offered = on_offer(id);
  if (pool.turns == core_.now) [[unlikely]]
    offered = std::min(offered, pool.market->next_offered());
  const std::uint32_t gone = pool.allocated + pool.promised + pool.taken;
  return offered > gone ? offered - gone : 0;
}

std::uint32_t InstancePools::free_to_stay(policy::PoolId id) const {
  const PoolTruth& pool = pools_[id.index];
  std::int64_t free = free_instances(id);
  for (const Foreseen& change : pool.foreseen) {
    free = std::clamp(change.offered - change.held, std::int64_t{0}, free);
  }
  return static_cast<std::uint32_t>(free);
}

std::vector<std::uint32_t> InstancePools::free_in_zones(policy::PoolId id) const {
  const PoolTruth& pool = pools_[id.index];
  std::vector<std::uint32_t> free = pool.zones;
  for (std::size_t zone = 0; zone < free.size(); ++zone) {
    if (pool.zones_out[zone] > 0) free[zone] = 0;
  }
  return free;
}

std::uint32_t InstancePools::least_instances(policy::JobId job) const {
  return models::least_instances(core_.profile(job), core_.spec(job).instances);
}

std::uint32_t InstancePools::room_for(policy::PoolId id, policy::JobId job) const {
  const std::uint32_t free = free_instances(id);
  if (pools_[id.index].zones.empty() || core_.profile(job).placement == Placement::any) return free;
  const std::vector<std::uint32_t> zones = free_in_zones(id);
  return std::min(free, *std::max_element(zones.begin(), zones.end()));
}

bool InstancePools::fits(policy::PoolId pool, policy::JobId job) const {
  return room_for(pool, job) >= least_instances(job);
}

bool InstancePools::could_fit(policy::PoolId id, policy::JobId job) const {
  const Pool& pool = core_.world.pools[id.index];
  std::uint32_t room = pool.capacity;
  if (!pool.zones.empty() && core_.profile(job).placement == Placement::single_zone) {
    room = std::max_element(
               pool.zones.begin(), pool.zones.end(),
               [](const ZonePart& a, const ZonePart& b) { return a.instances < b.instances; })
               ->instances;
  }
  return room >= least_instances(job);
}

std::uint64_t InstancePools::claimed(policy::PoolId pool) const {
  std::uint64_t instances = 0;
  for (const policy::JobId job : pools_[pool.index].returning) instances += least_instances(job);
  return instances;
}

bool InstancePools::in_lost_zone(policy::PoolId id, const std::vector<std::uint32_t>& zones) const {
  for (std::size_t zone = 0; zone < zones.size(); ++zone) {
    if (zones[zone] > 0 && pools_[id.index].zones_out[zone] > 0) return true;
  }
  return false;
}

/// One zone if one has room, the fullest of them: larger gangs need the others.  Else as few as
/// possible.
void InstancePools::take_zones(Running& run) {
  std::vector<std::uint32_t>& left_in = pools_[run.pool.index].zones;
  if (left_in.empty()) return;
  const std::vector<std::uint32_t> free = free_in_zones(run.pool);
  std::vector<std::uint32_t>& taken = run.launch->zones;
  taken.assign(free.size(), 0);
  std::vector<std::size_t> order(free.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool holds_all_a = free[a] >= run.instances;
    const bool holds_all_b = free[b] >= run.instances;
    if (holds_all_a != holds_all_b) return holds_all_a;
    return holds_all_a ? free[a] < free[b] : free[a] > free[b];
  });
  std::uint32_t left = run.instances;
  for (const std::size_t zone : order) {
    taken[zone] = std::min(left, free[zone]);
    left_in[zone] -= taken[zone];
    left -= taken[zone];
  }
}

/// Where others of the gang are, as far as there is room.
void InstancePools::join_zones(Running& run, std::uint32_t joining) {
  std::vector<std::uint32_t>& taken = run.launch->zones;
  if (taken.empty()) return;
  const std::vector<std::uint32_t> free = free_in_zones(run.pool);
  const bool anywhere = core_.profile(run.job).placement == Placement::any;
  for (const bool known : {true, false}) {
    for (std::size_t zone = 0; zone < free.size(); ++zone) {
      if ((taken[zone] > 0) != known || (!known && !anywhere)) continue;
      const std::uint32_t here = std::min(joining, free[zone]);
      taken[zone] += here;
      pools_[run.pool.index].zones[zone] -= here;
      joining -= here;
    }
  }
}

void InstancePools::give_zones_back(policy::PoolId pool, const std::vector<std::uint32_t>& taken) {
  for (std::size_t zone = 0; zone < taken.size(); ++zone) {
    pools_[pool.index].zones[zone] += taken[zone];
  }
}

/// Those of a warm pool if it takes one over, else those with the lowest numbers.
void InstancePools::take_nodes(Running& run, std::vector<std::uint32_t> warm) {
  std::optional<Nodes>& nodes = pools_[run.pool.index].nodes;
  if (!nodes) return;
  std::vector<std::uint32_t>& taken = run.launch->nodes;
  if (!warm.empty()) taken = std::move(warm);
  while (taken.size() < run.instances) {
    taken.push_back(*nodes->free.begin());
    nodes->free.erase(nodes->free.begin());
  }
  for (const std::uint32_t machine : taken) {
    nodes->keepers[machine] = {Keeper::Kind::attempt, core_.slot_of(run)};
  }
}

/// The previous holder does not hold them any more.
void InstancePools::give_nodes_back(policy::PoolId pool, std::vector<std::uint32_t>& given) {
  for (const std::uint32_t machine : given) {
    Nodes& nodes = *pools_[pool.index].nodes;
    nodes.keepers[machine] = {};
    if (nodes.clock.is_up(machine)) nodes.free.insert(machine);
  }
  given.clear();
}

/// The host of a gang is gone for good; the others keep their numbers.
void InstancePools::drop_node(Running& run, std::uint32_t host) {
  std::vector<std::uint32_t>& nodes = run.launch->nodes;
  const auto gone = std::find_if(nodes.begin(), nodes.end(),
                                 [&](std::uint32_t node) { return host_of(run, node) == host; });
  if (gone == nodes.end()) return;
  std::vector<std::uint32_t> given{*gone};
  nodes.erase(gone);
  give_nodes_back(run.pool, given);
}

std::uint32_t InstancePools::host_of(const Running& run, std::uint32_t machine) {
  const std::vector<std::uint32_t>& lost = run.launch->lost;
  std::uint32_t host = 0;
  for (const std::uint32_t node : run.launch->nodes) {
    do {
      ++host;
    } while (std::find(lost.begin(), lost.end(), host) != lost.end());
    if (node == machine) break;
  }
  return host;
}

/// Those that stand still, do not run yet or know that they will lose some are not asked whether
/// they grow.
void InstancePools::note_size(Running& run) {
  if (!core_.profile(run.job).elastic) return;
  PoolTruth& pool = pools_[run.pool.index];
  std::uint64_t& key = run.launch->small_as;
  const bool lacks = run.instances < core_.spec(run.job).instances;
  const bool runs = run.stage == Stage::startup || run.stage == Stage::training;
  if (lacks && key == 0) key = ++pool.smalls;
  if (lacks && runs && !run.launch->foreseen) {
    pool.small.emplace(key, run.job);
  } else if (key != 0) {
    pool.small.erase(key);
  }
  if (!lacks) key = 0;
}

}  // namespace reeve::models
