// The surrogate and the tuner on functions that are known.
#include "experiments/tuner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

namespace reeve::experiments {
namespace tuner_test {

double bowl(const DesignPoint& at) {
  double sum = 0;
  for (const double place : at) sum += (place - 0.3) * (place - 0.3);
  return sum;
}

TEST(Surrogate, PassesThroughExactValues) {
  std::vector<MeasuredPoint> seen;
  for (const DesignPoint& at : sobol(20, 2)) seen.push_back({at, bowl(at), 0});
  const Surrogate model{seen};
  for (const MeasuredPoint& each : seen) {
    EXPECT_NEAR(model.at(each.at).mean, each.value, 1e-3);
    EXPECT_LT(model.at(each.at).deviation, 0.01);
  }
  EXPECT_NEAR(model.at({0.3, 0.3}).mean, 0, 0.02);
  EXPECT_GT(model.at({0.99, 0.01}).deviation, model.at(seen[0].at).deviation);
}

TEST(Surrogate, SmoothesNoise) {
  std::vector<MeasuredPoint> seen;
  int sign = 1;
  for (const DesignPoint& at : sobol(60, 1)) {
    seen.push_back({at, 1 + 0.2 * (sign = -sign), 0.04});
  }
  const Surrogate model{seen};
  for (const double place : {0.1, 0.5, 0.9}) EXPECT_NEAR(model.at({place}).mean, 1, 0.12);
}

TEST(Surrogate, KnowsWhichCoordinateMatters) {
  std::vector<MeasuredPoint> seen;
  for (const DesignPoint& at : sobol(40, 2)) seen.push_back({at, std::sin(6 * at[0]), 0});
  const Surrogate model{seen};
  EXPECT_LT(2 * model.lengths()[0], model.lengths()[1]);
  EXPECT_THROW(Surrogate{{}}, std::invalid_argument);
}

struct Result {
  std::optional<std::size_t> best;
  std::set<std::size_t> tried;
};

Result tune(const std::vector<DesignPoint>& candidates, int budget, double limit) {
  Tuner tuner{candidates, 1};
  Result result;
  for (int run = 0; run < budget; ++run) {
    const auto at = tuner.next();
    if (!at) break;
    EXPECT_TRUE(result.tried.insert(*at).second) << "tried twice";
    tuner.tell(*at, {{bowl(candidates[*at]), 0}, {{limit - candidates[*at][0], 0}}});
  }
  result.best = tuner.best();
  return result;
}

TEST(Tuner, FindsTheBestThatKeepsTheLimit) {
  const auto candidates = sobol(256, 2);
  for (const double limit : {0.0, 0.5, 0.9}) {
    const Result result = tune(candidates, 30, limit);
    ASSERT_TRUE(result.best);
    double least = 2;
    for (const DesignPoint& at : candidates) {
      if (at[0] >= limit) least = std::min(least, bowl(at));
    }
    EXPECT_GE(candidates[*result.best][0], limit);
    EXPECT_LT(bowl(candidates[*result.best]) - least, 0.01) << limit;
  }
}

TEST(Tuner, TriesEachCandidateOnce) {
  const Result result = tune(sobol(12, 2), 100, 0);
  EXPECT_EQ(result.tried.size(), 12U);
  EXPECT_FALSE(tune(sobol(12, 2), 100, 2).best) << "none keeps the limit";
}

}  // namespace tuner_test
}  // namespace reeve::experiments
