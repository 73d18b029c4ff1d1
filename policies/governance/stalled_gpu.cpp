#include "stalled_gpu.hpp"

#include <utility>

#include "alarm_options.hpp"
#include "alarm_watch.hpp"
#include "broken_handler.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kStalled = "GPU use at or below the threshold for too long";

OptionProblem check_stalled_gpu(const Options& options) {
  return check_alarm(options, AlarmOptions::top);
}

OptionProblem doubt_stalled_gpu(const Options& options, const Directory& directory) {
  const Duration period = options.duration("period");
  return doubt_hints(options, directory,
                     tail_of_phases(period, options.integers("datapoints").at(1)));
}

std::unique_ptr<Policy> make_stalled_gpu(const Options& options) {
  if (is_broken(options)) return std::make_unique<BrokenHandler>();
  const bool by_alarm = options.text("action.found_by") == "alarm_name";
  return watch_by_alarm(options, {.reason = kStalled,
                                  .cause = StopCause::standing_still,
                                  .if_over = IfOver::stop,
                                  .found_by = by_alarm ? FoundBy::alarm_name : FoundBy::job_name});
}

/// What is done when the alarm goes off.
std::vector<OptionSpec> action_options() {
  return {
      {.name = "action.stop",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "stop the job when the alarm fires"},
      {.name = "action.notify",
       .type = OptionType::texts,
       .unit = "",
       .default_json = "[]",
       .choices = {},
       .help = "recipients; if not empty, each incident sends one notification"},
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
       .help = "alarm_name: remove \"GPUUtil\" from the alarm's name, as the article does; fails "
               "for a job with that text in its name"},
      handler_option({"actions_not_a_list", "topic_of_a_dict"},
                     "defects of the article's code with which its alarm is never created"),
  };
}

std::vector<OptionSpec> stalled_gpu_options() {
  std::vector<OptionSpec> table = alarm_options(AlarmOptions::top);
  for (OptionSpec& row : action_options()) table.push_back(std::move(row));
  return table;
}

OptionProblem idle_stalled_gpu(const Options& options, const ScenarioFacts& /*facts*/) {
  if (!options.flag("action.stop") && options.texts("action.notify").empty()) {
    return {.option = "action.stop",
            .message = "the rule neither stops nor notifies",
            .help = "\"notify\": [\"job_owner\"], or \"mode\": \"off\""};
  }
  const bool below = options.text("compare") == "<" && options.text("missing") != "breaching";
  if (!below || options.number("threshold") > 0) return {};
  return {.option = "threshold",
          .message = "no GPU utilization is below 0",
          .help = "\"compare\": \"<=\""};
}

constexpr std::array stalled_gpu_defects{
    ArticleDefect{
        .option = "handler",
        .word = "actions_not_a_list",
        .code = "W0433",
        .message = "AlarmActions is a string, not a list: CloudWatch rejects the alarm",
        .effect = rule_does_nothing,
        .help = mended_handler,
        .never_runs = true,
    },
    ArticleDefect{
        .option = "handler",
        .word = "topic_of_a_dict",
        .code = "W0434",
        .message = "topic.arn on a dictionary: the handler fails before it creates the alarm",
        .effect = rule_does_nothing,
        .help = mended_handler,
        .never_runs = true,
    },
};

std::vector<VerbKind> stalled_gpu_verbs(const Options& options) {
  if (is_broken(options)) return {};
  std::vector<VerbKind> all{VerbKind::put_alarm, VerbKind::delete_alarm};
  if (options.flag("action.stop")) all.push_back(VerbKind::stop_job);
  if (!options.texts("action.notify").empty()) all.push_back(VerbKind::notify);
  return all;
}

}  // namespace

PolicyKind stalled_gpu_kind() {
  return {
      .name = "stalled_gpu",
      .summary = "stops or reports a job whose GPUs are almost idle",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), alarm on GPU utilization; CloudWatch API, PutMetricAlarm",
      .options = stalled_gpu_options(),
      .finds_stalls = true,
      .defects = stalled_gpu_defects,
      .check = check_stalled_gpu,
      .doubt = doubt_stalled_gpu,
      .idle = idle_stalled_gpu,
      .verbs = stalled_gpu_verbs,
      .make = make_stalled_gpu,
  };
}

}  // namespace reeve::policies
