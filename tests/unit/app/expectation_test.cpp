#include "app/compare/expectation.hpp"

#include <gtest/gtest.h>

namespace reeve::app {
namespace expectation_test {

using experiments::Quantity;
using policy::Duration;
using policy::Usd;

bool check(std::string_view line, std::optional<Quantity> value) {
  const auto comparison = scenarios::parse_comparison(line);
  EXPECT_TRUE(static_cast<bool>(comparison)) << line;
  return holds(*comparison, value);
}

Quantity usd(std::int64_t micros) {
  return Usd::from_micros(micros);
}

TEST(Expectation, DollarsAreComparedToTheMicroDollar) {
  EXPECT_TRUE(check("wasted_usd == 17040.00", usd(17'040'000'000)));
  EXPECT_FALSE(check("wasted_usd == 17040.00", usd(17'040'000'001)));
  EXPECT_TRUE(check("wasted_usd == 312.13 +- 0.01", usd(312'140'000)));
  EXPECT_FALSE(check("wasted_usd == 312.13 +- 0.01", usd(312'140'001)));
  EXPECT_TRUE(check("wasted_usd != 0", usd(-1)));
  EXPECT_FALSE(check("wasted_usd != 10 +- 1", usd(10'500'000)));
}

TEST(Expectation, DurationsAreComparedToTheNanosecond) {
  const Quantity result = std::chrono::hours{72} + std::chrono::minutes{23};
  EXPECT_TRUE(check("time_to_result == 72h23m", result));
  EXPECT_FALSE(check("time_to_result < 72h23m", result));
  EXPECT_TRUE(check("time_to_result <= 72h23m", result));
  EXPECT_FALSE(check("time_to_result == 72h23m", std::get<Duration>(result) + Duration{1}));
  EXPECT_TRUE(check("time_to_result == 72h24m +- 60s", result));
}

TEST(Expectation, SecondsTakeDurationsToo) {
  EXPECT_TRUE(check("mean_wait_s <= 2h", 7200.0));
  EXPECT_FALSE(check("mean_wait_s <= 2h", 7200.5));
  EXPECT_TRUE(check("mean_wait_s == 144172.123511 +- 0.001", 144172.1240));
}

TEST(Expectation, WhatNeverCameToBeSatisfiesNothing) {
  EXPECT_FALSE(check("time_to_result == 0s", std::nullopt));
  EXPECT_FALSE(check("time_to_result != 0s", std::nullopt));
  EXPECT_FALSE(check("mean_wait_s >= 0", std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace expectation_test
}  // namespace reeve::app
