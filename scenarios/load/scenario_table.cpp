// The keys of a scenario file, and those of its small parts.
#include <chrono>

#include "scenarios/load/input.hpp"
#include "scenarios/load/metric_names.hpp"
#include "scenarios/load/rule_keys.hpp"

namespace reeve::scenarios {
namespace {

using host::Mode;
using models::Human;
using models::KillSwitch;
using models::OnReturn;
using std::chrono::nanoseconds;

const ObjectTable<ClockInput>& clock_table() {
  const Codec<std::optional<Duration>> horizon = through<std::optional<Duration>, Duration>(
      duration(nanoseconds{0}, true), [](Duration value, const Node&, Findings&) {
        return std::optional<std::optional<Duration>>{value};
      });
  static const ObjectTable<ClockInput> table{
      "clock",
      "When the story begins and ends.",
      {field<ClockInput>("start", &ClockInput::start, instant(),
                         "ISO 8601 with an offset: 2026-05-22T18:00:00-04:00",
                         {"\"2026-01-01T00:00:00Z\""}),
       field<ClockInput>(
           "horizon", &ClockInput::horizon,
           word_or<std::optional<Duration>>("until_done", std::nullopt, horizon),
           "the end after so long, or when everything is done, or when no job has come "
           "closer to its end for 366 days",
           {"\"until_done\""}),
       field<ClockInput>("timezone", &ClockInput::timezone, text(),
                         "for people's eyes only: America/New_York", {"\"UTC\""})}};
  return table;
}

Codec<std::uint64_t> seed() {
  Shape shape;
  shape.kind = ShapeKind::integer;
  shape.min = 0;
  shape.max = 18446744073709551615.0;
  return {shape, [](const Node& node, Findings& findings, std::uint64_t& into) {
            const auto value = findings.attempt([&] { return node.as_unsigned(); });
            if (value) into = *value;
            return value.has_value();
          }};
}

const ObjectTable<RandomInput>& random_table() {
  static const ObjectTable<RandomInput> table{
      "random",
      "How luck is drawn.",
      {field<RandomInput>("seed", &RandomInput::seed, seed(), "of every draw", {"1"}),
       field<RandomInput>("runs", &RandomInput::runs, integer<std::uint32_t>(1, 1'000'000),
                          "replications of each policy", {"1"})}};
  return table;
}

const ObjectTable<InstanceTypeInput>& instance_type_table() {
  static const ObjectTable<InstanceTypeInput> table{
      "an instance type",
      "What one machine costs and has.",
      {field<InstanceTypeInput>("usd_per_hour", &InstanceTypeInput::price,
                                usd_per_hour(0, 1e6, true), "on demand, of one instance",
                                {{}, true}),
       field<InstanceTypeInput>("spot_usd_per_hour", &InstanceTypeInput::spot_price,
                                usd_per_hour(0, 1e6, true),
                                "on Spot; needed by a fleet of Spot, or savings_pct"),
       field<InstanceTypeInput>("savings_pct", &InstanceTypeInput::savings, number(0, 99.9),
                                "that Spot saves of usd_per_hour"),
       field<InstanceTypeInput>("ec2_usd_per_hour", &InstanceTypeInput::ec2_price,
                                usd_per_hour(0, 1e6, true),
                                "of the same machine without the managed service"),
       field<InstanceTypeInput>("gpus", &InstanceTypeInput::gpus,
                                integer<std::uint32_t>(0, 100'000), "of one instance", {{}, true}),
       field<InstanceTypeInput>("managed", &InstanceTypeInput::managed, flag(),
                                "offered by the managed service", {"true"})}};
  return table;
}

const ObjectTable<CallPrices>& calls_table() {
  static const ObjectTable<CallPrices> table{
      "calls",
      "What the services around the rules cost, per million calls.",
      {field<CallPrices>("lambda_usd_per_million", &CallPrices::lambda_per_million, usd(0, 1e9),
                         "of status events and alarm changes that are delivered to rules", {"0"}),
       field<CallPrices>("sns_usd_per_million", &CallPrices::sns_per_million, usd(0, 1e9),
                         "of messages to people", {"0"})}};
  return table;
}

const ObjectTable<models::Reclaim>& reclaim_table() {
  static const ObjectTable<models::Reclaim> table{
      "reclaim",
      "When Spot takes machines away, without luck.",
      {field<models::Reclaim>("every", &models::Reclaim::every, duration(std::chrono::seconds{1}),
                              "a launch loses its machines so long after it got them", {{}, true}),
       field<models::Reclaim>("away", &models::Reclaim::away, duration(),
                              "until the fleet has them again", {{}, true})}};
  return table;
}

const ObjectTable<ZonesInput>& zones_table() {
  static const ObjectTable<ZonesInput> table{
      "zones",
      "Where the machines stand.",
      {field<ZonesInput>("zones", &ZonesInput::zones,
                         map_of(integer<std::uint32_t>(1, 100'000'000, "instances")),
                         "how many in each zone, { \"us-east-1a\": 2 }; without: all in one"),
       field<ZonesInput>("spread_speed", &ZonesInput::spread_speed, number(0.001, 1),
                         "how fast a gang works that is spread over zones, of 1", {"1"})}};
  return table;
}

Fields<PoolInput> pool_fields() {
  Fields<PoolInput> fields{
      field<PoolInput>("name", &PoolInput::name, file_name("the name of a fleet"),
                       "unique; without: the instance type"),
      field<PoolInput>("instance_type", &PoolInput::instance_type, text(), "of prices.instances",
                       {{}, true}),
      field<PoolInput>("capacity", &PoolInput::capacity,
                       integer<std::uint32_t>(1, 100'000'000, "instances"), "in all", {{}, true}),
      field<PoolInput>("market", &PoolInput::market, market_choice(),
                       "reserved: paid for around the clock; spot: cheaper, may be taken away; "
                       "capacity_block: bought for its windows",
                       {"\"on_demand\""}),
      field<PoolInput>("reclaim", &PoolInput::reclaim, object(reclaim_table()),
                       "when Spot takes the machines away; without: never")};
  include(fields, &PoolInput::of_market, market_table());
  include(fields, &PoolInput::zones, zones_table());
  return fields;
}

Codec<std::vector<std::pair<Duration, Duration>>> intervals() {
  return list_of(interval());
}

const ObjectTable<ReadsInput>& reads_table() {
  static const ObjectTable<ReadsInput> table{
      "reads_messages",
      "What a person does who is told of a job: one that stands still is stopped and submitted "
      "again, others are left alone.",
      {field<ReadsInput>("within", &ReadsInput::within, duration(),
                         "while present, from the message; what falls into an absence counts from "
                         "its end",
                         {{}, true})}};
  return table;
}

const ObjectTable<HumanInput>& human_table() {
  const Slot human{&HumanInput::human};
  static const ObjectTable<HumanInput> table{
      "a human",
      "What a person does when no rule does it.",
      {field<HumanInput>("owner", human(&Human::owner), text(), "the owner of jobs", {{}, true}),
       field<HumanInput>("away", human(&Human::away), intervals(),
                         "[[\"from\", \"to\"], ...] after the start of the clock"),
       field<HumanInput>("on_return", human(&Human::on_return),
                         choice<OnReturn>({{"resubmit_unfinished", OnReturn::resubmit_unfinished},
                                           {"nothing", OnReturn::nothing}}),
                         "what the person does on coming back", {"\"resubmit_unfinished\""}),
       field<HumanInput>("reacts_within", human(&Human::reacts_within), duration(),
                         "while present: to a job that ended unfinished; without: never"),
       field<HumanInput>("reads_messages", &HumanInput::reads, object(reads_table()),
                         "messages of rules about their jobs; without: nobody reads them")}};
  return table;
}

const ObjectTable<KillSwitch>& kill_switch_table() {
  static const ObjectTable<KillSwitch> table{
      "kill_switch",
      "When somebody stops all actions.",
      {field<KillSwitch>("engaged", &KillSwitch::engaged, intervals(),
                         "[[\"from\", \"to\"], ...] after the start of the clock", {{}, true})}};
  return table;
}

Codec<std::uint32_t> at_most() {
  return integer<std::uint32_t>(0, 1'000'000'000);
}

const ObjectTable<ExemptionInput>& exemption_table() {
  static const ObjectTable<ExemptionInput> table{
      "an exemption",
      "Rules leave the jobs with a tag alone until a date.",
      {field<ExemptionInput>("tag", &ExemptionInput::tag, text(), "\"key\" or \"key=value\"",
                             {{}, true}),
       field<ExemptionInput>("owner", &ExemptionInput::owner, text(), "who answers for it",
                             {{}, true}),
       field<ExemptionInput>("until", &ExemptionInput::until, instant(),
                             "from then on rules decide as ever", {{}, true}),
       field<ExemptionInput>("rules", &ExemptionInput::rules, list_of(text(), 1),
                             "from which, by their names in reports; without: from all")}};
  return table;
}

const ObjectTable<OfficeHoursInput>& office_hours_table() {
  static constexpr Duration day = std::chrono::hours{24};
  static const ObjectTable<OfficeHoursInput> table{
      "office_hours",
      "Hours of the week.",
      {field<OfficeHoursInput>("days", &OfficeHoursInput::days,
                               list_of(choice<std::size_t>({{"mon", 0},
                                                            {"tue", 1},
                                                            {"wed", 2},
                                                            {"thu", 3},
                                                            {"fri", 4},
                                                            {"sat", 5},
                                                            {"sun", 6}}),
                                       1),
                               "[\"mon\", \"tue\"]", {{}, true}),
       field<OfficeHoursInput>("from", &OfficeHoursInput::from,
                               duration(Duration{0}, false, day - std::chrono::seconds{1}),
                               "after midnight: \"8h\"", {{}, true}),
       field<OfficeHoursInput>("to", &OfficeHoursInput::to, duration(Duration{0}, false, day),
                               "after midnight; not later than `from`: on the next day",
                               {{}, true}),
       field<OfficeHoursInput>("utc_offset_h", &OfficeHoursInput::utc_offset_h,
                               number(-12, 14, "h"), "how far the clock there is ahead of UTC",
                               {"0"})}};
  return table;
}

const ObjectTable<CanaryInput>& canary_table() {
  static const ObjectTable<CanaryInput> table{
      "canary",
      "What each rule does first is tried on few jobs (our own, after canary releases).",
      {field<CanaryInput>("first", &CanaryInput::first, integer<std::uint32_t>(1, 1000, "jobs"),
                          "so many"),
       field<CanaryInput>("pct", &CanaryInput::percent, integer<std::uint32_t>(1, 100, "%"),
                          "instead, of the jobs that run when the rule first acts, rounded up"),
       field<CanaryInput>("watch", &CanaryInput::watch, duration(std::chrono::seconds{1}),
                          "the others wait for so long after what was decided for these; for good, "
                          "if a person submits one of them again or a clone fails",
                          {{}, true})}};
  return table;
}

const ObjectTable<GuardsInput>& guards_table() {
  static const ObjectTable<GuardsInput> table{
      "guards",
      "Limits that see every decision last.",
      {field<GuardsInput>("stops_per_hour", &GuardsInput::stops_per_hour, at_most(),
                          "more wait until there is room; without: no limit"),
       field<GuardsInput>("stops_pct_per_hour", &GuardsInput::stops_pct_per_hour,
                          integer<std::uint32_t>(0, 100, "%"),
                          "the same, of the jobs that run, rounded up"),
       field<GuardsInput>("actions_per_hour", &GuardsInput::actions_per_hour, at_most(),
                          "stops, clones, limits and whatever else changes a job, of all rules"),
       field<GuardsInput>("actions_per_rule_per_day", &GuardsInput::actions_per_rule_per_day,
                          at_most(), "the same, of each rule, within 24 hours"),
       field<GuardsInput>("protected_tags", &GuardsInput::protected_tags, list_of(text()),
                          "\"key\" or \"key=value\": such a job is only ever started by rules"),
       field<GuardsInput>("exempt", &GuardsInput::exempt, list_of(object(exemption_table())),
                          "jobs that rules leave alone for a while"),
       field<GuardsInput>("office_hours", &GuardsInput::office_hours, object(office_hours_table()),
                          "when rules may change jobs; what comes to their mind at other times "
                          "waits. Without: always"),
       field<GuardsInput>("dry_start", &GuardsInput::dry_start, duration(),
                          "so long after the start of the clock no rule changes a job", {"\"0s\""}),
       field<GuardsInput>("canary", &GuardsInput::canary, object(canary_table()),
                          "what each rule does first is tried on few jobs")}};
  return table;
}

const ObjectTable<ScopeInput>& scope_table() {
  static const ObjectTable<ScopeInput> table{
      "scope",
      "Which jobs a rule is told of and may change.",
      {field<ScopeInput>(
           "tags", &ScopeInput::tags, list_of(text(), 1),
           "\"key\" or \"key=value\", one of which a job must have; without: any job"),
       field<ScopeInput>("fleets", &ScopeInput::fleets, list_of(text(), 1),
                         "where its attempt must be, or wait; without: anywhere")}};
  return table;
}

const ObjectTable<SeatInput>& seat_table() {
  static const ObjectTable<SeatInput> table{
      "a rule",
      "One rule of a policy; its own options stand beside these keys.",
      {field<SeatInput>("rule", &SeatInput::rule, rule_name(), "which rule", {{}, true}),
       field<SeatInput>("use", &SeatInput::use, text(),
                        "a preset of `rules`; keys that stand here win over it"),
       field<SeatInput>("name", &SeatInput::name, file_name("the name of a rule"),
                        "in reports; without: the rule"),
       field<SeatInput>("priority", &SeatInput::priority,
                        integer<std::int32_t>(-1'000'000, 1'000'000),
                        "larger decides first; ties in the order written", {"0"}),
       field<SeatInput>("mode", &SeatInput::mode,
                        choice<Mode>({{"off", Mode::off},
                                      {"shadow", Mode::shadow},
                                      {"warn", Mode::warn},
                                      {"enforce", Mode::enforce}}),
                        "off: not asked; shadow: only noted; warn: people are told; enforce: done",
                        {"\"enforce\""}),
       field<SeatInput>("scope", &SeatInput::scope, object(scope_table()),
                        "which jobs it is for; without: all")}};
  return table;
}

/// Reads the keys of any rule, and keeps the others for when the kind of rule is known.
class SeatReader final : public ValueReader {
 public:
  SeatReader()
      : ValueReader{[](void* into) {
          replace(*static_cast<SeatInput*>(into), SeatInput{seat_table().fresh()});
        }} {}
  bool read(const Node& node, Findings& findings, void* place) const override {
    if (!expect_kind(node, Kind::object, findings)) return false;
    auto& into = *static_cast<SeatInput*>(place);
    into.options = seat_table().read_known(node, findings, into);
    if (into.use && has_own_use(into.rule)) {
      into.options.push_back(*node.find("use"));
      into.use.reset();
    }
    report_missing_keys(node, {}, *seat_table().shape(), findings);
    return !into.rule.empty();
  }
};

/// What an `expect` line must match: one of the metrics, an operator, a value.
const std::string& comparison_pattern() {
  static const std::string pattern = [] {
    std::string names;
    for (const MetricSpec& spec : metric_names()) {
      std::string metric;
      for (const char c : spec.name) metric += c == '.' ? std::string{"\\."} : std::string{c};
      for (const std::string_view word : {"NAME", "KEY", "VALUE"}) {
        const auto found = metric.find(word);
        if (found != std::string::npos) metric.replace(found, word.size(), "[^\\s=!<>]+");
      }
      names += (names.empty() ? "" : "|") + metric;
    }
    return "^\\s*(" + names + ")\\s*(==|!=|<=|>=|<|>)\\s*[^\\s=!<>]+(\\s*\\+-\\s*\\S+)?\\s*$";
  }();
  return pattern;
}

const ObjectTable<ExpectInput>& expect_table() {
  Shape comparison;
  comparison.kind = ShapeKind::text;
  comparison.pattern = comparison_pattern();
  static const ObjectTable<ExpectInput> table{
      "an expectation",
      "A line that must be true of a policy's results: == and != in every run, the other "
      "comparisons of the mean of the runs.",
      {field<ExpectInput>("policy", &ExpectInput::policy, text(),
                          "a policy of this file; \"*\": each", {"\"*\""}),
       field<ExpectInput>("at", &ExpectInput::at, duration(),
                          "of a metric that has a value at each instant (pool.NAME.allocated): so "
                          "long after the start of the clock, after all that happens then"),
       field<ExpectInput>("that", &ExpectInput::that, kept<RawInput>(Kind::text, comparison),
                          "METRIC OP VALUE [+- TOLERANCE]", {{}, true})}};
  return table;
}

Codec<std::uint32_t> format_version() {
  return {integer<std::uint32_t>(1, 1).shape,
          [](const Node& node, Findings& findings, std::uint32_t& into) {
            const auto version = findings.attempt([&] { return node.as_integer(); });
            if (!version) return false;
            if (*version != 1) {
              findings.add(at(node, "E0200", "this is not format version 1",
                              "this version of reeve reads version 1"));
              return false;
            }
            into = 1;
            return true;
          }};
}

/// A list of jobs.  What else they need may stand in job_defaults, so only the name is required.
Shape jobs_shape() {
  auto job = std::make_shared<ObjectShape>(*job_table().shape());
  for (FieldShape& row : job->fields) row.required = row.name == "name";
  Shape element;
  element.kind = ShapeKind::object;
  element.object = std::move(job);
  Shape shape;
  shape.kind = ShapeKind::list;
  shape.parts = {std::move(element)};
  return shape;
}

Fields<ScenarioInput> head_fields() {
  using Input = ScenarioInput;
  return {
      field<Input>("$schema", &Input::schema, text(), "for editors; not read"),
      field<Input>("reeve", &Input::version, format_version(), "format version", {{}, true}),
      field<Input>("name", &Input::name, file_name("the name of a scenario"),
                   "of results and folders; without: the file's"),
      field<Input>("title", &Input::title, text(), "one sentence, for reports"),
      field<Input>("source", &Input::source, text(), "where the numbers are from"),
      field<Input>("clock", &Input::clock, object(clock_table()), "when it begins and ends"),
      field<Input>("random", &Input::random, object(random_table()), "how luck is drawn"),
      field<Input>("prices", &Input::prices, object(prices_table()), "the price book", {{}, true}),
      field<Input>("fleet", &Input::fleet, list_of(object(pool_table()), 1), "the machines",
                   {{}, true}),
      field<Input>("shocks", &Input::shocks, list_of(object(shocks_table())),
                   "losses that fleets of a region share"),
      field<Input>("outages", &Input::outages, list_of(object(outage_table())),
                   "times in which a whole zone is gone"),
      field<Input>("platform", &Input::platform, object(platform_table()),
                   "how the cloud really behaves"),
      field<Input>("environments", &Input::environments, list_of(object(environment_table())),
                   "the capacity that queues may use"),
      field<Input>("shares", &Input::shares, list_of(object(share_table())),
                   "teams' parts of queues"),
      field<Input>("queues", &Input::queues, list_of(object(queue_table())),
                   "lines that jobs stand in; without: one of all, that has no shares")};
}

}  // namespace

const ObjectTable<PricesInput>& prices_table() {
  static const ObjectTable<PricesInput> table{
      "prices",
      "The price book.",
      {field<PricesInput>(
           "book", &PricesInput::book, text(),
           "aws-us-east-1@2026-07-20: a price book as of a day (see reeve prices), or "
           "a CSV file beside this one; inline: this file",
           {"\"inline\""}),
       field<PricesInput>("instances", &PricesInput::instances,
                          map_of(object(instance_type_table())),
                          "instance types by name; they win over the book"),
       field<PricesInput>("alarm_usd_per_month", &PricesInput::alarm_per_month, usd(0, 1e6),
                          "of one alarm for 30 days", {"0.10"}),
       field<PricesInput>("calls", &PricesInput::calls, object(calls_table()),
                          "what calls cost; in guardrail_usd"),
       field<PricesInput>("ops_usd_per_month", &PricesInput::ops_per_month, usd(0, 1e9),
                          "of the people who run the platform, for 30 days; beside the bill",
                          {"0"})}};
  return table;
}

const ObjectTable<PoolInput>& pool_table() {
  static const ObjectTable<PoolInput> table{"a fleet", "Machines of one type.", pool_fields()};
  return table;
}

Codec<SeatInput> seat() {
  auto with_options = std::make_shared<ObjectShape>(*seat_table().shape());
  with_options->by_rule = option_shapes();
  Shape shape;
  shape.kind = ShapeKind::object;
  shape.object = with_options;
  return Codec<SeatInput>{ErasedCodec{std::move(shape), share(new SeatReader{})}};
}

const ObjectTable<ScenarioInput>& scenario_table() {
  using Input = ScenarioInput;
  static const ObjectTable<Input> table = [] {
    const Shape job_defaults = object_shape(job_defaults_table());
    Fields<Input> fields = head_fields();
    const Fields<Input> body{
        field<Input>("job_defaults", &Input::job_defaults,
                     kept<RawInput>(Kind::object, job_defaults),
                     "what every job of `jobs` has unless it says else"),
        field<Input>("jobs", &Input::jobs, kept<RawInput>(Kind::array, jobs_shape()),
                     "the work, job by job"),
        field<Input>("workload", &Input::workload, workload(), "the work, from a trace or drawn"),
        field<Input>("humans", &Input::humans, list_of(object(human_table())),
                     "what people do when no rule does it"),
        field<Input>("kill_switch", &Input::kill_switch, object(kill_switch_table()),
                     "when somebody stops all actions"),
        field<Input>("late_after", &Input::late_after, duration(),
                     "a stop of a job that has stood still for longer is late; the default is "
                     "NCCL's own time-out",
                     {"\"30m\""}),
        field<Input>("guards", &Input::guards, object(guards_table()),
                     "limits that see every decision last"),
        field<Input>(
            "policies", &Input::policies, map_of(list_of(seat())),
            "sets of rules to put side by side, by name; without: none, which has no rule"),
        field<Input>("rules", &Input::presets, map_of(preset()),
                     "presets: options that rules of policies `use`"),
        field<Input>("alerts", &Input::alerts, list_of(object(alert_table())),
                     "of what people are told under every policy"),
        field<Input>("expect", &Input::expect, list_of(object(expect_table())),
                     "this file is also a test: every line must be true")};
    fields.add_all(body);
    return ObjectTable<Input>{"a scenario",
                              "A fleet, its work, the rules to compare, what to expect.",
                              std::move(fields)};
  }();
  return table;
}

}  // namespace reeve::scenarios
