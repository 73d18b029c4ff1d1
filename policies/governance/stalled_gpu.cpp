#include "stalled_gpu.hpp"

#include "alarm_watch.hpp"
#include "broken_handler.hpp"
#include "status_names.hpp"

namespace reeve::policies {
namespace {

using namespace policy;
using std::chrono::hours;
using std::chrono::minutes;

constexpr std::string_view kStalled = "GPU use at or below the threshold for too long";

OptionProblem check_datapoints(const Options& options) {
  const std::vector<std::int64_t>& datapoints = options.integers("datapoints");
  if (datapoints.size() != 2 || datapoints[0] > datapoints[1]) {
    return {.option = "datapoints",
            .message = "must be two numbers M, N with M <= N",
            .help = "[3, 3]: three of the last three datapoints must compare so"};
  }
  const Duration period = options.duration("period");
  if (period % minutes{1} != Duration{0}) {
    return {.option = "period",
            .message = "is not a whole number of minutes",
            .help = "GPU metrics come once a minute; shorter periods would be empty"};
  }
  const Duration longest = period < hours{1} ? hours{24} : hours{7 * 24};
  if (datapoints[1] > longest / period) {
    return {.option = "datapoints",
            .message = "N periods are longer than an alarm may look back",
            .help = "a day for periods under an hour, else seven days",
            .against = "period"};
  }
  const bool whole = period == minutes{1} || period == minutes{5} || period == hours{1} ||
                     period == hours{24} || period == hours{7 * 24};
  if (options.text("window") == "wall_clock" && !whole) {
    return {.option = "window",
            .message = "wall_clock needs a period of 1m, 5m, 1h, 1d or 7d",
            .help = "use sliding or change the period",
            .against = "period"};
  }
  return {};
}

OptionProblem check_statuses(const Options& options) {
  const StatusSet arm_on{options.texts("arm_on")};
  if (arm_on.empty()) {
    return {.option = "arm_on",
            .message = "names no status: the alarm would never be put",
            .help = R"(as in "arm_on": ["Training"])"};
  }
  if (arm_on.meets(StatusSet{options.texts("disarm_on")})) {
    return {.option = "disarm_on",
            .message = "names a status that arm_on names too",
            .help = "a status either puts the alarm or deletes it",
            .against = "arm_on"};
  }
  return {};
}

OptionProblem check(const Options& options) {
  const std::vector<std::string>& hosts = options.texts("hosts");
  if (hosts.empty()) {
    return {.option = "hosts",
            .message = "names no host: nothing would be watched",
            .help = R"(["algo-1"] or ["all"])"};
  }
  for (std::size_t index = 0; index < hosts.size(); ++index) {
    const std::string& host = hosts[index];
    if (is_host(host)) continue;
    return {.option = "hosts",
            .message = "'" + host + "' is not a host",
            .help = "algo-1, algo-2, ... or all",
            .element = index};
  }
  const OptionProblem problem = check_datapoints(options);
  return problem.message.empty() ? check_statuses(options) : problem;
}

std::unique_ptr<Policy> make(const Options& options) {
  if (is_broken(options)) return std::make_unique<BrokenHandler>();
  const bool by_alarm = options.text("action.found_by") == "alarm_name";
  return watch_by_alarm(options, {.reason = kStalled,
                                  .cause = StopCause::standing_still,
                                  .if_over = IfOver::stop,
                                  .found_by = by_alarm ? FoundBy::alarm_name : FoundBy::job_name});
}

std::vector<OptionSpec> alarm_options() {
  return {
      {.name = "metric",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("GPUUtilization")",
       .choices = {"GPUUtilization"},
       .help = "the metric watched: SageMaker's sum over the GPUs of an instance"},
      {.name = "statistic",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("average")",
       .choices = {"average", "minimum", "maximum"},
       .help = "what a datapoint is of the samples of a period"},
      {.name = "period",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("5m")",
       .min = 60,
       .max = 604800,
       .choices = {},
       .help = "length of one datapoint"},
      {.name = "datapoints",
       .type = OptionType::integers,
       .unit = "datapoints",
       .default_json = "[3, 3]",
       .min = 1,
       .max = 8640,
       .choices = {},
       .help = "[M, N]: M of the last N datapoints must compare so"},
      {.name = "threshold",
       .type = OptionType::number,
       .unit = "%",
       .default_json = "1",
       .min = 0,
       .max = 1e6,
       .choices = {},
       .help = "what datapoints are compared with; 100 is one GPU fully used"},
      {.name = "compare",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("<=")",
       .choices = {"<", "<=", ">", ">="},
       .help = "how a datapoint compares with the threshold when the job is stalled"},
      {.name = "scale",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("sum")",
       .choices = {"sum", "per_gpu"},
       .help = "sum: the threshold is for the instance; per_gpu: it is multiplied by its GPUs"},
      {.name = "missing",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("notBreaching")",
       .choices = {"missing", "ignore", "breaching", "notBreaching"},
       .help = "what a period without samples counts as (CloudWatch TreatMissingData)"},
      {.name = "window",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("sliding")",
       .choices = {"sliding", "wall_clock"},
       .help = "where periods begin: every minute anew, or on the clock"},
  };
}

std::vector<OptionSpec> life_options() {
  return {
      {.name = "hosts",
       .type = OptionType::texts,
       .unit = "",
       .default_json = R"(["algo-1"])",
       .choices = {},
       .help = "instances watched, one alarm each: algo-1, algo-2, ... or all"},
      {.name = "match",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("any")",
       .choices = {"any", "all"},
       .help = "whether one alarm is enough or all must be in ALARM together"},
      {.name = "arm_on",
       .type = OptionType::texts,
       .unit = "",
       .default_json = R"(["Training"])",
       .choices = status_names(),
       .help = "secondary statuses that put the alarm"},
      {.name = "disarm_on",
       .type = OptionType::texts,
       .unit = "",
       .default_json =
           R"(["Completed", "Failed", "Stopped", "MaxRuntimeExceeded", "MaxWaitTimeExceeded"])",
       .choices = status_names(),
       .help = "secondary statuses that delete it; one left out leaves orphan alarms"},
      {.name = "arm_delay",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "time from the arming status to the alarm, for jobs that prepare data first"},
      {.name = "reset_on_new_attempt",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "false",
       .choices = {},
       .help = "delete and put the alarm when training starts again; else it keeps its state"},
  };
}

/// What is done when the alarm goes off.
std::vector<OptionSpec> action_options() {
  return {
      {.name = "action.stop",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "stop the job when the alarm goes off"},
      {.name = "action.notify",
       .type = OptionType::texts,
       .unit = "",
       .default_json = "[]",
       .choices = {},
       .help = "who is told when the alarm goes off, once per incident"},
      {.name = "action.latency",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "time from the alarm to the stop"},
      {.name = "action.found_by",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("job_name")",
       .choices = {"job_name", "alarm_name"},
       .help = "alarm_name: the article's handler takes \"GPUUtil\" out of the alarm's name: a job "
               "with that in its own name is not found"},
      handler_option({"actions_not_a_list", "topic_of_a_dict"},
                     "mistakes with which the article's alarm is never put, or reaches nobody"),
  };
}

std::vector<OptionSpec> option_table() {
  std::vector<OptionSpec> table = alarm_options();
  for (OptionSpec& row : life_options()) table.push_back(std::move(row));
  for (OptionSpec& row : action_options()) table.push_back(std::move(row));
  return table;
}

}  // namespace

PolicyKind stalled_gpu_kind() {
  return {
      .name = "stalled_gpu",
      .summary = "stops (or reports) a job whose GPUs are hardly used",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), alarm on GPU use; CloudWatch API, PutMetricAlarm",
      .options = option_table(),
      .finds_stalls = true,
      .check = check,
      .make = make,
  };
}

}  // namespace reeve::policies
