// Who has how much time on which machines: programmes small enough to be solved by hand.
#include "max_min_lp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

// What CLP calls of LAPACK; no programme of these tests is dense enough for it to do so.
extern "C" void dgetrf_(const int* rows, const int* columns, double* a, const int* lda, int* pivots,
                        int* info);
extern "C" void dgetrs_(const char* transposed, const int* size, const int* count, double* a,
                        const int* lda, const int* pivots, double* b, const int* ldb, int* info,
                        std::size_t);

namespace reeve::policies {
namespace max_min_lp_test {

constexpr double kNear = 1e-7;

TEST(MaxMinTime, OneJobThatFitsHasAllOfItsTimeWhereItIsFastest) {
  const TimeShares shares = max_min_time({{.speeds = {4, 1}}}, {1, 1});
  EXPECT_NEAR(shares.least, 1.6, kNear) << "4 to the (4 + 1) / 2 of half its time on each";
  EXPECT_NEAR(shares.fractions[0][0], 1, kNear);
  EXPECT_NEAR(shares.fractions[0][1], 0, kNear);
}

// Usual speeds 2.5, 1.5 and 1, so all of its time serves the first 1.6 and 0.4, the second 4/3 and
// 2/3, the third 1 and 1.  The first is best off on the fast machine alone (t / 1.6 of it), the
// third on the slow one (t), the second has the rest of both: 4/3 (1 - t / 1.6) + 2/3 (1 - t) = t,
// so t = 0.8.  A third of each machine for everybody would serve each 2/3.
TEST(MaxMinTime, EachOfThreeHasMoreThanAnEvenPartByWhereItIsRelativelyFast) {
  const TimeShares shares =
      max_min_time({{.speeds = {4, 1}}, {.speeds = {2, 1}}, {.speeds = {1, 1}}}, {1, 1});
  EXPECT_NEAR(shares.least, 0.8, kNear);
  EXPECT_NEAR(shares.fractions[0][0], 0.5, kNear);
  EXPECT_NEAR(shares.fractions[0][1], 0, kNear);
  EXPECT_NEAR(shares.fractions[1][0], 0.5, kNear);
  EXPECT_NEAR(shares.fractions[1][1], 0.2, kNear);
  EXPECT_NEAR(shares.fractions[2][0], 0, kNear);
  EXPECT_NEAR(shares.fractions[2][1], 0.8, kNear);
}

// Usual speeds 2 and 4/3.  All time is in use: 0.5 + 1.5 x = 1.5 - 0.75 x for the part x of the one
// fast machine that the first has, so x = 4/9.
TEST(MaxMinTime, WhatThereIsOnlyOneOfIsDividedWhereTimeIsShort) {
  const TimeShares shares = max_min_time({{.speeds = {4, 1}}, {.speeds = {2, 1}}}, {1, 2});
  EXPECT_NEAR(shares.least, 7.0 / 6, kNear);
  EXPECT_NEAR(shares.fractions[0][0], 4.0 / 9, kNear);
  EXPECT_NEAR(shares.fractions[1][0], 5.0 / 9, kNear);
}

TEST(MaxMinTime, ThreeTimesTheWeightIsThreeTimesTheTime) {
  const TimeShares shares =
      max_min_time({{.weight = 1, .speeds = {7}}, {.weight = 3, .speeds = {2}}}, {1});
  EXPECT_NEAR(shares.least, 0.25, kNear);
  EXPECT_NEAR(shares.fractions[0][0], 0.25, kNear);
  EXPECT_NEAR(shares.fractions[1][0], 0.75, kNear);
}

// A gang of 4 is served 4 by all of its time, one instance 1: 1 each would leave three quarters of
// an hour's machines idle, and the gang has them.
TEST(MaxMinTime, WhatTheWorstServedCannotUseGoesToOthers) {
  const TimeShares shares =
      max_min_time({{.instances = 4, .speeds = {1}}, {.instances = 1, .speeds = {1}}}, {4});
  EXPECT_NEAR(shares.least, 1, kNear);
  EXPECT_NEAR(shares.fractions[0][0], 0.75, kNear);
  EXPECT_NEAR(shares.fractions[1][0], 1, kNear);
}

TEST(MaxMinTime, WhoCanRunNowhereDoesNotHoldBackTheOthers) {
  const TimeShares shares = max_min_time(
      {{.speeds = {1, 1}}, {.instances = 3, .speeds = {1, 1}}, {.speeds = {0, 0}}}, {2, 2});
  EXPECT_NEAR(shares.least, 1, kNear);
  for (const double of_the_others : {shares.fractions[1][0], shares.fractions[1][1],
                                     shares.fractions[2][0], shares.fractions[2][1]}) {
    EXPECT_EQ(of_the_others, 0);
  }
}

TEST(MaxMinTime, NobodyAndNoMachinesAreAnswered) {
  EXPECT_TRUE(max_min_time({}, {1}).fractions.empty());
  EXPECT_EQ(max_min_time({{.speeds = {1}}}, {0}).fractions[0][0], 0);
}

TEST(MaxMinTime, WhoClaimsTheSameHasTheSameInWhateverOrder) {
  std::vector<TimeClaim> claims;
  for (int job = 0; job < 180; ++job) {
    const int like = job % 60;
    TimeClaim claim{.instances = 1.0 + like % 4};
    for (int kind = 0; kind < 6; ++kind) claim.speeds.push_back(1 + (like * 7 + kind * 5) % 11);
    claims.push_back(claim);
  }
  const std::vector<double> capacity{4, 9, 7, 12, 30, 5};
  const TimeShares shares = max_min_time(claims, capacity);
  std::reverse(claims.begin(), claims.end());
  TimeShares turned = max_min_time(claims, capacity);
  std::reverse(turned.fractions.begin(), turned.fractions.end());
  EXPECT_EQ(shares.least, turned.least);
  EXPECT_EQ(shares.fractions, turned.fractions);
  EXPECT_GT(shares.least, 0);
  for (std::size_t job = 0; job < 120; ++job) {
    EXPECT_EQ(shares.fractions[job], shares.fractions[job + 60]);
  }
}

double entry(const std::vector<double>& of, int stride, int row, int column) {
  return of[static_cast<std::size_t>(row + column * stride)];
}

/// The largest entry of A x - b, or of A' x - b.
double error_of(const std::vector<double>& a, int size, int stride, const std::vector<double>& x,
                const std::vector<double>& b, bool transposed) {
  double worst = 0;
  for (int side = 0; side < 2; ++side) {
    for (int row = 0; row < size; ++row) {
      double value = -entry(b, stride, row, side);
      for (int at = 0; at < size; ++at) {
        const double factor = transposed ? entry(a, stride, at, row) : entry(a, stride, row, at);
        value += factor * entry(x, stride, at, side);
      }
      worst = std::max(worst, std::abs(value));
    }
  }
  return worst;
}

TEST(DenseFactors, SolveWhatTheyAreFactorsOfAndItsTranspose) {
  std::mt19937 engine{3};
  std::uniform_real_distribution<double> draw{-1, 1};
  for (int size = 1; size <= 40; ++size) {
    const int stride = size + size % 3;
    std::vector<double> a(static_cast<std::size_t>(stride * size));
    std::vector<double> b(static_cast<std::size_t>(stride * 2));
    for (double& each : a) each = draw(engine);
    for (double& each : b) each = draw(engine);
    if (size > 1) a[0] = 0;  // not without an exchange of rows
    std::vector<double> factors = a;
    std::vector<int> pivots(static_cast<std::size_t>(size));
    int info = -1;
    dgetrf_(&size, &size, factors.data(), &stride, pivots.data(), &info);
    ASSERT_EQ(info, 0);
    for (const char* const way : {"N", "T"}) {
      std::vector<double> x = b;
      const int sides = 2;
      dgetrs_(way, &size, &sides, factors.data(), &stride, pivots.data(), x.data(), &stride, &info,
              1);
      EXPECT_LT(error_of(a, size, stride, x, b, *way == 'T'), 1e-9) << size << way;
    }
  }
}

TEST(DenseFactors, SayWhichColumnHasNoPivot) {
  std::vector<double> a{1, 2, 2, 4};
  std::vector<int> pivots(2);
  const int size = 2;
  int info = 0;
  dgetrf_(&size, &size, a.data(), &size, pivots.data(), &info);
  EXPECT_EQ(info, 2);
}

}  // namespace max_min_lp_test
}  // namespace reeve::policies
