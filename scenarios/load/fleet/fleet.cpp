// The clock, the pools and the platform.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/platform_presets.hpp"
#include "scenarios/load/fleet/steps.hpp"

namespace reeve::scenarios {
namespace {

/// Of one instance in the fleet's market.
policy::UsdPerHour price_of(Loading& loading, policy::TypeId type, const PoolInput& input) {
  const policy::InstanceType& known = loading.world().directory.types[type.index];
  // What a record or a commitment states is what is paid, whatever the book says.
  const bool stated = input.of_market.price_trace || input.of_market.commitment;
  if (!stated) {
    check_listed_price(loading, known, input.market, *input.written->find("instance_type"));
  }
  if (const auto listed = listed_price(loading, known, input.market)) return *listed;
  if (input.market != policy::Market::spot) return known.price;
  const auto& availability = input.of_market.availability;
  const bool in_a_trace = input.of_market.price_trace || (availability && availability->trace);
  if (in_a_trace) return policy::UsdPerHour{};  // load_market takes it from there
  report_no_spot_price(loading, known.name, input);
  return known.price;
}

void load_pool(Loading& loading, const PoolInput& input) {
  models::World& world = loading.world();
  const Place place{*input.written, {}};
  if (!place.here.find("instance_type")) return;  // its absence is reported already
  const auto type = price_type(loading, input.instance_type, place.of("instance_type"));
  if (!type) return;
  const std::string name = input.name.value_or(input.instance_type);
  const auto& pools = world.directory.pools;
  if (std::any_of(pools.begin(), pools.end(),
                  [&](const auto& pool) { return pool.name == name; })) {
    loading.error(place.of("name"), "E0208",
                  fmt::format("two fleets have the name {}", in_quotes(name)),
                  "fleet names must be unique");
    return;
  }
  if (input.reclaim && input.market != policy::Market::spot) {
    loading.error(place.of("reclaim"), "E0228", "only Spot reclaims instances",
                  "on-demand and reserved instances stay");
  }
  const bool gpu_sum = loading.input.platform.metrics.metrics.gpu_sum;
  world.directory.pools.push_back({name, *type, input.market, input.capacity, gpu_sum});
  world.pools.push_back(
      {name, *type, input.market, input.capacity, price_of(loading, *type, input), input.reclaim});
  loading.scenario.ec2_prices.push_back(same_terms_of_ec2(loading, input));
  loading.scenario.list_prices.push_back(input.list_price);
  loading.scenario.committed_pct.push_back(input.committed_pct);
  load_market(loading, input);
  load_zones(loading, input);
  load_node_faults(loading, input);
}

void warn_about_unused_types(Loading& loading) {
  const std::size_t resolved = loading.world().pools.size();
  if (resolved == 0 || resolved < loading.input.fleet.size()) return;  // a typo may be the reason
  for (const auto& [name, input] : loading.input.prices.instances) {
    const bool used = std::any_of(
        loading.input.fleet.begin(), loading.input.fleet.end(),
        [&, type = &name](const PoolInput& pool) { return pool.instance_type == *type; });
    if (used || !input.written) continue;
    Diagnostic finding = at_key(*input.written, "W0410",
                                fmt::format("no fleet has instances of type {}", in_quotes(name)),
                                "an unused price", Severity::warning);
    loading.findings.add(std::move(finding));
  }
}

void resolve_delays(Loading& loading) {
  const PlatformInput& input = loading.input.platform;
  models::Platform& platform = loading.world().platform;
  platform = input.platform;
  const models::PlatformPreset preset = models::preset_of(platform.model);
  platform.stop_grace = input.stop_grace.value_or(preset.stop_grace);
  platform.provisioning = input.provisioning.value_or(preset.provisioning);
  platform.api = input.api.api;
  platform.metrics = input.metrics.metrics;
  platform.metrics.evaluation_offset = input.metrics.offset.offset;
  platform.metrics.random_offset = input.metrics.offset.random;
  platform.metrics.alarm_per_month = loading.input.prices.alarm_per_month;
}

}  // namespace

void check_fits(const Resolved& resolved, std::string_view who, std::uint32_t instances,
                policy::PoolId pool, const Node& place, Findings& findings) {
  const models::Pool& machines = resolved.world().pools[pool.index];
  if (instances <= machines.capacity || machines.capacity == 0) return;  // 0: reported already
  findings.error(place, "E0209",
                 fmt::format("{} needs {} instances; fleet {} has {}", who, instances,
                             in_quotes(machines.name), machines.capacity),
                 "it can never start", "raise the fleet's \"capacity\" or request fewer");
}

std::uint8_t doubt_pct(double confidence) {
  return static_cast<std::uint8_t>(std::lround(100 * (1 - confidence)));
}

void report_no_spot_price(Loading& loading, const std::string& type, const PoolInput& input) {
  for (const auto& [name, stated] : loading.input.prices.instances) {
    if (name != type || !stated.written) continue;
    const bool wrong = (stated.written->find("spot_usd_per_hour") && !stated.spot_price) ||
                       (stated.written->find("savings_pct") && !stated.savings);
    if (wrong) return;  // that is reported already
  }
  loading.error(
      *input.written->find("market"), "E0232", fmt::format("{} has no Spot price", in_quotes(type)),
      "its Spot price is unknown",
      fmt::format("add \"spot_usd_per_hour\" to {} in prices.instances", in_quotes(type)));
}

void load_clock(Loading& loading) {
  const ClockInput& clock = loading.input.clock;
  models::World& world = loading.world();
  world.start = clock.start;
  world.end = policy::never;
  loading.scenario.timezone = clock.timezone;
  if (!clock.horizon) return;
  world.end = policy::later(clock.start, *clock.horizon);
  if (world.end > latest_instant) {
    loading.error(*loading.input.written->find("clock")->find("horizon"), "E0225",
                  "the horizon is after the year 2199", "too long",
                  "use \"until_done\" to end the run when all work is done");
  }
}

void load_fleet(Loading& loading) {
  for (const PoolInput& pool : loading.input.fleet) load_pool(loading, pool);
  load_shocks(loading);
  load_outages(loading);
  warn_about_unused_types(loading);
}

void load_platform(Loading& loading) {
  resolve_delays(loading);
  load_unmanaged(loading);
  load_managed(loading);
  load_alarm_link(loading);
  loading.world().platform.log_doubt_pct = doubt_pct(loading.input.platform.log_confidence);
  const auto written = loading.input.platform.written;
  if (!written) return;
  const models::Platform& platform = loading.world().platform;
  const models::Api& api = platform.api;
  if (api.throttled + api.lost_reply + api.rejected > 1) {
    loading.error(*written->find("api"), "E0230",
                  "\"throttled\", \"lost_reply\" and \"rejected\" sum to more than 1",
                  "each is the probability of one outcome of a call");
  }
}

}  // namespace reeve::scenarios
