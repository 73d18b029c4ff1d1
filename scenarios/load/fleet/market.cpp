// The market of a fleet: steps, laws and presets become offers, and a commitment becomes a price.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "models/offer_cursor.hpp"
#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/records/market_trace.hpp"

namespace reeve::scenarios {
namespace {

using models::DurationLaw;
using models::Pool;
using policy::Market;
using policy::UsdPerHour;

/// Hours of many instances can still be added up.
constexpr UsdPerHour dearest_hour{1'000'000'000'000'000'000};

// What a `scarce` market is like: V100s on Spot in 2023 (availability 0.64), and waits for
// on-demand GPUs of 10 to 40 minutes.  shocks.cpp holds how their zones fail together.
constexpr Duration scarce_up = std::chrono::minutes{204};
constexpr Duration scarce_down = std::chrono::minutes{114};
constexpr Duration scarce_wait = std::chrono::minutes{25};
constexpr Duration calm_down = std::chrono::hours{1};
constexpr double month_h = 720;

DurationLaw exponential(Duration mean) {
  return {models::Shape::exponential, mean, 0, longest_duration};
}

/// A share of instances interrupted in a month as a mean time between interruptions.
Duration calm_up(double percent) {
  const double per_hour = -std::log(1 - percent / 100) / month_h;
  return Duration{static_cast<std::int64_t>(hour_ns / per_hour)};
}

void refuse_market(Loading& loading, const Node& object, std::string_view key, bool allowed,
                   std::string_view why) {
  const auto node = object.find(key);
  if (!node || allowed) return;
  loading.findings.add(
      at_key(*node, "E0228", fmt::format("\"{}\" has no meaning here", key), std::string{why}));
}

void check_keys_of_market(Loading& loading, const PoolInput& input) {
  const Node fleet = *input.written;
  const bool reserved = policy::is_reserved(input.market);
  const bool block = input.market == Market::capacity_block;
  const bool spot = input.market == Market::spot;
  refuse_market(loading, fleet, "availability", !reserved,
                "reserved instances have \"windows\" instead");
  refuse_market(loading, fleet, "capacity_wait", !reserved, "reserved instances have no wait");
  refuse_market(loading, fleet, "windows", reserved, "only for reserved instances");
  refuse_market(loading, fleet, "commitment", reserved, "only for reserved instances");
  refuse_market(loading, fleet, "ends_early", block, "only for a capacity block");
  refuse_market(loading, fleet, "end_warning", block, "only for a capacity block");
  refuse_market(loading, fleet, "price_trace", spot, "only Spot prices change");
  refuse_market(loading, fleet, "reclaim_order", spot, "only Spot reclaims instances");
}

void check_keys_of_availability(Loading& loading, const AvailabilityInput& input) {
  const Node node = *input.written;
  for (const std::string_view key :
       {"format", "convention", "series", "instances", "tick", "from", "after_end"}) {
    refuse_market(loading, node, key, input.trace.has_value(), "only with \"trace\"");
  }
  refuse_market(loading, node, "down", input.up.has_value(), "only with \"up\"");
  refuse_market(loading, node, "all_lost", input.up.has_value() || input.preset.has_value(),
                "only for drawn availability");
  refuse_market(loading, node, "band", input.preset == MarketPreset::calm, "only for \"calm\"");
}

void load_steps(Loading& loading, const AvailabilityInput& input, Pool& pool) {
  const Node list = *input.written->find("steps");
  if (list.size() != input.steps.size()) return;  // a wrong one is reported already
  models::Replay replay;
  for (std::size_t i = 0; i < input.steps.size(); ++i) {
    const models::Offer& step = input.steps[i];
    const bool in_order = i == 0 ? step.at == Duration{0} : step.at > input.steps[i - 1].at;
    if (!in_order) {
      loading.error(list[i][0], "E0227",
                    i == 0 ? "the first step must be at 0s" : "steps must be in order",
                    i == 0 ? "no offer is defined before it"
                           : fmt::format("not after {}", show(input.steps[i - 1].at)));
      return;
    }
    if (step.instances > pool.capacity) {
      loading.error(list[i][1], "E0205", "the step offers more instances than the fleet has",
                    fmt::format("must be {} or less", pool.capacity));
      return;
    }
    if (!replay.steps.empty() && replay.steps.back().instances == step.instances) continue;
    replay.steps.push_back(step);
  }
  pool.replay = std::move(replay);
}

void load_preset(Loading& loading, const PoolInput& fleet, const AvailabilityInput& input,
                 Pool& pool) {
  const Node node = *input.written->find("preset");
  models::Synthesis drawn{exponential(scarce_up), exponential(scarce_down), input.all_lost};
  std::string assumed;
  if (*input.preset == MarketPreset::calm) {
    if (!input.band) {
      if (input.written->find("band")) return;  // reported already
      loading.error(*input.written, "E0202", "a calm market lacks the key \"band\"",
                    "its interruption rate is missing", "\"band\": \"<5\" ... \">20\"");
      return;
    }
    drawn.up = exponential(calm_up(*input.band));
    drawn.down = exponential(calm_down);
    assumed = fmt::format("up {:.0f} days on average, down 1 hour: a lower bound for GPUs",
                          static_cast<double>(drawn.up.scale.count()) / hour_ns / 24);
  } else {
    assumed = "up 3.4 hours on average, down 1.9, each launch waits 25 minutes: like V100s in 2023";
    if (!fleet.of_market.capacity_wait) pool.capacity_wait = exponential(scarce_wait);
    if (!loading.markets.regions.back().empty()) {
      loading.markets.scarce_regions.insert(loading.markets.regions.back());
      assumed += fmt::format("; fleets of the region share {} shocks an hour, each hits {:.0f} %",
                             scarce_shocks_per_hour, 100 * scarce_hit);
    }
  }
  pool.synthesis = drawn;
  loading.warning(node, "W0427", "a preset is an estimate, not a record", assumed,
                  "set \"up\" and \"down\", or a \"trace\"");
}

std::optional<std::uint64_t> load_availability(Loading& loading, const PoolInput& fleet,
                                               Pool& pool) {
  const AvailabilityInput& input = *fleet.of_market.availability;
  check_keys_of_availability(loading, input);
  if (input.trace) return load_record(loading, input, pool);
  if (!input.steps.empty()) load_steps(loading, input, pool);
  if (input.preset) load_preset(loading, fleet, input, pool);
  if (input.up && !input.down) {
    loading.error(*input.written, "E0202", "availability lacks the key \"down\"", "add it here",
                  "set it to the time without offers");
  }
  if (input.up && input.down) pool.synthesis = {*input.up, *input.down, input.all_lost};
  return std::nullopt;
}

/// The price that is billed is the amortized one.
void load_commitment(Loading& loading, const CommitmentInput& input, Pool& pool) {
  if (pool.capacity == 0) return;  // a finding already
  const auto upfront = input.written->find("upfront_usd");
  if (pool.market == Market::capacity_block && upfront && input.upfront > policy::Usd{}) {
    loading.findings.add(at_key(*upfront, "E0228", "\"upfront_usd\" has no meaning here",
                                "a capacity block is billed by its windows: usd_per_hour"));
  }
  models::Commitment commitment{input.hourly.value_or(policy::UsdPerHour{}), input.upfront,
                                input.term, input.before};
  if (!input.hourly && input.upfront == policy::Usd{}) commitment.hourly = pool.price;
  pool.price = models::amortized_price(commitment, pool.capacity);
  if (pool.price > dearest_hour) {
    loading.error(
        input.written->find("upfront_usd").value_or(*input.written), "E0231",
        "an hour of one instance costs more than $1,000,000,000",
        fmt::format("for {}, of {}", show(commitment.term), counted(pool.capacity, "instance")),
        "use a longer \"term\", or check the payment");
  }
  if (pool.price.nanos == 0) {
    loading.error(*input.written, "E0348", "the instances cost nothing",
                  "neither usd_per_hour nor upfront_usd is above 0");
  }
  pool.commitment = commitment;
}

/// Capacity Blocks are bought for stated times; machines are terminated from half an hour before
/// their end on, one hour for UltraServers.
void load_block(Loading& loading, const PoolInput& input, Pool& pool) {
  pool.ends_early = input.of_market.ends_early.value_or(std::chrono::minutes{30});
  pool.end_warning = input.of_market.end_warning.value_or(std::chrono::minutes{40});
  if (pool.end_warning > Duration{0} && pool.end_warning < pool.ends_early) {
    const auto written = input.written->find("end_warning");
    loading.warning(written ? *written : *input.written->find("ends_early"), "W0470",
                    "jobs are notified of the block's end after they lose their instances",
                    fmt::format("instances are reclaimed {} before the end", show(pool.ends_early)),
                    "use more than \"ends_early\" (default: 30m)");
  }
  if (!input.written->find("windows")) {
    loading.error(*input.written->find("market"), "E0202", "a capacity block lacks \"windows\"",
                  "its time is missing", "add \"windows\": [[\"0s\", \"1d\"]]");
  }
}

/// Windows that are over for jobs before they begin.
void check_block_windows(Loading& loading, const PoolInput& input) {
  const Pool& pool = loading.world().pools.back();
  const auto list = input.written->find("windows");
  if (!list || list->size() != pool.windows.size()) return;  // a wrong one is reported already
  for (std::size_t i = 0; i < pool.windows.size(); ++i) {
    const auto& [from, until] = pool.windows[i];
    if (from >= until || until - from > pool.ends_early) continue;
    loading.warning((*list)[i], "W0494", "no job ever gets instances in this window",
                    fmt::format("it lasts {}, but instances are reclaimed {} before its end",
                                show(until - from), show(pool.ends_early)),
                    "use a longer window or a shorter \"ends_early\"");
  }
}

}  // namespace

void load_market(Loading& loading, const PoolInput& input) {
  const MarketInput& market = input.of_market;
  Pool& pool = loading.world().pools.back();
  loading.markets.ticks.push_back({});
  check_keys_of_market(loading, input);
  load_region(loading, input);
  pool.reclaim_order = market.reclaim_order;
  pool.windows = market.windows;
  pool.capacity_wait = market.capacity_wait;
  if (market.commitment && policy::is_reserved(pool.market)) {
    load_commitment(loading, *market.commitment, pool);
  }
  if (pool.market == Market::capacity_block) load_block(loading, input, pool);
  check_block_windows(loading, input);
  if (!market.windows.empty()) {
    check_order(market.windows, *input.written->find("windows"), loading.findings);
  }
  const std::size_t errors = loading.findings.errors();
  std::optional<std::uint64_t> ticks;
  if (market.availability) ticks = load_availability(loading, input, pool);
  if (market.price_trace) load_price_trace(loading, input, ticks, pool);
  if (pool.market != Market::spot || loading.findings.errors() > errors) return;
  if (!pool.prices.empty()) {
    pool.price = pool.prices.front().price;
  } else if (pool.price.nanos == 0) {
    report_no_spot_price(loading, input.instance_type, input);
  }
}

}  // namespace reeve::scenarios
