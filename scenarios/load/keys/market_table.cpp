// The keys of a fleet's market: what it offers and asks, and the shocks that fleets share.
#include <array>
#include <chrono>

#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {
namespace {

using models::AfterEnd;
using models::Offer;
using models::ReclaimOrder;

/// A choice of values that have their names elsewhere.
template <class T>
Codec<T> named(std::span<const std::pair<std::string_view, T>> names) {
  std::vector<Choice<T>> choices;
  for (const auto& [name, value] : names) choices.push_back({name, value});
  return choice<T>(std::move(choices));
}

Codec<PriceFormat> price_format() {
  return choice<PriceFormat>({{"aws-spot-history", PriceFormat::aws_spot_history},
                              {"describe-spot-price-history", PriceFormat::describe},
                              {"per-tick", PriceFormat::per_tick}});
}

/// ["at", instances].
Codec<Offer> offer_step() {
  const Codec<Duration> at = duration();
  const Codec<std::uint32_t> instances = integer<std::uint32_t>(0, 100'000'000, "instances");
  return {shape_of(ShapeKind::pair, {at.shape, instances.shape}),
          [at, instances](const Node& node, Findings& findings, Offer& into) {
            return expect_pair(node, "a step is a pair, [\"at\", instances]", findings) &&
                   at.read(node[0], findings, into.at) &&
                   instances.read(node[1], findings, into.instances);
          }};
}

/// AWS states how often Spot interrupts in these bands.
Codec<double> band() {
  return choice<double>(
      {{"<5", 2.5}, {"5-10", 7.5}, {"10-15", 12.5}, {"15-20", 17.5}, {">20", 25.0}});
}

/// Markets are sampled by the minute or the hour; more than a day is another unit.
Codec<Duration> tick_of_a_trace() {
  return duration(std::chrono::nanoseconds{0}, true, std::chrono::hours{24});
}

const ObjectTable<AvailabilityInput>& availability_table() {
  using Input = AvailabilityInput;
  const Slot read{&Input::read};
  const auto span = read(&OfferOptions::span);
  static const ObjectTable<Input> table{
      "availability",
      "Number of available instances over time: recorded, listed, drawn or estimated.",
      {field<Input>("trace", &Input::trace, trace_file(),
                    "trace file, relative to this file (docs/how-to/recorded-markets.md)"),
       field<Input>("format", read(&OfferOptions::format), named(offer_formats()),
                    "format of the trace", {"\"spot-traces\""}),
       field<Input>("convention", read(&OfferOptions::convention), named(conventions()),
                    "meaning of a 1 in the trace"),
       field<Input>("series", read(&OfferOptions::series), text(),
                    "series to use if the trace has several. Default: the only one"),
       field<Input>("instances", read(&OfferOptions::instances),
                    integer<std::uint32_t>(1, 100'000'000, "instances"),
                    "instances that one unit of the trace represents", {"1"}),
       field<Input>("tick", span(&TraceSpan::tick), tick_of_a_trace(),
                    "time between two values of the trace, if the trace does not say it"),
       field<Input>("from", span(&TraceSpan::start), instant(),
                    "date in the trace at which the clock starts. Default: its first"),
       field<Input>(
           "after_end", &Input::after_end,
           choice<AfterEnd>(
               {{"hold", AfterEnd::hold}, {"repeat", AfterEnd::repeat}, {"down", AfterEnd::down}}),
           "after the end of the trace: hold the last value, repeat the trace, or offer nothing "
           "(down)",
           {"\"hold\""}),
       field<Input>("steps", &Input::steps, list_of(offer_step(), 1),
                    "[[\"at\", instances], ...] after the start of the clock"),
       field<Input>("up", &Input::up, law(true),
                    "time that the whole fleet is available; an exponential distribution includes "
                    "the losses from shocks"),
       field<Input>("down", &Input::down, law(true), "time that the fleet is not available"),
       field<Input>(
           "all_lost", &Input::all_lost, probability(),
           "probability that a loss takes all instances; otherwise it takes a uniform part of them",
           {"1"}),
       field<Input>(
           "preset", &Input::preset,
           choice<MarketPreset>({{"calm", MarketPreset::calm}, {"scarce", MarketPreset::scarce}}),
           "estimated market: calm: rare interruptions; scarce: as V100s in 2023"),
       field<Input>("band", &Input::band, band(),
                    "for calm: percent of instances interrupted per month")},
      {"trace", "steps", "up", "preset"}};
  return table;
}

const ObjectTable<CommitmentInput>& commitment_table() {
  using Input = CommitmentInput;
  static const ObjectTable<Input> table{
      "a commitment",
      "Commitment for reserved instances, used or not.",
      {field<Input>("usd_per_hour", &Input::hourly, usd_per_hour(0, 1e6, false),
                    "price of one instance over time. Default: 0 with upfront_usd, else the price "
                    "of the type"),
       field<Input>("upfront_usd", &Input::upfront, usd(0, 1e12),
                    "up-front payment for the whole fleet, at the start of each term", {"0"}),
       field<Input>("term", &Input::term, duration(std::chrono::hours{1}),
                    "time that upfront_usd pays for", {"\"365d\""}),
       field<Input>("begun_before", &Input::before, duration(),
                    "time since the term began when the clock starts: that term's up-front payment "
                    "is in no invoice of the run",
                    {"\"0s\""})}};
  return table;
}

const ObjectTable<PriceTraceInput>& price_trace_table() {
  using Input = PriceTraceInput;
  const Slot read{&Input::read};
  const auto span = read(&PriceOptions::span);
  static const ObjectTable<Input> table{
      "price_trace",
      "Spot price of an instance over time.",
      {field<Input>("trace", &Input::trace, trace_file(),
                    "trace file, relative to this file (docs/how-to/recorded-markets.md)",
                    {{}, true}),
       field<Input>("format", read(&PriceOptions::format), price_format(), "format of the trace",
                    {"\"aws-spot-history\""}),
       field<Input>("type", read(&PriceOptions::type), text(),
                    "instance type in the trace. Default: the type of the fleet, as EC2 names it"),
       field<Input>("zone", read(&PriceOptions::zone), text(),
                    "zone in the trace. Default: the zone of the fleet"),
       field<Input>("product", read(&PriceOptions::product), text(), "product in price histories",
                    {"\"Linux/UNIX\""}),
       field<Input>("series", read(&PriceOptions::series), text(),
                    "series to use if the trace has several. Default: the only one"),
       field<Input>("tick", span(&TraceSpan::tick), tick_of_a_trace(),
                    "time between two prices of the trace, if the trace does not say it"),
       field<Input>("from", span(&TraceSpan::start), instant(),
                    "date in the trace at which the clock starts. Default: its first")}};
  return table;
}

/// One number for every two fleets, or a matrix.
Codec<std::vector<std::vector<double>>> correlation() {
  using Matrix = std::vector<std::vector<double>>;
  const Codec<double> one = number(-1, 1);
  const Codec<Matrix> all = list_of(list_of(one, 1), 1);
  return {shape_of(ShapeKind::any_of, {one.shape, all.shape}),
          [one, all](const Node& node, Findings& findings, Matrix& into) {
            if (node.is_array()) return all.read(node, findings, into);
            double value = 0;
            if (!one.read(node, findings, value)) return false;
            into = {{value}};
            return true;
          }};
}

}  // namespace

const ObjectTable<MarketInput>& market_table() {
  using Input = MarketInput;
  static const ObjectTable<Input> table{
      "a market",
      "Price and availability of a fleet's instances over time.",
      {field<Input>("zone", &Input::zone, text(),
                    "availability zone, such as us-east-1a; selects the prices of a trace"),
       field<Input>("region", &Input::region, text(),
                    "region, for `shocks`. Default: the region of the zone, if it has an AWS name"),
       field<Input>("availability", &Input::availability, object(availability_table()),
                    "number of available instances over time. Default: all, always"),
       field<Input>("price_trace", &Input::price_trace, object(price_trace_table()),
                    "Spot price over time. Default: one fixed price"),
       field<Input>("reclaim_order", &Input::reclaim_order,
                    choice<ReclaimOrder>({{"random", ReclaimOrder::random},
                                          {"newest", ReclaimOrder::newest},
                                          {"oldest", ReclaimOrder::oldest}}),
                    "attempts that lose their instances first when fewer are available",
                    {"\"random\""}),
       field<Input>(
           "capacity_wait", &Input::capacity_wait, law(false),
           "capacity wait of each launch, before provisioning, in status Pending or, on managed "
           "Spot, spot_wait_status. Default: none"),
       field<Input>("windows", &Input::windows, list_of(interval(), 1),
                    "[[\"from\", \"to\"], ...] in which reserved instances exist. Default: always"),
       field<Input>("ends_early", &Input::ends_early, duration(),
                    "for a capacity block: time before the end of a window at which its instances "
                    "are taken away",
                    {"\"30m\""}),
       field<Input>("end_warning", &Input::end_warning, duration(),
                    "for a capacity block: time before the end of a window at which its jobs "
                    "receive a notice; 0s: no notice",
                    {"\"40m\""}),
       field<Input>("node_faults", &Input::node_faults, object(node_faults_table()),
                    "random faults of the instances. Default: none"),
       field<Input>("commitment", &Input::commitment, object(commitment_table()),
                    "commitment for reserved instances. Default: usd_per_hour of their type")}};
  return table;
}

const ObjectTable<ShocksInput>& shocks_table() {
  using Input = ShocksInput;
  static const ObjectTable<Input> table{
      "shocks",
      "Losses that fleets of one region share, if their availability is drawn.",
      {field<Input>("region", &Input::region, text(), "region of the fleets", {{}, true}),
       field<Input>("per_hour", &Input::per_hour, number(0, 1000), "mean rate of shocks",
                    {{}, true}),
       field<Input>("hit", &Input::hit, probability(),
                    "probability that a shock hits a fleet that is up", {{}, true}),
       field<Input>("correlation", &Input::correlation, correlation(),
                    "correlation of the hits: one value for all pairs of fleets, or a matrix in "
                    "the order of the fleets",
                    {"0.5"})}};
  return table;
}

}  // namespace reeve::scenarios
