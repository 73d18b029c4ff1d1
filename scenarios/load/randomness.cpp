#include "scenarios/load/randomness.hpp"

#include <algorithm>

#include "models/utilization.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;

/// Its market is drawn, or who loses machines to it.
bool draws(const models::Pool& pool, bool several_jobs) {
  if (pool.synthesis) return true;
  if (pool.node_faults && pool.node_faults->per_1000_node_days > 0) return true;
  if (pool.capacity_wait && pool.capacity_wait->shape != models::Shape::fixed) return true;
  return several_jobs && pool.market == policy::Market::spot && pool.replay &&
         pool.reclaim_order == models::ReclaimOrder::random;
}

bool is_chance(double probability) {
  return probability > 0 && probability < 1;
}

bool draws(const models::Api& api) {
  return api.throttled > 0 || api.lost_reply > 0 || api.rejected > 0 ||
         std::any_of(api.brownouts.begin(), api.brownouts.end(),
                     [](const models::BrownOut& trouble) {
                       return is_chance(trouble.throttled) || is_chance(trouble.lost_reply);
                     });
}

/// Which of two times a repair takes is drawn.
bool draws(const models::ClusterRepair& repair) {
  return repair.max > 0 && is_chance(repair.replace_share) && repair.reboot != repair.replace;
}

bool draws(const models::JobProfile& profile, const models::Platform& platform) {
  if (!profile.drawn_faults.empty()) return true;
  if (profile.utilization && profile.utilization->draws()) return true;
  if (profile.throughput && profile.throughput->stragglers &&
      is_chance(profile.throughput->stragglers->probability)) {
    return true;
  }
  if (profile.elastic && profile.elastic->resize.shape != models::Shape::fixed) return true;
  const auto& hook = profile.checkpoint.on_notice;
  if (hook && is_chance(hook->hook_probability)) return true;
  if (profile.watchdog && is_chance(profile.watchdog->miss_probability)) return true;
  return draws(platform.cluster_repair) &&
         std::any_of(profile.faults.begin(), profile.faults.end(), [](const models::Fault& fault) {
           return fault.kind == models::FaultKind::hardware;
         });
}

/// Whether anything of it is drawn.
bool platform_draws(const models::Platform& platform) {
  const auto in_between = [](double probability) { return probability > 0 && probability < 1; };
  const models::Unmanaged& own = platform.unmanaged;
  const bool tags = own.rendezvous && own.rendezvous->tags_after &&
                    own.rendezvous->tags_after->shape != models::Shape::fixed;
  return tags || in_between(own.self_destruct_fails) || in_between(own.untagged_instances) ||
         in_between(own.rebalance.probability) || own.rebalance.false_per_hour > 0 ||
         (platform.notice.lead > Duration{0} && in_between(platform.notice.probability));
}

}  // namespace

bool is_random(const models::World& world) {
  const models::Platform& platform = world.platform;
  const models::Api& api = platform.api;
  const bool profiles =
      std::any_of(world.profiles.begin(), world.profiles.end(),
                  [&](const models::JobProfile& profile) { return draws(profile, platform); });
  if (world.resampling) return true;
  const bool several = world.drawn || world.jobs.specs.size() > 1;
  const bool markets = std::any_of(world.pools.begin(), world.pools.end(),
                                   [&](const models::Pool& pool) { return draws(pool, several); });
  return profiles || markets || platform_draws(platform) || world.drawn ||
         !world.ticks.windows.empty() || platform.metrics.random_offset ||
         platform.events.duplicates > 0 || platform.events.jitter > Duration{0} ||
         platform.events.lost > 0 || is_chance(platform.events.lack_tags) ||
         platform.alarm_link.lost > 0 || platform.late_upload.probability > 0 || draws(api) ||
         (draws(platform.cluster_repair) &&
          std::any_of(world.pools.begin(), world.pools.end(),
                      [](const models::Pool& pool) { return pool.node_faults.has_value(); }));
}

}  // namespace reeve::scenarios
