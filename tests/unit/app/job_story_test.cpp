#include "app/job_story.hpp"

#include <gtest/gtest.h>

#include <string>

#include "scenarios/load.hpp"

namespace reeve::app {
namespace {

/// Fails on eight GPUs, goes on with one, stalls there.
JobStory moved() {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("moved.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "3d" },
    "prices": { "instances": { "one": { "usd_per_hour": 30, "gpus": 1 },
                               "eight": { "usd_per_hour": 240, "gpus": 8 } } },
    "fleet": [ { "name": "big", "instance_type": "eight", "capacity": 1 },
               { "name": "small", "instance_type": "one", "capacity": 1 } ],
    "platform": { "model": "sagemaker-training", "stop_grace": "0s" },
    "jobs": [ { "name": "a", "fleet": "big", "work": "10h",
                "faults": [ { "at": "2h", "kind": "stall" },
                            { "at": "3h", "kind": "stall", "attempt": 2 } ] } ],
    "policies": { "p": [ { "rule": "stalled_gpu" },
      { "rule": "resume", "when": ["stopped"], "override": { "fleet": "small" } } ] } })"),
                      ".")
          .scenario;
  experiments::RunOptions options;
  options.keep = {true, true, true, true, true};
  options.decisions = true;
  return tell(scenario, run(scenario, scenario.policies.front(), 0, options), {0});
}

TEST(JobStory, AnAlarmAddsTheGpusOfTheMachinesItsAttemptRanOn) {
  const JobStory story = moved();
  std::string alarms;
  for (const Moment& moment : story.moments) {
    const std::size_t at = moment.text.find("sum of ");
    if (at == std::string::npos) continue;
    alarms += std::to_string(moment.attempt) + ": " +
              moment.text.substr(at, moment.text.find(',', at) - at) + '\n';
  }
  EXPECT_EQ(alarms, "1: sum of 8 GPUs\n2: sum of 1 GPU\n");
}

}  // namespace
}  // namespace reeve::app
