// Defects of rules that restart, clone or end jobs: what is named, and what is excused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/load.hpp"
#include "tests/unit/scenarios/defect_cases.hpp"

namespace reeve::scenarios {
namespace defects_test {

/// The first loss of a one-time request ends the job, whatever rules do not start it again.
TEST(Defects, WhoOnlySeemsToStartAJobAgainIsNoExcuse) {
  for (const std::string rules : {R"({ "rule": "resume", "when": ["max_runtime_exceeded"] })",
                                  R"({ "rule": "resume", "when": ["failed"], "max_resumes": 0 })",
                                  R"({ "rule": "resume", "min_runtime": "301m" })",
                                  R"({ "rule": "rule", "do": "clone", "when": { "field": "failure",
                                       "op": "==", "value": "infrastructure" } })",
                                  R"({ "rule": "relaunch", "mode": "off" })",
                                  R"({ "rule": "spot_fallback", "after_max_wait": true })",
                                  R"({ "rule": "spot_fallback", "timeouts": 3 })",
                                  R"({ "rule": "relaunch", "scope": { "tags": ["team=x"] } })"}) {
    const std::vector<std::string> codes =
        codes_of({.rules = rules, .platform = ec2, .fleet = spot});
    EXPECT_NE(std::find(codes.begin(), codes.end(), "W0456"), codes.end()) << rules;
  }
  // Spot takes each after 300 min, of which 5 are its start-up.
  for (const auto& [least, told] : {std::pair{"295m", false}, {"296m", true}}) {
    const std::string resume =
        R"({ "rule": "resume", "min_runtime": ")" + std::string{least} + "\" }";
    const Said said{.rules = resume, .platform = ec2 + R"(, "startup": "5m")", .fleet = spot};
    EXPECT_EQ(tells("W0456", said), told) << least;
  }
}

TEST(Defects, WhoStartsAgainWhatSpotTookIsFound) {
  for (const std::string when :
       {R"({ "field": "failure", "op": "==", "value": "capacity" })",
        R"({ "field": "status", "op": "==", "value": "Failed" })",
        R"({ "not": { "field": "failure", "op": "==", "value": "code" } })"}) {
    const std::string rule = R"({ "rule": "rule", "do": "clone", "when": )" + when + " }";
    EXPECT_FALSE(tells("W0456", {.rules = rule, .platform = ec2, .fleet = spot})) << when;
  }
}

TEST(Defects, AnEndThatCannotComeLeavesNoAlarmBehind) {
  const std::string stalled =
      R"({ "rule": "stalled_gpu", "disarm_on": ["Completed", "Failed", "Stopped"] })";
  const std::string stands = it_stands + ", ";
  const std::string for_ever = stands + R"("max_runtime": "20d")";  // the clock ends after 9 days
  const std::string six = R"("max_runtime": "6h")";
  EXPECT_TRUE(tells("W0413", {.rules = stalled, .job = stands + six}));
  EXPECT_FALSE(tells("W0413", {.rules = stalled, .job = six})) << "5 h of work end before";
  EXPECT_TRUE(tells("W0413", {.rules = stalled, .job = six + R"(, "work": "6h")"}));
  EXPECT_FALSE(tells("W0413", {.rules = stalled, .job = for_ever}));
  const std::string capped = stalled + R"(, { "rule": "max_runtime", "limit": "6h")";
  EXPECT_TRUE(tells("W0413", {.rules = capped + " }", .job = for_ever}));
  EXPECT_FALSE(tells("W0413", {.rules = capped + R"(, "enforce_by": "clock" })", .job = for_ever}));
  const std::string sweep = stalled + R"(, { "rule": "orphan_sweep")";
  EXPECT_FALSE(tells("W0413", {.rules = sweep + " }", .job = stands + six}))
      << "what is left is swept up";
  EXPECT_TRUE(tells("W0413", {.rules = sweep + R"(, "alarms": false })", .job = stands + six}));
  EXPECT_TRUE(tells("W0413", {.rules = sweep + R"(, "mode": "shadow" })", .job = stands + six}));
  EXPECT_TRUE(tells(
      "W0413", {.rules = R"({ "rule": "stalled_gpu", "disarm_on": ["Failed"] })", .job = for_ever}))
      << "other ends may always come";
}

/// D9 and D7 by how long attempts may train: the work, unless something holds it up.
TEST(Defects, WorkThatIsOverBeforeIsNotHeldToRunForLonger) {
  const auto days = [](const std::string& job) {
    return tells("W0439",
                 {.rules = R"({ "rule": "resume", "measure": "seconds_field" })", .job = job});
  };
  const std::string fails = R"(, "faults": [ { "at": "2h", "kind": "failure", "class": "code" } ])";
  EXPECT_FALSE(days(R"("work": "1h")"));
  EXPECT_FALSE(days(R"("work": "20h")" + fails));
  EXPECT_TRUE(days(R"("work": "25h")" + fails));
  EXPECT_TRUE(days(R"("work": "20h", )" + it_stands));
  EXPECT_TRUE(tells("W0439", {.rules = R"({ "rule": "resume", "measure": "seconds_field",
                                            "since": "creation" })"}))
      << "it counts the wait for machines, too";
  // 20 h and 20 pauses of 15 minutes are 25 h.
  EXPECT_TRUE(days(R"("work": "20h", "checkpoint": { "every": "1h", "cost": "15m" })"));
  const std::string stalled =
      R"({ "rule": "stalled_gpu", "disarm_on": ["Completed", "Failed", "Stopped"] })";
  const std::string capped = stalled + R"(, { "rule": "max_runtime", "limit": )";
  EXPECT_TRUE(tells("W0413", {.rules = capped + R"("4h" })"}));
  EXPECT_FALSE(tells("W0413", {.rules = capped + R"("6h" })"})) << "5 h of work end before";
}

TEST(Defects, WhatCannotDoHarmIsNotNamed) {
  const auto stalled = [](const std::string& with) {
    return R"({ "rule": "stalled_gpu")" + with + " }";
  };
  const auto resume = [](const std::string& with) {
    return R"({ "rule": "resume", "min_runtime": )" + with + " }";
  };
  // D3: nothing is below 0.
  EXPECT_FALSE(tells("W0435", {.rules = stalled(R"(, "compare": "<=", "threshold": 0)")}));
  // D5: another rule watches that host, or hears that nobody makes a step.
  const std::string fifth = R"("faults": [ { "at": "1h", "kind": "stall", "hosts": [5] } ])";
  const std::string beside = R"(, { "rule": "stalled_gpu", "name": "b", "hosts": ["algo-5"] })";
  EXPECT_FALSE(tells("W0436", {.rules = stalled("") + beside, .job = fifth}));
  const std::string heartbeat = R"(, { "rule": "heartbeat" })";
  const std::string reports = R"(, "reports": { "every": "1m" })";
  EXPECT_FALSE(tells("W0436", {.rules = stalled("") + heartbeat, .job = fifth + reports}));
  EXPECT_TRUE(tells("W0436", {.rules = stalled("") + heartbeat, .job = fifth}));
  // Or who waits for it is taken for idle, too.
  const auto waits_at = [&](const std::string& level) {
    return tells("W0436", {.rules = stalled(""),
                           .job = fifth + R"(, "gpu_util": { "waiting": )" + level + " }"});
  };
  EXPECT_FALSE(waits_at("0"));
  EXPECT_TRUE(waits_at("60"));
  const std::string nobody = stalled(R"(, "hosts": ["algo-9"])");  // of 8
  EXPECT_TRUE(
      tells("W0436", {.rules = nobody, .job = fifth + R"(, "gpu_util": { "waiting": 0 })"}));
  // By power, which work that waits draws too; and an alarm that is not put watches nobody.
  const std::string power = R"(, { "rule": "heartbeat", "signal": "power" })";
  const std::string draws = R"(, "reports": { "every": "1m", "signals": ["power"] })";
  EXPECT_TRUE(tells("W0436", {.rules = stalled("") + power, .job = fifth + draws}));
  const std::string blind = R"(, { "rule": "stalled_gpu", "name": "all", "hosts": ["all"],
    "mode": "shadow" })";
  EXPECT_TRUE(tells("W0436", {.rules = stalled("") + blind, .job = fifth}));
  // D6: likewise.
  EXPECT_FALSE(tells("W0437", {.rules = stalled("") + heartbeat, .job = unseen + reports}));
  // D8: nobody is stopped.
  const std::string by_name = R"(, "action": { "stop": false, "found_by": "alarm_name" })";
  EXPECT_FALSE(tells("W0438", {.rules = stalled(by_name), .job = R"("name": "x-GPUUtil-y")"}));
  // D9: nobody trains for a day.  D10: no run time is asked for.
  const std::string short_runs = it_stands + R"(, "max_runtime": "23h")";
  EXPECT_FALSE(
      tells("W0439", {.rules = resume(R"("2h", "measure": "seconds_field")"), .job = short_runs}));
  EXPECT_FALSE(tells("W0444", {.rules = resume(R"("0s", "since": "creation")")}));
  // D12: it keeps nothing.
  const std::string lost = R"("2h", "loses": ["CheckpointConfig"])";
  const std::string saves = R"("checkpoint": { "every": "1h" })";
  EXPECT_TRUE(tells("W0430", {.rules = resume(lost), .job = saves}));
  EXPECT_FALSE(tells("W0430", {.rules = resume(lost)}));
  EXPECT_FALSE(
      tells("W0430", {.rules = resume(lost), .job = R"("checkpoint": { "every": "5h" })"}));
  // D13: the clones that may be made fit.  "train" leaves 58 characters: 11 clones.
  EXPECT_FALSE(
      tells("W0446", {.rules = resume(R"("2h", "naming": "appended", "max_resumes": 11)")}));
  EXPECT_TRUE(
      tells("W0446", {.rules = resume(R"("2h", "naming": "appended", "max_resumes": 12)")}));
  const auto stated = [](const std::string& most) {
    return R"({ "rule": "rule", "do": "clone", "naming": "appended", "max_clones": )" + most +
           R"(, "when": { "field": "status", "op": "==", "value": "Failed" } })";
  };
  EXPECT_TRUE(tells("W0446", {.rules = stated("12")}));
  EXPECT_FALSE(tells("W0446", {.rules = stated("3")}));
  // D16: a handler that does nothing stops nothing.
  const std::string failed = R"(, { "rule": "resume", "when": ["failed"] })";
  EXPECT_FALSE(tells("W0449", {.rules = stalled(R"(, "handler": "topic_of_a_dict")") + failed}));
  // D19: all that is left running is swept up.
  const std::string fails = ec2 + R"(, "self_destruct_fails": 1)";
  EXPECT_FALSE(tells("W0452", {.rules = R"({ "rule": "orphan_sweep" })", .platform = fails}));
}

/// What means something only beside another option is named where it stands alone.
TEST(Defects, OptionsThatNothingLooksAtAreNamed) {
  const auto rule = [](const std::string& kind, const std::string& options) {
    return Said{.rules = R"({ "rule": ")" + kind + "\", " + options + " }"};
  };
  const std::vector<std::array<std::string, 3>> cases{
      {"max_instances", R"("limit": 3, "warn_for": "2h")", R"(, "action": "warn_then_stop")"},
      {"spot_fallback", R"("rate_window": "2h")", R"(, "rate_above": 0.5)"},
      {"spot_fallback", R"("timeouts_window": "3h")", R"(, "timeouts": 3)"},
      {"spot_fallback", R"("pooled_min_hours": 5)", R"(, "pooled_above": 0.5)"},
      {"notify", R"("reminders": 7)", R"(, "remind_every": "4h")"},
      {"early_stop", R"("improvement_pct": 2)", R"(, "plateau": "6h")"},
  };
  for (const auto& [kind, alone, beside] : cases) {
    EXPECT_TRUE(tells("W0569", rule(kind, alone))) << kind << alone;
    EXPECT_FALSE(tells("W0569", rule(kind, alone + beside))) << kind << beside;
  }
  for (const auto& [kind, limit] :
       {std::pair{"uptime_cap", R"("limit": "3h")"}, {"budget", R"("limit_usd": 30)"}}) {
    const std::string ahead = limit + std::string{R"(, "ahead": "5m", "action": )"};
    EXPECT_TRUE(tells("W0569", rule(kind, ahead + R"("notify")"))) << kind;
    EXPECT_FALSE(tells("W0569", rule(kind, ahead + R"("stop")"))) << kind;
  }
  const std::string quiet = R"("quiet_hours": { "from": "1h")";
  EXPECT_TRUE(tells("W0569", rule("notify", quiet + " }")));
  EXPECT_FALSE(tells("W0569", rule("notify", quiet + R"(, "days": ["sat"] })")));
}

/// A condition that looks for the state itself notices that there are no data.
TEST(Defects, ARuleThatAsksForMissingDataFindsLostMetrics) {
  const std::string rule = R"({ "rule": "rule", "do": "stop", "alarm": { "missing": "missing" },
    "when": { "field": "alarm", "op": "in", "value": )";
  EXPECT_TRUE(tells("W0437", {.rules = rule + R"(["alarm"] } })", .job = unseen}));
  EXPECT_FALSE(
      tells("W0437", {.rules = rule + R"(["alarm", "insufficient_data"] } })", .job = unseen}));
}

TEST(Defects, AClonesLostSettingsAreNamed) {
  EXPECT_TRUE(tells("W0458", {.rules = R"({ "rule": "resume", "loses": ["ProfilerConfig"] })"}));
  EXPECT_FALSE(tells("W0458", {.rules = R"({ "rule": "resume", "loses": ["Tags"] })"}));
}

/// What of D12 is a defect only beside something else: retries, checkpoints, a rule about tags.
TEST(Defects, WhatAClonesJobHadIsMissedWhereItHadIt) {
  const std::string resume = R"({ "rule": "resume")";
  const std::string rule = R"({ "rule": "rule", "do": "clone",
    "when": { "field": "status", "op": "==", "value": "Failed" })";
  const std::string tagged = R"("tags": { "team": "x" })";
  const std::string keys = R"(, { "rule": "required_tags", "keys": ["team"])";
  const std::string stated = R"(, { "rule": "rule", "name": "stop", "do": "stop",
    "when": { "not": { "field": "tag:team", "op": "exists" } } })";
  for (const std::string& kind : {resume, rule}) {
    const std::string retry = kind + R"(, "loses": ["RetryStrategy"] })";
    EXPECT_TRUE(tells("W0458", {.rules = retry, .job = R"("retry": { "attempts": 3 })"}));
    EXPECT_FALSE(tells("W0458", {.rules = retry}));
    const std::string anew = kind + R"(, "from": "scratch" })";
    EXPECT_TRUE(tells("W0430", {.rules = anew, .job = R"("checkpoint": { "every": "1h" })"}));
    EXPECT_FALSE(tells("W0430", {.rules = anew}));
    for (const std::string lost : {R"(, "loses": ["Tags"] })", R"(, "keep_tags": false })"}) {
      EXPECT_TRUE(tells("W0457", {.rules = kind + lost + keys + " }", .job = tagged}));
      EXPECT_TRUE(tells("W0457", {.rules = kind + lost + stated, .job = tagged}));
      EXPECT_FALSE(tells("W0457", {.rules = kind + lost, .job = tagged}));
      // A job without the tag is stopped before it is cloned; and people may only be told.
      EXPECT_FALSE(tells("W0457", {.rules = kind + lost + keys + " }"}));
      EXPECT_FALSE(tells(
          "W0457", {.rules = kind + lost + keys + R"(, "action": "notify" })", .job = tagged}));
    }
    EXPECT_FALSE(tells("W0457", {.rules = kind + " }" + keys + " }", .job = tagged}));
  }
}

/// Rules that stop nothing end no job that another rule waits for.
TEST(Defects, AnEndThatItsRuleNeverBringsIsNamed) {
  const auto waits = [](const std::string& stops, const std::string& rule) {
    const std::string resume = R"({ "rule": "resume", "when": ["stopped_by:)" + rule + R"("] })";
    return tells("W0567", {.rules = stops + resume});
  };
  const std::string cap = R"({ "rule": "max_runtime", "limit": "1h")";
  EXPECT_TRUE(waits(cap + " }, ", "max_runtime"));
  EXPECT_FALSE(waits(cap + R"(, "enforce_by": "clock" }, )", "max_runtime"));
  const std::string alarm = R"({ "rule": "stalled_gpu" }, )";
  EXPECT_FALSE(waits(alarm, "stalled_gpu"));
  for (const std::string mode : {"off", "shadow", "warn"}) {
    const std::string without =
        R"({ "rule": "stalled_gpu", "name": "x", "mode": ")" + mode + R"(" }, )";
    EXPECT_TRUE(waits(without, "stalled_gpu"));
    EXPECT_FALSE(waits(without + alarm, "stalled_gpu"));  // one of the two does
  }
  const std::string held = R"({ "rule": "uptime_cap", "limit": "1h", "action": )";
  EXPECT_TRUE(waits(held + R"("notify" }, )", "uptime_cap"));
  EXPECT_FALSE(waits(held + R"("warn_then_stop" }, )", "uptime_cap"));
  EXPECT_TRUE(waits("", "resume"));
  const auto stated = [](const std::string& name) {
    return tells("W0567", {.rules = R"({ "rule": "uptime_cap", "limit": "1h" },
      { "rule": "rule", "name": "x", "do": "clone", "when":
        { "field": "stopped_by_name", "op": "in", "value": [")" +
                                    name + R"("] } })"});
  };
  EXPECT_TRUE(stated("x"));
  EXPECT_FALSE(stated("uptime_cap"));
}

/// A queue that nobody keeps has nobody in it.
TEST(Defects, AShadowThatNobodyWaitsForIsNamed) {
  const std::string market = R"({ "rule": "market", "use": "spot", "mode": )";
  const std::string schedule = R"({ "rule": "schedule", "mode": )";
  for (const std::string mode : {R"("shadow" })", R"("warn" })"}) {
    EXPECT_TRUE(tells("W0568", {.rules = market + mode}));
    EXPECT_TRUE(tells("W0568", {.rules = schedule + mode}));
    EXPECT_FALSE(tells("W0568", {.rules = market + mode + R"(, { "rule": "schedule" })"}));
  }
  EXPECT_FALSE(tells("W0568", {.rules = schedule + R"("enforce" })"}));
  EXPECT_FALSE(tells("W0568", {.rules = schedule + R"("off" })"}));
}

/// Conditions that numbers, or a test and its contrary, leave nothing to hold of; or all jobs.
TEST(Defects, AConditionThatTellsNothingApartIsNamed) {
  const auto senseless = [](const std::string& when) {
    return tells("W0500", {.rules = R"({ "rule": "rule", "do": "stop", "when": )" + when + " }"});
  };
  const auto both = [&](const std::string& one, const std::string& other) {
    return senseless(R"({ "all": [)" + one + ", " + other + "] }");
  };
  const auto test = [](const std::string& field, const std::string& op, const std::string& value) {
    return R"({ "field": ")" + field + R"(", "op": ")" + op + R"(", "value": )" + value + " }";
  };
  EXPECT_TRUE(both(test("instances", ">", "8"), test("instances", "<", "4")));
  EXPECT_FALSE(both(test("instances", ">", "4"), test("instances", "<", "8")));
  EXPECT_TRUE(both(test("instances", ">", "4"), test("instances", "<", "5")));
  const std::string long_run = test("training_time", ">", R"("3h")");
  EXPECT_TRUE(both(long_run, test("training_time", "<", R"("2h")")));
  EXPECT_FALSE(both(long_run, test("age", "<", R"("2d")")));
  const std::string team = test("tag:team", "==", R"("x")");
  EXPECT_TRUE(both(team, R"({ "not": )" + team + " }"));
  EXPECT_FALSE(both(team, R"({ "not": )" + test("tag:team", "==", R"("y")") + " }"));
  EXPECT_TRUE(senseless(test("instances", ">", "-1")));
  EXPECT_TRUE(senseless(test("instances", "<", "1")));
  EXPECT_FALSE(senseless(test("instances", ">", "1")));
}

TEST(Defects, TypesThatAreAllDeniedOrCannotBeAreNamed) {
  const auto doubted = [](const std::string& deny) {
    const std::string rule = R"({ "rule": "allowed_types", "allow": ["*"], "deny": [")";
    return tells("W0500", {.rules = rule + deny + R"("] })"});
  };
  EXPECT_TRUE(doubted("*"));
  EXPECT_TRUE(doubted("dem?"));
  EXPECT_TRUE(doubted("d[xy]mo"));
  EXPECT_FALSE(doubted("ml.*"));
}

/// D14: the condition has an end of its own.
TEST(Defects, ClonesThatTheirConditionEndsAreNotForEver) {
  const auto clone = [](const std::string& when) {
    return R"({ "rule": "rule", "do": "clone", "max_clones": -1, "when": )" + when + " }";
  };
  const std::string third = R"({ "field": "attempt", "op": "<", "value": 3 })";
  EXPECT_FALSE(tells("W0447", {.rules = clone(third)}));
  const auto failed_and = [&clone](const std::string& test) {
    return clone(R"({ "all": [ { "field": "status", "op": "==", "value": "Failed" }, )" + test +
                 " ] }");
  };
  EXPECT_FALSE(tells(
      "W0447", {.rules = failed_and(R"({ "field": "origin", "op": "==", "value": "person" })")}));
  EXPECT_TRUE(tells(
      "W0447", {.rules = failed_and(R"({ "field": "origin", "op": "!=", "value": "person" })")}));
  EXPECT_FALSE(
      tells("W0447", {.rules = failed_and(R"({ "field": "attempt", "op": "!=", "value": 3 })")}));
  EXPECT_TRUE(
      tells("W0447", {.rules = failed_and(R"({ "field": "attempt", "op": "!=", "value": 1 })")}));
  EXPECT_TRUE(
      tells("W0447", {.rules = clone(R"({ "field": "status", "op": "==", "value": "Failed" })")}));
}

/// D14: hours end each day, and none because of the job.
TEST(Defects, WhatHoursEndIsNotStartedAgainForEver) {
  const std::string hours = R"({ "rule": "office_hours", "name": "nights" }, )";
  const auto told = [&](const std::string& when) {
    return tells("W0447", {.rules = hours + R"({ "rule": "resume", "max_resumes": -1, "when": [)" +
                                    when + "] }"});
  };
  EXPECT_FALSE(told(R"("stopped_by:office_hours")"));
  EXPECT_FALSE(told(R"("stopped_by:nights")"));
  EXPECT_TRUE(told(R"("stopped_by:nights", "failed")"));
  EXPECT_TRUE(told(R"("max_runtime_exceeded")"));
  const auto stated = [&](const std::string& when) {
    return tells("W0447", {.rules = hours + R"({ "rule": "rule", "do": "clone", "max_clones": -1,
                                                 "when": )" +
                                    when + " }"});
  };
  const std::string by_nights = R"({ "field": "stopped_by_name", "op": "==", "value": "nights" })";
  EXPECT_FALSE(stated(by_nights));
  EXPECT_TRUE(stated(R"({ "any": [ { "field": "failure", "op": "==", "value": "code" }, )" +
                     by_nights + " ] }"));
  EXPECT_TRUE(stated(R"({ "field": "stopped_by_name", "op": "exists" })"));
}

/// What leaves Spot in shadow leaves nothing: the rule beside it that resumes is named.
TEST(Defects, WhatAShadowWouldHaveDoneIsNotDone) {
  const auto beside = [](const std::string& mode) {
    return Said{.rules = R"({ "rule": "spot_fallback", "after_max_wait": true, "mode": ")" + mode +
                         R"(" }, { "rule": "resume", "when": ["failed"] })",
                .job = R"("max_runtime": "6h", "max_wait": "8h")",
                .fleet = spot};
  };
  EXPECT_TRUE(tells("W0450", beside("shadow")));
  EXPECT_FALSE(tells("W0450", beside("enforce")));
}

TEST(Defects, TheArticlesPresetIsWhatARuleUsesUnlessItSaysOtherwise) {
  const auto has = [](const std::string& rules, const std::string& code) {
    const std::vector<std::string> codes = codes_of({.rules = rules, .job = it_stands});
    return std::find(codes.begin(), codes.end(), code) != codes.end();
  };
  EXPECT_TRUE(has(R"({ "rule": "resume", "use": "blog-naive" })", "W0439"));
  EXPECT_TRUE(has(R"({ "rule": "resume", "use": "blog-naive" })", "W0447"));
  EXPECT_FALSE(has(R"({ "rule": "resume", "use": "blog-naive", "measure": "total" })", "W0439"));
  EXPECT_TRUE(has(R"({ "rule": "stalled_gpu", "use": "blog-as-printed" })", "W0433"));
  EXPECT_NO_THROW(codes_of({.rules = R"({ "rule": "spot_fallback", "use": "blog-as-printed" })"}));
  EXPECT_THROW(codes_of({.rules = R"({ "rule": "budget", "use": "blog-naive" })"}), InputError);
}

/// The third attempt of `train` would be called as the other job is: once it may be made.
TEST(Defects, NamesMeetWhereSoManyClonesMayBeMade) {
  const auto warned = [](const std::string& resumes) {
    const std::string text = R"({ "reeve": 1, "name": "meet", "clock": { "horizon": "9d" },
      "prices": { "instances": { "demo": { "usd_per_hour": 30, "gpus": 8 } } },
      "fleet": [ { "name": "pool", "instance_type": "demo", "capacity": 8 } ],
      "platform": { "model": "sagemaker-training" },
      "job_defaults": { "work": "5h", "checkpoint": { "every": "1h" } },
      "jobs": [ { "name": "train" }, { "name": "traincloneclone" } ],
      "policies": { "p": [ { "rule": "resume", "naming": "appended", "max_resumes": )" +
                             resumes + " } ] } }";
    const auto found = load(SourceFile::from_text("meet.jsonc", text), ".").warnings;
    return std::any_of(found.begin(), found.end(),
                       [](const Diagnostic& each) { return each.code == "W0541"; });
  };
  EXPECT_FALSE(warned("1"));
  EXPECT_TRUE(warned("2"));
}

}  // namespace defects_test
}  // namespace reeve::scenarios
