// JSON traces of one value per tick.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::UsdPerHour;

std::vector<std::string_view> keys_of(const Node& object) {
  std::vector<std::string_view> keys;
  for (const Node tick_member : object.as_object()) keys.push_back(tick_member.key());
  return keys;
}

Node tick_member(const Node& object, std::string_view key) {
  const std::vector<std::string_view> keys = keys_of(object);
  if (const auto found = object.find(key)) return *found;
  const auto meant = nearest_of(key, keys);
  throw InputError{at(object, "E0202", fmt::format("the key {} is missing", in_quotes(key)),
                      "not in this object")
                       .with_help(meant ? fmt::format("did you mean {}?", in_quotes(*meant)) : "")};
}

// The published files have it in `metadata` or beside the values.
std::optional<Node> stated_number(const Node& root, std::string_view key) {
  if (const auto metadata = root.find("metadata")) {
    if (const auto found = metadata->find(key)) return found;
  }
  return root.find(key);
}

Duration tick_of(const Node& root, std::optional<Duration> given) {
  const auto written = stated_number(root, "gap_seconds");
  if (!written) {
    if (given) return *given;
    throw InputError{at(root, "E0202", "the key \"gap_seconds\" is missing", "tick length missing")
                         .with_help("set `tick` next to the trace")};
  }
  if (!written->is_number()) written->as_number();  // throws E0120
  const JsonCell cell{*written, "gap_seconds"};
  const Duration tick = read_tick(cell);
  if (!given || *given == tick) return tick;
  throw InputError{
      cell.at("E0332",
              fmt::format("a tick is {} here, but {} was stated", show(tick), show(*given)),
              "choose one")
          .with_help("remove `tick`")};
}

// A tick for each value, at least one, and no more than a hundred years of them.
std::uint64_t ticks_in(const Node& where, std::size_t count, Duration tick) {
  if (count == 0) {
    throw InputError{at(where, "E0320", "the trace is empty", "no ticks")};
  }
  const auto ticks = static_cast<std::int64_t>(count);
  if (tick > longest_trace / ticks) {
    throw InputError{at(where, "E0332",
                        fmt::format("{} ticks of {} are more than 100 years", ticks, show(tick)),
                        "check the unit of the ticks")};
  }
  return count;
}

Duration at_tick(Duration tick, std::uint64_t index) {
  return tick * static_cast<std::int64_t>(index);
}

const Node& tick_number(const Node& node) {
  if (!node.is_number()) node.as_number();  // throws E0120
  return node;
}

void take_prices(const Node& prices, std::uint64_t ticks, const PriceReader& reader,
                 MarketTrace& trace) {
  const std::uint64_t count = prices.as_array().size();
  if (count < ticks) {
    throw InputError{
        at(prices, "E0338", fmt::format("{} prices for {} ticks", count, ticks), "too few")
            .with_help("each tick needs a price")};
  }
  if (count > ticks) {
    trace.warnings.push_back(at(prices, "W0312",
                                fmt::format("{} prices for {} ticks", count, ticks),
                                "the last prices are not used", Severity::warning));
  }
  std::uint64_t index = 0;
  for (const Node price : prices.as_array()) {
    if (index == ticks) return;
    put(trace.prices, at_tick(trace.tick, index++),
        reader.read(JsonCell{tick_number(price), "the price"}));
  }
}

std::optional<UsdPerHour> on_demand_of(const Node& price_info) {
  const auto price = price_info.find("on_demand_price");
  if (!price) return std::nullopt;
  return PriceReader{{}}.read(JsonCell{tick_number(*price), "on_demand_price"});
}

InputError no_price(const Node& where, std::string_view key) {
  return InputError{
      at(where, "E0329", fmt::format("the trace has no {}", in_quotes(key)), "price missing")
          .with_help("use the format \"spot-traces\" and set the price of the fleet")};
}

void take_skynomad_prices(const Node& root, MarketTrace& trace) {
  const auto info = stated_number(root, "price_info");
  if (!info) throw no_price(root, "price_info");
  trace.on_demand = on_demand_of(*info);
  const PriceReader reader{trace.on_demand};
  if (const auto prices = root.find("prices")) {
    take_prices(*prices, trace.ticks, reader, trace);
    return;
  }
  const auto price = info->find("price");
  if (!price) throw no_price(*info, "price");
  put(trace.prices, Duration::zero(), reader.read(JsonCell{tick_number(*price), "price"}));
}

// The member of that name; without a name the only one.
Node pick(const Node& root, std::string_view series) {
  const std::vector<std::string_view> names = keys_of(root);
  if (names.empty()) throw InputError{at(root, "E0320", "the trace is empty", "no series")};
  if (series.empty() && names.size() == 1) return root[0];
  if (const auto found = root.find(series); found && !series.empty()) return *found;
  constexpr std::size_t few = 12;
  std::string list;
  for (std::size_t i = 0; i < std::min(few, names.size()); ++i) {
    list += (i == 0 ? "" : ", ") + in_quotes(names[i]);
  }
  if (series.empty()) {
    throw InputError{
        at(root, "E0336", fmt::format("the file has {} series", names.size()), "choose one")
            .with_help("name one of " + list)};
  }
  throw InputError{
      at(root, "E0336", fmt::format("unknown series {}", in_quotes(series)), "not in this object")
          .with_help(did_you_mean_of(series, names))};
}

}  // namespace

MarketTrace read_tick_offers(const Document& document, const OfferOptions& options) {
  const Node root = document.root();
  const bool skynomad = options.format == OfferFormat::skynomad;
  const Node data = tick_member(root, "data");
  if (skynomad) check_convention(options.convention, Convention::preempted, at_key(data, "", ""));
  MarketTrace trace;
  trace.tick = tick_of(root, options.span.tick);
  trace.ticks = ticks_in(data, data.as_array().size(), trace.tick);
  CountReader counts{skynomad ? Convention::preempted : options.convention, options.instances};
  std::uint64_t index = 0;
  for (const Node value : data.as_array()) {
    put(trace.offers, at_tick(trace.tick, index++),
        counts.read(JsonCell{tick_number(value), "the count"}));
  }
  counts.check(at(data[0], "", ""));
  trace.length = at_tick(trace.tick, trace.ticks);
  if (skynomad) {
    take_skynomad_prices(root, trace);
  } else if (const auto prices = root.find("prices")) {
    take_prices(*prices, trace.ticks, PriceReader{{}}, trace);
  }
  return trace;
}

MarketTrace read_preempted_bits(const Document& document, const OfferOptions& options) {
  const Node series = pick(document.root(), options.series);
  const Node bits = tick_member(series, "preempted");
  check_convention(options.convention, Convention::preempted, at_key(bits, "", ""));
  const std::string_view text = bits.as_text();
  MarketTrace trace;
  trace.tick = tick_of(series, options.span.tick);
  trace.ticks = ticks_in(bits, text.size(), trace.tick);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '0' && text[i] != '1') {
      throw InputError{within(bits, i, 1, "E0313", "a tick is neither 0 nor 1", "expected 0 or 1")};
    }
    put(trace.offers, at_tick(trace.tick, i), text[i] == '0' ? options.instances : 0);
  }
  trace.length = at_tick(trace.tick, trace.ticks);
  return trace;
}

MarketTrace read_tick_prices(const Document& document, const PriceOptions& options) {
  const Node root = document.root();
  const auto beside = root.find("prices");  // the shape of a skynomad trace
  const Node prices = beside ? *beside : root.is_array() ? root : pick(root, options.series);
  MarketTrace trace;
  trace.tick = tick_of(root, options.span.tick);
  trace.ticks = ticks_in(prices, prices.as_array().size(), trace.tick);
  if (const auto info = stated_number(root, "price_info")) trace.on_demand = on_demand_of(*info);
  const auto on_demand = options.on_demand ? options.on_demand : trace.on_demand;
  const std::uint64_t wanted = options.ticks.value_or(trace.ticks);
  take_prices(prices, wanted, PriceReader{on_demand}, trace);
  trace.ticks = wanted;
  trace.length = at_tick(trace.tick, wanted);
  return trace;
}

}  // namespace reeve::scenarios
