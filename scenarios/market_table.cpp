// The keys of a fleet's market: what it offers and asks, and the shocks that fleets share.
#include <array>
#include <chrono>

#include "scenarios/input.hpp"

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
      "How many instances can be had when: recorded, written down, drawn or estimated.",
      {field<Input>("trace", &Input::trace, text(),
                    "a file, beside this one (docs/how-to/recorded-markets.md)"),
       field<Input>("format", read(&OfferOptions::format), named(offer_formats()), "of the trace",
                    {"\"spot-traces\""}),
       field<Input>("convention", read(&OfferOptions::convention), named(conventions()),
                    "what a 1 of the trace means"),
       field<Input>("series", read(&OfferOptions::series), text(),
                    "which of several in the trace; without: the only one"),
       field<Input>("instances", read(&OfferOptions::instances),
                    integer<std::uint32_t>(1, 100'000'000, "instances"),
                    "that one counted in the trace stands for", {"1"}),
       field<Input>("tick", span(&TraceSpan::tick), tick_of_a_trace(),
                    "between two values of the trace, where it does not say it"),
       field<Input>("from", span(&TraceSpan::start), instant(),
                    "date in the trace at which the clock starts; without: its first"),
       field<Input>(
           "after_end", &Input::after_end,
           choice<AfterEnd>(
               {{"hold", AfterEnd::hold}, {"repeat", AfterEnd::repeat}, {"down", AfterEnd::down}}),
           "of the trace: keep its last value, begin anew, offer nothing", {"\"hold\""}),
       field<Input>("steps", &Input::steps, list_of(offer_step(), 1),
                    "[[\"at\", instances], ...] after the start of the clock"),
       field<Input>("up", &Input::up, law(true),
                    "how long the whole fleet is on offer; if exponential, with its shocks"),
       field<Input>("down", &Input::down, law(true), "how long it is not"),
       field<Input>("all_lost", &Input::all_lost, probability(),
                    "that nothing is left while down; else a uniform part of the fleet", {"1"}),
       field<Input>(
           "preset", &Input::preset,
           choice<MarketPreset>({{"calm", MarketPreset::calm}, {"scarce", MarketPreset::scarce}}),
           "estimates: rarely interrupted, or as V100s in 2023"),
       field<Input>("band", &Input::band, band(),
                    "of calm: percent of instances interrupted in a month")},
      {"trace", "steps", "up", "preset"}};
  return table;
}

const ObjectTable<CommitmentInput>& commitment_table() {
  using Input = CommitmentInput;
  static const ObjectTable<Input> table{
      "a commitment",
      "What was agreed for reserved machines, used or not.",
      {field<Input>("usd_per_hour", &Input::hourly, usd_per_hour(0, 1e6, false),
                    "of one instance, as time goes by; without: 0 beside upfront_usd, else that of "
                    "the type"),
       field<Input>("upfront_usd", &Input::upfront, usd(0, 1e12),
                    "of the whole fleet, when a term begins", {"0"}),
       field<Input>("term", &Input::term, duration(std::chrono::hours{1}),
                    "that upfront_usd pays for", {"\"365d\""}),
       field<Input>("begun_before", &Input::before, duration(),
                    "the clock starts: up-front payments of then are in no invoice of the run",
                    {"\"0s\""})}};
  return table;
}

const ObjectTable<PriceTraceInput>& price_trace_table() {
  using Input = PriceTraceInput;
  const Slot read{&Input::read};
  const auto span = read(&PriceOptions::span);
  static const ObjectTable<Input> table{
      "price_trace",
      "What an instance costs as time goes by.",
      {field<Input>("trace", &Input::trace, text(),
                    "a file, beside this one (docs/how-to/recorded-markets.md)", {{}, true}),
       field<Input>("format", read(&PriceOptions::format), price_format(), "of the trace",
                    {"\"aws-spot-history\""}),
       field<Input>("type", read(&PriceOptions::type), text(),
                    "of instance in the trace; without: that of the fleet, as EC2 calls it"),
       field<Input>("zone", read(&PriceOptions::zone), text(),
                    "in the trace; without: that of the fleet"),
       field<Input>("product", read(&PriceOptions::product), text(), "of price histories",
                    {"\"Linux/UNIX\""}),
       field<Input>("series", read(&PriceOptions::series), text(),
                    "which of several in the trace; without: the only one"),
       field<Input>("tick", span(&TraceSpan::tick), tick_of_a_trace(),
                    "between two prices of the trace, where it does not say it"),
       field<Input>("from", span(&TraceSpan::start), instant(),
                    "date in the trace at which the clock starts; without: its first")}};
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
      "What a fleet's machines can be had for, and when.",
      {field<Input>("zone", &Input::zone, text(), "us-east-1a; which prices of a trace are its"),
       field<Input>("region", &Input::region, text(),
                    "whose shocks hit it; without: that of the zone, if named as at AWS"),
       field<Input>("availability", &Input::availability, object(availability_table()),
                    "how many instances can be had when; without: all, always"),
       field<Input>("price_trace", &Input::price_trace, object(price_trace_table()),
                    "Spot prices as time goes by; without: one price"),
       field<Input>("reclaim_order", &Input::reclaim_order,
                    choice<ReclaimOrder>({{"random", ReclaimOrder::random},
                                          {"newest", ReclaimOrder::newest},
                                          {"oldest", ReclaimOrder::oldest}}),
                    "who loses its machines first when fewer are on offer", {"\"random\""}),
       field<Input>("capacity_wait", &Input::capacity_wait, law(false),
                    "of each launch, Pending until then, before provisioning; without: none"),
       field<Input>("windows", &Input::windows, list_of(interval(), 1),
                    "[[\"from\", \"to\"], ...] in which reserved machines are there; without: "
                    "always"),
       field<Input>("ends_early", &Input::ends_early, duration(),
                    "of a capacity block: its machines go so long before a window ends",
                    {"\"30m\""}),
       field<Input>("end_warning", &Input::end_warning, duration(),
                    "of a capacity block: its jobs are told so long before a window ends; 0s: not",
                    {"\"40m\""}),
       field<Input>("node_faults", &Input::node_faults, object(node_faults_table()),
                    "how its machines break; without: they do not"),
       field<Input>("commitment", &Input::commitment, object(commitment_table()),
                    "what was agreed for reserved machines; without: usd_per_hour of their type")}};
  return table;
}

const ObjectTable<ShocksInput>& shocks_table() {
  using Input = ShocksInput;
  static const ObjectTable<Input> table{
      "shocks",
      "Losses that fleets of one region share, if their availability is drawn.",
      {field<Input>("region", &Input::region, text(), "of the fleets", {{}, true}),
       field<Input>("per_hour", &Input::per_hour, number(0, 1000), "how often", {{}, true}),
       field<Input>("hit", &Input::hit, probability(), "that a fleet which is up is hit",
                    {{}, true}),
       field<Input>("correlation", &Input::correlation, correlation(),
                    "of the hits: of every two fleets, or a matrix in the order of the fleets",
                    {"0.5"})}};
  return table;
}

}  // namespace reeve::scenarios
