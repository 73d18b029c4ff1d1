// What stops would have cost otherwise, against the sums of the stalled weekend by hand.
#include "experiments/counterfactual.hpp"

#include <gtest/gtest.h>

#include <string>

#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace {

/// Eight machines at $30/h stall after an hour; the rule stops them at 01:16, they would have been
/// held until the limit of 24 h.
RunResult stalled(const std::string& market) {
  const scenarios::Scenario scenario = scenarios::load(scenarios::SourceFile::from_text(
                                                           "stalled.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-01-01T00:00:00Z", "horizon": "48h" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "t", "capacity": 8, "market": ")" + market + R"(" } ],
    "platform": { "model": "sagemaker-training", "metrics": { "publish_delay": "1m" } },
    "jobs": [ { "name": "a", "work": "10h", "instances": 8, "max_runtime": "24h",
                "faults": [ { "at": "1h", "kind": "stall" } ] } ],
    "policies": { "alarm": [ { "rule": "stalled_gpu" } ] } })"),
                                                       ".")
                                           .scenario;
  RunOptions options;
  options.keep.attempts = true;
  options.decisions = options.counterfactuals = true;
  return run(scenario, scenario.policies.front(), 0, options);
}

const DecisionRow* stop_of(const RunResult& result) {
  for (const DecisionRow& row : result.decisions) {
    if (std::holds_alternative<policy::StopJob>(row.verb)) return &row;
  }
  return nullptr;
}

TEST(CounterfactualTest, AStopIsWorthWhatTheAttemptWouldHaveCostMore) {
  const RunResult result = stalled("on_demand");
  const DecisionRow* stop = stop_of(result);
  ASSERT_NE(stop, nullptr);
  ASSERT_TRUE(stop->if_not);
  const policy::Duration billed = result.record.attempts.at(0).billed;
  EXPECT_EQ(stop->if_not->until - result.record.start, std::chrono::hours{24});
  EXPECT_EQ(stop->if_not->longer, std::chrono::hours{24} - billed);
  // $240 an hour for all of them
  EXPECT_EQ(stop->if_not->more,
            models::to_usd(models::charge({30'000'000'000}, 8, std::chrono::hours{24} - billed)));
  for (const DecisionRow& row : result.decisions) {
    if (&row != stop) {
      EXPECT_FALSE(row.if_not) << row.reason;
    }
  }
}

TEST(CounterfactualTest, NoDollarsAreSavedOnReservedMachines) {
  const RunResult result = stalled("reserved");
  const DecisionRow* stop = stop_of(result);
  ASSERT_NE(stop, nullptr);
  ASSERT_TRUE(stop->if_not);
  EXPECT_GT(stop->if_not->longer, std::chrono::hours{22});
  EXPECT_FALSE(stop->if_not->more);
}

TEST(CounterfactualTest, TheRunItselfIsTheSame) {
  RunOptions options;
  const scenarios::Scenario scenario =
      scenarios::load(REEVE_SOURCE_DIR "/scenarios/gallery/stalled-weekend.jsonc").scenario;
  options.keep.attempts = options.decisions = true;
  for (const scenarios::PolicySpec& policy : scenario.policies) {
    const std::string plain = run(scenario, policy, 0, options).digest;
    options.counterfactuals = true;
    EXPECT_EQ(run(scenario, policy, 0, options).digest, plain) << policy.name;
    options.counterfactuals = false;
  }
}

}  // namespace
}  // namespace reeve::experiments
