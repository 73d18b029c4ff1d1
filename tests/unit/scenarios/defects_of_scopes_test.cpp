// Defects are those of the jobs that a rule's scope holds and of the fleet that runs them.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/scenarios/defect_cases.hpp"

namespace reeve::scenarios {
namespace defects_test {

/// A rule whose scope does not hold the job is no cover for another, and has no defect itself.
TEST(Defects, AScopeThatDoesNotHoldTheJobIsNoCover) {
  const auto beside = [](const std::string& first, const std::string& second,
                         const std::string& scope, const std::string& job) {
    return Said{.rules = "{ " + first + " }, { " + second + scope + " }", .job = of_a + ", " + job};
  };
  const auto covered = [&](int number, const std::string& code, const std::string& first,
                           const std::string& second, const std::string& job) {
    return Defect{number, code, beside(first, second, for_b, job),
                  beside(first, second, for_a, job)};
  };
  const std::string fifth = R"("faults": [ { "at": "1h", "kind": "stall", "hosts": [5] } ])";
  const std::string reports = R"(, "reports": { "every": "1m" })";
  const std::string watch = R"("rule": "stalled_gpu")";
  const std::string all = R"("rule": "stalled_gpu", "name": "all", "hosts": ["all"])";
  const std::string beat = R"("rule": "heartbeat")";
  std::vector<Defect> each{
      covered(5, "W0436", watch, all, fifth),
      covered(5, "W0436", watch, beat, fifth + reports),
      covered(6, "W0437", watch, beat, unseen + reports),
      covered(16, "W0449", R"("rule": "stalled_gpu" }, { "rule": "resume", "when": ["failed"])",
              R"("rule": "resume", "name": "again", "when": ["stopped_by:stalled_gpu"],
                 "min_runtime": "0s")",
              it_stands),
  };
  Defect waits = covered(17, "W0450", R"("rule": "resume", "when": ["failed"])",
                         R"("rule": "resume", "name": "again", "when": ["max_wait_time_exceeded"],
                 "min_runtime": "0s")",
                         R"("max_runtime": "6h", "max_wait": "8h")");
  waits.broken.fleet = waits.mended.fleet = spot;
  each.push_back(std::move(waits));
  expect_each(each);
}

/// Where a rule puts all jobs is where they are lost, or wait.
TEST(Defects, OfSpotAreThoseOfJobsThatAreRunThere) {
  const std::string both =
      R"("capacity": 8 }, { "name": "taken", "instance_type": "demo", )" + spot;
  const auto run_in = [&](const std::string& market, const std::string& platform,
                          const std::string& job) {
    return Said{.rules = R"({ "rule": "resume", "when": ["failed:code"] }, { "rule": "resume",
                  "name": "all", "when": ["failed"] }, { "rule": "market", "use": ")" +
                         market + R"(" })",
                .platform = platform,
                .job = job,
                .fleet = both};
  };
  const std::string short_waits = R"(, "max_runtime": "6h", "max_wait": "8h")";
  const std::string sagemaker = R"("model": "sagemaker-training")";
  const auto lost = [&](const std::string& market, const std::string& fleet) {
    Said said = run_in(market, ec2, R"("fleet": ")" + fleet + "\"");
    said.rules = R"({ "rule": "market", "use": ")" + market + R"(" })";
    return said;
  };
  expect_each({
      {23, "W0456", lost("spot", "pool"), lost("on_demand", "pool")},
      {23, "W0456", lost("spot", "taken"), lost("on_demand", "taken")},
      {17, "W0450", run_in("spot", sagemaker, R"("fleet": "taken")" + short_waits),
       run_in("on_demand", sagemaker, R"("fleet": "taken")" + short_waits)},
  });
}

/// A fleet that is found by market or type may be too small, as one that is named may be.
TEST(Defects, AFleetThatIsTooSmallIsNamedHoweverItIsFound) {
  const auto sent = [](const std::string& rule, const std::string& capacity) {
    return Said{.rules = rule,
                .job = R"("fleet": "pool")",
                .fleet = R"("capacity": 8, "market": "spot" }, { "name": "od",
                            "instance_type": "demo", "capacity": )" +
                         capacity};
  };
  for (const std::string rule :
       {R"({ "rule": "spot_fallback" })", R"({ "rule": "market", "use": "on_demand" })",
        R"({ "rule": "resume", "override": { "market": "on_demand" } })",
        R"({ "rule": "rule", "do": "clone", "override": { "market": "on_demand" },
             "when": { "field": "status", "op": "==", "value": "Failed" } })"}) {
    expect_each({{0, "W0428", sent(rule, "7"), sent(rule, "8")}});
  }
}

/// Of jobs that the rule never sends there nothing is said: they are not on Spot, or of its scope.
TEST(Defects, AFleetNeedsNoRoomForJobsThatStayAway) {
  const auto sent = [](const std::string& rule, const std::string& fleet) {
    return Said{.rules = rule,
                .job = R"("fleet": ")" + fleet + R"(", "tags": { "p": "b" })",
                .fleet = R"("capacity": 8, "market": "spot" }, { "name": "od",
                            "instance_type": "demo", "capacity": 2 }, { "name": "res",
                            "instance_type": "demo", "capacity": 8, "market": "reserved")"};
  };
  const std::string stated = R"({ "rule": "rule", "do": "clone", "override": { "market":
    "on_demand" }, "when": { "field": "market", "op": "==", "value": "spot" } })";
  const std::string waits = R"({ "rule": "resume", "when": ["max_wait_time_exceeded"],
    "min_runtime": "0s", "override": { "market": "on_demand" } })";
  for (const std::string& rule : {std::string{R"({ "rule": "spot_fallback" })"}, stated}) {
    expect_each({{0, "W0428", sent(rule, "pool"), sent(rule, "res")}});
  }
  EXPECT_FALSE(tells("W0428", sent(waits, "res"))) << "it has no MaxWait";
  const auto scoped = [](const std::string& tag) {
    return R"({ "rule": "resume", "override": { "fleet": "od" }, "scope": { "tags": ["p=)" + tag +
           R"("] } })";
  };
  expect_each({{0, "W0428", sent(scoped("b"), "res"), sent(scoped("a"), "res")}});
}

/// A sweep that is told of all jobs with alarms sweeps all of them up, whatever its scope is.
TEST(Defects, ASweepOfTheJobsMeantIsEnough) {
  const auto swept = [](const std::string& scope, const std::string& options) {
    return Said{.rules = R"({ "rule": "stalled_gpu", "disarm_on": ["Failed"] }, )"
                         R"({ "rule": "orphan_sweep")" +
                         scope + options + " }",
                .platform = ec2 + R"(, "self_destruct_fails": 1)",
                .job = of_a};
  };
  for (const std::string code : {"W0413", "W0452"}) {
    expect_each({{7, code, swept(for_b, ""), swept(for_a, "")},
                 {7, code, swept(for_a, R"(, "mode": "shadow")"), swept(for_a, "")}});
  }
}

TEST(Defects, OfARuleAreThoseOfJobsThatItsScopeHolds) {
  const auto scoped = [](int number, const std::string& code, const std::string& rule,
                         const std::string& job, const std::string& fleet) {
    const auto said = [&](const std::string& scope) {
      return Said{.rules = "{ " + rule + scope + " }", .job = of_a + ", " + job, .fleet = fleet};
    };
    return Defect{number, code, said(for_a), said(for_b)};
  };
  const std::string watch = R"("rule": "stalled_gpu")";
  const std::string plain = R"("capacity": 8)";
  const std::string failing = R"("rule": "resume", "when": ["failed"])";
  expect_each({
      scoped(3, "W0435", watch + R"(, "threshold": 8)", R"("gpu_util": { "running": 1 })", plain),
      scoped(5, "W0436", watch, R"("faults": [ { "at": "1h", "kind": "stall", "hosts": [5] } ])",
             plain),
      scoped(6, "W0437", watch, unseen, plain),
      scoped(8, "W0438", watch + R"(, "action": { "found_by": "alarm_name" })",
             R"("name": "x-GPUUtil-y")", plain),
      scoped(9, "W0439", R"("rule": "resume", "measure": "seconds_field")", it_stands, plain),
      scoped(12, "W0430", R"("rule": "resume", "from": "scratch")",
             R"("checkpoint": { "every": "1h" })", plain),
      scoped(16, "W0449", watch + R"( }, { "rule": "resume", "when": ["failed"])", it_stands,
             plain),
      scoped(13, "W0446", R"("rule": "resume", "naming": "appended", "max_resumes": -1)",
             R"("name": "train")", plain),
      scoped(12, "W0458", R"("rule": "resume", "loses": ["RetryStrategy"])",
             R"("retry": { "attempts": 3 })", plain),
      scoped(17, "W0450", failing, R"("max_runtime": "6h", "max_wait": "8h")", spot),
  });
}

/// What stands still with busy GPUs, or waits for a host that is lost, makes no steps either.
TEST(Defects, WhoMakesNoStepsIsStoppedTooEarlyAsWell) {
  const auto heard = [](const std::string& signal, const std::string& least) {
    return R"({ "rule": "heartbeat", "signal": ")" + signal + R"(" }, { "rule": "resume",
      "when": ["failed", "stopped_by:heartbeat"], "min_runtime": ")" +
           least + R"(" })";
  };
  const std::string late = heard("steps", "2h");
  const auto by = [](const std::string& rules, const std::string& kind) {
    return Said{.rules = rules,
                .platform = ec2,
                .job = R"("faults": [ { "at": "1h", "kind": )" + kind + " } ]"};
  };
  for (const std::string kind : {R"("spin_hang")", R"("node_lost", "hosts": [2])"}) {
    expect_each({{16, "W0449", by(late, kind), by(heard("steps", "1h"), kind)},
                 {16, "W0449", by(late, kind), by(heard("power", "2h"), kind)}});
  }
  expect_each(
      {{16, "W0449", {.rules = late, .fleet = hang("1")}, {.rules = late, .fleet = hang("0")}}});
}

/// What breaks at random is as good as stated: any host may hang, and a job stall at any time.
TEST(Defects, OfWhatIsDrawnAreNamed) {
  const std::string stalled = R"({ "rule": "stalled_gpu" })";
  const std::string all = R"({ "rule": "stalled_gpu", "hosts": ["all"] })";
  const std::string lost =
      R"("drawn_faults": [ { "kind": "metrics_lost", "probability": 0.5, "after": "1h" } ])";
  const std::string drawn = R"("drawn_faults": [ { "kind": "stall", "probability": 0.5, )"
                            R"("after": { "exponential": "1h" } } ])";
  const auto resumed = [&](const std::string& by, const std::string& with) {
    return by + R"(, { "rule": "resume", "when": ["failed", "stopped_by:stalled_gpu",
      "stopped_by:heartbeat"])" +
           with + " }";
  };
  const std::string both = stalled + R"(, { "rule": "heartbeat" })";
  expect_each({
      {5, "W0436", {.rules = stalled, .fleet = hang("1")}, {.rules = all, .fleet = hang("1")}},
      {5, "W0436", {.rules = stalled, .fleet = hang("1")}, {.rules = stalled, .fleet = hang("0")}},
      {6,
       "W0437",
       {.rules = all, .job = lost, .fleet = hang("1")},
       {.rules = all, .job = lost, .fleet = hang("0")}},
      {16,
       "W0449",
       {.rules = resumed(both, ""), .job = drawn},
       {.rules = resumed(both, R"(, "min_runtime": "0s")"), .job = drawn}},
      {16,
       "W0449",
       {.rules = R"({ "rule": "heartbeat" }, { "rule": "resume",
                      "when": ["failed", "stopped_by:heartbeat"] })",
        .job = it_stands},
       {.rules = R"({ "rule": "heartbeat" }, { "rule": "resume",
                      "when": ["failed", "stopped_by:heartbeat"], "min_runtime": "1h" })",
        .job = it_stands}},
  });
  // A rule that may resume nothing resumes nothing; a stated rule accuses of what it says.
  const std::string none =
      R"({ "rule": "resume", "name": "again", "when": ["stopped"], "min_runtime": "0s",
                                "max_resumes": )";
  const std::string some = R"({ "rule": "resume", "when": ["failed"] }, )";
  const std::string accuses = R"({ "rule": "rule", "do": "stop", "accuses": ")";
  const std::string long_run =
      R"(", "when": { "field": "training_time", "op": ">", "value": "3h" } }, )";
  expect_each({
      {16,
       "W0449",
       {.rules = stalled + ", " + some + none + "0 }", .job = it_stands},
       {.rules = stalled + ", " + some + none + "1 }", .job = it_stands}},
      {16,
       "W0449",
       {.rules =
            accuses + "standing_still" + long_run + R"({ "rule": "resume", "when": ["failed"] })",
        .job = it_stands},
       {.rules = accuses + "rule_broken" + long_run + R"({ "rule": "resume", "when": ["failed"] })",
        .job = it_stands}},
  });
}

/// Levels of work other than a constant, at the threshold of one GPU in eight: 8 of 800.
TEST(Defects, WorkAtTheThresholdIsNamedHoweverItIsSaid) {
  const auto used = [](const std::string& compare, const std::string& use) {
    return Said{
        .rules = R"({ "rule": "stalled_gpu", "threshold": 8, "compare": ")" + compare + R"(" })",
        .job = use};
  };
  const std::string phase = R"("name": "train", "gpu_phases": [ { "name": "eval", "at": "1h", )"
                            R"("lasts": "1h", "gpu_util": 1 } ])";
  const std::string law =
      R"("gpu_util": { "cdf": [[0, 1], [50, 1], [100, 90]], "changes_every": "1h" })";
  expect_each({{3, "W0435", used("<=", phase), used("<", phase)},
               {3, "W0435", used("<=", law), used("<", law)}});
}

/// An alarm of three datapoints of five minutes each.
TEST(Defects, WorkAtTheThresholdForTooShortToBeSeenIsNotNamed) {
  const auto evaluates = [](const std::string& at, const std::string& phase,
                            const std::string& more = {}, const std::string& option = {}) {
    return Said{.rules = R"({ "rule": "stalled_gpu", "threshold": 8)" + option + " }",
                .job = R"("name": "train", "gpu_phases": [ { "name": "eval", "at": ")" + at +
                       R"(", "gpu_util": 1, )" + phase + " }" + more};
  };
  const std::string five = R"("lasts": "5m")";
  const Said alone = evaluates("2h", five, " ]");
  const std::string low = R"(, { "name": "low", "at": "125m", "lasts": "5m", "gpu_util": 0.5 } ])";
  const std::string high = R"(, { "name": "high", "at": "125m", "lasts": "5m", "gpu_util": 2 } ])";
  expect_each({
      {3, "W0435", evaluates("2h", R"("lasts": "301s")", " ]"), alone},
      {3, "W0435", evaluates("2h", five, low), evaluates("2h", five, high)},
      {3, "W0435", evaluates("2h", five + R"(, "every": "10m")", " ]"), alone},
      {3, "W0435", evaluates("25m", five, " ]"), evaluates("30m", five, " ]")},
      {3, "W0435", evaluates("2h", five, " ]", R"(, "datapoints": [2, 3])"),
       evaluates("2h", five, " ]", R"(, "datapoints": [3, 4])")},
      {3, "W0435",
       evaluates("2h", five, R"( ], "faults": [ { "at": "1h", "kind": "stall", "lasts": "5m" } ])"),
       evaluates("2h", five, R"( ], "faults": [ { "at": "1h", "kind": "stall" } ])")},
      {3, "W0435",
       evaluates("2h", five, R"( ], "faults": [ { "at": "1h", "kind": "metrics_lost" } ])"), alone},
      {3, "W0435", evaluates("2h", five, R"( ], "gpu_util": { "running": 1 })"), alone},
  });
}

TEST(Defects, AnAlarmThatCountsTheTimeBeforeTheJobIsNamed) {
  const auto breaching = [](const std::string& with) {
    return Said{.rules = R"({ "rule": "stalled_gpu", "missing": "breaching")" + with + " }"};
  };
  expect_each(
      {{6, "W0572", breaching(""), breaching(R"(, "arm_delay": "25m")")},
       // The newest of three datapoints is there after a minute; of five three may lack.
       {6, "W0572", breaching(R"(, "datapoints": [3, 3], "arm_delay": "30s")"),
        breaching(R"(, "datapoints": [3, 3], "arm_delay": "1m")")},
       {6, "W0572", breaching(R"(, "datapoints": [3, 5], "arm_delay": "10m")"),
        breaching(R"(, "datapoints": [3, 5], "arm_delay": "11m")")},
       // By the clock the first is there when it is over, at worst a whole one after the start.
       {6, "W0572",
        breaching(R"(, "datapoints": [3, 5], "window": "wall_clock", "arm_delay": "14m")"),
        breaching(R"(, "datapoints": [3, 5], "window": "wall_clock", "arm_delay": "15m")")},
       {6, "W0572", breaching(R"(, "window": "wall_clock", "arm_delay": "4m")"),
        breaching(R"(, "window": "wall_clock", "arm_delay": "5m")")}});
}

/// A stated rule may wait by itself, and an alarm that nobody's job ever has does no harm.
TEST(Defects, AnAlarmIsOfJobsAndOfConditionsThatLetItActAtOnce) {
  const auto stated = [](const std::string& with, const std::string& tests) {
    return Said{.rules = R"({ "rule": "rule", "do": "stop", "alarm": { "missing": "breaching" },
      "when": { "all": [ { "field": "alarm", "op": "==", "value": "alarm" } )" +
                         tests + " ] }" + with + " }"};
  };
  const auto trains = [](const std::string& op, const std::string& value) {
    return R"(, { "field": "training_time", "op": ")" + op + R"(", "value": ")" + value + "\" }";
  };
  const std::string young =
      R"(, { "not": { "field": "training_time", "op": "<", "value": "1m" } })";
  const auto scoped = [](const std::string& tag) {
    return Said{.rules = R"({ "rule": "stalled_gpu", "missing": "breaching",
                              "scope": { "tags": ["team=)" +
                         tag + R"("] } })",
                .job = R"("tags": { "team": "x" })"};
  };
  expect_each({{6, "W0572", stated("", ""), stated(R"(, "after": "1m")", "")},
               {6, "W0572", stated(R"(, "latency": "1h")", ""), stated("", young)},
               {6, "W0572", stated("", trains(">=", "59s")), stated("", trains(">=", "1m"))},
               {6, "W0572", stated("", trains("<", "30m")), stated("", trains(">", "30m"))},
               {6, "W0572", scoped("x"), scoped("y")}});
}

/// What has ended as Completed has a certain class of failure, none, and its tags and its size.
TEST(Defects, OfADoneJobIsKnownWhatItWas) {
  const auto clone = [](const std::string& test, const std::string& with = {}) {
    return Said{.rules = R"({ "rule": "rule", "do": "clone", "when": )" + test + with + " }",
                .job = R"("tags": { "team": "x" })"};
  };
  const auto sure = [&](const std::string& op) {
    return clone(R"({ "field": "confidence_pct", "op": ")" + op + R"(", "value": 80 })");
  };
  const auto starts = [&](const std::string& op) {
    return clone(R"({ "field": "startup_time", "op": ")" + op + R"(", "value": "5m" })");
  };
  const auto large = [&](const std::string& least) {
    return clone(R"({ "field": "instances", "op": ">=", "value": )" + least + " }");
  };
  const auto team = [&](const std::string& name) {
    return clone(R"({ "field": "tag:team", "op": "==", "value": ")" + name + "\" }");
  };
  const std::string always = R"({ "field": "interruptions", "op": ">=", "value": 1 })";
  const auto scope = [](const std::string& name) {
    return R"(, "scope": { "tags": ["team=)" + name + R"("] })";
  };
  const auto blocked = [&](const std::string& op) {
    return clone(R"({ "field": "blocked_by", "op": ")" + op + R"(", "value": "capacity" })");
  };
  expect_each({{0, "W0573", sure(">="), sure("<")},
               {0, "W0573", starts("<"), starts(">=")},
               {0, "W0573", large("8"), large("9")},
               {0, "W0573", team("x"), team("y")},
               {0, "W0573", clone(always, scope("x")), clone(always, scope("y"))},
               {0, "W0573", blocked("!="), blocked("==")}});
}

/// What the conditions of stated rules come to, and not what they mention.
TEST(Defects, ConditionsAreReadForWhatTheyHoldOf) {
  const auto clone = [](const std::string& tests, const std::string& with) {
    return Said{.rules = R"({ "rule": "rule", "do": "clone")" + with + R"(, "when": { "all": [ )" +
                         tests + " ] } }"};
  };
  const std::string failed = R"({ "field": "status", "op": "==", "value": "Failed" })";
  const std::string endless = R"(, "max_clones": -1)";
  const auto attempt = [&](const std::string& op) {
    return clone(failed + R"(, { "field": "attempt", "op": ")" + op + R"(", "value": 2 })",
                 endless);
  };
  const auto fleet = [&](const std::string& op) {
    return clone(failed + R"(, { "field": "fleet", "op": ")" + op + R"(", "value": "pool" })",
                 endless + R"(, "override": { "fleet": "pool" })");
  };
  const auto aged = [](const std::string& field) {
    return Said{.rules = R"({ "rule": "rule", "do": "stop", "when": { "all": [
      { "field": "time_since_start", "op": "exists" }, { "field": ")" +
                         field + R"(", "op": ">=", "value": "4h" } ] } })"};
  };
  const std::string long_ago = R"(, { "field": "age", "op": ">=", "value": "2h" })";
  const std::string waited = R"({ "field": "status", "op": "==", "value": "MaxWaitTimeExceeded" })";
  const std::string is_not_code =
      R"({ "not": { "field": "failure", "op": "in", "value": ["code", "data"] } })";
  const auto alarm = [](const std::string& second) {
    Said said{.rules = R"({ "rule": "rule", "do": "stop", "alarm": { "missing": "missing" },
      "when": { "all": [ )" +
                       second + " ] } }",
              .job = unseen};
    return said;
  };
  expect_each({
      {14, "W0447", attempt(">="), attempt("<=")},
      {14, "W0447", fleet("=="), fleet("!=")},
      {10, "W0444", aged("age"), aged("training_time")},
      {10, "W0444", clone(failed + long_ago, ""), clone(waited + long_ago, "")},
      {6, "W0437", alarm(R"({ "field": "alarm", "op": "==", "value": "alarm" },
                { "field": "alarm", "op": "!=", "value": "insufficient_data" })"),
       alarm(R"({ "field": "training_time", "op": ">=", "value": "30m" },
                { "field": "alarm", "op": "!=", "value": "ok" })")},
      {0, "W0573", clone(is_not_code, ""), clone(is_not_code + ", " + failed, "")},
  });
}

TEST(Defects, WhatComesTooLateOrPassesIsSeenAsThat) {
  const std::string article =
      R"({ "rule": "stalled_gpu", "disarm_on": ["Completed", "Failed", "Stopped"] })";
  const auto swept = [&](const std::string& idle) {
    return Said{.rules = article + R"(, { "rule": "orphan_sweep", "idle": ")" + idle + "\" }",
                .job = it_stands};
  };
  const auto days = [](const std::string& lasts, const std::string& more) {
    return Said{.rules = R"({ "rule": "resume", "measure": "seconds_field" })" + more,
                .job = R"("max_runtime": "28h", "faults": [ { "at": "1h", "kind": "stall")" +
                       lasts + " } ]"};
  };
  expect_each({
      {7, "W0413", swept("30d"), swept("1d")},
      {9, "W0439", days("", ""), days(R"(, "lasts": "40m")", "")},
      {9, "W0439", days("", ""), days("", R"(, { "rule": "max_runtime", "limit": "10h" })")},
  });
}

/// D4: 80 % of a sum, for 16 GPUs too; not of machines that nobody runs on, nor of a rule that is
/// off.
TEST(Defects, ASumIsOverTheGpusOfMachinesInUse) {
  EXPECT_TRUE(tells("W0412", {.rules = R"({ "rule": "stalled_gpu", "threshold": 40 })"}));
  EXPECT_FALSE(tells("W0412", {.rules = R"({ "rule": "stalled_gpu", "threshold": 39 })"}));
  EXPECT_FALSE(
      tells("W0412", {.rules = R"({ "rule": "stalled_gpu", "threshold": 80, "mode": "off" })"}));
  EXPECT_FALSE(
      tells("W0412",
            {.rules = R"({ "rule": "stalled_gpu", "threshold": 80)" + for_b + " }", .job = of_a}));
}

/// A clone leaves a scope of tags with its tags, and stays in one of fleets.
TEST(Defects, AClonesTagsAreMissedByRulesOfItsFleet) {
  const auto keys = [](const std::string& scope) {
    return Said{.rules = R"({ "rule": "resume", "keep_tags": false },
                            { "rule": "required_tags", "keys": ["project"])" +
                         scope + " }",
                .job = of_a};
  };
  expect_each({{12, "W0457", keys(R"(, "scope": { "fleets": ["pool"] })"), keys(for_a)}});
}

TEST(Defects, RulesThatOnlyTellPeopleStopNothing) {
  const auto ends = [](const std::string& rule, const std::string& kind) {
    return Said{.rules = "{ " + rule +
                         R"( }, { "rule": "resume", "when": ["failed", "stopped_by:)" + kind +
                         "\"] }"};
  };
  const std::string sweep = R"("rule": "orphan_sweep")";
  const std::string least = R"("rule": "min_gpu")";
  expect_each(
      {{0, "W0567", ends(least, "min_gpu"), ends(least + R"(, "stop_after": "4h")", "min_gpu")},
       {0, "W0567", ends(sweep + R"(, "gangs": false)", "orphan_sweep"),
        ends(sweep + R"(, "gangs": true)", "orphan_sweep")}});
}

}  // namespace defects_test
}  // namespace reeve::scenarios
