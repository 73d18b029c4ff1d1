// The keys of a scenario file, and those of its small parts.
#include <chrono>

#include "scenarios/load/keys/input.hpp"
#include "scenarios/load/keys/metric_names.hpp"
#include "scenarios/load/keys/rule_keys.hpp"

namespace reeve::scenarios {
namespace {

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
      "When the simulation starts and ends.",
      {field<ClockInput>("start", &ClockInput::start, instant(),
                         "ISO 8601 with an offset: 2026-05-22T18:00:00-04:00",
                         {"\"2026-01-01T00:00:00Z\""}),
       field<ClockInput>("horizon", &ClockInput::horizon,
                         word_or<std::optional<Duration>>("until_done", std::nullopt, horizon),
                         "end after this time, or when all jobs have ended (until_done), or when "
                         "no job has made progress for 366 days",
                         {"\"until_done\""}),
       field<ClockInput>("timezone", &ClockInput::timezone, text(),
                         "time zone of printed times: America/New_York", {"\"UTC\""})}};
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
      "Random draws.",
      {field<RandomInput>("seed", &RandomInput::seed, seed(), "seed of all random draws", {"1"}),
       field<RandomInput>("runs", &RandomInput::runs, integer<std::uint32_t>(1, 1'000'000),
                          "replications of each policy", {"1"})}};
  return table;
}

const ObjectTable<InstanceTypeInput>& instance_type_table() {
  static const ObjectTable<InstanceTypeInput> table{
      "an instance type",
      "Price and size of one instance.",
      {field<InstanceTypeInput>("usd_per_hour", &InstanceTypeInput::price,
                                usd_per_hour(0, 1e6, true), "on-demand price of one instance",
                                {{}, true}),
       field<InstanceTypeInput>("spot_usd_per_hour", &InstanceTypeInput::spot_price,
                                usd_per_hour(0, 1e6, true),
                                "Spot price; a Spot fleet needs it or savings_pct"),
       field<InstanceTypeInput>("savings_pct", &InstanceTypeInput::savings, number(0, 99.9),
                                "percent of usd_per_hour that Spot saves"),
       field<InstanceTypeInput>("ec2_usd_per_hour", &InstanceTypeInput::ec2_price,
                                usd_per_hour(0, 1e6, true),
                                "price of the same instance without the managed service"),
       field<InstanceTypeInput>("gpus", &InstanceTypeInput::gpus,
                                integer<std::uint32_t>(0, 100'000), "GPUs of one instance",
                                {{}, true}),
       field<InstanceTypeInput>("managed", &InstanceTypeInput::managed, flag(),
                                "offered by the managed service", {"true"})}};
  return table;
}

const ObjectTable<CallPrices>& calls_table() {
  static const ObjectTable<CallPrices> table{
      "calls",
      "Prices of the services around the rules, per million calls.",
      {field<CallPrices>("lambda_usd_per_million", &CallPrices::lambda_per_million, usd(0, 1e9),
                         "status events and alarm changes that are delivered to rules", {"0"}),
       field<CallPrices>("sns_usd_per_million", &CallPrices::sns_per_million, usd(0, 1e9),
                         "notifications", {"0"})}};
  return table;
}

const ObjectTable<models::Reclaim>& reclaim_table() {
  static const ObjectTable<models::Reclaim> table{
      "reclaim",
      "When Spot takes instances away, on a fixed schedule.",
      {field<models::Reclaim>("every", &models::Reclaim::every, duration(std::chrono::seconds{1}),
                              "time after which a launch loses its instances", {{}, true}),
       field<models::Reclaim>("away", &models::Reclaim::away, duration(),
                              "time until the fleet has them again", {{}, true})}};
  return table;
}

const ObjectTable<ZonesInput>& zones_table() {
  static const ObjectTable<ZonesInput> table{
      "zones",
      "Zones of the instances.",
      {field<ZonesInput>("zones", &ZonesInput::zones,
                         map_of(integer<std::uint32_t>(1, 100'000'000, "instances")),
                         "number in each zone, { \"us-east-1a\": 2 }. Default: all in one"),
       field<ZonesInput>("spread_speed", &ZonesInput::spread_speed, number(0.001, 1),
                         "speed of a gang that is spread over zones, where 1 is full speed",
                         {"1"})}};
  return table;
}

Fields<PoolInput> pool_fields() {
  Fields<PoolInput> fields{
      field<PoolInput>("name", &PoolInput::name, file_name("the name of a fleet"),
                       "unique. Default: the instance type"),
      field<PoolInput>("instance_type", &PoolInput::instance_type, text(),
                       "key of prices.instances", {{}, true}),
      field<PoolInput>("capacity", &PoolInput::capacity,
                       integer<std::uint32_t>(1, 100'000'000, "instances"),
                       "total number of instances", {{}, true}),
      field<PoolInput>("market", &PoolInput::market, market_choice(),
                       "reserved: paid all the time; spot: cheaper, can be interrupted; "
                       "capacity_block: bought for its windows",
                       {"\"on_demand\""}),
      field<PoolInput>("reclaim", &PoolInput::reclaim, object(reclaim_table()),
                       "when Spot takes instances away. Default: never"),
      field<PoolInput>("list_usd_per_hour", &PoolInput::list_price, usd_per_hour(0, 1e6, true),
                       "list price of one instance, for what a history saves at list price. "
                       "Default: not known"),
      field<PoolInput>("committed_pct", &PoolInput::committed_pct, number(0, 100, "%"),
                       "part of its bill that Savings Plans and reservations cover, which a "
                       "history pays in any case",
                       {"0"})};
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
      "What an operator does after a notification about a job: stops and resubmits a stalled job, "
      "leaves others alone.",
      {field<ReadsInput>(
          "within", &ReadsInput::within, duration(),
          "response time while present; during an absence it counts from the end of the absence",
          {{}, true})}};
  return table;
}

const ObjectTable<HumanInput>& human_table() {
  const Slot human{&HumanInput::human};
  static const ObjectTable<HumanInput> table{
      "a human",
      "Actions of a user when no rule acts.",
      {field<HumanInput>("owner", human(&Human::owner), text(), "owner of the jobs", {{}, true}),
       field<HumanInput>("away", human(&Human::away), intervals(),
                         "absences [[\"from\", \"to\"], ...] after the start of the clock"),
       field<HumanInput>("on_return", human(&Human::on_return),
                         choice<OnReturn>({{"resubmit_unfinished", OnReturn::resubmit_unfinished},
                                           {"nothing", OnReturn::nothing}}),
                         "what the user does after an absence", {"\"resubmit_unfinished\""}),
       field<HumanInput>(
           "reacts_within", human(&Human::reacts_within), duration(),
           "response time while present to a job that ended unfinished. Default: never"),
       field<HumanInput>("reads_messages", &HumanInput::reads, object(reads_table()),
                         "response to notifications about their jobs. Default: none")}};
  return table;
}

const ObjectTable<KillSwitch>& kill_switch_table() {
  static const ObjectTable<KillSwitch> table{
      "kill_switch",
      "When an operator stops all actions.",
      {field<KillSwitch>("engaged", &KillSwitch::engaged, intervals(),
                         "[[\"from\", \"to\"], ...] after the start of the clock", {{}, true})}};
  return table;
}

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
      "A line that must be true of the results of a policy. == and != must hold in every run; "
      "other comparisons hold for the mean of the runs.",
      {field<ExpectInput>("policy", &ExpectInput::policy, text(),
                          "a policy of this file; \"*\": each", {"\"*\""}),
       field<ExpectInput>("at", &ExpectInput::at, duration(),
                          "for a metric with a value at each instant (pool.NAME.allocated): time "
                          "after the start of the clock, after all events at that time"),
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
  auto job = std::make_shared<ObjectShape>(*text_table().shape());
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
  return {field<Input>("$schema", &Input::schema, text(), "JSON Schema for editors; ignored"),
          field<Input>("reeve", &Input::version, format_version(), "format version", {{}, true}),
          field<Input>("name", &Input::name, file_name("the name of a scenario"),
                       "name of results and folders. Default: the name of the file"),
          field<Input>("title", &Input::title, text(), "one sentence, for reports"),
          field<Input>("source", &Input::source, text(), "source of the numbers"),
          field<Input>("clock", &Input::clock, object(clock_table()),
                       "when the simulation starts and ends"),
          field<Input>("random", &Input::random, object(random_table()), "seed and replications"),
          field<Input>("prices", &Input::prices, object(prices_table()), "price book", {{}, true}),
          field<Input>("fleet", &Input::fleet, list_of(object(pool_table()), 1), "instances",
                       {{}, true}),
          field<Input>("shocks", &Input::shocks, list_of(object(shocks_table())),
                       "losses that fleets of a region share"),
          field<Input>("outages", &Input::outages, list_of(object(outage_table())),
                       "times in which a whole zone is unavailable"),
          field<Input>("platform", &Input::platform, object(platform_table()),
                       "platform model and its delays and errors"),
          field<Input>("environments", &Input::environments, list_of(object(environment_table())),
                       "capacity that queues may use"),
          field<Input>("shares", &Input::shares, list_of(object(share_table())),
                       "quotas of teams in queues"),
          field<Input>("queues", &Input::queues, list_of(object(queue_table())),
                       "job queues. Default: one queue for all jobs, without shares")};
}

}  // namespace

const ObjectTable<PricesInput>& prices_table() {
  static const ObjectTable<PricesInput> table{
      "prices",
      "Prices of instances and services.",
      {field<PricesInput>("book", &PricesInput::book, text(),
                          "price book as of a day, such as aws-us-east-1@2026-07-20 (see reeve "
                          "prices); a CSV file, relative to this file; or inline: only this file",
                          {"\"inline\""}),
       field<PricesInput>("instances", &PricesInput::instances,
                          map_of(object(instance_type_table())),
                          "instance types by name; they override the book"),
       field<PricesInput>("alarm_usd_per_month", &PricesInput::alarm_per_month, usd(0, 1e6),
                          "price of one alarm for 30 days", {"0.10"}),
       field<PricesInput>("calls", &PricesInput::calls, object(calls_table()),
                          "prices of calls, in guardrail_usd"),
       field<PricesInput>(
           "ops_usd_per_month", &PricesInput::ops_per_month, usd(0, 1e9),
           "cost of the team that runs the platform, for 30 days; not part of the bill", {"0"})}};
  return table;
}

const ObjectTable<PoolInput>& pool_table() {
  static const ObjectTable<PoolInput> table{"a fleet", "Instances of one type.", pool_fields()};
  return table;
}

const ObjectTable<ScenarioInput>& scenario_table() {
  using Input = ScenarioInput;
  static const ObjectTable<Input> table = [] {
    const Shape job_defaults = object_shape(job_defaults_table());
    Fields<Input> fields = head_fields();
    const Fields<Input> body{
        field<Input>("job_defaults", &Input::job_defaults,
                     kept<RawInput>(Kind::object, job_defaults),
                     "default values for each job of `jobs`"),
        field<Input>("jobs", &Input::jobs, kept<RawInput>(Kind::array, jobs_shape()),
                     "list of jobs"),
        field<Input>("workload", &Input::workload, workload(),
                     "jobs from a trace, or drawn at random"),
        field<Input>("history", &Input::history, object(history_table()),
                     "the trace of the workload is a recorded history: compare reports what each "
                     "policy would have saved of it"),
        field<Input>("humans", &Input::humans, list_of(object(human_table())),
                     "actions of users when no rule acts"),
        field<Input>("kill_switch", &Input::kill_switch, object(kill_switch_table()),
                     "when an operator stops all actions"),
        field<Input>("late_after", &Input::late_after, duration(),
                     "a stop is late if it comes this long after the stall began; the default is "
                     "the timeout of NCCL",
                     {"\"30m\""}),
        field<Input>("guards", &Input::guards, object(guards_table()),
                     "limits on the actions of all rules"),
        field<Input>(
            "policies", &Input::policies, map_of(list_of(seat()), MapOrder::as_written),
            "policies to compare, by name: each is a list of rules. Default: none, without rules"),
        field<Input>("rules", &Input::presets, map_of(preset()),
                     "presets: options that rules of policies `use`"),
        field<Input>("alerts", &Input::alerts, list_of(object(alert_table())),
                     "notification rules that apply under every policy"),
        field<Input>("expect", &Input::expect, list_of(object(expect_table())),
                     "expected results: `reeve test` checks that each line is true"),
        field<Input>("live", &Input::live, object(live_table()),
                     "makes the file a live configuration, which `reeve live` reads: it has rules "
                     "and guards, and no jobs. Default: a scenario")};
    fields.add_all(body);
    return ObjectTable<Input>{
        "a scenario", "A fleet, its jobs, the policies to compare, and the expected results.",
        std::move(fields)};
  }();
  return table;
}

}  // namespace reeve::scenarios
