// What stops would have cost otherwise, against the sums of the stalled weekend by hand.
#include "experiments/counterfactual.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace counterfactual_test {

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
  options.keep.attempts = options.keep.ledger = true;
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

/// A job that asks for `first` ($240/h, on Spot $9/h) is placed by a rule in `market`, and stopped
/// there after an hour of ten.
RunResult placed(const std::string& first, const std::string& market) {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("placed.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-01-01T00:00:00Z", "horizon": "48h" },
    "prices": { "instances": { "t": { "usd_per_hour": 240, "spot_usd_per_hour": 9, "gpus": 8 } } },
    "fleet": [ { "name": "asked", "instance_type": "t", "capacity": 1, "market": ")" +
                                                                           first + R"(" },
               { "name": "other", "instance_type": "t", "capacity": 1, "market": ")" +
                                                                           market + R"(" } ],
    "platform": { "model": "sagemaker-training", "stop_grace": "0s" },
    "jobs": [ { "name": "a", "fleet": "asked", "work": "10h" } ],
    "policies": { "p": [ { "rule": "market", "use": ")" + market + R"(" },
      { "rule": "max_runtime", "limit": "1h", "enforce_by": "clock" } ] } })"),
                      ".")
          .scenario;
  RunOptions options;
  options.keep.attempts = options.keep.ledger = true;
  options.decisions = options.counterfactuals = true;
  return run(scenario, scenario.policies.front(), 0, options);
}

TEST(CounterfactualTest, AnAttemptIsPricedByTheMachinesItRanOn) {
  for (const char* first : {"on_demand", "reserved"}) {
    const RunResult result = placed(first, "spot");
    const DecisionRow* stop = stop_of(result);
    ASSERT_NE(stop, nullptr);
    ASSERT_TRUE(stop->if_not);
    EXPECT_EQ(stop->if_not->more, policy::Usd::from_micros(81'000'000)) << first;
  }
}

TEST(CounterfactualTest, ReservedMachinesOfARulesChoiceArePaidForAnyway) {
  const RunResult result = placed("on_demand", "reserved");
  const DecisionRow* stop = stop_of(result);
  ASSERT_NE(stop, nullptr);
  ASSERT_TRUE(stop->if_not);
  EXPECT_EQ(stop->if_not->longer, std::chrono::hours{9});
  EXPECT_FALSE(stop->if_not->more);
}

TEST(CounterfactualTest, AStopBeforeItHasMachinesIsWorthAllThatTheyWouldHaveCost) {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("waits.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-01-01T00:00:00Z", "horizon": "48h" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "t", "capacity": 1 } ],
    "platform": { "model": "sagemaker-training", "provisioning": "10m", "stop_grace": "0s" },
    "jobs": [ { "name": "a", "work": "5h" } ],
    "policies": { "p": [ { "rule": "required_tags", "keys": ["team"] } ] } })"),
                      ".")
          .scenario;
  RunOptions options;
  options.keep.attempts = options.keep.ledger = true;
  options.decisions = options.counterfactuals = true;
  const RunResult result = run(scenario, scenario.policies.front(), 0, options);
  const DecisionRow* stop = stop_of(result);
  ASSERT_NE(stop, nullptr);
  EXPECT_FALSE(result.record.attempts.at(0).had_machines());
  ASSERT_TRUE(stop->if_not);
  EXPECT_EQ(stop->if_not->longer, std::chrono::hours{5});
  EXPECT_EQ(stop->if_not->more, policy::Usd::from_micros(150'000'000));  // 5 h at $30
}

/// What the limit of 3 h saves at attempt 2: without it the first attempt would have failed after
/// 4 h, and another rule would have run the second one for its 10 h in another fleet.
std::optional<policy::Usd> second_stop(const std::string& after_stop,
                                       const std::string& after_failure) {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("retried.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-01-01T00:00:00Z", "horizon": "48h" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 1 } } },
    "fleet": [ { "name": "first", "instance_type": "t", "capacity": 1 },
               { "name": "free", "instance_type": "t", "capacity": 1 },
               { "name": "bought", "instance_type": "t", "capacity": 1, "market": "reserved" } ],
    "platform": { "model": "sagemaker-training", "stop_grace": "0s" },
    "jobs": [ { "name": "a", "fleet": "first", "work": "10h",
                "faults": [ { "at": "4h", "kind": "failure" } ] } ],
    "policies": { "p": [ { "rule": "max_runtime", "limit": "3h", "enforce_by": "clock" },
      { "rule": "resume", "when": ["stopped"], "min_runtime": "0s", "max_resumes": 1,
        "override": { "fleet": ")" + after_stop + R"(" } },
      { "rule": "resume", "name": "retry", "when": ["failed"], "max_resumes": 1,
        "override": { "fleet": ")" + after_failure + R"(" } } ] } })"),
                      ".")
          .scenario;
  RunOptions options;
  options.keep.attempts = options.keep.ledger = true;
  options.decisions = options.counterfactuals = true;
  for (const DecisionRow& row : run(scenario, scenario.policies.front(), 0, options).decisions) {
    if (row.attempt != 2 || !std::holds_alternative<policy::StopJob>(row.verb)) continue;
    EXPECT_TRUE(row.if_not);
    if (row.if_not) return row.if_not->more;
  }
  ADD_FAILURE() << "attempt 2 was not stopped";
  return std::nullopt;
}

TEST(CounterfactualTest, OfTwoAttemptsOnlyThoseOnReservedMachinesCostNothing) {
  EXPECT_EQ(second_stop("free", "free"), policy::Usd::from_micros(210'000'000));  // 10 h, not 3 h
  EXPECT_EQ(second_stop("bought", "free"), policy::Usd::from_micros(300'000'000));
  EXPECT_EQ(second_stop("free", "bought"), policy::Usd::from_micros(-90'000'000));
  EXPECT_EQ(second_stop("bought", "bought"), std::nullopt);
}

TEST(CounterfactualTest, AGangIsPricedByTheMachinesItHadAndNotByThoseItAskedFor) {
  // Asked for 8, and began with the 4 that there are: $120/h until the horizon of 72 h.
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("smaller.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-06-01T09:00:00Z", "horizon": "3d" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "t", "capacity": 4 } ],
    "platform": { "model": "ec2", "startup": "3m", "stop_grace": "120s" },
    "jobs": [ { "name": "a", "instances": 8, "min_instances": 4, "work": "20h",
                "faults": [ { "at": "1h", "kind": "stall" } ] } ],
    "policies": { "alarm": [ { "rule": "stalled_gpu" } ] } })"),
                      ".")
          .scenario;
  RunOptions options;
  options.keep.attempts = options.keep.ledger = true;
  options.decisions = options.counterfactuals = true;
  const RunResult result = run(scenario, scenario.policies.front(), 0, options);
  const DecisionRow* stop = stop_of(result);
  ASSERT_NE(stop, nullptr);
  ASSERT_TRUE(stop->if_not);
  // 70 h 39 min longer; 4 x $30 x 70.65 h
  EXPECT_EQ(stop->if_not->longer, std::chrono::hours{70} + std::chrono::minutes{39});
  EXPECT_EQ(stop->if_not->more, policy::Usd::from_micros(8'478'000'000));
}

TEST(CounterfactualTest, TheRunItselfIsTheSame) {
  RunOptions options;
  const scenarios::Scenario scenario =
      scenarios::load(REEVE_SOURCE_DIR "/scenarios/gallery/stalled-weekend.jsonc").scenario;
  options.keep.attempts = options.keep.ledger = options.decisions = true;
  for (const scenarios::PolicySpec& policy : scenario.policies) {
    const std::string plain = run(scenario, policy, 0, options).digest;
    options.counterfactuals = true;
    EXPECT_EQ(run(scenario, policy, 0, options).digest, plain) << policy.name;
    options.counterfactuals = false;
  }
}

/// A job of 10 h stalls after 3 h for ever; the alarm stops it, `resume` brings it back from its
/// checkpoint of 3 h, and it is done.
scenarios::Scenario resumed() {
  return scenarios::load(scenarios::SourceFile::from_text("resumed.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-01-01T00:00:00Z", "horizon": "48h" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "t", "capacity": 1 } ],
    "platform": { "model": "sagemaker-training" },
    "jobs": [ { "name": "a", "work": "10h", "max_runtime": "24h", "checkpoint": { "every": "1h" },
                "faults": [ { "at": "3h", "kind": "stall" } ] } ],
    "policies": { "both": [ { "rule": "stalled_gpu" },
      { "rule": "resume", "when": ["stopped_by:stalled_gpu"], "min_runtime": "0s" } ] } })"),
                         ".")
      .scenario;
}

const DecisionRow* first_of(const RunResult& result, policy::VerbKind kind) {
  for (const DecisionRow& row : result.decisions) {
    if (static_cast<policy::VerbKind>(row.verb.index()) == kind) return &row;
  }
  return nullptr;
}

TEST(CounterfactualTest, ARunWithoutTheStopStallsUntilTheLimit) {
  const scenarios::Scenario scenario = resumed();
  RunOptions options;
  options.keep.attempts = true;
  options.decisions = true;
  const RunResult result = run(scenario, scenario.policies.front(), 0, options);
  ASSERT_EQ(result.record.job_rows[0].status, policy::Primary::completed);
  const DecisionRow* stop = first_of(result, policy::VerbKind::stop_job);
  ASSERT_NE(stop, nullptr);
  const auto other = run_without(scenario, scenario.policies.front(), options, result, *stop);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->attempt_end.value() - result.record.start, std::chrono::hours{24});
  EXPECT_FALSE(other->done_at) << "nobody brings it back after the limit";
  const policy::Usd all =
      models::to_usd(models::charge({30'000'000'000}, 1, std::chrono::hours{24}));
  EXPECT_EQ(other->all_more, all - models::to_usd(result.record.ledger.billed()));
  EXPECT_EQ(other->job_more, other->all_more);
}

TEST(CounterfactualTest, ARunWithoutTheCloneEndsWithTheStop) {
  const scenarios::Scenario scenario = resumed();
  RunOptions options;
  options.keep.attempts = true;
  options.decisions = true;
  const RunResult result = run(scenario, scenario.policies.front(), 0, options);
  const DecisionRow* clone = first_of(result, policy::VerbKind::clone_job);
  ASSERT_NE(clone, nullptr);
  const auto other = run_without(scenario, scenario.policies.front(), options, result, *clone);
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->attempt_end) << "there is no second attempt";
  EXPECT_FALSE(other->done_at);
  ASSERT_EQ(result.record.attempts.size(), 2U);
  EXPECT_EQ(other->all_more,
            -models::to_usd(models::charge({30'000'000'000}, 1, result.record.attempts[1].billed)));
}

/// Three jobs of 10 h at $30 lack their tag.  One is stopped at once, the others after the canary's
/// watch of 2 h.
TEST(CounterfactualTest, TheOthersAreWatchedAsLongWithoutTheDecisionOrWithAnother) {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("canary.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-01-01T00:00:00Z", "horizon": "48h" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "t", "capacity": 3 } ],
    "platform": { "model": "sagemaker-training", "startup": "0s", "stop_grace": "0s" },
    "guards": { "canary": { "first": 1, "watch": "2h" } },
    "jobs": [ { "name": "a", "count": 3, "work": "10h" } ],
    "policies": { "tags": [ { "rule": "required_tags", "keys": ["team"] } ] } })"),
                      ".")
          .scenario;
  RunOptions options;
  options.keep.attempts = true;
  options.decisions = true;
  const RunResult result = run(scenario, scenario.policies.front(), 0, options);
  const DecisionRow* stop = first_of(result, policy::VerbKind::stop_job);
  ASSERT_NE(stop, nullptr);
  ASSERT_EQ(stop->outcome, "done");
  const policy::Usd ten_hours =
      models::to_usd(models::charge({30'000'000'000}, 1, std::chrono::hours{10}));
  const auto without = run_without(scenario, scenario.policies.front(), options, result, *stop);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->all_more, ten_hours) << "of that job alone";
  const auto told = run_instead(scenario, scenario.policies.front(), options, result, *stop,
                                {{.verb = policy::Notify{stop->job, stop->attempt, 9}}});
  ASSERT_TRUE(told);
  EXPECT_EQ(told->failed, "");
  EXPECT_EQ(told->all_more, ten_hours);
}

}  // namespace counterfactual_test
}  // namespace reeve::experiments
