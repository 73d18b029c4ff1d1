// Recorded markets: a file of offers or prices becomes those of a pool, checked against its fleet.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "models/offer_cursor.hpp"
#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/records/market_trace.hpp"

namespace reeve::scenarios {
namespace {

using models::AfterEnd;
using models::Pool;
using policy::Market;
using policy::UsdPerHour;

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

}  // namespace

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

}  // namespace reeve::scenarios
