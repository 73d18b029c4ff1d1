#include "experiments/advice.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace {

using namespace std::chrono_literals;

Advice of(const std::string& fleet, const std::string& job) {
  const std::string text = R"jsonc({ "reeve": 1, "name": "advice",
    "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "7d" },
    "prices": { "instances": { "gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 1,
                                        "managed": false } } },
    "platform": { "model": "ideal" }, "policies": { "none": [] }, "fleet": [)jsonc" +
                           fleet + R"(], "jobs": [ { "name": "train", "work": "10h", )" + job +
                           "} ] }";
  return advise(
      scenarios::load(scenarios::SourceFile::from_text("advice.jsonc", text), ".").scenario);
}

const std::string on_demand = R"({ "name": "od", "instance_type": "gpu", "capacity": 1 })";
std::string spot(const std::string& market) {
  return R"({ "name": "spot", "instance_type": "gpu", "capacity": 1, "market": "spot", )" + market +
         "}";
}

// Young (1974): a minute for a checkpoint, ten hours between losses: the root of 1,200 min.
TEST(Advice, YoungsIntervalIsThirtyFourMinutesAndThirtyEightSeconds) {
  EXPECT_EQ(young_interval(1min, 10h), 34min + 38s);
  const Advice advice =
      of(spot(R"("availability": { "up": { "exponential": "10h" }, "down": "1h" })"),
         R"("market": "spot", "checkpoint": { "every": "1h", "cost": "1m" })");
  EXPECT_EQ(advice.checkpoint_every, 34min + 38s);
}

TEST(Advice, NothingIsAdvisedThatTheScenarioDoesNotCarry) {
  const Advice free = of(spot(R"("reclaim": { "every": "90m", "away": "10m" })"),
                         R"("market": "spot", "checkpoint": { "every": "1h", "cost": "0s" })");
  EXPECT_FALSE(free.checkpoint_every);     // costs nothing: as often as you like
  EXPECT_FALSE(free.break_even_per_hour);  // nothing to compare Spot with
  EXPECT_FALSE(free.managed_break_even);
  const Advice calm = of(on_demand, R"("checkpoint": { "every": "1h", "cost": "1m" })");
  EXPECT_FALSE(calm.checkpoint_every);  // nobody interrupts it
}

TEST(Advice, SpotPaysUntilInterruptionsEatTheDiscount) {
  const Advice advice =
      of(spot(R"("reclaim": { "every": "90m", "away": "10m" })") + ", " + on_demand,
         R"("market": "spot", "checkpoint": { "every": "1h", "cost": "0s" })");
  ASSERT_TRUE(advice.break_even_per_hour);
  EXPECT_NEAR(*advice.break_even_per_hour, (30.0 / 9 - 1) / 0.5, 1e-12);
}

}  // namespace
}  // namespace reeve::experiments
