// Gangs that share machines by turns and lose what they did.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "scenarios/load.hpp"
#include "tests/unit/scenarios/queue_cases.hpp"

namespace reeve::scenarios {
namespace queue_lints_test {

std::ptrdiff_t whole(const std::string& rules, const std::string& jobs) {
  const Loaded loaded = load(SourceFile::from_text("whole.jsonc", R"({ "reeve": 1,
    "clock": { "horizon": "9d" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "p4", "instance_type": "t", "capacity": 10 } ],
    "platform": { "model": "ec2" },
    "policies": { "it": [ )" + rules + R"( ] }, )" + jobs + " }"),
                             ".");
  return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                       [](const auto& finding) { return finding.code == "W0560"; });
}

TEST(QueueLints, GangsThatAreScheduledStartWhole) {
  const std::string small =
      R"("jobs": [ { "name": "j", "work": "1h", "instances": 4, "min_instances": 3 } ])";
  EXPECT_EQ(whole(R"({ "rule": "schedule" })", small), 1);
  EXPECT_EQ(whole(R"({ "rule": "schedule", "algorithm": "las" })", small), 1);
  EXPECT_EQ(whole(R"({ "rule": "schedule", "mode": "shadow" })", small), 0);
  EXPECT_EQ(whole("", small), 0);
  EXPECT_EQ(
      whole(R"({ "rule": "schedule" })",
            R"("jobs": [ { "name": "j", "work": "1h", "instances": 4, "min_instances": 4 } ])"),
      0);
  const auto drawn = [](const std::string& instances) {
    return R"("workload": { "jobs": 9, "arrivals": { "process": "poisson", "gap": "1h" },
      "work": "1h", "min_instances": 2, "instances": )" +
           instances + " }";
  };
  EXPECT_EQ(whole(R"({ "rule": "schedule" })", drawn(R"({ "2": 1, "4": 1 })")), 1);
  EXPECT_EQ(whole(R"({ "rule": "schedule" })", drawn("2")), 0);
}

/// Jobs of a trace or drawn that take turns, with this work and these keys.
std::ptrdiff_t turns(const std::string& rule, const std::string& work, const std::string& keys,
                     const std::string& platform = R"("model": "ideal")") {
  const Loaded loaded = load(SourceFile::from_text("turns.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "p4", "instance_type": "t", "capacity": 10 } ],
    "platform": { )" + platform + R"( },
    "queues": [ { "name": "main" } ],
    "policies": { "it": [ { "rule": "schedule", )" + rule + R"( } ] },
    "workload": { "jobs": 9, "queue": "main", "arrivals": { "process": "poisson", "gap": "1h" },
      "work": )" + work + keys + " } }"),
                             ".");
  return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                       [](const auto& finding) { return finding.code == "W0555"; });
}

TEST(QueueLints, DrawnJobsMayLoseAllOfEachTurn) {
  const std::string rounds = R"("algorithm": "gavel", "round": "10m")";
  EXPECT_EQ(turns(rounds, R"("2h")", ""), 1);
  EXPECT_EQ(turns(rounds, R"("9m")", ""), 0);
  EXPECT_EQ(turns(rounds, R"({ "uniform": ["1m", "9m"] })", ""), 0);
  EXPECT_EQ(turns(rounds, R"({ "uniform": ["1m", "11m"] })", ""), 1);
  EXPECT_EQ(turns(rounds, R"({ "exponential": "1h" })", R"(, "checkpoint": { "every": "5m" })"), 0);
  EXPECT_EQ(turns(R"("algorithm": "las")", R"("2h")", ""), 0);
}

/// 3,600 GPU s are 7 min 30 s of 8 GPUs.
TEST(QueueLints, JobsThatBeginAnewMayLoseAllOfEachTurn) {
  const std::string promotes = R"("algorithm": "las", "las_promote": 8)";
  EXPECT_EQ(turns(promotes, R"("2h")", R"(, "checkpoint": { "every": "10m" })"), 1);
  EXPECT_EQ(turns(promotes, R"("2h")", R"(, "checkpoint": { "every": "5m" })"), 0);
  EXPECT_EQ(turns(promotes, R"("2h")", R"(, "instances": 2, "checkpoint": { "every": "5m" })"), 1);
  const std::string long_turns = promotes + R"(, "las_limits": [36000])";
  EXPECT_EQ(turns(long_turns, R"("2h")", R"(, "checkpoint": { "every": "10m" })"), 0);
}

/// Saves after so much work, each with these keys, in turns of an hour.
std::ptrdiff_t turns_of_an_hour(const std::string& every, const std::string& keys = {},
                                const std::string& platform = R"("model": "ideal")") {
  return turns(R"("algorithm": "themis", "lease": "1h")", R"("9h")",
               R"(, "checkpoint": { "every": ")" + every + '"' + keys + " }", platform);
}

TEST(QueueLints, ACheckpointAtTheVeryEndOfATurnIsKept) {
  EXPECT_EQ(turns_of_an_hour("1h"), 0);
  EXPECT_EQ(turns_of_an_hour("61m"), 1);
  EXPECT_EQ(turns_of_an_hour("59m", R"(, "cost": "1m")"), 0);
  EXPECT_EQ(turns_of_an_hour("59m", R"(, "cost": "61s")"), 1);
  EXPECT_EQ(turns_of_an_hour("1h", R"(, "size": 60, "upload": 0.1)"), 0)
      << "an orderly end lets it finish";
  EXPECT_EQ(turns_of_an_hour("1h", R"(, "sync": "at_end")"), 0) << "likewise";
  EXPECT_EQ(turns_of_an_hour("30m", R"(, "sync": "none")"), 1);
}

TEST(QueueLints, AStartTakesPartOfATurn) {
  const std::string managed =
      R"("model": "sagemaker-training", "startup": "5m", "stop_grace": "1m")";
  EXPECT_EQ(turns_of_an_hour("55m", "", managed), 0);
  EXPECT_EQ(turns_of_an_hour("56m", "", managed), 1);
  EXPECT_EQ(turns_of_an_hour("50m", R"(, "size": 60, "restore": 0.2)", managed), 0);
  EXPECT_EQ(turns_of_an_hour("51m", R"(, "size": 60, "restore": 0.2)", managed), 1)
      << "what follows reads it first";
  EXPECT_EQ(turns_of_an_hour("9h", R"(, "on_stop": { "save": "1m" })", managed), 0);
  EXPECT_EQ(turns_of_an_hour("9h", R"(, "on_stop": { "save": "2m" })", managed), 1);
  EXPECT_EQ(turns_of_an_hour("5m", "", R"("model": "sagemaker-training", "startup": "1h")"), 1);
  EXPECT_EQ(turns_of_an_hour("59m", "", R"("model": "ec2")"), 0);
  EXPECT_EQ(turns_of_an_hour("1h", "", R"("model": "ec2")"), 1) << "a minute of provisioning";
}

}  // namespace queue_lints_test
}  // namespace reeve::scenarios
