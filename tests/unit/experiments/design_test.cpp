// The points of sampled sweeps, and slopes over them.
#include "experiments/design.hpp"

#include <gtest/gtest.h>

#include <set>

namespace reeve::experiments {
namespace design_test {

TEST(LatinHypercube, HasOnePointInEachInterval) {
  for (const std::size_t points : {2U, 7U, 64U}) {
    const auto all = latin_hypercube(points, 3, 42);
    for (std::size_t dimension = 0; dimension < 3; ++dimension) {
      std::set<std::size_t> intervals;
      for (const DesignPoint& point : all) {
        ASSERT_GE(point[dimension], 0);
        ASSERT_LT(point[dimension], 1);
        intervals.insert(static_cast<std::size_t>(point[dimension] * static_cast<double>(points)));
      }
      EXPECT_EQ(intervals.size(), points);
    }
  }
  EXPECT_NE(latin_hypercube(8, 2, 1), latin_hypercube(8, 2, 2));
}

TEST(Sobol, IsThePublishedSequence) {
  const auto points = sobol(3, 2);
  EXPECT_EQ(points[0], (DesignPoint{0.5, 0.5}));
  // The second and third point are (0.75, 0.25) and (0.25, 0.75).
  EXPECT_EQ(points[1], (DesignPoint{0.75, 0.25}));
  EXPECT_EQ(points[2], (DesignPoint{0.25, 0.75}));
}

TEST(Slopes, AreExactOfALinearFunction) {
  const auto points = latin_hypercube(12, 3, 7);
  std::vector<double> values;
  for (const DesignPoint& at : points) values.push_back(5 + 2 * at[0] - 3 * at[1]);
  const auto found = slopes(points, values);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NEAR(found[0], 2, 1e-9);
  EXPECT_NEAR(found[1], -3, 1e-9);
  EXPECT_NEAR(found[2], 0, 1e-9);
  EXPECT_TRUE(slopes({{0.5, 0.5}}, {1}).empty());  // one point determines nothing
}

}  // namespace design_test
}  // namespace reeve::experiments
