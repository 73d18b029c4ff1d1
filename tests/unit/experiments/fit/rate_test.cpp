// Rates against quantiles of tables, and what draws them together.
#include "experiments/fit/rate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "experiments/fit/forecast.hpp"
#include "experiments/fit/random_numbers.hpp"

namespace reeve::experiments {
namespace rate_test {

TEST(Rate, JeffreysIntervalIsThatOfTheGammaQuantiles) {
  const RateFit fit = fit_rate({.events = 10, .exposure = 100});
  EXPECT_DOUBLE_EQ(fit.per_hour, 0.1);
  // Half of the quantiles of chi-square with 21 degrees: 11.591 and 32.671.
  EXPECT_NEAR(fit.interval.low, 0.0579566, 1e-5);
  EXPECT_NEAR(fit.interval.high, 0.1633529, 1e-5);
  EXPECT_FALSE(fit.exact);
}

TEST(Rate, WithoutEventsTheIntervalIsOneSided) {
  const RateFit fit = fit_rate({.events = 0, .exposure = 600});
  EXPECT_EQ(fit.per_hour, 0);
  EXPECT_EQ(fit.interval.low, 0);
  EXPECT_DOUBLE_EQ(fit.interval.high, 3.0 / 600);
}

TEST(Rate, FewEventsHaveTheExactIntervalBeside) {
  const RateFit fit = fit_rate({.events = 2, .exposure = 1});
  ASSERT_TRUE(fit.exact);
  // Half of the quantiles of chi-square: 0.7107 with 4 degrees, 12.592 with 6.
  EXPECT_NEAR(fit.exact->low, 0.355361, 1e-5);
  EXPECT_NEAR(fit.exact->high, 6.295794, 1e-5);
  EXPECT_GT(fit.interval.low, fit.exact->low);
  EXPECT_LT(fit.interval.high, fit.exact->high);
}

TEST(Rate, DispersionMakesTheIntervalWiderAboutTheSameRate) {
  const RateFit narrow = fit_rate({.events = 100, .exposure = 50});
  const RateFit wide = fit_rate({.events = 100, .exposure = 50, .dispersion = 4});
  EXPECT_DOUBLE_EQ(narrow.per_hour, wide.per_hour);
  const double ratio =
      (wide.interval.high - wide.interval.low) / (narrow.interval.high - narrow.interval.low);
  EXPECT_NEAR(ratio, 2, 0.05);
}

TEST(Rates, AlikeGroupsArePooledAndUnlikeOnesAreNot) {
  const std::vector<RateEvidence> alike{{10, 1'000}, {0, 10}, {11, 1'000}};
  const auto pooled = fit_rates(alike);
  EXPECT_NEAR(pooled[1].per_hour, 21.0 / 2'010, 2e-3) << "ten hours say next to nothing";
  EXPECT_GT(pooled[1].prior_weight, 0.95);
  const std::vector<RateEvidence> unlike{{10, 1'000}, {900, 1'000}};
  const auto apart = fit_rates(unlike);
  EXPECT_NEAR(apart[0].per_hour, 0.01, 0.004);
  EXPECT_NEAR(apart[1].per_hour, 0.9, 0.02);
  EXPECT_LT(apart[1].prior_weight, 0.01);
}

TEST(Rates, OneGroupIsNotDrawnAnywhere) {
  const auto fits = fit_rates(std::vector<RateEvidence>{{7, 70}});
  EXPECT_DOUBLE_EQ(fits[0].per_hour, 0.1);
  EXPECT_EQ(fits[0].prior_weight, 0);
}

std::vector<AttemptAge> drawn_ages(double shape, std::size_t count) {
  RandomNumbers random{1, sim::Cause::scenario_fuzz, 9};
  std::vector<AttemptAge> ages;
  for (std::size_t i = 0; i < count; ++i) {
    const double life = 50 * std::pow(-std::log(random.next()), 1 / shape);
    const double end = 100 * random.next();  // the attempt would end by itself
    ages.push_back({.hours = std::min(life, end), .weight = 1, .event = life < end});
  }
  return ages;
}

TEST(Hazard, FindsTheShapeOfEarlyFailures) {
  for (const double shape : {0.5, 1.0, 2.0}) {
    const auto found = fit_hazard(drawn_ages(shape, 3'000));
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->shape, shape, 0.05 * shape);
    EXPECT_NEAR(found->scale_hours, 50, 4);
    EXPECT_TRUE(found->interval.contains(shape)) << shape;
  }
}

TEST(Hazard, NineteenFailuresAreTooFew) {
  std::vector<AttemptAge> ages(19, {.hours = 2, .weight = 1, .event = true});
  EXPECT_FALSE(fit_hazard(ages));
  ages.push_back({.hours = 3, .weight = 1, .event = true});
  EXPECT_TRUE(fit_hazard(ages));
}

TEST(CountForecast, HasThePoissonUncertaintyAndThatOfTheRate) {
  const RateFit known = fit_rate({.events = 1e6, .exposure = 1e5});
  const Interval poisson = CountForecast{known, 10}.interval(0.9);  // Poisson of mean 100
  EXPECT_NEAR(poisson.low, 84, 1);
  EXPECT_NEAR(poisson.high, 117, 1);
  const RateFit vague = fit_rate({.events = 10, .exposure = 1});
  const Interval wide = CountForecast{vague, 10}.interval(0.9);
  EXPECT_NEAR(wide.low, 55, 4);
  EXPECT_NEAR(wide.high, 167, 6);
}

}  // namespace rate_test
}  // namespace reeve::experiments
