// Refuses scenarios whose bill could not be counted: dollars end where int64 micro-dollars do.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/progress.hpp"
#include "scenarios/loading.hpp"

namespace reeve::scenarios {
namespace {

constexpr double most_dollars = 9.2e12;

double hours(Duration length) {
  return std::chrono::duration<double, std::ratio<3600>>(length).count();
}

double instance_hours(const models::World& world, const models::JobProfile& profile,
                      double instances, Duration work) {
  const Duration training = training_time(world, profile, work);
  return instances * hours(std::min(training, profile.max_runtime));
}

/// Where rules choose the market a job may run on demand from its start to its end.
policy::PoolId dearest_pool(const models::World& world, const models::JobProfile& profile) {
  if (world.platform.model != models::PlatformModel::ticks) return profile.pool;
  const policy::TypeId type = world.pools[profile.pool.index].type;
  return world.directory.pool_of(type, policy::Market::on_demand).value_or(profile.pool);
}

/// What each pool costs at most if the clock ends the run; else what the work costs at least: how
/// long it takes is not known before.
std::vector<double> pool_hours(const models::World& world) {
  std::vector<double> used(world.pools.size(), 0.0);
  if (world.end != policy::never) {
    for (std::size_t i = 0; i < used.size(); ++i) {
      used[i] = world.pools[i].capacity * hours(world.end - world.start);
    }
    return used;
  }
  for (const models::JobSpec& job : world.jobs.specs) {
    const models::JobProfile& profile = world.profiles[job.profile];
    used[dearest_pool(world, profile).index] +=
        instance_hours(world, profile, job.instances, job.work);
  }
  if (world.drawn) {
    const models::JobProfile& profile = world.profiles[world.drawn->profile];
    const auto least =
        std::min_element(world.drawn->instances.begin(), world.drawn->instances.end());
    used[dearest_pool(world, profile).index] +=
        world.drawn->jobs * instance_hours(world, profile, least->first, world.drawn->work.scale);
  }
  return used;
}

double highest_price(const models::Pool& pool) {
  std::int64_t nanos = pool.price.nanos;
  for (const models::PriceStep& step : pool.prices) nanos = std::max(nanos, step.price.nanos);
  return static_cast<double>(nanos) / 1e9;
}

}  // namespace

void check_bill(Loading& loading) {
  if (loading.findings.errors() > 0) return;  // hours of what is wrong mean nothing
  const models::World& world = loading.world();
  const std::vector<double> used = pool_hours(world);
  double dollars = 0;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const double price = highest_price(world.pools[i]);
    dollars += price * used[i];
    if (dollars <= most_dollars) continue;
    const Node fleet = *loading.input.fleet[i].written;
    loading.error(fleet.find("capacity").value_or(fleet), "E0231",
                  "the bill may exceed 9.2 million million dollars",
                  fmt::format("{:.3g} instance-hours at ${} each", used[i], price),
                  "a shorter horizon, fewer machines, or check the price");
    return;
  }
}

}  // namespace reeve::scenarios
