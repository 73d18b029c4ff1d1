// Each defect of two articles' handlers has a lint that fires where a scenario describes it, and is
// silent where it is mended (features, section 11).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/load.hpp"
#include "scenarios/load/rules/builtin_presets.hpp"

namespace reeve::scenarios {
namespace defects_test {

/// What of a scenario a case is about; the rest is the same for all.
struct Said {
  std::string rules = {};
  std::string platform = R"("model": "sagemaker-training")";
  std::string job = {};                    ///< keys of the job
  std::string fleet = R"("capacity": 8)";  ///< keys of the fleet
};

struct Defect {
  int number = 0;
  std::string code;
  Said broken;
  Said mended;
};

std::vector<std::string> codes_of(const Said& said) {
  const std::string text =
      R"({ "reeve": 1, "name": "defect", "clock": { "horizon": "9d" },
    "prices": { "instances":
      { "demo": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
    "platform": { )" +
      said.platform + R"( }, "fleet": [ { "name": "pool", "instance_type": "demo", )" + said.fleet +
      R"( } ], "jobs": [ { "instances": 8, )" +
      (said.job.find("\"work\"") == std::string::npos ? R"("work": "5h", )" : "") +
      (said.job.find("\"name\"") == std::string::npos ? R"("name": "train", )" : "") + said.job +
      R"( } ], "policies": { "p": [ )" + said.rules + " ] } }";
  std::vector<std::string> codes;
  for (const Diagnostic& found : load(SourceFile::from_text("defect.jsonc", text), ".").warnings) {
    codes.emplace_back(found.code);
  }
  return codes;
}

const std::string ec2 = R"("model": "ec2")";
const std::string spot =
    R"("capacity": 8, "market": "spot", "reclaim": { "every": "5h", "away": "1h" })";
const std::string hooked = R"("checkpoint": { "every": "1h", "on_notice": { "save": "90s" } })";

/// Nothing but its limit, of a day by AWS's default, ends it.
const std::string it_stands = R"("faults": [ { "at": "1h", "kind": "stall" } ])";

/// It stands still, and nothing is told of its GPUs.
const std::string unseen = R"("faults": [ { "at": "1h", "kind": "metrics_lost" },
                                          { "at": "2h", "kind": "stall" } ])";

/// A host stands still that has no metrics any more.
const std::string gone = R"("faults": [ { "at": "1h", "kind": "metrics_lost", "hosts": [5] },
                                        { "at": "2h", "kind": "stall", "hosts": [5] } ])";

std::vector<Defect> defects_of_handlers() {
  const auto stalled = [](const std::string& with) {
    return Said{.rules = R"({ "rule": "stalled_gpu")" + with + " }"};
  };
  const auto resume = [](const std::string& with) {
    return Said{.rules = R"({ "rule": "resume")" + with + " }"};
  };
  const auto with_job = [](Said said, const std::string& job) {
    said.job = job;
    return said;
  };
  return {
      {1, "W0433", stalled(R"(, "handler": "actions_not_a_list")"), stalled("")},
      {2, "W0434", stalled(R"(, "handler": "topic_of_a_dict")"), stalled("")},
      {3, "W0435",
       with_job(stalled(R"(, "compare": "<=", "threshold": 8)"),
                R"("gpu_util": { "running": 95, "stalled": 1 })"),
       with_job(stalled(R"(, "compare": "<", "threshold": 9)"),
                R"("gpu_util": { "running": 95, "stalled": 1 })")},
      {3, "W0435",
       with_job(stalled(R"(, "compare": "<", "threshold": 8)"),
                R"("gpu_util": { "running": 95, "stalled": 1 })"),
       with_job(stalled(R"(, "compare": "<", "threshold": 8)"),
                R"("gpu_util": { "running": 1, "stalled": 0 })")},
      {3, "W0435",
       with_job(stalled(R"(, "compare": "<", "threshold": 8)"),
                R"("gpu_util": { "running": 95, "stalled": 1 })"),
       with_job(stalled(R"(, "compare": "<", "threshold": 8.1)"),
                R"("gpu_util": { "running": 95, "stalled": 1 })")},
      {4, "W0412", stalled(R"(, "threshold": 80)"),
       stalled(R"(, "threshold": 80, "scale": "per_gpu")")},
      {5, "W0436",
       with_job(stalled(""), R"("faults": [ { "at": "1h", "kind": "stall", "hosts": [5] } ])"),
       with_job(stalled(R"(, "hosts": ["all"])"),
                R"("faults": [ { "at": "1h", "kind": "stall", "hosts": [5] } ])")},
      {6, "W0437", with_job(stalled(R"(, "missing": "notBreaching")"), unseen),
       with_job(stalled(R"(, "missing": "breaching")"), unseen)},
      {6, "W0437", with_job(stalled(R"(, "missing": "ignore")"), unseen),
       with_job(stalled(R"(, "missing": "ignore")"),
                R"("faults": [ { "at": "1h", "kind": "metrics_lost" } ])")},
      {6, "W0437",
       with_job(stalled(R"(, "missing": "breaching", "hosts": ["all"], "match": "min")"), gone),
       with_job(stalled(R"(, "missing": "breaching", "hosts": ["all"])"), gone)},
      {7, "W0413",
       with_job(stalled(R"(, "disarm_on": ["Completed", "Failed", "Stopped"])"), it_stands),
       with_job(stalled(""), it_stands)},
      {8, "W0438",
       with_job(stalled(R"(, "action": { "found_by": "alarm_name" })"), R"("name": "x-GPUUtil-y")"),
       with_job(stalled(R"(, "action": { "found_by": "alarm_name" })"), R"("name": "x-y")")},
      {9, "W0439", with_job(resume(R"(, "measure": "seconds_field")"), it_stands),
       with_job(resume(""), it_stands)},
      {9, "W0439", with_job(resume(R"(, "measure": "seconds_field")"), it_stands),
       with_job(resume(R"(, "measure": "seconds_field", "min_runtime": "0s")"), it_stands)},
      {10, "W0444", resume(R"(, "since": "creation")"), resume("")},
      {11, "W0445", resume(R"(, "handler": "tags_of_an_answer")"), resume("")},
      {12, "W0457", resume(R"(, "loses": ["InputDataConfig"])"),
       resume(R"(, "loses": ["DebugHookConfig"])")},
      {12, "W0430",
       with_job(resume(R"(, "loses": ["CheckpointConfig"])"), R"("checkpoint": { "every": "1h" })"),
       with_job(resume(""), R"("checkpoint": { "every": "1h" })")},
  };
}

std::vector<Defect> defects_of_what_is_left_out() {
  const auto resume = [](const std::string& with) {
    return Said{.rules = R"({ "rule": "resume")" + with + " }"};
  };
  return {
      {13, "W0446", resume(R"(, "naming": "appended", "max_resumes": -1)"),
       resume(R"(, "naming": "numbered")")},
      {14, "W0447", resume(R"(, "max_resumes": -1)"), resume(R"(, "max_resumes": 2)")},
      {15,
       "W0448",
       {.rules = R"({ "rule": "resume", "use": "blog-naive" })",
        .platform = R"("model": "sagemaker-training", "duplicate_events": 0.5)"},
       {.rules = R"({ "rule": "resume" })",
        .platform = R"("model": "sagemaker-training", "duplicate_events": 0.5)"}},
      {16,
       "W0449",
       {.rules = R"({ "rule": "stalled_gpu" }, { "rule": "resume", "when": ["failed"] })"},
       {.rules = R"({ "rule": "stalled_gpu" },
                    { "rule": "resume", "when": ["failed", "stopped_by:stalled_gpu"] })"}},
      // Listed, but it has run for an hour, and two are asked for.
      {16,
       "W0449",
       {.rules = R"({ "rule": "stalled_gpu" },
                    { "rule": "resume", "when": ["failed", "stopped_by:stalled_gpu"] })",
        .job = it_stands},
       {.rules = R"({ "rule": "stalled_gpu" }, { "rule": "resume", "min_runtime": "1h",
                      "when": ["failed", "stopped_by:stalled_gpu"] })",
        .job = it_stands}},
      {17,
       "W0450",
       {.rules = R"({ "rule": "resume", "when": ["failed"] })",
        .job = R"("max_runtime": "6h", "max_wait": "8h")",
        .fleet = spot},
       {.rules = R"({ "rule": "resume", "when": ["failed", "max_wait_time_exceeded"],
                      "min_runtime": "0s" })",
        .job = R"("max_runtime": "6h", "max_wait": "8h")",
        .fleet = spot}},
      // Listed, but it has not run at all, and two hours are asked for.
      {17,
       "W0450",
       {.rules = R"({ "rule": "resume", "when": ["failed", "max_wait_time_exceeded"] })",
        .job = R"("max_runtime": "6h", "max_wait": "8h")",
        .fleet = spot},
       {.rules = R"({ "rule": "resume", "when": ["failed", "max_wait_time_exceeded"],
                      "since": "creation" })",
        .job = R"("max_runtime": "6h", "max_wait": "8h")",
        .fleet = spot}},
  };
}

std::vector<Defect> defects_of_scripts() {
  const auto relaunch = [](const std::string& with) {
    return Said{.rules = R"({ "rule": "relaunch")" + with + " }", .platform = ec2};
  };
  return {
      {18,
       "W0451",
       {.rules = R"({ "rule": "resume", "handler": "syntax_error" })"},
       {.rules = R"({ "rule": "resume" })"}},
      {19,
       "W0452",
       {.platform = ec2 + R"(, "self_destruct_fails": 1)"},
       {.platform = ec2 + R"(, "self_destruct_fails": 0.01)"}},
      {20, "W0453", relaunch(R"(, "handler": "exit_code_as_text")"), relaunch("")},
      {21, "W0454", relaunch(R"(, "handler": "list_of_nothing")"), relaunch("")},
      {22,
       "W0455",
       {.platform = ec2 + R"(, "rendezvous": { "tags_after": "never" })"},
       {.platform = ec2 + R"(, "rendezvous": { "tags_after": "12s" })"}},
      {23,
       "W0456",
       {.rules = R"({ "rule": "max_runtime", "limit": "6h", "enforce_by": "clock" })",
        .platform = ec2,
        .fleet = spot},
       {.rules = R"({ "rule": "relaunch" })", .platform = ec2, .fleet = spot}},
      // What a script saves on the notice nobody goes on with, and another policy is no help.
      {23,
       "W0456",
       {.rules = R"({ "rule": "max_runtime", "limit": "6h", "enforce_by": "clock" })",
        .platform = ec2,
        .job = hooked,
        .fleet = spot},
       {.rules = R"({ "rule": "relaunch" })", .platform = ec2, .job = hooked, .fleet = spot}},
      {23,
       "W0456",
       {.rules = R"({ "rule": "stalled_gpu" } ], "good": [ { "rule": "relaunch" })",
        .platform = ec2,
        .fleet = spot},
       {.rules = R"({ "rule": "relaunch" } ], "good": [ { "rule": "relaunch" })",
        .platform = ec2,
        .fleet = spot}},
      // No rules at all, and the request is stated.
      {23,
       "W0456",
       {.platform = ec2 + R"(, "spot_request": "one-time")", .fleet = spot},
       {.platform = ec2, .fleet = spot}},
  };
}

/// A rule that is stated, and stops when the alarm goes off that is described so.
Said by_alarm(const std::string& with, const std::string& job) {
  return {.rules = R"({ "rule": "rule", "name": "still", "do": "stop", "alarm": { )" + with +
                   R"( }, "when": { "field": "alarm", "op": "==", "value": "alarm" } })",
          .job = job};
}

std::string cloned_when(const std::string& when) {
  return R"({ "rule": "rule", "name": "again", "do": "clone", "when": )" + when + " }";
}

const std::string it_fails = R"({ "field": "status", "op": "==", "value": "Failed" })";

/// The same defects where the scenario states the rule itself.
std::vector<Defect> defects_of_stated_alarms() {
  const std::string at_1 = R"("gpu_util": { "running": 95, "stalled": 1 })";
  const std::string host_5 = R"("faults": [ { "at": "1h", "kind": "stall", "hosts": [5] } ])";
  return {
      {3, "W0435", by_alarm(R"("threshold": 8)", at_1),
       by_alarm(R"("threshold": 9, "compare": "<")", at_1)},
      {5, "W0436", by_alarm("", host_5), by_alarm(R"("hosts": ["all"])", host_5)},
      {5, "W0436", by_alarm("", host_5), by_alarm(R"("compare": ">")", host_5)},
      {6, "W0437", by_alarm("", unseen), by_alarm(R"("missing": "breaching")", unseen)},
  };
}

std::vector<Defect> defects_of_stated_clones() {
  const auto after = [](const std::string& field, const std::string& op) {
    return Said{.rules = cloned_when(R"({ "all": [ )" + it_fails + R"(, { "field": ")" + field +
                                     R"(", "op": ")" + op + R"(", "value": "2h" } ] })")};
  };
  const auto running_for = [](const std::string& field) {
    return Said{.rules = R"({ "rule": "rule", "do": "stop", "when": { "all": [
      { "field": "status", "op": "==", "value": "Training" },
      { "not": { "field": ")" +
                         field + R"(", "op": "<", "value": "2d" } } ] } })"};
  };
  const auto either = [](const std::string& test) {
    return cloned_when(R"({ "any": [ )" + it_fails + ", " + test + " ] }");
  };
  const std::string stalled = by_alarm(R"("hosts": ["all"])", "").rules + ", ";
  const std::string watched = R"({ "rule": "stalled_gpu" }, )";
  const auto on_spot = [](const std::string& rules) {
    return Said{.rules = rules, .job = R"("max_runtime": "6h", "max_wait": "8h")", .fleet = spot};
  };
  const auto steady = [](const std::string& rules, const std::string& fleet,
                         const std::string& job) {
    return Said{.rules = rules, .job = job, .fleet = fleet};
  };
  const auto slow = [&](const std::string& rules, const std::string& fleet,
                        const std::string& job) {
    Said said = steady(rules, fleet, job);
    said.platform += R"(, "startup": "5m")";
    return said;
  };
  const std::string it_failed = cloned_when(it_fails);
  const std::string fits = R"("capacity": 8, "market": "spot")";
  const std::string in_time = R"("max_runtime": "6h", "max_wait": "8h")";
  const std::string two = in_time + R"(, "count": 2)";
  const std::string too_long = R"("max_runtime": "8h", "max_wait": "8h")";
  return {
      {10, "W0444", after("age", ">="), after("training_time", ">=")},
      {10, "W0444", after("age", ">="), after("age", "<")},
      {10, "W0444", running_for("age"), running_for("training_time")},
      {16,
       "W0449",
       {.rules = stalled + cloned_when(it_fails)},
       {.rules = stalled + either(R"({ "field": "stopped_by", "op": "==", "value": "rule" })")}},
      {16,
       "W0449",
       {.rules = watched + cloned_when(it_fails)},
       {.rules =
            watched + cloned_when(R"({ "field": "status", "op": "!=", "value": "Completed" })")}},
      {16,
       "W0449",
       {.rules = watched + cloned_when(it_fails)},
       {.rules =
            watched + cloned_when(R"({ "field": "failure", "op": "==", "value": "capacity" })")}},
      {17, "W0450", on_spot(cloned_when(it_fails)),
       on_spot(either(R"({ "field": "status", "op": "matches", "value": "MaxWait.*" })"))},
      {17, "W0450", on_spot(R"({ "rule": "spot_fallback" })"),
       on_spot(R"({ "rule": "spot_fallback", "after_max_wait": true })")},
      {17, "W0450", on_spot(R"({ "rule": "spot_fallback", "timeouts": 3 })"),
       on_spot(R"({ "rule": "spot_fallback", "timeouts": 3, "after_max_wait": true })")},
      // Spot that takes nothing away lets nobody wait for 8 h, but where there is no room for all,
      // or the start-up and the training are longer.
      {17, "W0450", on_spot(it_failed), steady(it_failed, fits, in_time)},
      {17, "W0450", steady(it_failed, fits, two),
       steady(it_failed, R"("capacity": 16, "market": "spot")", two)},
      {17, "W0450", slow(it_failed, fits, too_long), slow(it_failed, fits, in_time)},
  };
}

/// What failed of a class alone, by either rule: a standstill is nobody's code.
std::vector<Defect> defects_of_classes() {
  const auto of_class = [](const std::string& word) {
    return cloned_when(R"({ "field": "failure", "op": "==", "value": ")" + word + "\" }");
  };
  const std::string watched = R"({ "rule": "stalled_gpu" }, )";
  const auto on_spot = [](const std::string& rules) {
    return Said{.rules = rules, .job = R"("max_runtime": "6h", "max_wait": "8h")", .fleet = spot};
  };
  return {
      {16,
       "W0449",
       {.rules = watched + of_class("infrastructure")},
       {.rules = watched + of_class("code")}},
      {16,
       "W0449",
       {.rules = watched + R"({ "rule": "resume", "when": ["failed:infrastructure"] })"},
       {.rules = watched + R"({ "rule": "resume", "when": ["failed:code"] })"}},
      {17, "W0450", on_spot(of_class("infrastructure")), on_spot(of_class("code"))},
      {17, "W0450", on_spot(R"({ "rule": "resume", "when": ["failed:infrastructure"] })"),
       on_spot(R"({ "rule": "resume", "when": ["failed:code"] })")},
  };
}

/// The same where a condition asks for a `training_time`, as `min_runtime` of `resume` does.
std::vector<Defect> defects_of_stated_run_times() {
  const auto and_ran = [](const std::string& end, const std::string& least) {
    return cloned_when(R"({ "all": [ )" + end +
                       R"(, { "field": "training_time", "op": ">=", "value": ")" + least +
                       R"(" } ] })");
  };
  const std::string stopped_too =
      R"({ "field": "status", "op": "in", "value": ["Failed", "Stopped"] })";
  const std::string watched = R"({ "rule": "stalled_gpu" }, )";
  const auto stands = [&](const std::string& rules) {
    return Said{.rules = watched + rules, .job = it_stands};
  };
  const std::string waited_too =
      R"({ "field": "status", "op": "in", "value": ["Failed", "MaxWaitTimeExceeded"] })";
  const auto waits = [](const std::string& rules) {
    return Said{.rules = rules, .job = R"("max_runtime": "6h", "max_wait": "8h")", .fleet = spot};
  };
  const auto lost = [](const std::string& rules, const std::string& job, const std::string& fleet) {
    return Said{.rules = rules, .platform = ec2, .job = job, .fleet = fleet};
  };
  const std::string steady = R"("capacity": 8, "market": "spot")";
  const std::string once = R"("faults": [ { "at": "1h", "kind": "interruption" } ])";
  return {
      {16, "W0449", stands(and_ran(stopped_too, "2h")), stands(and_ran(stopped_too, "1h"))},
      {16, "W0449", stands(and_ran(stopped_too, "2h")),
       stands(and_ran(stopped_too, "2h") + R"(, { "rule": "resume", "when": ["stopped"],
                                                  "min_runtime": "0s" })")},
      {17, "W0450", waits(and_ran(waited_too, "2h")), waits(cloned_when(waited_too))},
      {23, "W0456", lost(and_ran(it_fails, "301m"), "", spot),
       lost(and_ran(it_fails, "300m"), "", spot)},
      {23, "W0456", lost(and_ran(it_fails, "61m"), once, steady),
       lost(and_ran(it_fails, "1h"), once, steady)},
      {23, "W0456", lost(R"({ "rule": "resume", "min_runtime": "61m" })", once, steady),
       lost(R"({ "rule": "resume", "min_runtime": "1h" })", once, steady)},
  };
}

bool tells(const std::string& code, const Said& said) {
  const std::vector<std::string> codes = codes_of(said);
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

std::vector<Defect> defects() {
  std::vector<Defect> all = defects_of_handlers();
  for (Defect& defect : defects_of_what_is_left_out()) all.push_back(std::move(defect));
  for (Defect& defect : defects_of_scripts()) all.push_back(std::move(defect));
  return all;
}

TEST(Defects, OfTheArticlesAreNamedAndWhatIsMendedIsNot) {
  std::vector<int> numbers;
  for (const Defect& defect : defects()) {
    const auto names = [&](const Said& said) {
      const std::vector<std::string> codes = codes_of(said);
      return std::find(codes.begin(), codes.end(), defect.code) != codes.end();
    };
    EXPECT_TRUE(names(defect.broken)) << "D" << defect.number << " " << defect.code;
    EXPECT_FALSE(names(defect.mended)) << "D" << defect.number << " " << defect.code;
    if (numbers.empty() || numbers.back() != defect.number) numbers.push_back(defect.number);
  }
  ASSERT_EQ(numbers.size(), 23U);
  for (int number = 1; number <= 23; ++number) {
    EXPECT_EQ(numbers[static_cast<std::size_t>(number) - 1], number);
  }
}

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

TEST(Defects, OfStatedRulesAreNamedAndWhatIsMendedIsNot) {
  std::vector<Defect> all = defects_of_stated_alarms();
  for (Defect& defect : defects_of_stated_clones()) all.push_back(std::move(defect));
  for (Defect& defect : defects_of_classes()) all.push_back(std::move(defect));
  for (Defect& defect : defects_of_stated_run_times()) all.push_back(std::move(defect));
  for (const Defect& defect : all) {
    EXPECT_TRUE(tells(defect.code, defect.broken)) << "D" << defect.number << defect.broken.rules;
    EXPECT_FALSE(tells(defect.code, defect.mended)) << "D" << defect.number << defect.mended.rules;
  }
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

TEST(Defects, EachHasARowWithItsCodeInTheDocs) {
  std::ifstream file{std::string{REEVE_SOURCE_DIR} + "/docs/how-to/article-code.md"};
  const std::string page{std::istreambuf_iterator<char>{file}, {}};
  for (const Defect& defect : defects()) {
    const std::size_t row = page.find("* D" + std::to_string(defect.number) + " (");
    ASSERT_NE(row, std::string::npos) << "D" << defect.number;
    const std::string line = page.substr(row, page.find('\n', row) - row);
    EXPECT_NE(line.find(defect.code), std::string::npos) << line;
  }
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

void expect_each(const std::vector<Defect>& all) {
  for (const Defect& defect : all) {
    EXPECT_TRUE(tells(defect.code, defect.broken)) << defect.number << defect.broken.rules;
    EXPECT_FALSE(tells(defect.code, defect.mended)) << defect.number << defect.mended.rules;
  }
}

const std::string of_a = R"("tags": { "project": "a" })";
const std::string for_a = R"(, "scope": { "tags": ["project=a"] })";
/// Some job has that tag, or the scope would be doubtful itself.
const std::string for_b = R"(, "scope": { "tags": ["project=b"] })";

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

/// A fleet of which that share of what breaks only hangs.
std::string hang(const std::string& share) {
  return R"("capacity": 8, "node_faults": { "per_1000_node_days": 30, "hangs": )" + share + " }";
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
