#include "experiments/advice.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "experiments/interrupted_work.hpp"
#include "models/progress.hpp"
#include "sim/draws.hpp"

namespace reeve::experiments {
namespace {

using models::Pool;
using policy::Duration;
using policy::Market;

double hours(Duration length) {
  return static_cast<double>(length.count()) / 3.6e12;
}

const Pool* pool_of(const models::World& world, policy::TypeId type, Market market) {
  const auto found = std::find_if(world.pools.begin(), world.pools.end(), [&](const Pool& pool) {
    return pool.type == type && pool.market == market;
  });
  return found == world.pools.end() ? nullptr : &*found;
}

/// The only job, if there is no other.
const models::JobProfile* only_profile(const models::World& world) {
  if (world.drawn || world.jobs.specs.size() != 1) return nullptr;
  return &world.profiles[world.jobs.specs[0].profile];
}

/// How a job's progress becomes durable while it runs, in time of machines of its type.
struct Saving {
  models::Checkpoint plan;
  bool counts = false;        ///< something does before the end
  Duration left{0};           ///< all its work
  Duration first_startup{0};  ///< billed, of the first launch
  Duration startup{0};        ///< and of those after it
};

std::uint32_t speed_of(const models::World& world, const models::JobProfile& job) {
  return models::speed_on(job.throughput.get(), world.pools[job.pool.index].type);
}

/// None where it is drawn, or never over.
std::optional<Duration> billed_startup(const models::World& world, Duration own) {
  const auto& rendezvous = world.platform.unmanaged.rendezvous;
  if (!rendezvous || world.jobs.specs[0].instances == 1) return own;
  const auto& tags = rendezvous->tags_after;
  if (!tags || tags->shape != models::Shape::fixed) return std::nullopt;
  return models::meets_after(*rendezvous, own, tags->scale);
}

std::optional<Saving> saving_of(const models::World& world, const models::JobProfile& job,
                                Duration work) {
  const models::Platform& platform = world.platform;
  const auto first = billed_startup(world, platform.first_startup.value_or(platform.startup));
  const auto later = billed_startup(world, platform.startup);
  if (!first || !later) return std::nullopt;
  const std::uint32_t speed = speed_of(world, job);
  Saving saving{.plan = models::at_speed(job.checkpoint, speed),
                .left = models::machine_time(work, speed),
                .first_startup = *first,
                .startup = *later};
  saving.counts = saving.plan.sync == models::Sync::during && saving.plan.every > Duration{0} &&
                  saving.plan.every < saving.left;
  return saving;
}

/// What is left of a time after others that come first.
Duration rest_of(Duration time, std::initializer_list<Duration> before) {
  for (const Duration part : before) time -= std::min(time, part);
  return time;
}

/// Where machines go by the clock before anything counts, nothing is ever done.  They start up
/// within it, but waiting for them is not.
bool never_done(const Pool& spot, const models::JobProfile& job, const Saving& saving) {
  if (!spot.reclaim || job.checkpoint.on_notice) return false;
  Duration left = saving.left;
  // The first may start up in a time of its own, and what was saved is read back by those after it:
  // what neither the second nor the third one gets done no other one will.
  for (int launch = 1; launch <= 3; ++launch) {
    const Duration startup = launch == 1 ? saving.first_startup : saving.startup;
    const Duration restore = left < saving.left ? saving.plan.restore : Duration{0};
    const Duration trains = rest_of(spot.reclaim->every, {startup, restore});
    if (models::time_to_finish(saving.plan, left) <= trains) return false;
    const Duration kept =
        saving.counts ? models::progress_after(saving.plan, left, trains).durable : Duration{0};
    if (kept == Duration{0} && launch > 1) return true;
    left -= kept;
  }
  return false;
}

InterruptedWork interrupted(const models::Platform& platform, const Saving& saving) {
  const models::Checkpoint& plan = saving.plan;
  InterruptedWork work;
  work.length = hours(models::time_to_finish(plan, saving.left));
  work.first_startup = hours(saving.first_startup);
  work.startup = hours(saving.startup);
  work.minimum = hours(platform.billing.minimum);
  if (platform.model != models::PlatformModel::ideal) work.delivery = hours(platform.upload);
  if (!saving.counts) return work;
  work.apart = hours(models::interval(plan)) + hours(plan.cost);
  work.upload = hours(plan.upload);
  work.restore = hours(plan.restore);
  return work;
}

/// Work that does not begin again from a checkpoint, or not as fast: why no formula holds of the
/// job.  Null if one does.
const char* beyond_formulas(const models::World& world, const models::JobProfile& job) {
  if (job.checkpoint.on_notice) return "the job saves its work on notice";
  if (job.elastic) return "the gang continues with fewer instances";
  if (!job.faults.empty() || !job.drawn_faults.empty()) return "the job has its own faults";
  if (job.throughput && job.throughput->stragglers) return "stragglers slow some launches";
  if (job.keep_alive > Duration{0}) return "the job keeps its instances as a warm pool";
  const std::uint32_t wanted = world.jobs.specs[0].instances;
  return models::least_instances(job, wanted) < wanted ? "the job also starts with fewer instances"
                                                       : nullptr;
}

/// The same of what a fleet's machines do besides being interrupted at random.
const char* beyond_formulas(const models::World& world, policy::PoolId id) {
  const Pool& pool = world.pools[id.index];
  if (pool.reclaim) return "instances end on a fixed schedule";
  if (pool.node_faults) return "nodes also fail";
  const bool slow = pool.spread_ppm < models::full_speed && !pool.zones.empty();
  if (slow && world.jobs.specs[0].instances > 1) return "a gang over several zones is slower";
  const auto hits = [&](const models::Outage& outage) {
    return std::find(outage.pools.begin(), outage.pools.end(), id) != outage.pools.end() ||
           std::any_of(outage.parts.begin(), outage.parts.end(),
                       [&](const models::Outage::Part& part) { return part.pool == id; });
  };
  return std::any_of(world.outages.begin(), world.outages.end(), hits)
             ? "the scenario has an outage"
             : nullptr;
}

/// And of the platform.
const char* beyond_formulas(const models::Platform& platform) {
  if (platform.billing.first_hour_free) return "the first hour is free if Spot interrupts it";
  return platform.unmanaged.self_destruct_fails > 0 ? "instances may outlive the job" : nullptr;
}

policy::PoolId id_of(const models::World& world, const Pool& pool) {
  return {static_cast<std::uint32_t>(&pool - world.pools.data())};
}

/// The only job where its type is had on Spot, and for more on demand.
struct Choice {
  const Pool* spot = nullptr;  ///< null: there is no such choice
  const Pool* on_demand = nullptr;
};

Choice choice_of(const models::World& world, const models::JobProfile& job) {
  const policy::TypeId type = world.pools[job.pool.index].type;
  const Pool* spot = pool_of(world, type, Market::spot);
  const Pool* on_demand = pool_of(world, type, Market::on_demand);
  const bool fixed = spot && on_demand && spot->prices.empty() && spot->price.nanos > 0;
  const bool ticks = world.platform.model == models::PlatformModel::ticks;
  if (!fixed || ticks || spot->price >= on_demand->price) return {};
  return {spot, on_demand};
}

void break_even(const models::World& world, const models::JobProfile& job,
                const std::optional<Saving>& saving, Advice& advice) {
  const auto [spot, on_demand] = choice_of(world, job);
  if (spot == nullptr) return;
  for (const char* reason :
       {beyond_formulas(world, job), beyond_formulas(world, id_of(world, *spot)),
        beyond_formulas(world, id_of(world, *on_demand)), beyond_formulas(world.platform),
        saving ? nullptr : "startup times are random"}) {
    if (reason == nullptr) continue;
    advice.no_break_even = reason;
    return;
  }
  const double ratio =
      static_cast<double>(on_demand->price.nanos) / static_cast<double>(spot->price.nanos);
  const InterruptedWork work = interrupted(world.platform, *saving);
  if (shortest_launch(work) < work.minimum) {
    advice.no_break_even = "launches are shorter than the minimum billed time";
    return;
  }
  advice.break_even_per_hour = rate_of_ratio(work, ratio);
  if (saving->counts) {
    advice.break_even_first_order_per_hour = first_order_rate_of_ratio(work, ratio);
  }
}

/// How often an hour a gang on the first so many machines is hit: by a fault of one of them, or of
/// any machine of their racks that takes its whole rack.
double faults_per_hour(const Pool& pool, std::uint32_t instances) {
  if (!pool.node_faults) return 0;
  const models::NodeFaults& faults = *pool.node_faults;
  const double whole = faults.rack > 1 ? faults.whole : 0;
  const std::uint64_t racks = (std::uint64_t{instances} + faults.rack - 1) / faults.rack;
  const auto beside =
      static_cast<double>(std::min<std::uint64_t>(racks * faults.rack, pool.capacity));
  return faults.per_1000_node_days / 24'000 * (instances * (1 - whole) + beside * whole);
}

/// Of the times at which a drawn market takes machines of a fleet away, the share that hits a gang
/// which is alone there: of all but all of them, 1 .. capacity - 1 are left, free ones first.
double share_that_hits(const Pool& pool, std::uint32_t instances) {
  const double all = pool.synthesis->all_lost;
  if (pool.capacity <= 1 || instances >= pool.capacity) return 1;
  return all + (1 - all) * (instances - 1) / (pool.capacity - 1);
}

/// How often an hour the market takes machines of a gang away; 0 where it is not stated.
double interruptions_per_hour(const models::World& world, policy::PoolId id,
                              std::uint32_t instances) {
  const Pool& pool = world.pools[id.index];
  if (pool.reclaim) return 1 / hours(pool.reclaim->every);
  if (!pool.synthesis) return 0;
  double rate = 1 / hours(models::mean(pool.synthesis->up));
  for (const models::Shocks& shocks : world.shocks) {
    if (std::find(shocks.pools.begin(), shocks.pools.end(), id) != shocks.pools.end()) {
      rate += shocks.per_hour * shocks.hit;
    }
  }
  return rate * share_that_hits(pool, instances);
}

/// A gang that loses one machine loses all.
double losses_per_hour(const models::World& world, const models::JobProfile& job) {
  const std::uint32_t instances = world.jobs.specs[0].instances;
  return interruptions_per_hour(world, job.pool, instances) +
         faults_per_hour(world.pools[job.pool.index], instances);
}

/// Nothing where losses are so rare that no checkpoint pays.  As work, as a job says it.
std::optional<Duration> checkpoint_every(const models::JobProfile& job, double rate, Duration work,
                                         std::uint32_t speed) {
  if (rate <= 0 || job.checkpoint.cost <= Duration{0}) return std::nullopt;
  const Duration young = young_interval(job.checkpoint.cost, sim::nearest(3.6e12 / rate));
  const Duration apart = std::max(young, job.checkpoint.upload);
  if (apart >= models::machine_time(work, speed)) return std::nullopt;
  const Duration every = models::work_of({}, work, apart, speed);
  return every < work ? std::optional{every} : std::nullopt;
}

/// Of the only instance type.
std::optional<policy::Usd> managed_break_even(const scenarios::Scenario& scenario) {
  if (scenario.ops_per_month == policy::Usd{} || scenario.world.pools.empty()) return std::nullopt;
  const Pool& pool = scenario.world.pools.front();
  const auto& ec2 = scenario.ec2_prices.front();
  for (std::size_t index = 0; index < scenario.world.pools.size(); ++index) {
    const Pool& other = scenario.world.pools[index];
    if (other.type != pool.type || other.price != pool.price) return std::nullopt;
    if (scenario.ec2_prices[index] != ec2) return std::nullopt;
  }
  if (!ec2 || ec2->nanos >= pool.price.nanos) return std::nullopt;
  // ops (1 + p) / p, where 1 + p is the ratio of the prices
  const auto month = static_cast<models::Charge>(scenario.ops_per_month.micros()) *
                     pool.price.nanos / (pool.price.nanos - ec2->nanos);
  if (month > std::numeric_limits<std::int64_t>::max()) return std::nullopt;  // beyond all money
  return policy::Usd::from_micros(static_cast<std::int64_t>(month));
}

}  // namespace

Duration young_interval(Duration cost, Duration between_interruptions) {
  const double seconds = std::sqrt(2 * static_cast<double>(cost.count()) *
                                   static_cast<double>(between_interruptions.count())) /
                         1e9;
  return std::chrono::seconds{std::llround(std::min(seconds, 3e9))};
}

Advice advise(const scenarios::Scenario& scenario) {
  Advice advice;
  advice.managed_break_even = managed_break_even(scenario);
  if (const models::JobProfile* job = only_profile(scenario.world)) {
    const Duration work = scenario.world.jobs.specs[0].work;
    const Pool& pool = scenario.world.pools[job->pool.index];
    const auto saving = saving_of(scenario.world, *job, work);
    break_even(scenario.world, *job, saving, advice);
    advice.never_done = saving && pool.market == Market::spot && never_done(pool, *job, *saving);
    const double rate = losses_per_hour(scenario.world, *job);
    if (rate > 0) advice.losses_per_hour = rate;
    advice.checkpoint_every = checkpoint_every(*job, rate, work, speed_of(scenario.world, *job));
    advice.losses_are_rare =
        rate > 0 && job->checkpoint.cost > Duration{0} && !advice.checkpoint_every;
  }
  return advice;
}

}  // namespace reeve::experiments
