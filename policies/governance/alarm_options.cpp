#include "alarm_options.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "phase_hints.hpp"

namespace reeve::policies {
namespace {

using namespace policy;
using std::chrono::hours;
using std::chrono::minutes;

constexpr std::uint32_t kNoHost = 0;  // hosts count from 1
constexpr std::uint32_t kMostHosts = 1'000'000;
constexpr std::string_view kHostPrefix = "algo-";

/// The number in `algo-5`, or kNoHost if it is no host's name.
std::uint32_t host_number(std::string_view name) {
  if (!name.starts_with(kHostPrefix)) return kNoHost;
  const char* const first = name.data() + kHostPrefix.size();
  const char* const last = name.data() + name.size();
  std::uint32_t number = kNoHost;
  const auto [end, error] = std::from_chars(first, last, number);
  const bool is_number = error == std::errc{} && end == last && *first != '0';
  return is_number && number <= kMostHosts ? number : kNoHost;
}

Statistic statistic_named(std::string_view name) {
  if (name == "minimum") return Statistic::minimum;
  return name == "maximum" ? Statistic::maximum : Statistic::average;
}

Compare compare_named(std::string_view name) {
  if (name == "<") return Compare::less;
  if (name == ">") return Compare::greater;
  return name == ">=" ? Compare::greater_or_equal : Compare::less_or_equal;
}

MissingData missing_named(std::string_view name) {
  if (name == "missing") return MissingData::missing;
  if (name == "ignore") return MissingData::ignore;
  return name == "breaching" ? MissingData::breaching : MissingData::not_breaching;
}

/// The values of those options, wherever a rule's table has them.
class AlarmTable {
 public:
  AlarmTable(const Options& options, AlarmOptions where) : options_{options}, where_{where} {}

  bool flag(std::string_view name) const { return options_.flag(named(name)); }
  double number(std::string_view name) const { return options_.number(named(name)); }
  Duration duration(std::string_view name) const { return options_.duration(named(name)); }
  const std::string& text(std::string_view name) const { return options_.text(named(name)); }
  const std::vector<std::string>& texts(std::string_view name) const {
    return options_.texts(named(name));
  }
  const std::vector<std::int64_t>& integers(std::string_view name) const {
    return options_.integers(named(name));
  }
  /// `name`: as where they are nested.
  std::string_view named(std::string_view name) const {
    constexpr std::string_view prefix = "alarm.";
    if (where_ == AlarmOptions::top) name.remove_prefix(prefix.size());
    return name;
  }

 private:
  const Options& options_;
  AlarmOptions where_;
};

AlarmRule alarm_rule(const AlarmTable& options) {
  const std::vector<std::int64_t>& datapoints = options.integers("alarm.datapoints");
  return {
      .metric = Metric::gpu_utilization,
      .statistic = statistic_named(options.text("alarm.statistic")),
      .period = options.duration("alarm.period"),
      .evaluation_periods = static_cast<std::uint16_t>(datapoints.at(1)),
      .datapoints_to_alarm = static_cast<std::uint16_t>(datapoints.at(0)),
      .threshold = options.number("alarm.threshold"),
      .compare = compare_named(options.text("alarm.compare")),
      .missing = missing_named(options.text("alarm.missing")),
      .window = options.text("alarm.window") == "wall_clock" ? Window::wall_clock : Window::sliding,
  };
}

OptionProblem check_datapoints(const AlarmTable& options) {
  const std::vector<std::int64_t>& datapoints = options.integers("alarm.datapoints");
  if (datapoints.size() != 2 || datapoints[0] > datapoints[1]) {
    return {.option = options.named("alarm.datapoints"),
            .message = "must be two numbers M, N with M <= N",
            .help = "[3, 3]: the last three datapoints must all meet the condition"};
  }
  const Duration period = options.duration("alarm.period");
  if (period % minutes{1} != Duration{0}) {
    return {.option = options.named("alarm.period"),
            .message = "is not a whole number of minutes",
            .help = "use whole minutes: GPU metrics have one sample per minute"};
  }
  const Duration longest = period < hours{1} ? hours{24} : hours{7 * 24};
  if (datapoints[1] > longest / period) {
    return {.option = options.named("alarm.datapoints"),
            .message = "N periods exceed the look-back limit of an alarm",
            .help = "use at most 1 day for periods below 1h, else at most 7 days",
            .against = options.named("alarm.period")};
  }
  const bool whole = period == minutes{1} || period == minutes{5} || period == hours{1} ||
                     period == hours{24} || period == hours{7 * 24};
  if (options.text("alarm.window") == "wall_clock" && !whole) {
    return {.option = options.named("alarm.window"),
            .message = "wall_clock needs a period of 1m, 5m, 1h, 1d or 7d",
            .help = "use sliding or change the period",
            .against = options.named("alarm.period")};
  }
  return {};
}

OptionProblem check_statuses(const AlarmTable& options) {
  const StatusSet arm_on{options.texts("alarm.arm_on")};
  if (arm_on.empty()) {
    return {.option = options.named("alarm.arm_on"),
            .message = "names no status: the alarm would never be created",
            .help = R"(as in "arm_on": ["Training"])"};
  }
  if (arm_on.meets(StatusSet{options.texts("alarm.disarm_on")})) {
    return {.option = options.named("alarm.disarm_on"),
            .message = "names a status that is also in arm_on",
            .help = "list each status in arm_on or disarm_on, not in both",
            .against = options.named("alarm.arm_on")};
  }
  return {};
}

OptionProblem check_all(const AlarmTable& options) {
  const std::vector<std::string>& hosts = options.texts("alarm.hosts");
  OptionProblem wrong = problem_of_hosts(options.named("alarm.hosts"), hosts);
  if (!wrong.message.empty()) return wrong;
  if (options.text("alarm.match") == "min" && hosts != std::vector<std::string>{"all"}) {
    return {.option = options.named("alarm.match"),
            .message = "must not be min if only some hosts are watched",
            .help = R"("hosts": ["all"])",
            .against = options.named("alarm.hosts")};
  }
  const OptionProblem problem = check_datapoints(options);
  return problem.message.empty() ? check_statuses(options) : problem;
}

std::vector<OptionSpec> metric_options() {
  return {
      {.name = "alarm.metric",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("GPUUtilization")",
       .choices = {"GPUUtilization"},
       .help = "metric of the alarm: SageMaker's sum over the GPUs of an instance"},
      {.name = "alarm.statistic",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("average")",
       .choices = {"average", "minimum", "maximum"},
       .help = "statistic of the samples in one period"},
      {.name = "alarm.period",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("5m")",
       .min = 60,
       .max = 604800,
       .choices = {},
       .help = "length of one datapoint, in whole minutes",
       .vary = Vary::up},
      {.name = "alarm.datapoints",
       .type = OptionType::integers,
       .unit = "datapoints",
       .default_json = "[3, 3]",
       .min = 1,
       .max = 8640,
       .choices = {},
       .help = "[M, N]: the alarm fires if M of the last N datapoints meet the condition",
       .vary = Vary::up},
      {.name = "alarm.threshold",
       .type = OptionType::number,
       .unit = "%",
       .default_json = "1",
       .min = 0,
       .max = 1e6,
       .choices = {},
       .help = "value that datapoints are compared with; 100 is one fully used GPU",
       .vary = Vary::either},
      {.name = "alarm.compare",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("<=")",
       .choices = {"<", "<=", ">", ">="},
       .help = "comparison that a datapoint of a stalled job meets"},
      {.name = "alarm.scale",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("sum")",
       .choices = {"sum", "per_gpu"},
       .help = "sum: the threshold is per instance; per_gpu: the threshold is per GPU"},
      {.name = "alarm.missing",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("notBreaching")",
       .choices = {"missing", "ignore", "breaching", "notBreaching"},
       .help = "how a period without samples counts (CloudWatch TreatMissingData)"},
      {.name = "alarm.window",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("sliding")",
       .choices = {"sliding", "wall_clock"},
       .help = "sliding: a new period each minute; wall_clock: periods aligned with the clock"},
  };
}

std::vector<OptionSpec> life_options() {
  return {
      {.name = "alarm.hosts",
       .type = OptionType::texts,
       .unit = "",
       .default_json = R"(["algo-1"])",
       .choices = {},
       .help = "instances to watch, with one alarm each: algo-1, algo-2, ... or all"},
      {.name = "alarm.match",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("any")",
       .choices = {"any", "all", "min"},
       .help = "any: one alarm is enough; all: all alarms must be in ALARM; min: one alarm on the "
               "lowest host (needs hosts: [\"all\"])"},
      {.name = "alarm.arm_on",
       .type = OptionType::texts,
       .unit = "",
       .default_json = R"(["Training"])",
       .choices = status_names(),
       .help = "secondary statuses that create the alarm"},
      {.name = "alarm.disarm_on",
       .type = OptionType::texts,
       .unit = "",
       .default_json =
           R"(["Completed", "Failed", "Stopped", "MaxRuntimeExceeded", "MaxWaitTimeExceeded"])",
       .choices = status_names(),
       .help = "secondary statuses that delete the alarm; an omitted one leaves orphaned alarms"},
      {.name = "alarm.arm_delay",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "wait before the alarm is created, for jobs that prepare data first",
       .vary = Vary::up},
      {.name = "alarm.reset_on_new_attempt",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "false",
       .choices = {},
       .help = "recreate the alarm when training starts again; otherwise it keeps its state"},
  };
}

}  // namespace

OptionProblem problem_of_hosts(std::string_view option, const std::vector<std::string>& hosts) {
  for (std::size_t index = 0; index < hosts.size(); ++index) {
    const std::string& host = hosts[index];
    if (host == "all" || host_number(host) != kNoHost) continue;
    const auto digits = std::find_if(host.begin(), host.end(),
                                     [](char letter) { return '1' <= letter && letter <= '9'; });
    const std::string numbered = std::string{kHostPrefix} + std::string(digits, host.end());
    std::vector<std::string> words{"all"};
    if (host_number(numbered) != kNoHost) words.push_back(numbered);
    return {.option = option,
            .message = "'" + host + "' is not a host",
            .help = "algo-1, algo-2, ... or all",
            .element = index,
            .wrong = host,
            .words = std::move(words)};
  }
  if (!hosts.empty()) return {};
  return {.option = option,
          .message = "names no host: nothing would be watched",
          .help = R"(["algo-1"] or ["all"])"};
}

std::vector<OptionSpec> alarm_options(AlarmOptions where) {
  std::vector<OptionSpec> table = metric_options();
  for (OptionSpec& row : life_options()) table.push_back(std::move(row));
  if (where == AlarmOptions::nested) return table;
  table.push_back(
      {.name = "alarm.phase_hints",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "false",
       .choices = {},
       .help = "ignore alarms in the low-use phases that a job declares in its tag reeve:low-gpu"});
  for (OptionSpec& row : table) row.name.remove_prefix(std::string_view{"alarm."}.size());
  return table;
}

OptionProblem check_alarm(const Options& options, AlarmOptions where) {
  return check_all(AlarmTable{options, where});
}

OptionProblem doubt_hints(const Options& options, const Directory& directory, Duration tail) {
  constexpr std::string_view option = "phase_hints";
  if (!options.flag(option)) return {};
  bool given = false;
  for (std::uint32_t set = 0; set < directory.tag_sets.size(); ++set) {
    const auto hints = directory.tag({set}, kHintsTag);
    if (!hints) continue;
    given = true;
    const auto phases = read_phase_hints(*hints);
    if (phases && never_end(*phases, tail)) {
      return {.option = option,
              .message = "phases in tag reeve:low-gpu leave no gap: '" + std::string{*hints} + "'",
              .help = "leave gaps of at least the alarm's look-back plus one period"};
    }
    if (phases) continue;
    return {.option = option,
            .message = "cannot read the tag reeve:low-gpu: '" + std::string{*hints} + "'",
            .help = "write \"0s+20m\", or \"4h+20m/4h\" for a phase every four hours"};
  }
  if (given) return {};
  return {.option = option,
          .message = "no job has the tag reeve:low-gpu",
          .help = "add to a job: \"tags\": { \"reeve:low-gpu\": \"0s+20m\" }"};
}

AlarmSettings read_alarm(const Options& options, AlarmOptions where) {
  const AlarmTable table{options, where};
  AlarmSettings settings{
      .rule = alarm_rule(table),
      .arm_on = StatusSet{table.texts("alarm.arm_on")},
      .disarm_on = StatusSet{table.texts("alarm.disarm_on")},
      .arm_delay = table.duration("alarm.arm_delay"),
      .hosts = {},
      .every_host = false,
      .per_gpu = table.text("alarm.scale") == "per_gpu",
      .match_all = table.text("alarm.match") == "all",
      .lowest = table.text("alarm.match") == "min",
      .heeds_hints = where == AlarmOptions::top && table.flag("alarm.phase_hints"),
      .resets = table.flag("alarm.reset_on_new_attempt"),
  };
  for (const std::string& host : table.texts("alarm.hosts")) {
    if (host == "all") {
      settings.every_host = true;
    } else {
      settings.hosts.push_back(host_number(host));
    }
  }
  std::vector<std::uint32_t>& hosts = settings.hosts;
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  return settings;
}

}  // namespace reeve::policies
