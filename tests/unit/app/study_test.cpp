#include "app/study/study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/compare/stop_table.hpp"
#include "app/explain/command.hpp"
#include "app/text/quantity_text.hpp"
#include "scenarios/load.hpp"

namespace reeve::app {
namespace study_test {

/// A job whose one attempt fails in about half of the runs.
scenarios::Scenario coin(const std::string& line) {
  const std::string text = R"({
    "reeve": 1, "name": "coin", "random": { "seed": 1, "runs": 20 },
    "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "gpu", "capacity": 1 } ],
    "jobs": [ { "name": "train", "work": "1h", "drawn_faults": [
      { "kind": "failure", "probability": 0.5, "after": { "uniform": ["1m", "50m"] } } ] } ],
    "policies": { "none": [], "again": [ { "rule": "resume", "min_runtime": "0s" } ] },
    "expect": [ { "policy": "none", "that": ")" +
                           line + "\" } ] }";
  return scenarios::load(scenarios::SourceFile::from_text("coin.jsonc", text), {}).scenario;
}

Study study_of(const scenarios::Scenario& scenario, unsigned threads, std::uint32_t runs = 20) {
  StudyPlan plan;
  for (const scenarios::PolicySpec& policy : scenario.policies) plan.policies.push_back(&policy);
  plan.runs = runs;
  plan.threads = threads;
  Console console;
  console.quiet = true;
  return run_study(scenario, plan, console);
}

TEST(Study, ThreadsChangeNoNumber) {
  const scenarios::Scenario scenario = coin("attempts == 1");
  const Study one = study_of(scenario, 1);
  const Study four = study_of(scenario, 4);
  EXPECT_EQ(one.digest, four.digest);
  ASSERT_EQ(one.measures, four.measures);
  ASSERT_EQ(one.runs, 20U);
  for (std::size_t policy = 0; policy < one.policies.size(); ++policy) {
    for (std::size_t measure = 0; measure < one.measures.size(); ++measure) {
      const auto& a = one.policies[policy].samples[measure];
      const auto& b = four.policies[policy].samples[measure];
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t run = 0; run < a.size(); ++run) {
        EXPECT_TRUE(a[run] == b[run] || (std::isnan(a[run]) && std::isnan(b[run])))
            << one.measures[measure] << " of run " << run;
      }
    }
  }
}

/// The alarm of 3 x 5 min goes off a quarter of an hour after the stall, and five tries take 1 + 2
/// + 4 + 8 s.  Then a minute passes, and the rule asks again.
TEST(Study, WhatWasGivenUpIsNamed) {
  const std::string text = R"({ "reeve": 1, "clock": { "horizon": "2h" },
    "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "gpu", "capacity": 1 } ],
    "platform": { "model": "sagemaker-training", "startup": "0s", "first_startup": "0s",
      "metrics": { "publish_delay": "0s" }, "api": { "faults": [
        { "call": "StopTrainingJob", "kind": "throttled", "job": "train", "times": 100000 } ] } },
    "jobs": [ { "name": "other", "submit": "119m", "work": "1h" },
      { "name": "train", "work": "9h", "faults": [ { "at": "1h", "kind": "stall" } ] } ],
    "policies": { "none": [], "alarm": [ { "rule": "stalled_gpu" } ] } })";
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("throttled.jsonc", text), {}).scenario;
  StudyPlan plan;
  for (const scenarios::PolicySpec& policy : scenario.policies) plan.policies.push_back(&policy);
  plan.runs = 1;
  plan.every_measure = true;
  Console console;
  console.quiet = true;
  const Study study = run_study(scenario, plan, console);
  EXPECT_TRUE(study.policies.at(0).given_up.empty());
  const PolicyNumbers& alarm = study.policies.at(1);
  ASSERT_EQ(alarm.given_up.size(), 6U);
  EXPECT_EQ(alarm.given_up.at(0), "stop job of train at 01:15:15, 5 tries");
  EXPECT_EQ(alarm.given_up.at(1), "stop job of train at 01:16:30, 5 tries");
  EXPECT_TRUE(alarm.given_up.at(5).ends_with(" more"));
  EXPECT_EQ(alarm.costliest, "train");
  EXPECT_NE(explain_command(study, {}).find("train"), std::string::npos);
}

/// The rule stops `small`, which wastes 1 h of one instance; no rule acts on `large`, which stalls
/// for 6 h on four.  `done` has a result.
TEST(Study, TheUnfinishedJobThatWastesMostIsExplained) {
  const std::string text = R"({ "reeve": 1, "clock": { "horizon": "12h" },
    "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "gpu", "capacity": 8 } ],
    "platform": { "model": "sagemaker-training", "startup": "0s", "first_startup": "0s" },
    "jobs": [ { "name": "small", "work": "9h", "tags": { "team": "x" } },
      { "name": "large", "instances": 4, "work": "9h",
        "faults": [ { "at": "1h", "kind": "stall" } ] },
      { "name": "done", "work": "3h" } ],
    "policies": { "cap": [ { "rule": "max_runtime", "limit": "4h", "enforce_by": "clock",
      "scope": { "tags": ["team=x"] } } ] } })";
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("unfinished.jsonc", text), {}).scenario;
  const Study study = study_of(scenario, 1, 1);
  EXPECT_EQ(study.policies.at(0).costliest, "large");
  EXPECT_NE(explain_command(study, {}).find("explain large "), std::string::npos);
}

/// Each of two jobs stalls in about half of the runs, so runs differ in their number of stops.
TEST(Study, TheMeanDelayOfStopsIsTheMetricOfThatName) {
  const std::string text = R"({ "reeve": 1, "random": { "seed": 1, "runs": 20 },
    "clock": { "horizon": "12h" },
    "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "gpu", "capacity": 2 } ],
    "platform": { "model": "sagemaker-training", "startup": "0s", "first_startup": "0s" },
    "job_defaults": { "work": "5h", "drawn_faults": [
      { "kind": "stall", "probability": 0.5, "after": { "uniform": ["1m", "200m"] } } ] },
    "jobs": [ { "name": "a" }, { "name": "b" } ],
    "policies": { "alarm": [ { "rule": "stalled_gpu" } ] } })";
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("delays.jsonc", text), {}).scenario;
  StudyPlan plan;
  plan.policies = {&scenario.policies.front()};
  plan.runs = 20;
  plan.every_measure = true;
  Console console;
  console.quiet = true;
  const Study study = run_study(scenario, plan, console);
  const PolicyNumbers& alarm = study.policies.at(0);
  const auto own = std::ranges::find(alarm.own, "rule.stalled_gpu.mean_delay", &OwnNumber::measure);
  ASSERT_NE(own, alarm.own.end());
  const auto table = stop_table({&alarm}, false);
  ASSERT_TRUE(table);
  const auto column = std::ranges::find(table->columns, "mean_delay_s", &report::TableColumn::key);
  ASSERT_NE(column, table->columns.end());
  const report::Cell& cell =
      table->rows.at(0).cells.at(static_cast<std::size_t>(column - table->columns.begin()));
  EXPECT_EQ(cell.text, quantity_text(own->measure, to_the_second(*study.number(*own).value)));
}

TEST(Study, FewerRunsAreTheFirstOfMany) {
  const scenarios::Scenario scenario = coin("attempts == 1");
  const Study few = study_of(scenario, 2, 5);
  const Study many = study_of(scenario, 2, 20);
  const std::size_t done = few.index("jobs_done");
  const auto& all = many.policies[0].samples[done];
  EXPECT_EQ(few.policies[0].samples[done], std::vector<double>(all.begin(), all.begin() + 5));
}

TEST(Study, EqualityIsOfEveryRunAndNamesTheFirstThatBreaksIt) {
  const scenarios::Scenario scenario = coin("jobs_done == 1");
  const Study study = study_of(scenario, 2);
  const auto lines = study.lines();
  ASSERT_EQ(lines.size(), 1U);
  const Verdict& verdict = lines[0].verdicts.at(0);
  EXPECT_FALSE(verdict.held);
  ASSERT_FALSE(verdict.broken.empty());
  EXPECT_LT(verdict.broken.size(), 20U);
  EXPECT_EQ(verdict.actual, std::optional<experiments::Quantity>{0.0});
  const auto& done = study.policies[0].samples[study.index("jobs_done")];
  for (std::uint32_t run = 0; run < verdict.broken.front(); ++run) EXPECT_EQ(done[run], 1.0);
  EXPECT_EQ(done[verdict.broken.front()], 0.0);
}

TEST(Study, InequalitiesAreOfTheMean) {
  const scenarios::Scenario scenario = coin("jobs_done > 0.1");
  const Study kept = study_of(scenario, 2);
  EXPECT_TRUE(kept.lines().at(0).held());
  EXPECT_TRUE(kept.lines().at(0).verdicts.at(0).broken.empty());
}

}  // namespace study_test
}  // namespace reeve::app
