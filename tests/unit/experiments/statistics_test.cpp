// Intervals against values worked out by hand and with tables.
#include "experiments/statistics.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace reeve::experiments {
namespace {

TEST(StatisticsTest, FiveSamplesHaveTheStudentIntervalOfTheTables) {
  const std::array samples{1.0, 2.0, 3.0, 4.0, 5.0};  // mean 3, s = sqrt(2.5), t(4, 0.975) = 2.7764
  const Estimate result = estimate(samples, 0.95);
  EXPECT_DOUBLE_EQ(result.mean, 3.0);
  EXPECT_NEAR(result.half_width(), 2.7764451 * 0.7071068, 1e-6);
}

TEST(StatisticsTest, OneSampleAndEqualSamplesHaveNoWidth) {
  EXPECT_EQ(estimate(std::array{7.0}).half_width(), 0.0);
  EXPECT_EQ(estimate(std::array{7.0, 7.0, 7.0}).half_width(), 0.0);
  EXPECT_EQ(estimate({}).samples, 0u);
}

TEST(StatisticsTest, PairingRemovesWhatBothShare) {
  const std::vector<double> a{10, 200, 3000, 40};
  const std::vector<double> b{9, 199, 2999, 39};
  const Estimate difference = paired_difference(a, b);
  EXPECT_DOUBLE_EQ(difference.mean, 1.0);
  EXPECT_EQ(difference.half_width(), 0.0);
  EXPECT_GT(estimate(a).half_width(), 100.0);
}

}  // namespace
}  // namespace reeve::experiments
