// Intervals against values worked out by hand and with tables.
#include "experiments/statistics.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace reeve::experiments {
namespace statistics_test {

TEST(StatisticsTest, FiveSamplesHaveTheStudentIntervalOfTheTables) {
  const std::array samples{1.0, 2.0, 3.0, 4.0, 5.0};  // mean 3, s = sqrt(2.5), t(4, 0.975) = 2.7764
  const Estimate result = estimate(samples, 0.95);
  EXPECT_DOUBLE_EQ(result.mean, 3.0);
  EXPECT_NEAR(result.half_width(), 2.7764451 * 0.7071068, 1e-6);
}

TEST(StatisticsTest, FuturesHaveTheirMeanAndQuantiles) {
  const std::array samples{100.0, 0.0, 1.0, 2.0, 3.0};
  const Estimate result = predicted(samples, 0.5);
  EXPECT_DOUBLE_EQ(result.mean, 21.2);
  EXPECT_DOUBLE_EQ(result.low, 1);
  EXPECT_DOUBLE_EQ(result.high, 21.2) << "extended to the mean";
  const Estimate few = predicted(std::array{1.0, 2.0}, 0.9);
  EXPECT_EQ(few.low, few.high);
}

TEST(StatisticsTest, OneSampleAndEqualSamplesHaveNoWidth) {
  EXPECT_EQ(estimate(std::array{7.0}).half_width(), 0.0);
  EXPECT_EQ(estimate(std::array{7.0, 7.0, 7.0}).half_width(), 0.0);
  EXPECT_EQ(estimate({}).samples, 0u);
}

/// Student's own data of 1908: hours of sleep that two drugs gained the same ten patients.  The
/// interval is the one that R prints for t.test(extra ~ group, paired = TRUE).
TEST(StatisticsTest, StudentsSleepDataHaveThePublishedPairedInterval) {
  const std::array first{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  const std::array second{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  std::array<double, 10> gained{};
  for (std::size_t i = 0; i < gained.size(); ++i) gained[i] = first[i] - second[i];
  const Estimate difference = estimate(gained, 0.95);
  EXPECT_EQ(difference.samples, 10u);
  EXPECT_NEAR(difference.mean, -1.58, 1e-12);
  EXPECT_LT(difference.low, -2.4598858) << "4.6 hours of one patient are skewed beyond chance";
  EXPECT_NEAR(difference.high, -0.7001142, 1e-7);
  gained[8] = -2.6;  // mean -1.38, s = 0.75542, t(9, 0.975) = 2.262157
  EXPECT_NEAR(estimate(gained).low, -1.9203983, 1e-6);
}

TEST(StatisticsTest, SamplesOneByOneComeToTheSameEstimate) {
  RunningEstimate running;
  EXPECT_EQ(running.now().samples, 0u);
  const std::vector<double> samples{1e6 + 1, 1e6 - 3, 1e6 + 7, 1e6, 1e6 + 2.5};
  for (const double sample : samples) running.add(sample);
  const Estimate whole = estimate(samples);
  EXPECT_EQ(running.now().samples, whole.samples);
  EXPECT_NEAR(running.now().mean, whole.mean, 1e-8);
  EXPECT_NEAR(running.now().half_width(), whole.half_width(), 1e-8);
}

TEST(StatisticsTest, TheMeanOfCopiesIsTheValueToTheLastBit) {
  for (const double value : {0.1, 17'280.37, 1.0 / 3, 4999.999}) {
    const Estimate copies = estimate(std::vector<double>(100, value));
    EXPECT_EQ(copies.mean, value);
    EXPECT_EQ(copies.low, value);
    EXPECT_EQ(copies.high, value);
  }
}

TEST(StatisticsTest, AnotherLevelIsAnotherColumnOfTheTable) {
  const std::array samples{1.0, 2.0, 3.0, 4.0, 5.0};  // t(4, 0.95) = 2.1318, t(4, 0.995) = 4.6041
  EXPECT_NEAR(estimate(samples, 0.90).half_width(), 2.1318468 * 0.7071068, 1e-6);
  EXPECT_NEAR(estimate(samples, 0.99).half_width(), 4.6040949 * 0.7071068, 1e-6);
}

/// Six zeros and a one: mean 1/7, s = 0.37796, t(6, 0.975) = 2.4469, so the half-width is 0.3496.
TEST(StatisticsTest, AnIntervalIsCutAtTheBoundOfItsValues) {
  std::array<double, 7> samples{};
  samples[3] = 1;
  const Estimate student = estimate(samples);
  EXPECT_NEAR(student.low, -0.2067, 1e-4);
  const Estimate cut = cut_to(student, 0, 100);
  EXPECT_EQ(cut.low, 0);
  EXPECT_EQ(cut.high, student.high);
  EXPECT_EQ(cut.mean, student.mean);
  EXPECT_TRUE(cut.lopsided);
  EXPECT_FALSE(cut_to(student, -1, 100).lopsided) << "the bound is outside";
  EXPECT_EQ(cut_to(student, 0, 0.2).high, 0.2);
}

/// Nine zeros and a one: mean 0.1, s = 0.31623, skewness 2.6667, t(9, 0.975) = 2.26216. Hall: with
/// a = 2.6667 / sqrt(10) = 0.84327 the statistic is 3 / a (cbrt(1 + a (t - a / 6)) - 1), which is
/// 1.45034 at t and -7.14585 at -t.  The lower end of Student's interval is further off.
TEST(StatisticsTest, SkewedSamplesReachFurtherToTheirTail) {
  std::array<double, 10> samples{};
  samples[3] = 1;
  const double a = 0.8432740;
  const auto hall = [&](double t) { return 3 / a * (std::cbrt(1 + a * (t - a / 6)) - 1); };
  const Estimate of = estimate(samples);
  EXPECT_NEAR(of.low, 0.1 - 2.2621572 * 0.1, 1e-7);
  EXPECT_NEAR(of.high, 0.1 - hall(-2.2621572) * 0.1, 1e-6);
  EXPECT_TRUE(of.lopsided);
  EXPECT_FALSE(estimate(std::array{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0}).lopsided);
  EXPECT_FALSE(estimate(std::array{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}).lopsided) << "too few";

  for (double& sample : samples) sample = -sample;
  const Estimate mirrored = estimate(samples);
  EXPECT_DOUBLE_EQ(mirrored.low, -of.high);
  EXPECT_DOUBLE_EQ(mirrored.high, -of.low);

  RunningEstimate running;
  for (const double sample : samples) running.add(sample);
  EXPECT_NEAR(running.now().low, mirrored.low, 1e-9);
  EXPECT_TRUE(running.now().lopsided);
}

/// Garwood's interval: of 0 events 0 to 3.6889, of 2 events 0.2422 to 7.2247.
TEST(StatisticsTest, RareEventsHaveThePoissonInterval) {
  const Estimate none = estimate_counts(std::vector<double>(20, 0.0));
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 3.6888795 / 20, 1e-7);
  std::vector<double> two(20, 0.0);
  two[4] = two[7] = 1;
  const Estimate rare = estimate_counts(two);
  EXPECT_EQ(rare.low, estimate(two).low);
  EXPECT_NEAR(rare.high, std::max(estimate(two).high, 7.2246877 / 20), 1e-7);
  const std::vector<double> often(20, 1.0);
  EXPECT_EQ(estimate_counts(often).high, 1) << "not rare";
}

}  // namespace statistics_test
}  // namespace reeve::experiments
