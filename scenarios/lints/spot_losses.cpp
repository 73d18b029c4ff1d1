// Who may lose machines in a scenario, and what is said of those who never do, keep nothing, or
// wait for ever.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "policies/registry.hpp"
#include "scenarios/load/loading.hpp"
#include "scenarios/load/seat_needs.hpp"

namespace reeve::scenarios {
namespace {

using models::FaultKind;
using models::JobProfile;
using models::Pool;
using policy::Market;

bool machines_break(const Pool& pool) {
  const auto& faults = pool.node_faults;
  return faults && (faults->per_1000_node_days > 0 || !faults->stated.empty());
}

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

/// Whether Spot takes machines of the pool as its offer falls: then some of a gang's may be left.
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

/// Whether some of a gang's machines may go and others stay, wherever rules may have it run.
bool may_lose_some(const Loading& loading, const JobProfile& profile) {
  const auto loses = [](const Pool& pool) { return offer_falls(pool) || machines_break(pool); };
  const std::vector<Pool>& pools = loading.world().pools;
  if (rules_move(loading)) return std::any_of(pools.begin(), pools.end(), loses);
  return loses(pools[profile.pool.index]);
}

/// How many machines a job of so many instances loses for good, one fault after the other.
std::size_t hosts_lost(const JobProfile& profile, std::uint32_t instances) {
  std::size_t lost = 0;
  for (const models::Fault& fault : profile.faults) {
    if (fault.kind != FaultKind::node_lost) continue;
    const std::set<std::uint32_t> hosts{fault.hosts.begin(), fault.hosts.end()};
    lost += static_cast<std::size_t>(std::distance(hosts.begin(), hosts.upper_bound(instances)));
  }
  return lost;
}

/// What a job saves of its work before it ends in order.
bool keeps_some(const Loading& loading, const JobProfile& profile) {
  const models::Checkpoint& plan = profile.checkpoint;
  if (plan.sync == models::Sync::at_end) return true;  // that has a finding of its own
  if (plan.sync == models::Sync::none) return false;
  const Duration lead = loading.world().platform.notice.lead;
  const bool saves = plan.on_notice && lead > Duration{0} && plan.on_notice->save <= lead;
  return plan.every > Duration{0} || saves || (profile.elastic && profile.elastic->keeps_work);
}

/// Whether Spot takes machines from jobs of the profile before so much training is over.
bool spot_takes(const Loading& loading, const JobProfile& profile,
                std::optional<Duration> training) {
  const Pool& pool = loading.world().pools[profile.pool.index];
  if (pool.market != Market::spot) return false;
  const bool reclaims = pool.reclaim && (!training || pool.reclaim->every < *training);
  return reclaims || offer_falls(pool) || is_interrupted(profile);
}

}  // namespace

bool may_be_held_up(const Loading& loading, const JobProfile& profile, const models::Fault& late,
                    Duration work) {
  const models::World& world = loading.world();
  if (profile.throughput && profile.throughput->stragglers) return true;
  if (profile.elastic || profile.min_instances > 0) return true;  // with fewer it is slower
  const bool moves = rules_move(loading);
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

bool has_end(const Loading& loading, const JobProfile& profile) {
  return loading.world().end != policy::never || profile.max_runtime != Duration::max() ||
         (profile.watchdog && profile.watchdog->miss_probability == 0);
}

std::set<policy::PoolId> fleets_of(const Loading& loading, const JobProfile& profile) {
  const models::World& world = loading.world();
  std::set<policy::PoolId> all{profile.pool};
  for (const PolicySpec& policy : loading.scenario.policies) {
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

/// `gavel` is the one algorithm that chooses machines, too.  Options are not read yet.
bool chooses_machines(const Loading& loading, const SeatInput& seat) {
  const auto is_it = [](const Node& algorithm) {
    return algorithm.is_text() && algorithm.as_text() == "gavel";
  };
  for (const Node& option : seat.options) {
    if (option.key() == "algorithm") return is_it(option);
  }
  for (const auto& [name, preset] : loading.input.presets) {
    const auto algorithm = preset.written->find("algorithm");
    if (seat.use == name && algorithm) return is_it(*algorithm);
  }
  return false;
}

bool rules_move(const Loading& loading) {
  for (const auto& [name, seats] : loading.input.policies) {
    for (const SeatInput& seat : seats) {
      const policy::PolicyKind* kind = policies::find_kind(seat.rule);
      if (kind == nullptr || seat.mode != host::Mode::enforce) continue;
      const bool reaches =
          kind->schedules ? chooses_machines(loading, seat) : kind->reaches != nullptr;
      if (kind->moves || kind->places || reaches) return true;
    }
  }
  return false;
}

void refuse_endless_wait(Loading& loading, const ProfileInput& input, const JobProfile& profile,
                         std::uint32_t instances) {
  if (has_end(loading, profile) || instances == 1) return;
  const std::size_t lost = hosts_lost(profile, instances);
  const std::uint32_t first = models::least_instances(profile, instances);
  const bool elastic = profile.elastic != nullptr;
  const std::uint32_t min = elastic ? std::max(1U, profile.elastic->min) : 0;
  const bool enough = min == 1 || (!may_lose_some(loading, profile) && lost + min <= first);
  if (lost == 0 || (elastic && enough)) return;
  const auto is_loss = [](const models::Fault& fault) {
    return fault.kind == FaultKind::node_lost;
  };
  const auto fault = std::find_if(profile.faults.begin(), profile.faults.end(), is_loss);
  const auto place = static_cast<std::size_t>(fault - profile.faults.begin());
  loading.error(
      *input.faults[place].written, "E0235",
      "machines that are gone for good, in a run that has no end either",
      elastic ? fmt::format("with fewer than {} instances the others wait for them", min)
              : "the others wait for them, and are paid for",
      fmt::format("give the clock a \"horizon\", the job a \"max_runtime\" or a \"watchdog\" that "
                  "misses nothing{}",
                  elastic ? ", or \"elastic\" a lower \"min\": 1 is enough" : ""));
}

void check_calm_spot(Loading& loading) {
  const models::World& world = loading.world();
  std::set<policy::PoolId> used;
  std::set<policy::PoolId> interrupted;
  for (const JobProfile& profile : world.profiles) {
    const std::set<policy::PoolId> fleets = fleets_of(loading, profile);
    used.insert(fleets.begin(), fleets.end());
    if (is_interrupted(profile)) interrupted.insert(fleets.begin(), fleets.end());
  }
  for (const policy::PoolId id : used) {
    const Pool& pool = world.pools[id.index];
    const bool moves = pool.reclaim || pool.replay || pool.synthesis || machines_break(pool) ||
                       has_outage(world, id) || interrupted.contains(id);
    if (pool.market != Market::spot || moves) continue;
    const Node written = *loading.input.fleet[id.index].written;
    loading.findings.add(
        at_key(written.find("market").value_or(written), "W0487",
               fmt::format("nobody takes machines of fleet {} away", in_quotes(pool.name)),
               "Spot without interruptions is assumed", Severity::warning)
            .with_help("\"availability\" says when they are there, "
                       "\"reclaim\" how long they stay"));
  }
}

void check_elastic(Loading& loading, const JobProfile& profile, std::uint32_t instances,
                   const Place& place) {
  const bool own = place.here.find("elastic").has_value();  // a default is of larger ones, too
  const bool grows = models::least_instances(profile, instances) < instances;
  if (!own || !profile.elastic || grows || profile.elastic->min > instances) return;
  const Node elastic = place.of("elastic");
  if (instances == 1)
    return no_effect(loading, elastic, "a job of one instance has no part to lose");
  if (instances == std::max(1U, profile.elastic->min)) {
    return no_effect(loading, elastic,
                     fmt::format("\"min\" is all {} instances: none may be lost", instances),
                     "a lower \"min\"");
  }
  if (may_lose_some(loading, profile) || hosts_lost(profile, instances) > 0) return;
  const Pool& pool = loading.world().pools[profile.pool.index];
  no_effect(loading, elastic,
            pool.reclaim && pool.market == Market::spot
                ? "\"reclaim\" takes all machines of a gang together"
                : "nothing takes some of its machines and leaves others",
            "\"availability\" of Spot does so, and \"node_faults\" of a fleet");
}

void check_kept(Loading& loading, const JobProfile& profile, std::optional<Duration> work,
                const Place& place) {
  const auto training = work ? std::optional{training_time(loading.world(), profile, *work)} : work;
  if (has_ticks(loading) || loading.findings.errors() > 0 || keeps_some(loading, profile) ||
      !spot_takes(loading, profile, training) || !loading.unkept.insert(profile.pool).second) {
    return;
  }
  const auto written = [&](std::string_view key) {
    const auto own = place.here.find(key);
    return own || !place.under ? own : place.under->find(key);
  };
  Node node = place.here;
  for (const std::string_view key : {"checkpoint", "market", "fleet", "instance_type", "work"}) {
    const auto found = written(key);
    if (!found) continue;
    node = *found;
    break;
  }
  loading.warning(node, "W0488", "nothing of this work on Spot is kept before it is done",
                  "each interruption begins it again",
                  profile.checkpoint.sync == models::Sync::none
                      ? "\"sync\": \"during\" of \"checkpoint\", or machines on demand"
                      : "a \"checkpoint\" with \"every\", or machines on demand");
}

}  // namespace reeve::scenarios
