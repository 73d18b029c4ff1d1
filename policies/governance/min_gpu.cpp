#include "min_gpu.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "alarm_options.hpp"
#include "alarm_watch.hpp"

namespace reeve::policies {
namespace {

using namespace policy;
using std::chrono::hours;
using std::chrono::minutes;

constexpr std::string_view kMinGpuReason = "GPU use below the minimum for too long";

/// An alarm looks back a day at most, over datapoints of whole minutes.
constexpr Duration kPeriod = minutes{5};

OptionProblem check_min_gpu(const Options& options) {
  if (options.duration("over") % kPeriod != Duration{0}) {
    return {.option = "over",
            .message = "is not a multiple of 5m",
            .help = "use a multiple of 5m, the length of a datapoint"};
  }
  return problem_of_hosts("hosts", options.texts("hosts"));
}

OptionProblem doubt_min_gpu(const Options& options, const Directory& directory) {
  return doubt_hints(options, directory,
                     tail_of_phases(kPeriod, options.duration("over") / kPeriod));
}

/// The alarm of `stalled_gpu`, with a datapoint for each five minutes of `over`.
std::unique_ptr<Policy> make_min_gpu(const Options& options) {
  const std::int64_t datapoints = options.duration("over") / kPeriod;
  const Duration patience = options.duration("stop_after");
  Options alarm;
  alarm.set("metric", std::string{"GPUUtilization"});
  alarm.set("statistic", std::string{"average"});
  alarm.set("period", kPeriod);
  alarm.set("datapoints", std::vector<std::int64_t>{datapoints, datapoints});
  alarm.set("threshold", options.number("min_pct"));
  alarm.set("compare", std::string{"<"});
  alarm.set("scale", std::string{"per_gpu"});
  alarm.set("missing", std::string{"notBreaching"});
  alarm.set("window", std::string{"sliding"});
  alarm.set("hosts", options.texts("hosts"));
  alarm.set("match", std::string{"all"});
  alarm.set("arm_on", std::vector<std::string>{"Training"});
  alarm.set("disarm_on", std::vector<std::string>{"Completed", "Failed", "Stopped",
                                                  "MaxRuntimeExceeded", "MaxWaitTimeExceeded"});
  // A new alarm looks back at what was published before it was put.
  alarm.set("arm_delay", options.duration("arm_delay") + options.duration("over"));
  alarm.set("phase_hints", options.flag("phase_hints"));
  alarm.set("reset_on_new_attempt", true);
  alarm.set("action.stop", patience > Duration{0});
  alarm.set("action.notify", std::vector<std::string>{"owner"});
  alarm.set("action.latency", patience);
  return watch_by_alarm(
      alarm, {.reason = kMinGpuReason, .cause = StopCause::using_little, .if_over = IfOver::leave});
}

OptionProblem idle_min_gpu(const Options& options, const ScenarioFacts& /*facts*/) {
  if (options.number("min_pct") > 0) return {};
  return {.option = "min_pct",
          .message = "no GPU has a utilization below 0 %",
          .help = "use \"mode\": \"off\""};
}

std::vector<VerbKind> min_gpu_verbs(const Options& options) {
  std::vector<VerbKind> all{VerbKind::put_alarm, VerbKind::delete_alarm, VerbKind::notify};
  if (options.duration("stop_after") > Duration{0}) all.push_back(VerbKind::stop_job);
  return all;
}

}  // namespace

PolicyKind min_gpu_kind() {
  return {
      .name = "min_gpu",
      .summary = "warns about low GPU utilization, and can stop the job if it persists",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), a minimum GPU utilization, for example 80 %",
      .options =
          {
              {.name = "min_pct",
               .type = OptionType::number,
               .unit = "%",
               .default_json = "80",
               .min = 0,
               .max = 100,
               .choices = {},
               .help = "minimum utilization per GPU, averaged over the GPUs of an instance",
               .vary = Vary::down},
              {.name = "over",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("1h")",
               .min = 300,
               .max = 86400,
               .choices = {},
               .help = "time during which each five-minute average must be below the minimum; a "
                       "multiple of 5m",
               .vary = Vary::up},
              {.name = "hosts",
               .type = OptionType::texts,
               .unit = "",
               .default_json = R"(["all"])",
               .choices = {},
               .help = "instances to watch, with one alarm each; all must be below the minimum"},
              {.name = "arm_delay",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("30m")",
               .min = 0,
               .choices = {},
               .help = "time at the start of Training that does not count",
               .vary = Vary::up},
              {.name = "phase_hints",
               .type = OptionType::flag,
               .unit = "",
               .default_json = "false",
               .choices = {},
               .help = "ignore the low-use phases that a job declares in its tag reeve:low-gpu"},
              {.name = "stop_after",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("0s")",
               .min = 0,
               .choices = {},
               .help = "stop the job if it is still below the minimum this long after the "
                       "notification; 0s: never",
               .vary = Vary::up},
          },
      .check = check_min_gpu,
      .doubt = doubt_min_gpu,
      .idle = idle_min_gpu,
      .verbs = min_gpu_verbs,
      .make = make_min_gpu,
  };
}

}  // namespace reeve::policies
