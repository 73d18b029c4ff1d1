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
            .message = "is no multiple of 5m",
            .help = "the alarm counts datapoints of five minutes"};
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

}  // namespace

PolicyKind min_gpu_kind() {
  return {
      .name = "min_gpu",
      .summary = "warns of a job that uses its GPUs too little, and stops it if that goes on",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), a minimum of GPU use, for example 80 %",
      .options =
          {
              {.name = "min_pct",
               .type = OptionType::number,
               .unit = "%",
               .default_json = "80",
               .min = 0,
               .max = 100,
               .choices = {},
               .help = "the least use of each GPU, as the mean of an instance's"},
              {.name = "over",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("1h")",
               .min = 300,
               .max = 86400,
               .choices = {},
               .help = "every five minutes of so long must lie below the minimum"},
              {.name = "hosts",
               .type = OptionType::texts,
               .unit = "",
               .default_json = R"(["all"])",
               .choices = {},
               .help = "instances watched, one alarm each; all of them must lie below"},
              {.name = "arm_delay",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("30m")",
               .min = 0,
               .choices = {},
               .help = "time from the start of Training on that does not count"},
              {.name = "phase_hints",
               .type = OptionType::flag,
               .unit = "",
               .default_json = "false",
               .choices = {},
               .help = "phases of which a job's tag reeve:low-gpu says so do not count"},
              {.name = "stop_after",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("0s")",
               .min = 0,
               .choices = {},
               .help = "stop the job if it still lies below so long after the warning; 0s: never"},
          },
      .check = check_min_gpu,
      .doubt = doubt_min_gpu,
      .make = make_min_gpu,
  };
}

}  // namespace reeve::policies
