// Each defect of two articles' handlers has a lint that fires where a scenario describes it, and is
// silent where it is mended (features, section 11).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/scenarios/defect_cases.hpp"

namespace reeve::scenarios {
namespace defects_test {

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

}  // namespace defects_test
}  // namespace reeve::scenarios
