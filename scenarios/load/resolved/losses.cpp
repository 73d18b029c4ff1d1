#include "scenarios/load/resolved/losses.hpp"

#include <algorithm>

#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::scenarios {
namespace {

using models::FaultKind;
using models::JobProfile;
using models::Pool;
using policy::Market;

/// Whether a recorded offer ever falls.
bool falls(const models::Replay& replay) {
  const auto fewer = [](const models::Offer& a, const models::Offer& b) {
    return b.instances < a.instances;
  };
  const auto& steps = replay.steps;
  if (std::adjacent_find(steps.begin(), steps.end(), fewer) != steps.end()) return true;
  if (steps.empty() || replay.after_end == models::AfterEnd::hold) return false;
  const bool repeats = replay.after_end == models::AfterEnd::repeat;
  return repeats ? fewer(steps.back(), steps.front()) : steps.back().instances > 0;
}

/// Whether the attempt goes on after trouble of the kind, and later than without it.
bool holds_up(const models::World& world, const JobProfile& profile, FaultKind kind) {
  switch (kind) {
    case FaultKind::stall:
    case FaultKind::spin_hang:
    case FaultKind::interruption:
    case FaultKind::node_lost:
      return true;
    case FaultKind::failure:  // which may be of a class that is retried
      return profile.retries > 0;
    case FaultKind::hardware:
      return profile.retries > 0 || world.platform.cluster_repair.max > 0;
    case FaultKind::metrics_lost:
      return false;
  }
  return false;
}

/// Whether the work may take longer than `late` where a rule might send the job: machines go, are
/// slow, or are another type.
bool may_delay(const models::World& world, const JobProfile& profile, policy::PoolId id,
               Duration work, Duration late) {
  const Pool& pool = world.pools[id.index];
  const bool slower = pool.spread_ppm < models::full_speed && !pool.zones.empty();
  if (slower || offer_falls(pool) || machines_break(pool) || has_outage(world, id)) return true;
  JobProfile there;
  there.pool = id;
  there.checkpoint = profile.checkpoint;
  there.throughput = profile.throughput;
  const Duration training = training_time(world, there, work);
  return training > late || (pool.reclaim && pool.reclaim->every < training);
}

}  // namespace

bool any_spot(const models::World& world) {
  return std::any_of(world.pools.begin(), world.pools.end(),
                     [](const Pool& pool) { return pool.market == Market::spot; });
}

bool machines_break(const Pool& pool) {
  const auto& faults = pool.node_faults;
  return faults && (faults->per_1000_node_days > 0 || !faults->stated.empty());
}

bool offer_falls(const Pool& pool) {
  return pool.market == Market::spot && (pool.synthesis || (pool.replay && falls(*pool.replay)));
}

bool is_interrupted(const JobProfile& profile) {
  const auto stated = [](const models::Fault& fault) {
    return fault.kind == FaultKind::interruption;
  };
  const auto drawn = [](const models::DrawnFault& fault) {
    return fault.kind == FaultKind::interruption && fault.probability > 0;
  };
  return std::any_of(profile.faults.begin(), profile.faults.end(), stated) ||
         std::any_of(profile.drawn_faults.begin(), profile.drawn_faults.end(), drawn);
}

bool has_outage(const models::World& world, policy::PoolId id) {
  return std::any_of(world.outages.begin(), world.outages.end(), [&](const models::Outage& outage) {
    return std::find(outage.pools.begin(), outage.pools.end(), id) != outage.pools.end() ||
           std::any_of(outage.parts.begin(), outage.parts.end(),
                       [&](const models::Outage::Part& part) { return part.pool == id; });
  });
}

bool may_be_held_up(const Resolved& resolved, const JobProfile& profile, const models::Fault& late,
                    Duration work) {
  const models::World& world = resolved.world();
  if (profile.throughput && profile.throughput->stragglers) return true;
  if (profile.elastic || profile.min_instances > 0) return true;  // with fewer it is slower
  const bool moves = rules_move(resolved.input);
  for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
    if (pool != profile.pool.index && !moves) continue;
    if (may_delay(world, profile, {pool}, work, late.at)) return true;
  }
  const Duration training = training_time(world, profile, work);
  return std::any_of(profile.faults.begin(), profile.faults.end(),
                     [&](const models::Fault& fault) {
                       return fault.at < training && fault.at < late.at &&
                              holds_up(world, profile, fault.kind);
                     }) ||
         std::any_of(
             profile.drawn_faults.begin(), profile.drawn_faults.end(),
             [&](const models::DrawnFault& fault) { return holds_up(world, profile, fault.kind); });
}

bool has_end(const models::World& world, const JobProfile& profile) {
  return world.end != policy::never || profile.max_runtime != Duration::max() ||
         (profile.watchdog && profile.watchdog->miss_probability == 0);
}

std::set<policy::PoolId> fleets_of(const Scenario& scenario, const JobProfile& profile) {
  const models::World& world = scenario.world;
  std::set<policy::PoolId> all{profile.pool};
  for (const PolicySpec& policy : scenario.policies) {
    for (const SeatSpec& seat : policy.seats) {
      if (seat.kind->reaches == nullptr || seat.mode != host::Mode::enforce) continue;
      if (!may_hold(seat, profile, policy, world)) continue;
      const policy::TypeId type = world.pools[profile.pool.index].type;
      for (const policy::PoolId pool : seat.kind->reaches(seat.options, world.directory, type)) {
        all.insert(pool);
      }
    }
  }
  return all;
}

bool may_lose_some(const Resolved& resolved, const JobProfile& profile) {
  const auto loses = [](const Pool& pool) { return offer_falls(pool) || machines_break(pool); };
  const std::vector<Pool>& pools = resolved.world().pools;
  if (rules_move(resolved.input)) return std::any_of(pools.begin(), pools.end(), loses);
  return loses(pools[profile.pool.index]);
}

std::size_t hosts_lost(const JobProfile& profile, std::uint32_t instances) {
  std::size_t lost = 0;
  for (const models::Fault& fault : profile.faults) {
    if (fault.kind != FaultKind::node_lost) continue;
    const std::set<std::uint32_t> hosts{fault.hosts.begin(), fault.hosts.end()};
    lost += static_cast<std::size_t>(std::distance(hosts.begin(), hosts.upper_bound(instances)));
  }
  return lost;
}

}  // namespace reeve::scenarios
