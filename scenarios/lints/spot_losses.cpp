// Lints for Spot without losses, and for losses of which nothing is kept.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/no_effect.hpp"
#include "scenarios/load/resolved/losses.hpp"

namespace reeve::scenarios {
namespace {

using models::FaultKind;
using models::JobProfile;
using models::Pool;
using policy::Market;

/// What a job saves of its work before it ends in order.
bool keeps_some(const Resolved& resolved, const JobProfile& profile) {
  const models::Checkpoint& plan = profile.checkpoint;
  if (plan.sync == models::Sync::at_end) return true;  // that has a finding of its own
  if (plan.sync == models::Sync::none) return false;
  const Duration lead = resolved.world().platform.notice.lead;
  const bool saves = plan.on_notice && lead > Duration{0} && plan.on_notice->save <= lead;
  return plan.every > Duration{0} || saves || (profile.elastic && profile.elastic->keeps_work);
}

/// Whether Spot takes machines from jobs of the profile before so much training is over.
bool spot_takes(const Resolved& resolved, const JobProfile& profile,
                std::optional<Duration> training) {
  const Pool& pool = resolved.world().pools[profile.pool.index];
  if (pool.market != Market::spot) return false;
  const bool reclaims = pool.reclaim && (!training || pool.reclaim->every < *training);
  return reclaims || offer_falls(pool) || is_interrupted(profile);
}

void check_calm_spot(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  if (has_ticks(world) || resolved.scenario.history) return;  // import.md of a history tells it
  std::set<policy::PoolId> used;
  std::set<policy::PoolId> interrupted;
  for (const JobProfile& profile : world.profiles) {
    const std::set<policy::PoolId> fleets = fleets_of(resolved.scenario, profile);
    used.insert(fleets.begin(), fleets.end());
    if (is_interrupted(profile)) interrupted.insert(fleets.begin(), fleets.end());
  }
  for (const policy::PoolId id : used) {
    const Pool& pool = world.pools[id.index];
    const bool moves = pool.reclaim || pool.replay || pool.synthesis || machines_break(pool) ||
                       has_outage(world, id) || interrupted.contains(id);
    if (pool.market != Market::spot || moves) continue;
    const Node written = *resolved.input.fleet[id.index].written;
    findings.add(
        at_key(written.find("market").value_or(written), "W0487",
               fmt::format("no instance of fleet {} is ever interrupted", in_quotes(pool.name)),
               "Spot without interruptions is assumed", Severity::warning)
            .with_help("set \"availability\" (capacity over time) or \"reclaim\" (how long "
                       "instances stay)"));
  }
}

void check_elastic(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const JobProfile& profile = resolved.profile_of(job);
  const std::uint32_t instances = job.instances;
  const Place& place = job.place;
  if (instances == 0) return;
  const bool own = place.here.find("elastic").has_value();  // a default is of larger ones, too
  const bool grows = models::least_instances(profile, instances) < instances;
  if (!own || !profile.elastic || grows || profile.elastic->min > instances) return;
  const Node elastic = place.of("elastic");
  if (instances == 1)
    return no_effect(elastic, "a job with one instance cannot lose a part", findings);
  if (instances == std::max(1U, profile.elastic->min)) {
    return no_effect(elastic,
                     fmt::format("\"min\" is all {} instances: none may be lost", instances),
                     findings, "use a lower \"min\"");
  }
  if (may_lose_some(resolved, profile) || hosts_lost(profile, instances) > 0) return;
  const Pool& pool = resolved.world().pools[profile.pool.index];
  no_effect(elastic,
            pool.reclaim && pool.market == Market::spot
                ? "\"reclaim\" takes all instances of a gang together"
                : "nothing takes only some of its instances",
            findings, "use \"availability\" of Spot, or \"node_faults\" of a fleet");
}

/// Where it is said that such work is on Spot and saves nothing.
Node place_of_unkept(const Place& place) {
  for (const std::string_view key : {"checkpoint", "market", "fleet", "instance_type", "work"}) {
    const auto own = place.here.find(key);
    if (own || !place.under) {
      if (own) return *own;
      continue;
    }
    if (const auto found = place.under->find(key)) return *found;
  }
  return place.here;
}

/// One job of each fleet.
void check_kept(const Resolved& resolved, Findings& findings) {
  if (has_ticks(resolved.world())) return;
  std::set<policy::PoolId> told;
  for (const WrittenJob& job : resolved.written_jobs) {
    const JobProfile& profile = resolved.profile_of(job);
    std::optional<Duration> training;
    if (job.work) training = training_time(resolved.world(), profile, *job.work);
    if (job.instances == 0 || keeps_some(resolved, profile)) continue;
    if (!spot_takes(resolved, profile, training) || !told.insert(profile.pool).second) continue;
    findings.warning(place_of_unkept(job.place), "W0488",
                     "work on Spot is not saved before it is complete",
                     "each interruption restarts it",
                     profile.checkpoint.sync == models::Sync::none
                         ? "use \"sync\": \"during\" in \"checkpoint\", or on-demand instances"
                         : "use a \"checkpoint\" with \"every\", or on-demand instances");
  }
}

}  // namespace

std::span<const Lint> spot_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0487", "a Spot fleet without interruptions",
        "Nothing in the file says when the market has instances, or how long they stay. The fleet "
        "acts like on-demand, at the price of Spot.",
        "\"market\": \"spot\" and no more",
        "\"availability\": { \"preset\": \"scarce\" }, or a trace, or \"reclaim\""},
       check_calm_spot,
       RunIf::no_errors},
      {also("W0476"), check_elastic},
      {{"W0488", "work on Spot without a checkpoint",
        "Without a checkpoint each interruption restarts all of the work. W hours under L "
        "interruptions an hour take (e^(L W) - 1) / L on average; 10 hours under 0.15 take 23.2. "
        "On-demand is then often cheaper. reeve warns once for each fleet.",
        "\"market\": \"spot\" and no \"checkpoint\"",
        "\"checkpoint\": { \"every\": \"30m\" }, or \"market\": \"on_demand\""},
       check_kept,
       RunIf::world_is_read},
  });
  return rows;
}

}  // namespace reeve::scenarios
