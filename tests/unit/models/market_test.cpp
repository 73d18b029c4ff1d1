// Prices as steps, windows, and the means of laws.
#include "models/market.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace reeve::models {
namespace market_test {

using namespace std::chrono_literals;
using policy::Duration;

const std::vector<PriceStep> prices{{0s, {1'000}}, {10s, {7'000}}, {30s, {2'000}}};

TEST(Market, APriceHoldsUntilTheNext) {
  EXPECT_EQ(price_at(prices, 0s).nanos, 1'000);
  EXPECT_EQ(price_at(prices, 10s).nanos, 7'000);
  EXPECT_EQ(price_at(prices, 10s - 1ns).nanos, 1'000);
  EXPECT_EQ(price_at(prices, 1'000h).nanos, 2'000);
  EXPECT_EQ(next_price_change(prices, 10s), 30s);
  EXPECT_EQ(next_price_change(prices, 30s), Duration::max());
}

TEST(Market, TheIntegralOfAPriceIsExact) {
  EXPECT_TRUE(cost(prices, 5s, 5s) == 0);
  EXPECT_TRUE(cost(prices, 5s, 35s + 1ns) == Charge{1'000} * 5'000'000'000 +
                                                 Charge{7'000} * 20'000'000'000 +
                                                 Charge{2'000} * 5'000'000'001);
  EXPECT_TRUE(cost(prices, 10s, 30s) == Charge{7'000} * 20'000'000'000);
  EXPECT_TRUE(cost(prices, 3s, 17s) + cost(prices, 17s, 41s) == cost(prices, 3s, 41s));
}

TEST(Market, TimeWithinWindows) {
  const std::vector<TimeSpan> windows{{10s, 20s}, {40s, 50s}};
  EXPECT_EQ(time_within(windows, 5s), 0s);
  EXPECT_EQ(time_within(windows, 15s), 5s);
  EXPECT_EQ(time_within(windows, 45s), 15s);
  EXPECT_EQ(time_within(windows, 100s), 20s);
  EXPECT_EQ(time_within({}, 100s), 100s);
}

TEST(DurationLaw, TheMeanIsThatOfTheDraws) {
  const DurationLaw laws[] = {
      {Shape::fixed, 90s, 0, 0s},        {Shape::uniform, 10s, 0, 40s},
      {Shape::exponential, 60s, 0, 0s},  {Shape::exponential, 60s, 0, 50s},
      {Shape::lognormal, 60s, 0.8, 0s},  {Shape::lognormal, 60s, 1.5, 300s},
      {Shape::lognormal, 60s, 0, 300s},  {Shape::weibull, 60s, 0.7, 0s},
      {Shape::weibull, 60s, 0.5, 200s},  {Shape::pareto, 60s, 3.0, 0s},
      {Shape::pareto, 60s, 1.0, 6'000s}, {Shape::pareto, 60s, 0.8, 600s},
  };
  for (const DurationLaw& law : laws) {
    double sum = 0;
    constexpr int parts = 400'000;
    for (int part = 0; part < parts; ++part) {
      sum += static_cast<double>(draw(law, (part + 0.5) / parts).count());
    }
    const auto stated = static_cast<double>(mean(law).count());
    EXPECT_NEAR(stated, sum / parts, 2e-3 * stated) << static_cast<int>(law.shape);
  }
}

}  // namespace market_test
}  // namespace reeve::models
