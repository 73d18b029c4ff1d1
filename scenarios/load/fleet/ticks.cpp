// The tick world: what it takes, and a precise error for each thing that means nothing in it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "scenarios/load/fleet/steps.hpp"

namespace reeve::scenarios {
namespace {

using models::PlatformModel;
using policy::Market;

using Keys = std::span<const std::string_view>;

constexpr std::array<std::string_view, 4> tick_keys{"tick", "restart_overhead", "asks_when_done",
                                                    "windows"};
constexpr std::array<std::string_view, 5> keys_of_platform{"model", "tick", "restart_overhead",
                                                           "asks_when_done", "windows"};
constexpr auto keys_of_fleet =
    std::to_array<std::string_view>({"name", "instance_type", "capacity", "market", "zone",
                                     "region", "availability", "price_trace", "reclaim_order"});
constexpr auto keys_of_job = std::to_array<std::string_view>(
    {"name", "submit", "instances", "work", "count", "submit_every", "instance_type", "fleet",
     "deadline", "priority", "owner", "tags"});
constexpr auto keys_of_prices = std::to_array<std::string_view>(
    {"book", "instances", "alarm_usd_per_month", "ops_usd_per_month"});
constexpr auto keys_of_scenario = std::to_array<std::string_view>(
    {"$schema", "reeve", "name", "title", "source", "clock", "random", "prices", "fleet", "shocks",
     "platform", "job_defaults", "jobs", "workload", "kill_switch", "policies", "rules", "expect"});

/// Why a key means nothing, where that can be said in a few words.
struct Reason {
  std::string_view key;
  std::string_view why;
};
constexpr std::array reasons = std::to_array<Reason>({
    {"provisioning", "instances are available at the start of a tick"},
    {"startup", "a start takes \"restart_overhead\""},
    {"first_startup", "a start takes \"restart_overhead\""},
    {"stop_grace", "jobs are never stopped"},
    {"upload", "a job ends with its work"},
    {"duplicate_events", "events arrive once, without delay"},
    {"events", "events arrive once, without delay"},
    {"alarm_delivery", "nothing is measured"},
    {"metrics", "nothing is measured"},
    {"api", "calls take effect at once"},
    {"reclaim", "the market reclaims instances: \"availability\""},
    {"capacity_wait", "instances are available at the start of a tick"},
    {"windows", "reserved instances are billed whatever is chosen"},
    {"market", "the rule chooses at each tick"},
    {"max_wait", "a job runs until it is done"},
    {"max_runtime", "a job runs until it is done"},
    {"checkpoint", "all progress is kept; a restart takes \"restart_overhead\""},
    {"throughput", "all instances of a tick are equal"},
    {"data_loading", "a tick with instances is a tick of work"},
    {"stragglers", "a tick with instances is a tick of work"},
    {"reports", "rules see the remaining work at each tick"},
    {"elastic", "a tick has all instances or none"},
    {"gpu_util", "nothing is measured"},
    {"faults", "only the market disturbs a job"},
    {"drawn_faults", "only the market disturbs a job"},
    {"software_failures", "only the market disturbs a job"},
    {"expected_work", "the remaining work is known: \"work\""},
    {"humans", "a job runs until it is done, without an operator"},
    {"guards", "rules only move jobs"},
    {"calls", "rules run once per tick"},
});

void report(Loading& loading, const Node& key) {
  const auto* const known = std::find_if(reasons.begin(), reasons.end(),
                                         [&](const Reason& of) { return of.key == key.key(); });
  loading.findings.add(
      at_key(key, "E0239", fmt::format("{} has no meaning in the tick world", in_quotes(key.key())),
             std::string{known == reasons.end() ? "only for other models" : known->why}));
}

bool is_one_of(std::string_view key, Keys keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Reports the keys of `object` that are known, and none of `meant`.
void refuse_others(Loading& loading, const Node& object, const ErasedTable& known, Keys meant) {
  if (!object.is_object()) return;
  for (const Node member : object.as_object()) {
    if (known.has(member.key()) && !is_one_of(member.key(), meant)) report(loading, member);
  }
}

void refuse_keys_of_work(Loading& loading) {
  const Node root = *loading.input.written;
  if (const auto defaults = root.find("job_defaults")) {
    refuse_others(loading, *defaults, job_defaults_table(), keys_of_job);
  }
  if (const auto drawn = root.find("workload")) {
    refuse_others(loading, *drawn, profile_table(), keys_of_job);
  }
  if (!loading.input.jobs.written) return;
  for (const Node job : loading.input.jobs.written->as_array()) {
    if (loading.findings.full()) return;
    refuse_others(loading, job, text_table(), keys_of_job);
  }
}

// ---- fleets ----------------------------------------------------------------------------------

/// Changes in a record between two starts of ticks have no effect.
void check_record(Loading& loading, const Node& written, Duration recorded, Duration tick) {
  if (recorded == Duration{0} || recorded == tick) return;
  loading.error(
      *written.find("trace"), "E0219",
      fmt::format("the trace has ticks of {}, but the platform of {}", show(recorded), show(tick)),
      "changes between its ticks would be missed",
      fmt::format("set \"tick\": \"{}\" on the platform", show(recorded)));
}

void check_availability(Loading& loading, const AvailabilityInput& input, const RecordTicks& record,
                        Duration tick) {
  check_record(loading, *input.written, record.tick, tick);
  if (input.preset == MarketPreset::scarce) {
    const Node preset = *input.written->find("preset");
    loading.error(preset, "E0239", "\"scarce\" has no meaning in the tick world",
                  "a launch does not wait there", "set \"up\" and \"down\"");
  }
  const auto steps = input.written->find("steps");
  for (std::size_t i = 0; i < input.steps.size() && steps; ++i) {
    if (input.steps[i].at % tick == Duration{0} || steps->size() != input.steps.size()) continue;
    loading.error((*steps)[i], "E0219", "the step is between two ticks",
                  fmt::format("not a multiple of {}", show(tick)));
    return;
  }
}

void check_fleet(Loading& loading, const PoolInput& input, Duration tick) {
  const Node fleet = *input.written;
  refuse_others(loading, fleet, pool_table(), keys_of_fleet);
  if (policy::is_reserved(input.market)) {
    loading.error(*fleet.find("market"), "E0239",
                  "reserved instances have no meaning in the tick world",
                  "they are billed whatever is chosen");
  }
  if (tick == Duration{0}) return;
  const models::World& world = loading.world();
  const std::string name = input.name.value_or(input.instance_type);
  for (std::size_t pool = 0; pool < world.pools.size(); ++pool) {
    if (world.pools[pool].name != name) continue;
    const RecordTicks& record = loading.markets.ticks[pool];
    const auto& availability = input.of_market.availability;
    const auto& prices = input.of_market.price_trace;
    if (availability) check_availability(loading, *availability, record, tick);
    if (prices) check_record(loading, *prices->written, record.price_tick, tick);
    return;
  }
}

/// Rules take the first on-demand fleet of a type: a second one would never be used.
void check_on_demand_once(Loading& loading) {
  const auto& inputs = loading.input.fleet;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].market != Market::on_demand) continue;
    const bool second = std::any_of(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(i),
                                    [&](const PoolInput& other) {
                                      return other.market == Market::on_demand &&
                                             other.instance_type == inputs[i].instance_type;
                                    });
    if (!second) continue;
    loading.error(*inputs[i].written, "E0239",
                  "a type's second on-demand fleet has no meaning in the tick world",
                  "jobs would run only in the first",
                  "use one fleet with the \"capacity\" of both");
  }
}

// ---- the rest --------------------------------------------------------------------------------

/// Whatever keys there will be: those that have a meaning here are listed, not the others.
void refuse_rest(Loading& loading) {
  const Node root = *loading.input.written;
  refuse_others(loading, *loading.input.platform.written, platform_table(), keys_of_platform);
  refuse_others(loading, root, scenario_table(), keys_of_scenario);
  if (const auto prices = root.find("prices")) {
    refuse_others(loading, *prices, prices_table(), keys_of_prices);
  }
  refuse_keys_of_work(loading);
}

}  // namespace

void load_ticks(Loading& loading) {
  const PlatformInput& platform = loading.input.platform;
  if (!has_ticks(loading.world())) {
    if (!platform.written) return;
    for (const std::string_view key : tick_keys) {
      const auto node = platform.written->find(key);
      if (!node) continue;
      loading.findings.add(at_key(*node, "E0228", fmt::format("\"{}\" has no meaning here", key),
                                  "only for \"model\": \"ticks\""));
    }
    return;
  }
  models::Ticks& ticks = loading.world().ticks;
  const bool broken = platform.written->find("tick").has_value() && !platform.ticks.tick;
  if (!platform.ticks.tick && !broken) {
    loading.error(*platform.written, "E0202", "the platform lacks the key \"tick\"", "add it here",
                  "add \"tick\": \"10m\", as in the published traces");
  }
  ticks.tick = platform.ticks.tick.value_or(Duration{0});
  ticks.restart_overhead = platform.ticks.restart_overhead.value_or(Duration{0});
  ticks.asks_when_done = platform.ticks.asks_when_done.value_or(false);
  refuse_rest(loading);
  for (const PoolInput& fleet : loading.input.fleet) check_fleet(loading, fleet, ticks.tick);
  check_on_demand_once(loading);
  const auto& horizon = loading.input.clock.horizon;
  if (horizon && ticks.tick > Duration{0} && *horizon % ticks.tick != Duration{0}) {
    loading.error(*loading.input.written->find("clock")->find("horizon"), "E0219",
                  fmt::format("the horizon cuts a tick: not a multiple of {}", show(ticks.tick)),
                  "instances are held for whole ticks");
  }
  if (platform.ticks.windows) load_tick_windows(loading, *platform.ticks.windows);
}

void check_tick_fleets(const Resolved& resolved, policy::PoolId pool, const Place& place,
                       Findings& findings) {
  const models::World& world = resolved.world();
  const models::Pool& machines = world.pools[pool.index];
  const std::string& type = world.directory.types[machines.type.index].name;
  if (machines.market != Market::spot) {
    findings.error(place.of("fleet"), "E0239", "in the tick world a job's fleet must be on Spot",
                   fmt::format("{} is not on Spot", in_quotes(machines.name)),
                   "remove \"fleet\", or name a Spot fleet");
  } else if (!world.directory.pool_of(machines.type, Market::on_demand)) {
    findings.error(place.of("instance_type"), "E0210",
                   fmt::format("no fleet has on-demand instances of type {}", in_quotes(type)),
                   "in the tick world rules choose between Spot and on-demand",
                   "add a fleet of this type and \"market\": \"on_demand\"");
  }
}

void check_tick_deadline(const Resolved& resolved, const models::JobProfile& profile, Duration work,
                         const Place& place, Findings& findings) {
  const models::Ticks& ticks = resolved.world().ticks;
  if (profile.deadline == Duration::max() || ticks.tick == Duration{0}) return;
  const Duration busy = work + ticks.restart_overhead;
  const Duration needed = (busy + ticks.tick - Duration{1}) / ticks.tick * ticks.tick;
  if (needed <= profile.deadline) return;
  findings.warning(place.of("deadline"), "W0432", "a deadline that cannot be met",
                   fmt::format("on-demand alone takes {}", show(needed)));
}

/// Every job must fit where it goes when Spot is down.
void check_tick_jobs(const Resolved& resolved, Findings& findings) {
  if (!has_ticks(resolved.world()) || findings.errors() > 0) return;
  const models::World& world = resolved.world();
  const auto check = [&](const std::string& who, std::uint32_t instances, policy::PoolId spot) {
    const policy::TypeId type = world.pools[spot.index].type;
    const auto pool = world.directory.pool_of(type, Market::on_demand);
    if (!pool || instances <= world.pools[pool->index].capacity) return true;
    check_fits(resolved, who, instances, *pool,
               *resolved.input.fleet[pool->index].written->find("capacity"), findings);
    return false;
  };
  for (std::uint32_t job = 0; job < world.jobs.specs.size(); ++job) {
    const models::JobSpec& spec = world.jobs.specs[job];
    const std::string who = fmt::format("job {}", in_quotes(world.jobs.name({job})));
    if (!check(who, spec.instances, world.profiles[spec.profile].pool)) return;
  }
  if (!world.drawn) return;
  for (const auto& [instances, weight] : world.drawn->instances) {
    const policy::PoolId spot = world.profiles[world.drawn->profile].pool;
    if (weight > 0 && !check("a drawn job", instances, spot)) return;
  }
}

}  // namespace reeve::scenarios
