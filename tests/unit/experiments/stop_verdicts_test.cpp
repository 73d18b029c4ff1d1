// Verdicts: each kind of them once, with its delay and its dollars.
#include "experiments/stop_verdicts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "experiments/measures.hpp"
#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace stop_verdicts_test {

using namespace std::chrono_literals;

/// One instance at $60/h ($1 a minute), an alarm of 3 x 5 min that is published at once.
RunResult run_one(const std::string& job, const std::string& rule, scenarios::Scenario& scenario) {
  scenario = scenarios::load(scenarios::SourceFile::from_text("one.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-01-05T00:00:00Z", "horizon": "10h" },
    "prices": { "instances": { "t": { "usd_per_hour": 60, "gpus": 1 } } },
    "fleet": [ { "instance_type": "t", "capacity": 4 } ],
    "platform": { "model": "sagemaker-training", "startup": "0s", "first_startup": "0s",
                  "stop_grace": "2m", "metrics": { "publish_delay": "0s" } },
    "job_defaults": { "work": "4h", "checkpoint": { "every": "1h" } },
    "late_after": "20m",
    "jobs": [ )" + job + R"( ], "policies": { "p": [ )" + rule + " ] } }"),
                             ".")
                 .scenario;
  return run(scenario, scenario.policies.front(), 0, {.keep = {}, .decisions = true});
}

JudgedStop only(const std::string& job, const std::string& rule) {
  scenarios::Scenario scenario;
  const RunResult result = run_one(job, rule, scenario);
  const auto stops = judge_stops(scenario, result);
  EXPECT_EQ(stops.size(), 1U);
  return stops.empty() ? JudgedStop{} : stops.front();
}

constexpr const char* stalls = R"({ "name": "a", "faults": [ { "at": "1h", "kind": "stall" } ] })";

TEST(StopVerdicts, WhatStandsStillIsStoppedRightly) {
  const JudgedStop stop = only(stalls, R"({ "rule": "stalled_gpu" })");
  EXPECT_EQ(stop.verdict, StopVerdict::right);
  EXPECT_EQ(stop.decided - stop.onset, 15min);
  EXPECT_EQ(stop.usd.micros(), 0);
}

// The alarm of 3 x 10 min: ten minutes beyond late_after, at $1 a minute.
TEST(StopVerdicts, ButLateAfterLateAfter) {
  const JudgedStop stop = only(stalls, R"({ "rule": "stalled_gpu", "period": "10m" })");
  EXPECT_EQ(stop.verdict, StopVerdict::late);
  EXPECT_EQ(stop.decided - stop.onset, 30min);
  EXPECT_EQ(stop.usd.micros(), 10'000'000);
}

// 15 min redone and 2 min of grace.
TEST(StopVerdicts, AnEvaluationIsStoppedFalsely) {
  const JudgedStop stop = only(
      R"({ "name": "a", "gpu_phases": [ { "name": "evaluation", "at": "1h", "lasts": "20m" } ] })",
      R"({ "rule": "stalled_gpu" })");
  EXPECT_EQ(stop.verdict, StopVerdict::wrong);
  EXPECT_EQ(name(stop.verdict), "false");
  EXPECT_EQ(stop.onset, policy::never);
  EXPECT_EQ(stop.usd.micros(), 17'000'000);
}

// At 100 % the alarm is blind: 9 h until the horizon.
TEST(StopVerdicts, AHangThatSpinsIsMissed) {
  const JudgedStop stop =
      only(R"({ "name": "a", "faults": [ { "at": "1h", "kind": "spin_hang" } ] })",
           R"({ "rule": "stalled_gpu" })");
  EXPECT_EQ(stop.verdict, StopVerdict::missed);
  EXPECT_EQ(stop.decided, policy::never);
  EXPECT_EQ(stop.usd.micros(), 540'000'000);
}

TEST(StopVerdicts, ARuleWithAScopeMissesWhatIsInIt) {
  scenarios::Scenario scenario;
  const RunResult result = run_one(
      R"({ "name": "a", "tags": { "team": "a" },
           "faults": [ { "at": "1h", "kind": "spin_hang" } ] },
         { "name": "b", "faults": [ { "at": "1h", "kind": "spin_hang" } ] })",
      R"({ "rule": "stalled_gpu", "scope": { "tags": ["team=a"] } })", scenario);
  const auto stops = judge_stops(scenario, result);
  ASSERT_EQ(stops.size(), 1U);
  EXPECT_EQ(stops[0].verdict, StopVerdict::missed);
  EXPECT_EQ(result.record.jobs.name(stops[0].job), "a");
}

/// An hour of Spot that is taken back in it, with a standstill from minute 10 to the end.
RunResult run_spot(const std::string& rule, const char* taken_at, bool free,
                   scenarios::Scenario& scenario) {
  scenario = scenarios::load(scenarios::SourceFile::from_text("spot.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-01-05T00:00:00Z", "horizon": "3h" },
    "prices": { "instances": { "t": { "usd_per_hour": 60, "spot_usd_per_hour": 60, "gpus": 1 } } },
    "fleet": [ { "name": "f", "instance_type": "t", "market": "spot", "capacity": 1,
      "reclaim": { "every": ")" + std::string{taken_at} + R"(", "away": "9h" } } ],
    "platform": { "model": "ec2", "provisioning": "0s",
      "billing": { "first_hour_free": )" + (free ? "true" : "false") + R"( } },
    "late_after": "5m",
    "jobs": [ { "name": "a", "work": "9h", "faults": [ { "at": "10m", "kind": "spin_hang" } ] } ],
    "policies": { "p": [ )" + rule + " ] } }"),
                             ".")
                 .scenario;
  return run(scenario, scenario.policies.front(), 0, {.keep = {}, .decisions = true});
}

// It stands still for 40 of the 50 minutes, at $1 each, and nothing of them is billed; of 70 it is.
TEST(StopVerdicts, WhatIsNotBilledWasNotMissedForMoney) {
  const auto missed = [](const char* taken_at, bool free) {
    scenarios::Scenario scenario;
    const RunResult result = run_spot(R"({ "rule": "stalled_gpu" })", taken_at, free, scenario);
    const auto stops = judge_stops(scenario, result);
    EXPECT_EQ(stops.size(), 1U);
    return stops.empty() ? -1 : stops[0].usd.micros();
  };
  EXPECT_EQ(missed("50m", false), 40'000'000);
  EXPECT_EQ(missed("50m", true), 0);
  EXPECT_EQ(missed("70m", true), 60'000'000);
}

/// A rule in shadow mode sees alarms as in any other mode.
TEST(StopVerdicts, ARuleInShadowMissesWhatItWouldMiss) {
  scenarios::Scenario scenario;
  const std::string job = R"({ "name": "a", "faults": [ { "at": "1h", "kind": "spin_hang" } ] })";
  const auto blamed = [&](const std::string& rule) {
    const RunResult result = run_one(job, R"({ "rule": ")" + rule + "\" }", scenario);
    return judge_stops(scenario, result).size();
  };
  EXPECT_EQ(blamed(R"(stalled_gpu", "mode": "shadow)"), 1U);
  EXPECT_EQ(blamed(R"(stalled_gpu", "mode": "warn)"), 1U);
  EXPECT_EQ(blamed(R"(heartbeat", "mode": "shadow)"), 1U);
}

TEST(StopVerdicts, WhoKeepsALimitAccusesNobody) {
  const JudgedStop stop =
      only(stalls, R"({ "rule": "max_runtime", "limit": "2h", "enforce_by": "clock" })");
  EXPECT_EQ(stop.verdict, StopVerdict::kept_rule);
  EXPECT_EQ(stop.onset, policy::never);
  EXPECT_EQ(stop.usd.micros(), 0);
}

TEST(StopVerdicts, WhatASeatThatWarnsWouldHaveStoppedIsJudgedAndFree) {
  const JudgedStop stop = only(
      R"({ "name": "a", "gpu_phases": [ { "name": "evaluation", "at": "1h", "lasts": "20m" } ] })",
      R"({ "rule": "stalled_gpu", "mode": "warn" })");
  EXPECT_EQ(stop.verdict, StopVerdict::wrong);
  EXPECT_EQ(stop.usd.micros(), 0);
}

TEST(StopVerdicts, NumbersOfARuleAreThoseOfItsRows) {
  scenarios::Scenario scenario;
  const RunResult result =
      run_one(std::string{stalls} +
                  R"(, { "name": "b", "faults": [ { "at": "2h", "kind": "spin_hang" } ] },
                     { "name": "c",
                       "gpu_phases": [ { "name": "e", "at": "1h", "lasts": "20m" } ] })",
              R"({ "rule": "stalled_gpu", "name": "blog" }, { "rule": "heartbeat" })", scenario);
  const auto value = [&](const char* metric) {
    const auto found = measure(scenario, result, metric);
    return found ? as_double(*found) : -1;
  };
  EXPECT_EQ(value("rule.blog.right_stops"), 1);
  EXPECT_EQ(value("rule.blog.late_stops"), 0);
  EXPECT_EQ(value("rule.blog.false_stops"), 1);
  EXPECT_EQ(value("rule.blog.missed_stalls"), 1);
  EXPECT_EQ(value("rule.blog.kept_rule_stops"), 0);
  EXPECT_EQ(value("rule.blog.mean_delay"), 900);
  EXPECT_EQ(value("rule.blog.max_delay"), 900);
  EXPECT_EQ(value("rule.blog.false_stop_usd"), 17);
  EXPECT_EQ(value("rule.blog.missed_stall_usd"), 480);
  EXPECT_EQ(value("rule.blog.late_stop_usd"), 0);
  EXPECT_EQ(value("rule.heartbeat.missed_stalls"), 1) << "the other one was noticed";
  EXPECT_EQ(value("rule.heartbeat.mean_delay"), -1);
  EXPECT_EQ(value("false_stop_usd"), 17);
}

}  // namespace stop_verdicts_test
}  // namespace reeve::experiments
