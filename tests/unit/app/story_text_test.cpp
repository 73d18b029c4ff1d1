#include "app/explain/story_text.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "app/text/clock_text.hpp"
#include "scenarios/load.hpp"

namespace reeve::app {
namespace story_text_test {

std::vector<StoryLine> lines_of(const scenarios::Scenario& scenario,
                                const experiments::RunResult& result, std::uint32_t job) {
  return story_lines(scenario, result, job_outcome(scenario, result, {job}));
}

/// Fails on eight GPUs, goes on with one, stalls there.
std::vector<StoryLine> moved() {
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
  return lines_of(scenario, run(scenario, scenario.policies.front(), 0, options), 0);
}

TEST(StoryText, AnAlarmAddsTheGpusOfTheMachinesItsAttemptRanOn) {
  const auto story = moved();
  std::string alarms;
  for (const StoryLine& moment : story) {
    const std::size_t at = moment.text.find("sum of ");
    if (at == std::string::npos) continue;
    alarms += std::to_string(moment.attempt) + ": " +
              moment.text.substr(at, moment.text.find(',', at) - at) + '\n';
  }
  EXPECT_EQ(alarms, "1: sum of 8 GPUs\n2: sum of 1 GPU\n");
}

/// On EC2: `first` takes the only machine on demand, `late` finds none; Spot takes the machine of
/// `spot` while it boots.
std::vector<StoryLine> refused(const std::string& job) {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("refused.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "3d" },
    "prices": { "instances": { "p4d": { "usd_per_hour": 30, "spot_usd_per_hour": 9,
                               "gpus": 8 } } },
    "platform": { "model": "ec2", "provisioning": "1m" },
    "fleet": [ { "name": "od", "instance_type": "p4d", "capacity": 1 },
               { "name": "sp", "instance_type": "p4d", "capacity": 1, "market": "spot",
                 "availability": { "steps": [ ["0s", 1], ["30s", 0] ] } } ],
    "jobs": [ { "name": "first", "fleet": "od", "work": "5h" },
              { "name": "late", "fleet": "od", "work": "5h", "submit": "1h" },
              { "name": "spot", "fleet": "sp", "work": "5h" } ],
    "policies": { "none": [] } })"),
                      ".")
          .scenario;
  experiments::RunOptions options;
  options.keep = {true, true, true, true, true};
  const auto result = run(scenario, scenario.policies.front(), 0, options);
  for (std::uint32_t at = 0; at < 3; ++at) {
    if (result.record.jobs.name({at}) == job) return lines_of(scenario, result, at);
  }
  throw std::out_of_range{job};
}

TEST(StoryText, OnlyAnAttemptThatNeverGotMachinesIsToldThatThereIsNoCapacity) {
  const auto late = refused("late");
  EXPECT_EQ(late.back().text.substr(0, 80),
            "status Failed, capacity: InsufficientInstanceCapacity: We currently do not have ");
  const auto spot = refused("spot");
  EXPECT_EQ(spot.back().text, "status Failed, capacity");
  EXPECT_NE(spot.back().details.at(0).find("were reclaimed"), std::string::npos);
}

/// Two instances at once; three jobs ask for one each, and a rule starts the last again.
TEST(StoryText, WhoWaitsIsToldUntilWhenAndWhichQuotaIsUsedUp) {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("quota.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "3d" },
    "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
    "platform": { "model": "sagemaker-training", "quotas": { "g": { "training": 2 } } },
    "fleet": [ { "instance_type": "g", "capacity": 1 } ],
    "jobs": [ { "name": "a", "work": "5h" },
              { "name": "b", "work": "5h", "submit": "1h", "max_pending": "2h" },
              { "name": "c", "work": "5h", "submit": "2h" } ],
    "policies": { "p": [ { "rule": "resume", "min_runtime": "0s", "when": ["failed:quota"],
                           "max_resumes": 1 } ] } })"),
                      ".")
          .scenario;
  experiments::RunOptions options;
  options.keep = {true, true, true, true, true};
  options.decisions = true;
  const auto result = run(scenario, scenario.policies.front(), 0, options);
  const auto text_of = [&](std::uint32_t job) {
    std::string text;
    for (const StoryLine& moment : lines_of(scenario, result, job)) {
      text += clock_text(moment.at - result.record.start) + ' ' + moment.text + '\n';
      for (const std::string& detail : moment.details) text += "  " + detail + '\n';
    }
    return text;
  };
  EXPECT_EQ(text_of(1),
            "01:00:00 submitted\n01:00:00 status Pending\n"
            "  stopped at 03:00:00 if it still waits (max_pending 2 h)\n"
            "03:00:00 status Stopped\n  max_pending has passed\n");
  EXPECT_NE(text_of(2).find("02:00:00 call refused: ResourceLimitExceeded: The account-level "
                            "service limit 'g for training job usage' is 2 Instances, with "
                            "current utilization of 2 Instances and a request delta of 1 "
                            "Instances.\n"),
            std::string::npos)
      << text_of(2);
}

/// It fails a minute after each start, and a rule starts it again as often as there are numbers.
TEST(StoryText, AJobThatHasHadAllItsAttemptsIsToldThatThereIsNoFurtherOne) {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("many.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "60d" },
    "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "g", "capacity": 1 } ],
    "platform": { "model": "sagemaker-training" },
    "jobs": [ { "name": "a", "work": "5h", "faults": [
      { "at": "1m", "kind": "failure", "class": "code", "recovers_on_restart": false } ] } ],
    "policies": { "p": [ { "rule": "resume", "min_runtime": "0s", "max_resumes": -1 } ] } })"),
                      ".")
          .scenario;
  experiments::RunOptions options;
  options.keep = {true, true, true, true, true};
  options.decisions = true;
  const auto result = run(scenario, scenario.policies.front(), 0, options);
  const auto outcome = job_outcome(scenario, result, {0});
  EXPECT_EQ(outcome.attempts.size(), 65'535U);
  EXPECT_EQ(outcome.attempts.back().billed,
            policy::Usd::from_micros(500'000));  // $30/h for 1 min
  EXPECT_EQ(story_lines(scenario, result, outcome).back().text,
            "no further attempt: 65535 is the last that a job may have");
}

}  // namespace story_text_test
}  // namespace reeve::app
