// Which quantities a fit trusts: hold-out, widening and grades.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "experiments/fit/fit.hpp"
#include "experiments/fit/fit_text.hpp"
#include "tests/unit/experiments/fit/synthetic_history.hpp"

namespace reeve::experiments {
namespace grades_test {

/// Independent jobs with exponential gaps: each assumption of the fit holds.
KnownTruth steady() {
  KnownTruth truth;
  truth.weeks = 26;
  truth.batches_per_week = 80;
  truth.mean_batch = 1;
  truth.week_shape = 0;
  return truth;
}

Fit fit_of(const KnownTruth& truth, std::uint64_t seed = 5) {
  const OwnedHistory history = SyntheticHistory{truth, seed}.draw();
  return fit(history.view());
}

Grade grade_of(const Fit& fit, std::string_view name) {
  const FittedQuantity* quantity = find(fit, name);
  EXPECT_NE(quantity, nullptr) << name;
  return quantity == nullptr ? Grade::prior_only : quantity->grade;
}

TEST(Grades, SteadyHistoriesAreTestedAndCovered) {
  const Fit result = fit_of(steady());
  for (const char* name : {"next_week_jobs", "next_week_gpu_hours", "next_week_usd", "arrivals",
                           "duration", "failures", "stalls", "node_faults", "interruptions"}) {
    EXPECT_EQ(grade_of(result, name), Grade::tested) << name;
  }
}

TEST(Grades, GrowthIsNotCovered) {
  KnownTruth truth = steady();
  truth.drift = [](std::size_t week) { return 0.3 * std::pow(1.15, week); };
  const Fit result = fit_of(truth);
  for (const char* name : {"next_week_jobs", "next_week_gpu_hours", "arrivals", "failures"}) {
    EXPECT_EQ(grade_of(result, name), Grade::widened) << name;
  }
  const FittedQuantity* jobs = find(result, "next_week_jobs");
  ASSERT_TRUE(jobs->hold_out);
  EXPECT_LT(jobs->hold_out->coverage90, least_coverage);
  EXPECT_GT(jobs->hold_out->widening, 1);
  EXPECT_GT(jobs->hold_out->mean_error, 0) << "growth is more than was predicted";
  EXPECT_GT(jobs->hold_out->pit.back(), jobs->hold_out->pit.front());
}

/// Each day all users submit within the same minutes: weeks are alike, hours are not Poisson.
TEST(Grades, BurstsOfManyUsersRefuseThePoissonProcess) {
  KnownTruth truth = steady();
  OwnedHistory history = SyntheticHistory{truth, 7}.draw();
  const policy::Duration hour = std::chrono::hours{1};
  for (ObservedJob& job : history.jobs) {
    const policy::Duration into = (job.submit - history.start) % hour;
    job.submit -= into;
    job.submit += into / 6;
  }
  const Fit result = fit(history.view());
  EXPECT_EQ(grade_of(result, "next_week_jobs"), Grade::tested);
  EXPECT_EQ(grade_of(result, "arrivals"), Grade::widened);
  EXPECT_LT(find(result, "arrivals")->ks.value(), 0.01);
}

TEST(Grades, FewWeeksAreUntested) {
  KnownTruth truth = steady();
  truth.weeks = 5;
  const Fit result = fit_of(truth);
  for (const FittedQuantity& quantity : result.quantities) {
    EXPECT_EQ(quantity.grade, Grade::untested) << quantity.name;
    EXPECT_FALSE(quantity.hold_out) << quantity.name;
  }
  EXPECT_FALSE(result.notes.empty());
  truth.weeks = 4;
  EXPECT_FALSE(find(fit_of(truth), "next_week_jobs")->interval90) << "4 weeks: no interval";
}

TEST(Grades, WhatOnlyOtherFleetsSayIsPriorOnly) {
  OwnedHistory history;
  history.end = history.start + week_length;
  history.jobs.push_back({.submit = history.start});
  EXPECT_EQ(find(fit(history.view()), "node_faults"), nullptr);
  const Fit result = fit(history.view(), {.node_fault_prior = published_node_faults});
  EXPECT_EQ(grade_of(result, "node_faults"), Grade::prior_only);
  const FittedQuantity* faults = find(result, "node_faults");
  EXPECT_NEAR(*faults->value * 24'000, 3.8, 1e-9);
  EXPECT_LT(faults->interval90->low * 24'000, 2.3);
  EXPECT_GT(faults->interval90->high * 24'000, 6.5);
}

TEST(Grades, TheWorstIsFirst) {
  const Fit result = fit_of(steady());
  const report::Table table = fit_table(result);
  ASSERT_EQ(table.rows.size(), result.quantities.size());
  std::string letters;
  for (const report::TableRow& row : table.rows) letters += row.cells.front().text;
  EXPECT_TRUE(std::is_sorted(letters.rbegin(), letters.rend())) << letters;
}

TEST(HoldOut, TrendIsWidenedUntilItIsCovered) {
  std::vector<std::optional<double>> totals;
  for (int week = 0; week < 30; ++week) totals.push_back(100 * std::pow(1.3, week));
  const auto scores = hold_out_totals(totals);
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->weeks, 26u);
  EXPECT_LT(scores->coverage90, 0.7);
  EXPECT_TRUE(scores->is_widened());
  double covered = 0;
  for (std::size_t week = least_training_weeks; week < totals.size(); ++week) {
    std::vector<double> past;
    for (std::size_t before = 0; before < week; ++before) past.push_back(*totals[before]);
    const Interval wide = TotalForecast::of(past)->widened(fit_level, scores->widening);
    covered += wide.contains(*totals[week]) ? 1 : 0;
  }
  EXPECT_GE(covered / 26, 0.9);
}

TEST(HoldOut, FiveWeeksTellNothing) {
  EXPECT_FALSE(hold_out_totals(std::vector<std::optional<double>>{1, 2, 3, 4, 5}));
  EXPECT_TRUE(hold_out_totals(std::vector<std::optional<double>>{1, 2, 3, 4, 5, 6}));
}

}  // namespace grades_test
}  // namespace reeve::experiments
