// What fleets say of their markets: traces, steps, laws and presets become offers and prices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "models/offer_cursor.hpp"
#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/records/market_trace.hpp"

namespace reeve::scenarios {
namespace {

using models::AfterEnd;
using models::DurationLaw;
using models::Pool;
using policy::Market;
using policy::UsdPerHour;

/// Hours of many instances can still be added up.
constexpr UsdPerHour dearest_hour{1'000'000'000'000'000'000};

constexpr double hour_ns = 3.6e12;

// What a `scarce` market is like: V100s on Spot in 2023 (availability 0.64), our fit of how their
// zones fail together, and waits for on-demand GPUs of 10 to 40 minutes.
constexpr Duration scarce_up = std::chrono::minutes{204};
constexpr Duration scarce_down = std::chrono::minutes{114};
constexpr Duration scarce_wait = std::chrono::minutes{25};
constexpr double scarce_shocks_per_hour = 0.15;
constexpr double scarce_hit = 0.5;
constexpr double scarce_correlation = 0.5;
constexpr Duration calm_down = std::chrono::hours{1};
constexpr double month_h = 720;
constexpr std::size_t most_pools_of_a_region = 64;

DurationLaw exponential(Duration mean) {
  return {models::Shape::exponential, mean, 0, longest_duration};
}

/// A share of instances interrupted in a month as a mean time between interruptions.
Duration calm_up(double percent) {
  const double per_hour = -std::log(1 - percent / 100) / month_h;
  return Duration{static_cast<std::int64_t>(hour_ns / per_hour)};
}

bool is_zone_letter(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_decimal_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The region that a zone's name begins with, as AWS and Google name them ("us-east-1",
/// "us-central1"); empty if it does not.
std::string_view region_in(std::string_view zone) {
  const std::size_t dash = zone.find('-');
  const std::size_t digits = zone.find_first_of("0123456789");
  if (dash == zone.npos || digits == zone.npos || digits < dash || dash == 0) return {};
  if (!std::all_of(zone.begin(), zone.begin() + static_cast<std::ptrdiff_t>(digits),
                   [](char c) { return is_zone_letter(c) || c == '-'; })) {
    return {};
  }
  return zone.substr(0, zone.find_first_not_of("0123456789", digits));
}

/// us-east-1 of us-east-1a, of us-west-2-lax-1a (a Local Zone) and of us-east-1-wl1-bos-wlz-1 (a
/// Wavelength Zone), us-central1 of us-central1-a; nothing if it is not named so.
std::string region_of(std::string_view zone) {
  const std::string_view region = region_in(zone);
  std::string_view rest = zone.substr(region.size());
  if (region.empty() || rest.empty()) return {};
  const bool wavelength = rest.starts_with("-wl") && rest.find("-wlz-") != rest.npos;
  if (wavelength && is_decimal_digit(rest.back())) return std::string{region};
  if (!is_zone_letter(rest.back())) return {};
  rest.remove_suffix(1);
  if (rest.empty() || rest == "-") return std::string{region};
  const bool local = rest.size() > 3 && rest.front() == '-' && is_decimal_digit(rest.back());
  return local ? std::string{region} : std::string{};
}

/// Of an id that AWS gives a zone beside its name: "use1-az1", "usw2-lax1-az1", "usgw1-az1".
bool is_zone_id(std::string_view zone) {
  const std::size_t dash = zone.find('-');
  const std::size_t last = zone.rfind("-az");
  if (dash == zone.npos || last == zone.npos || dash < 3 || !is_decimal_digit(zone[dash - 1]))
    return false;
  const std::string_view number = zone.substr(last + 3);
  return !number.empty() && std::all_of(number.begin(), number.end(), is_decimal_digit);
}

/// What is named like a region of AWS and is none.
void check_region(Loading& loading, const PoolInput& input, const std::string& region) {
  if (loading.input.platform.platform.model == models::PlatformModel::gcp) return;
  const auto help = near_unknown_region(region);
  if (!help) return;
  const Node fleet = *input.written;
  loading.warning(fleet.find(input.of_market.region.empty() ? "zone" : "region").value_or(fleet),
                  "W0481", fmt::format("AWS has no region {}", in_quotes(region)),
                  "used as written", *help);
}

/// Whether its first word is one of those that AWS and Google begin regions with: a rack is none.
bool begins_in_a_cloud(std::string_view region) {
  constexpr std::array words{std::string_view{"europe"},       std::string_view{"asia"},
                             std::string_view{"australia"},    std::string_view{"africa"},
                             std::string_view{"northamerica"}, std::string_view{"southamerica"}};
  const std::string_view word = region.substr(0, region.find('-'));
  return word.size() == 2 || std::find(words.begin(), words.end(), word) != words.end();
}

/// What is named like a zone and is none: a slip of the pen, or a region.
void check_zone(Loading& loading, const PoolInput& input) {
  const MarketInput& market = input.of_market;
  if (is_zone_id(market.zone)) {
    loading.warning(*input.written->find("zone"), "W0481",
                    fmt::format("{} is a zone ID, not a zone name", in_quotes(market.zone)),
                    "no region is derived from it",
                    "use a zone name such as \"us-east-1a\": AWS calls and price records use "
                    "names, and IDs differ by account");
    return;
  }
  if (!market.region.empty() || !region_of(market.zone).empty()) return;
  const std::string_view region = region_in(market.zone);
  if (region.empty() || !begins_in_a_cloud(region)) return;
  loading.warning(*input.written->find("zone"), "W0481",
                  fmt::format("{} is not a zone of {}", in_quotes(market.zone), in_quotes(region)),
                  "no region is derived from it",
                  fmt::format("use the region plus a letter, \"{}a\", or set \"region\"", region));
}

/// Prices of one region for machines of another.
void check_book_region(Loading& loading, const PoolInput& input, const std::string& region) {
  if (!loading.prices.book || region.empty()) return;
  const std::string& priced = loading.prices.book->rows().front().region;
  const auto& stated = loading.input.prices.instances;
  const bool inline_price = std::any_of(stated.begin(), stated.end(), [&](const auto& type) {
    return type.first == input.instance_type;
  });
  if (priced == region || inline_price) return;
  const Node fleet = *input.written;
  loading.warning(fleet.find(input.of_market.region.empty() ? "zone" : "region").value_or(fleet),
                  "W0480",
                  fmt::format("the {} price is for {}, but its fleet is in {}",
                              in_quotes(input.instance_type), in_quotes(priced), in_quotes(region)),
                  "the same price is assumed",
                  "use a price book of that region, or set the price in prices.instances");
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

/// Longer than any market was recorded for.
constexpr Duration doubtful_length = std::chrono::days{10 * 366};

/// As long a record as so many runs is rarely meant.
constexpr int most_clocks = 100;
/// Where its times do not look like another unit.
constexpr int most_clocks_of_any = 1000;

/// What is said of a file as a whole stands where the scenario names it; `note` tells what of it
/// was asked for.
Diagnostic placed(const Node& node, const Diagnostic& found, const std::string& note) {
  if (found.position.line > 0 || found.code != "E0336") return found;
  Diagnostic here = at(node, found.code, found.message, "in this file", found.severity);
  here.help = found.help;
  if (!note.empty()) here.notes.push_back(note);
  return here;
}

/// A trace that is read, its warnings noted; nothing after a finding.  `node` names it.
template <class Read>
std::optional<MarketTrace> read_noted(Loading& loading, const Node& node, const Read& read,
                                      const std::string& note = {}) {
  std::optional<MarketTrace> trace;
  try {
    trace = read();
  } catch (const InputError& error) {
    for (const Diagnostic& found : error.diagnostics()) {
      loading.findings.add(placed(node, found, note));
    }
    return std::nullopt;
  }
  for (const Diagnostic& warning : trace->warnings) loading.findings.add(warning);
  if (trace->length > doubtful_length) {
    loading.warning(node, "W0483",
                    fmt::format("the trace lasts {} years", trace->length / std::chrono::days{365}),
                    "used as written",
                    "times are in seconds: convert them if these are milliseconds");
  }
  return trace;
}

/// A tick that is no time is reported where it stands.
bool is_tick_read(const Node& object, const TraceSpan& span) {
  return span.tick || !object.find("tick");
}

std::optional<Duration> length_of_clock(const Loading& loading) {
  return loading.input.clock.horizon;
}

void check_size(Loading& loading, const AvailabilityInput& input, const Pool& pool) {
  std::uint32_t most = 0;
  for (const models::Offer& offer : pool.replay->steps) most = std::max(most, offer.instances);
  if (most > pool.capacity) {
    loading.warning(*input.written->find("trace"), "W0497",
                    fmt::format("the trace offers up to {}, but fleet {} has {}",
                                counted(most, "instance"), in_quotes(pool.name), pool.capacity),
                    "offers above the capacity are never used",
                    fmt::format("set \"capacity\": {} to use all of it", most));
  }
  if (most >= pool.capacity) return;
  loading.warning(
      *input.written->find("trace"), "W0426",
      fmt::format("the trace offers at most {}, but fleet {} has {}", counted(most, "instance"),
                  in_quotes(pool.name), pool.capacity),
      "the other instances are never available",
      most == 1 ? "if 1 means all of them, set \"instances\": " + std::to_string(pool.capacity)
                : "");
}

/// A record that begins anew turns on for as long as the clock runs: not more often than once a
/// second, as of markets that are drawn.
bool check_repeats(Loading& loading, const AvailabilityInput& input, Duration length,
                   std::size_t steps) {
  const Duration least = std::chrono::seconds{1} * static_cast<std::int64_t>(steps);
  if (input.after_end != AfterEnd::repeat || length >= least) return true;
  const Node node = *input.written;
  loading.error(node.find("after_end").value_or(node), "E0265", "a record too short to repeat",
                fmt::format("{} with {} steps", show(length), steps),
                "use at least one second per step, and check that times are in seconds");
  return false;
}

/// What a 1 of the file is by what the fleet says of it; nothing if it leaves that to the file.
std::optional<Convention> stated_convention(const AvailabilityInput& input) {
  if (input.read.convention) return input.read.convention;
  const bool lost = input.read.format == OfferFormat::skynomad;
  return lost ? std::optional{Convention::preempted} : std::nullopt;
}

/// One file read under both conventions: what is up for one fleet is lost for the other.
void check_same_convention(Loading& loading, const AvailabilityInput& input,
                           const std::filesystem::path& path) {
  const auto convention = stated_convention(input);
  if (!convention) return;
  const auto [known, first] =
      loading.markets.conventions.try_emplace(path.lexically_normal(), *convention);
  if (first || known->second == *convention) return;
  const Node node = *input.written;
  const bool up = *convention == Convention::up;
  loading.warning(node.find("convention").value_or(*node.find("trace")), "W0490",
                  fmt::format("{} is read with both conventions", in_quotes(*input.trace)),
                  fmt::format("1 means {} here, but {} for an earlier fleet", up ? "up" : "lost",
                              up ? "lost" : "up"),
                  "use one convention: a file has only one, so one of the two is wrong");
}

/// Whether every time is a number of 1,000 s, as whole seconds in milliseconds are.
bool all_thousands(const MarketTrace& trace) {
  const auto whole = [](const auto& step) {
    return step.at % std::chrono::seconds{1000} == Duration{0};
  };
  return trace.length % std::chrono::seconds{1000} == Duration{0} &&
         std::all_of(trace.offers.begin(), trace.offers.end(), whole) &&
         std::all_of(trace.prices.begin(), trace.prices.end(), whole);
}

/// Changes in milliseconds are a thousand times as long as the clock that they were written for.
void check_unit(Loading& loading, const AvailabilityInput& input, const MarketTrace& trace) {
  const auto clock = length_of_clock(loading);
  const Duration length = trace.length;
  if (input.read.format != OfferFormat::steps || !clock || length > doubtful_length) return;
  const bool likely = all_thousands(trace);
  if (length / (likely ? most_clocks : most_clocks_of_any) <= *clock) return;
  loading.warning(*input.written->find("trace"), "W0483",
                  fmt::format("the trace lasts {}, the clock {}", show(length), show(*clock)),
                  "used as written",
                  likely ? "t_s is in seconds: convert the times if these are milliseconds"
                         : "t_s is in seconds; these may be milliseconds");
}

/// A price on demand is the most that Spot costs; single rows above it stand in old records.
void check_recorded_prices(Loading& loading, const Node& trace, const Pool& pool) {
  const UsdPerHour most = loading.world().directory.types[pool.type.index].price;
  const auto above = [&](const models::PriceStep& step) { return step.price > most; };
  const auto dear = std::count_if(pool.prices.begin(), pool.prices.end(), above);
  const auto all = static_cast<std::ptrdiff_t>(pool.prices.size());
  if (most.nanos == 0 || 2 * dear <= all) return;
  loading.warning(trace, "W0479",
                  fmt::format("{} of {} recorded prices exceed the on-demand price, ${:.2f}", dear,
                              all, static_cast<double>(most.nanos) / 1e9),
                  "used as written", "check whether they are in cents or of another type");
}

/// The record becomes the pool's offers, and its prices (if it has any) those of Spot.
std::optional<std::uint64_t> load_record(Loading& loading, const AvailabilityInput& input,
                                         Pool& pool) {
  const auto path = find_trace(loading, *input.trace, *input.written->find("trace"));
  if (path) check_same_convention(loading, input, *path);
  if (!path || !is_tick_read(*input.written, input.read.span)) return std::nullopt;
  OfferOptions options = input.read;
  options.assumed = !input.written->find("format");
  if (input.after_end == AfterEnd::hold) options.span.clock = length_of_clock(loading);
  options.span.clock_start = loading.world().start;
  options.on_demand = loading.world().directory.types[pool.type.index].price;
  auto trace = read_noted(loading, *input.written->find("trace"),
                          [&] { return read_offers(*path, options); });
  if (!trace) return std::nullopt;
  check_unit(loading, input, *trace);
  loading.markets.ticks.back() = {trace->tick, trace->ticks, Duration{0}};
  if (!check_repeats(loading, input, trace->length, trace->offers.size())) return std::nullopt;
  pool.replay = models::Replay{std::move(trace->offers), trace->length, input.after_end};
  if (pool.market == Market::spot) {
    pool.prices = std::move(trace->prices);
    check_recorded_prices(loading, *input.written->find("trace"), pool);
  }
  check_size(loading, input, pool);
  return trace->ticks > 0 ? std::optional{trace->ticks} : std::nullopt;
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
      assumed += "; fleets of the region share 0.15 shocks an hour, each hits half of them";
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

void load_price_trace(Loading& loading, const PoolInput& fleet, std::optional<std::uint64_t> ticks,
                      Pool& pool) {
  const PriceTraceInput& input = *fleet.of_market.price_trace;
  const Node node = *input.written;
  const auto written = node.find("trace");
  const auto path = written ? find_trace(loading, input.trace, *written) : std::nullopt;
  if (!path || !is_tick_read(node, input.read.span)) return;
  PriceOptions options = input.read;
  const bool history = options.format != PriceFormat::per_tick;
  std::string note;
  if (history && options.type.empty()) {
    options.type = fleet.instance_type;
    if (const auto ec2 = ec2_name(fleet.instance_type); ec2 != options.type) {
      options.other_type = ec2;
      note =
          fmt::format("reeve looks for {}, then for its EC2 name {}: price histories use EC2 names",
                      in_quotes(fleet.instance_type), in_quotes(ec2));
    }
  }
  if (history && options.zone.empty()) options.zone = fleet.of_market.zone;
  options.on_demand = loading.world().directory.types[pool.type.index].price;
  options.ticks = ticks;
  options.span.clock = length_of_clock(loading);
  options.span.clock_start = loading.world().start;
  auto trace = read_noted(
      loading, *written, [&] { return read_prices(*path, options); }, note);
  if (!trace) return;
  loading.markets.ticks.back().price_tick = trace->tick;
  if (!pool.prices.empty()) {
    loading.findings.add(
        at_key(node, "W0482", "one fleet has two price records",
               "these prices replace those of \"availability\"", Severity::warning)
            .with_help("remove \"price_trace\" to use the prices of \"availability\""));
  }
  pool.prices = std::move(trace->prices);
  check_recorded_prices(loading, *written, pool);
}

/// The hazard of an exponential `up` is what it is with the shocks: the fleet's own is the rest.
void take_shocks_out(Loading& loading, const models::Shocks& shocks, policy::PoolId pool,
                     const Node& node) {
  Pool& machines = loading.world().pools[pool.index];
  DurationLaw& up = machines.synthesis->up;
  if (up.shape != models::Shape::exponential) return;  // the shocks come on top
  const double own = hour_ns / static_cast<double>(up.scale.count()) - shocks.per_hour * shocks.hit;
  if (own > 0 && hour_ns / own < static_cast<double>(longest_duration.count())) {
    up.scale = Duration{static_cast<std::int64_t>(hour_ns / own)};
    return;
  }
  loading.error(
      node, "E0237",
      fmt::format("shocks alone interrupt {} more often than \"up\" allows",
                  in_quotes(machines.name)),
      fmt::format("{} losses an hour", shocks.per_hour * shocks.hit),
      fmt::format("\"up\" is {} on average: use fewer shocks or a longer \"up\"", show(up.scale)));
}

using Matrix = std::vector<std::vector<double>>;

/// Of so many fleets; empty after a finding.
Matrix correlation_of(Loading& loading, const ShocksInput& input, std::size_t pools,
                      const Node& node) {
  if (input.correlation.size() == 1 && input.correlation[0].size() == 1) {
    Matrix matrix(pools, std::vector<double>(pools, input.correlation[0][0]));
    for (std::size_t i = 0; i < pools; ++i) matrix[i][i] = 1;
    return matrix;
  }
  const Matrix& matrix = input.correlation;
  bool square = matrix.size() == pools;
  for (const auto& row : matrix) square = square && row.size() == pools;
  if (!square) {
    loading.error(node, "E0236", "the correlation is neither a number nor a matrix of all fleets",
                  fmt::format("in {}, {} drawn", in_quotes(input.region),
                              pools == 1 ? "one fleet is" : std::to_string(pools) + " fleets are"));
    return {};
  }
  for (std::size_t i = 0; i < pools; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (matrix[i][j] == matrix[j][i] && (i != j || matrix[i][j] == 1)) continue;
      loading.error(node, "E0236", "a correlation matrix must be symmetric, with 1 on its diagonal",
                    fmt::format("row {}, column {}", i + 1, j + 1));
      return {};
    }
  }
  return matrix;
}

/// Shocks so many, of which so few hit, that a fleet may be up for more of them than are looked at.
void warn_of_misses(Loading& loading, const models::Shocks& shocks, const Node& node) {
  constexpr double misses = models::most_misses;
  const models::World& world = loading.world();
  double up_h = 0;  // hardly any period lasts longer
  for (const policy::PoolId pool : shocks.pools) {
    constexpr double longest = 40;
    const Duration up = models::mean(world.pools[pool.index].synthesis->up);
    up_h = std::max(up_h, longest * static_cast<double>(up.count()) / hour_ns);
  }
  if (world.end != policy::never) {
    up_h = std::min(up_h, static_cast<double>((world.end - world.start).count()) / hour_ns);
  }
  const double all_miss = std::pow(1 - shocks.hit, misses);
  if (shocks.hit <= 0 || all_miss < 1e-9 || shocks.per_hour * up_h <= misses) return;
  loading.warning(
      node, "W0511",
      fmt::format("after {} shocks that miss a fleet the next are ignored", models::most_misses),
      fmt::format("a fraction {:.2g} of such series has a hit only later", all_miss),
      "use a lower \"per_hour\" with a higher \"hit\", or include the shocks in \"up\"");
}

void add_shocks(Loading& loading, const ShocksInput& input, const Node& node) {
  models::World& world = loading.world();
  models::Shocks shocks{input.region, input.per_hour, input.hit, {}, {}};
  for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
    if (loading.markets.regions[pool] == input.region && world.pools[pool].synthesis) {
      shocks.pools.push_back({pool});
    }
  }
  if (shocks.pools.empty()) {
    std::vector<std::string_view> known;
    for (const std::string& region : loading.markets.regions) {
      if (!region.empty()) known.push_back(region);
    }
    const bool is_there = std::find(known.begin(), known.end(), input.region) != known.end();
    loading.error(
        node, "E0244",
        fmt::format("no fleet in region {} has drawn availability", in_quotes(input.region)),
        "the shocks hit no fleet",
        is_there        ? "shocks hit fleets with \"up\" and \"down\""
        : known.empty() ? "set \"region\" of a fleet"
                        : did_you_mean(input.region, known));
    return;
  }
  if (shocks.pools.size() > most_pools_of_a_region) {
    loading.error(node, "E0244",
                  fmt::format("more than {} fleets share shocks", most_pools_of_a_region),
                  "in one region");
    return;
  }
  const Node stated = input.written ? input.written->find("correlation").value_or(node) : node;
  const Matrix matrix = correlation_of(loading, input, shocks.pools.size(), stated);
  if (matrix.empty()) return;
  shocks.factor = models::cholesky(matrix);
  if (shocks.factor.empty()) {
    loading.error(stated, "E0236", "no losses can have this correlation",
                  "the correlation is not positive definite",
                  "for n fleets, use values above -1/(n-1) and below 1");
    return;
  }
  warn_of_misses(loading, shocks, input.written ? input.written->find("hit").value_or(node) : node);
  for (const policy::PoolId pool : shocks.pools) take_shocks_out(loading, shocks, pool, node);
  world.shocks.push_back(std::move(shocks));
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
  loading.markets.regions.push_back(market.region.empty() ? region_of(market.zone) : market.region);
  loading.markets.ticks.push_back({});
  loading.markets.zones.push_back(market.zone);
  check_keys_of_market(loading, input);
  check_zone(loading, input);
  check_region(loading, input, loading.markets.regions.back());
  check_book_region(loading, input, loading.markets.regions.back());
  pool.zone = market.zone;
  pool.reclaim_order = market.reclaim_order;
  pool.windows = market.windows;
  pool.capacity_wait = market.capacity_wait;
  pool.region = loading.markets.regions.back();
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

void load_shocks(Loading& loading) {
  std::set<std::string_view> known;
  for (const ShocksInput& input : loading.input.shocks) {
    const auto region = input.written->find("region");
    if (!region) continue;  // its absence is reported already
    if (known.insert(input.region).second) {
      add_shocks(loading, input, *region);
    } else {
      loading.error(*region, "E0208",
                    fmt::format("shocks of region {} are defined twice", in_quotes(input.region)),
                    "define shocks once per region");
    }
  }
  for (const std::string& region : loading.markets.scarce_regions) {
    if (known.contains(region)) continue;
    ShocksInput assumed;
    assumed.region = region;
    assumed.per_hour = scarce_shocks_per_hour;
    assumed.hit = scarce_hit;
    assumed.correlation = {{scarce_correlation}};
    add_shocks(loading, assumed, *loading.input.written->find("fleet"));
  }
}

}  // namespace reeve::scenarios
