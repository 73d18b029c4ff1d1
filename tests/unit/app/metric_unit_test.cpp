// Means of metrics over runs, and their intervals.
#include "app/study/metric_unit.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace reeve::app {
namespace metric_unit_test {

/// 3.6888795 is the upper end of Garwood's interval of no event.
TEST(MetricUnit, JobsThatAreDoneAndThatAreNotSumToTheirNumber) {
  const std::vector<std::vector<double>> all_done{
      std::vector<double>(20, 50), {1, 1, 0, 1}, {0, 0, 0, 1}, {48, 50, 50, 50}, {20, 30, 25, 10}};
  for (const std::vector<double>& done : all_done) {
    const double jobs = done.front() > 1 ? 50 : 1;
    std::vector<double> others = done;
    for (double& count : others) count = jobs - count;
    const auto of = estimate_of("jobs_done", done, true, static_cast<std::size_t>(jobs));
    const auto rest = estimate_of("jobs_unfinished", others, true, static_cast<std::size_t>(jobs));
    EXPECT_NEAR(of.mean + rest.mean, jobs, 1e-12);
    EXPECT_NEAR(of.low + rest.high, jobs, 1e-12);
    EXPECT_NEAR(of.high + rest.low, jobs, 1e-12);
    EXPECT_GE(of.low, 0);
    EXPECT_LE(of.high, jobs);
  }
  const auto all = estimate_of("jobs_done", all_done.front(), true, 50);
  EXPECT_NEAR(all.low, 50 - 3.6888795 / 20, 1e-7);
  EXPECT_EQ(all.high, 50);
}

TEST(MetricUnit, RareEventsHaveAnUpperEndIfRunsAreRandom) {
  const std::vector<double> none(20, 0.0);
  EXPECT_NEAR(estimate_of("false_stops", none, true).high, 3.6888795 / 20, 1e-7);
  EXPECT_EQ(estimate_of("false_stops", none, false).high, 0);
  EXPECT_EQ(estimate_of("wasted_usd", none, true).high, 0) << "dollars are no events";
}

}  // namespace metric_unit_test
}  // namespace reeve::app
