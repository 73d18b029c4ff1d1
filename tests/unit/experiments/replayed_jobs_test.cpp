// What a policy changes in a recorded history: by week, by job, at list prices.
#include "experiments/replayed_jobs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "experiments/fit/hold_out.hpp"
#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace replayed_jobs_test {

using namespace std::chrono_literals;

/// Instances at $60/h ($1 a minute); `short` of 1 h, `long` of 4 h, and `last` of 4 h a week later.
scenarios::Scenario history(const std::string& list_price, const std::string& capacity = "4") {
  return scenarios::load(scenarios::SourceFile::from_text("one.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-01-05T00:00:00Z" },
    "prices": { "instances": { "t": { "usd_per_hour": 60, "gpus": 1 } } },
    "fleet": [ { "instance_type": "t", "capacity": )" + capacity + list_price +
                                                                           R"( } ],
    "platform": { "model": "ideal" },
    "jobs": [ { "name": "short", "work": "1h" }, { "name": "long", "work": "4h" },
              { "name": "last", "work": "4h", "submit": "8d" } ],
    "policies": { "none": [],
                  "cut": [ { "rule": "max_runtime", "limit": "2h", "enforce_by": "clock" } ] } })"),
                         ".")
      .scenario;
}

TEST(ReplayedJobs, AJobThatARuleCutsHasNoResultAndItsWeekCostsLess) {
  const scenarios::Scenario scenario = history("");
  const RunResult base = run(scenario, scenario.policies[0], 0);
  const RunResult cut = run(scenario, scenario.policies[1], 0);
  const HistoryChange change = change_of(scenario.world, replayed_jobs(base), replayed_jobs(cut));
  EXPECT_EQ(change.stopped, 2U);
  EXPECT_EQ(change.without_result, 2U);
  EXPECT_EQ(change.later, 0U);
  ASSERT_EQ(change.hurt.size(), 2U);
  EXPECT_EQ(change.hurt[0].lost.micros(), 120'000'000);  // two hours, without a checkpoint
  EXPECT_EQ(change.lost.micros(), 240'000'000);
  ASSERT_EQ(change.saved_usd.size(), 1U);  // `last` is in no whole week
  EXPECT_DOUBLE_EQ(change.saved_usd[0], 120);
}

// A result that comes two hours later, after half an hour of work done again.
TEST(ReplayedJobs, AJobThatFinishesLaterIsHurt) {
  scenarios::Scenario scenario = history("", "1");
  const RunResult base = run(scenario, scenario.policies[1], 0);
  const RunResult of = run(scenario, scenario.policies[0], 0);
  ReplayedJobs early = replayed_jobs(base);
  ReplayedJobs late = replayed_jobs(of);
  early.jobs[0].done = scenario.world.start + 1h;
  late.jobs[0].done = scenario.world.start + 3h;
  late.jobs[0].wasted = early.jobs[0].wasted + models::charge({60'000'000'000}, 1, 30min);
  const HistoryChange change = change_of(scenario.world, early, late);
  EXPECT_EQ(change.later, 1U);
  ASSERT_EQ(change.hurt.size(), 1U);
  EXPECT_EQ(change.hurt[0].later, 2h);
  EXPECT_EQ(change.hurt[0].lost.micros(), 30'000'000);
}

// With one instance `long` waits for `short`; under a rule that cuts nothing, nothing is later.
TEST(ReplayedJobs, ThePolicyItselfChangesNothing) {
  const scenarios::Scenario scenario = history("", "1");
  const RunResult base = run(scenario, scenario.policies[0], 0);
  const HistoryChange change = change_of(scenario.world, replayed_jobs(base), replayed_jobs(base));
  EXPECT_TRUE(change.hurt.empty());
  EXPECT_EQ(change.stopped, 0U);
  EXPECT_EQ(change.saved_usd, std::vector<double>{0});
}

TEST(ReplayedJobs, TheBillAtListPricesCountsEachBilledHour) {
  const scenarios::Scenario scenario = history(R"(, "list_usd_per_hour": 90)");
  const RunResult base = run(scenario, scenario.policies[0], 0);
  EXPECT_DOUBLE_EQ(history_bill(scenario, base.record).list_usd, 9 * 90);
  EXPECT_TRUE(std::isnan(history_bill(history(""), base.record).list_usd));
}

// Nine hours are $540, and five of them are left: $240 less.
TEST(ReplayedJobs, WhatCommitmentsCoverIsNotSaved) {
  const scenarios::Scenario plain = history("");
  const HistoryBill base = history_bill(plain, run(plain, plain.policies[0], 0).record);
  const HistoryBill cut = history_bill(plain, run(plain, plain.policies[1], 0).record);
  const auto saved_with = [&](const std::string& committed) {
    return saved_of_bill(history(", \"committed_pct\": " + committed), base, base, cut);
  };
  EXPECT_DOUBLE_EQ(saved_with("0"), 240);
  EXPECT_DOUBLE_EQ(saved_with("50"), 240);
  EXPECT_DOUBLE_EQ(saved_with("75"), 135);
  EXPECT_DOUBLE_EQ(saved_with("100"), 0);
  // Of a bill that has 40 % of the hours, no more than $216.
  EXPECT_DOUBLE_EQ(saved_of_bill(plain, base, base, cut, 40), 216);
}

TEST(ReplayedJobs, WeeksWithoutASavingHaveNoRelativeError) {
  const auto tested = hold_out_savings(std::vector<double>{5, 5, 5, 6, 0, 0, 0});
  ASSERT_TRUE(tested);
  EXPECT_TRUE(std::isnan(tested->relative_error));
}

// Weekly savings of any sign: the predicted interval holds nine weeks of ten.
TEST(ReplayedJobs, TheSavingOfAHeldOutWeekIsWithinItsInterval) {
  std::mt19937_64 random{7};
  std::normal_distribution<double> saving{100, 300};
  double covered = 0;
  double weeks = 0;
  for (int draw = 0; draw < 300; ++draw) {
    std::vector<double> saved(13);
    for (double& week : saved) week = saving(random);
    const auto tested = hold_out_savings(saved);
    ASSERT_TRUE(tested);
    covered += tested->coverage90 * static_cast<double>(tested->weeks);
    weeks += static_cast<double>(tested->weeks);
  }
  EXPECT_EQ(weeks, 300 * 9);
  EXPECT_NEAR(covered / weeks, 0.9, 0.02);
}

}  // namespace replayed_jobs_test
}  // namespace reeve::experiments
