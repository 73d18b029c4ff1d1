#include "experiments/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/fleet/prices.hpp"

namespace reeve::experiments {
namespace {

using models::JobProfile;
using models::Pool;

constexpr double ns_per_hour = 3.6e12;

double lowest_price(const Pool& pool) {
  if (pool.prices.empty()) return static_cast<double>(pool.price.nanos);
  const auto lowest = std::min_element(
      pool.prices.begin(), pool.prices.end(),
      [](const models::PriceStep& a, const models::PriceStep& b) { return a.price < b.price; });
  return static_cast<double>(lowest->price.nanos);
}

bool is_used(const models::Record& record, std::size_t pool) {
  return pool < record.billed_time.size() && record.billed_time[pool] > 0;
}

bool may_use(const models::World& world, const models::Record& record, const JobProfile& kind,
             std::size_t pool) {
  const policy::TypeId type = world.pools[pool].type;
  if (kind.pool.index == pool || type == world.pools[kind.pool.index].type) return true;
  const bool states_speed = kind.throughput != nullptr && !kind.throughput->of_types.empty();
  return states_speed || is_used(record, pool);
}

/// The part of the instance time at the requested size that the most efficient size takes; none
/// if no bound is known.
std::optional<double> best_size(const JobProfile& kind, std::uint32_t wanted) {
  if (kind.elastic == nullptr) return 1.0;
  if (kind.elastic->scaling > 1) return std::nullopt;
  const std::uint32_t least =
      std::min(std::max(kind.elastic->min, 1U), models::least_instances(kind, wanted));
  return std::pow(static_cast<double>(least) / wanted, 1 - kind.elastic->scaling);
}

/// The least that one job needs: hours of instances, and dollars at the lowest price that is not
/// of reserved instances.
struct Need {
  double hours = std::numeric_limits<double>::infinity();
  double nanos = std::numeric_limits<double>::infinity();
};

Need need_of(const models::World& world, const models::Record& record, const models::JobSpec& job,
             double size) {
  const JobProfile& kind = world.profiles[job.profile];
  const double hours = static_cast<double>(job.work.count()) / ns_per_hour * job.instances * size;
  Need need;
  for (std::size_t pool = 0; pool < world.pools.size(); ++pool) {
    if (!may_use(world, record, kind, pool)) continue;
    const double speed = models::speed_on(kind.throughput.get(), world.pools[pool].type) /
                         double{models::full_speed};
    if (speed <= 0) continue;
    need.hours = std::min(need.hours, hours / speed);
    if (policy::is_reserved(world.pools[pool].market)) continue;
    need.nanos = std::min(need.nanos, hours / speed * lowest_price(world.pools[pool]));
  }
  return need;
}

/// What reserved instances hold and cost in any case.
struct Reserved {
  double hours = 0;
  policy::Usd bill;
};

Reserved reserved_of(const models::World& world, const models::Record& record) {
  Reserved reserved;
  const std::vector<policy::Usd> bills = models::pool_bills(record);
  for (std::size_t pool = 0; pool < world.pools.size(); ++pool) {
    if (!policy::is_reserved(world.pools[pool].market)) continue;
    reserved.hours += static_cast<double>(record.billed_time[pool]) / ns_per_hour;
    reserved.bill += bills[pool];
  }
  return reserved;
}

}  // namespace

std::optional<policy::Usd> clairvoyant_bill(const models::World& world,
                                            const models::Record& record) {
  if (world.platform.model == models::PlatformModel::ticks) return std::nullopt;
  const models::Prices prices{world};
  for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
    if (prices.may_be_free({pool})) return std::nullopt;
  }
  const Reserved reserved = reserved_of(world, record);
  std::vector<Need> needs;
  for (std::size_t job = 0; job < record.job_rows.size(); ++job) {
    if (!record.job_rows[job].done()) continue;
    const models::JobSpec& spec = record.jobs.specs[job];
    const auto size = best_size(world.profiles[spec.profile], spec.instances);
    if (!size) return std::nullopt;
    needs.push_back(need_of(world, record, spec, *size));
  }
  // Work at the highest price per hour fits the reserved instances first: no order pays less.
  std::sort(needs.begin(), needs.end(),
            [](const Need& a, const Need& b) { return a.nanos * b.hours > b.nanos * a.hours; });
  double free_hours = reserved.hours;
  double nanos = 0;
  for (const Need& need : needs) {
    if (need.hours <= 0) continue;
    const double held = std::min(free_hours, need.hours);
    free_hours -= held;
    // What fits no reserved instance and may use no other one has no price: it is left out.
    const bool fits = need.hours - held <= 1e-9 * need.hours;
    if (!fits && std::isfinite(need.nanos)) nanos += need.nanos * (1 - held / need.hours);
  }
  return reserved.bill + policy::Usd::from_micros(std::llround(std::floor(nanos / 1e3)));
}

}  // namespace reeve::experiments
