// Refuses scenarios whose bill could not be counted: dollars end where int64 micro-dollars do.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/invoice.hpp"
#include "models/progress.hpp"
#include "scenarios/load/fleet/steps.hpp"

namespace reeve::scenarios {
namespace {

constexpr double most_dollars = 9.2e12;

double in_hours(Duration length) {
  return std::chrono::duration<double, std::ratio<3600>>(length).count();
}

double instance_hours(const models::World& world, const models::JobProfile& profile,
                      double instances, Duration work) {
  const Duration training = training_time(world, profile, work);
  return instances * in_hours(std::min(training, profile.max_runtime));
}

/// Where rules choose the market a job may run on demand from its start to its end.
policy::PoolId dearest_pool(const models::World& world, const models::JobProfile& profile) {
  if (world.platform.model != models::PlatformModel::ticks) return profile.pool;
  const policy::TypeId type = world.pools[profile.pool.index].type;
  return world.directory.pool_of(type, policy::Market::on_demand).value_or(profile.pool);
}

/// A run without a horizon goes on for so long without progress.
constexpr double standstill_h = 366 * 24.0;

/// The years that a clock counts.
constexpr double longest_run_h = 300 * standstill_h;

/// Exact charges end at $4.7e16.
constexpr double most_exact_dollars = 4e16;

/// How long the clock runs at most; without a horizon as long as the longest job takes after the
/// last one came, and then comes no closer to its end.
double length_of_run(const models::World& world) {
  if (world.end != policy::never) return in_hours(world.end - world.start);
  double longest = 0;
  policy::Instant last = world.start;
  for (const models::JobSpec& job : world.jobs.specs) {
    const models::JobProfile& profile = world.profiles[job.profile];
    longest = std::max(longest, instance_hours(world, profile, 1, job.work));
    last = std::max(last, job.submit);
  }
  return in_hours(last - world.start) + longest + standstill_h;
}

/// What is paid whether or not anybody uses it; a block to its end.
double paid_hours(const models::World& world, const models::Pool& pool) {
  const bool block = pool.market == policy::Market::capacity_block;
  if (!block && (world.end != policy::never || pool.windows.empty())) {
    return pool.capacity * length_of_run(world);
  }
  double sum = 0;
  for (const auto& [from, until] : pool.windows) sum += in_hours(until - from);
  return pool.capacity * sum;
}

/// What falls due up front within the run, in dollars.
double due_up_front(const models::World& world, const models::Pool& pool) {
  if (!pool.commitment) return 0;
  const double terms = length_of_run(world) / in_hours(pool.commitment->term);
  return (terms + 1) * static_cast<double>(pool.commitment->upfront.micros()) / 1e6;
}

/// What each pool costs at most if the clock ends the run; else what the work costs at least, for
/// how long it takes is not known before, and what is reserved in any case.
std::vector<double> pool_hours(const models::World& world) {
  std::vector<double> used(world.pools.size(), 0.0);
  if (world.end != policy::never) {
    for (std::size_t i = 0; i < used.size(); ++i) {
      const Duration ran = world.end - world.start;
      used[i] = world.pools[i].capacity * in_hours(models::paid_until(world.pools[i], world, ran));
    }
    return used;
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (policy::is_reserved(world.pools[i].market)) used[i] = paid_hours(world, world.pools[i]);
  }
  const auto use = [&](const models::JobProfile& profile, double time) {
    const policy::PoolId pool = dearest_pool(world, profile);
    if (!policy::is_reserved(world.pools[pool.index].market)) used[pool.index] += time;
  };
  for (const models::JobSpec& job : world.jobs.specs) {
    const models::JobProfile& profile = world.profiles[job.profile];
    use(profile, instance_hours(world, profile, job.instances, job.work));
  }
  if (world.drawn) {
    const models::JobProfile& profile = world.profiles[world.drawn->profile];
    const auto least =
        std::min_element(world.drawn->instances.begin(), world.drawn->instances.end());
    use(profile,
        world.drawn->jobs * instance_hours(world, profile, least->first, world.drawn->work.scale));
  }
  return used;
}

double highest_price(const models::Pool& pool) {
  std::int64_t nanos = pool.price.nanos;
  for (const models::PriceStep& step : pool.prices) nanos = std::max(nanos, step.price.nanos);
  return static_cast<double>(nanos) / 1e9;
}

/// As many as all jobs hold at once, where no horizon ends the run.
double most_held(const models::World& world) {
  double sum = 0;
  for (const models::JobSpec& job : world.jobs.specs) sum += job.instances;
  if (!world.drawn) return sum;
  const auto most = std::max_element(world.drawn->instances.begin(), world.drawn->instances.end());
  return sum + static_cast<double>(world.drawn->jobs) * most->first;
}

void refuse_bill(const Resolved& resolved, std::size_t pool, const std::string& label,
                 Findings& findings) {
  const Node fleet = *resolved.input.fleet[pool].written;
  findings.error(fleet.find("capacity").value_or(fleet), "E0231",
                 "the bill may exceed 9.2 trillion dollars", label,
                 "use a shorter horizon or fewer instances, or check the price");
}

}  // namespace

void check_bill(const Resolved& resolved, Findings& findings) {
  if (findings.errors() > 0) return;  // hours of what is wrong mean nothing
  const models::World& world = resolved.world();
  const std::vector<double> used = pool_hours(world);
  double dollars = 0;
  double up_front = 0;
  double at_worst = 0;  // nothing may overflow, however long jobs are about their work
  const double jobs_hold = most_held(world);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const models::Pool& pool = world.pools[i];
    const double price = highest_price(pool);
    dollars += price * used[i];
    if (dollars > most_dollars) {
      return refuse_bill(
          resolved, i, fmt::format("{:.3g} instance-hours at ${} each", used[i], price), findings);
    }
    up_front += due_up_front(world, pool);
    if (up_front > most_dollars) {
      return refuse_bill(resolved, i, fmt::format("${:.3g} up front within the run", up_front),
                         findings);
    }
    if (world.end != policy::never) continue;
    const double held = std::min<double>(pool.capacity, jobs_hold);
    at_worst += price * held * longest_run_h;
    if (at_worst > most_exact_dollars) {
      return refuse_bill(
          resolved, i,
          fmt::format("{:.3g} instances at ${} an hour, for an unknown time", held, price),
          findings);
    }
  }
}

}  // namespace reeve::scenarios
