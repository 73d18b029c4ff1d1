#include "app/study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "scenarios/load.hpp"

namespace reeve::app {
namespace {

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

}  // namespace
}  // namespace reeve::app
