#include "experiments/advice.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
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

const std::string both = spot(R"("reclaim": { "every": "90m", "away": "10m" })") + ", " + on_demand;

// What is written while the one before uploads is put off: two lie an upload apart, and what was
// written last counts an upload later.  1,000 GB at 100 MB a second are 10,000 s.
TEST(Advice, UploadsThatTakeLongerThanTheIntervalCountOneAndAHalfTimes) {
  const Advice advice =
      of(spot(R"("availability": { "up": { "exponential": "90m" }, "down": "1h" })") + ", " +
             on_demand,
         R"("market": "spot", "checkpoint": { "every": "10m", "size": 1000, "upload": 0.1 })");
  ASSERT_TRUE(advice.break_even_per_hour);
  EXPECT_NEAR(*advice.break_even_per_hour, (30.0 / 9 - 1) / (1.5 * 10'000 / 3'600), 1e-9);  // 0.56
}

// Nothing counts before the end: (e^x - 1) / x = 30/9 has x = 2.0646 in 10 h.
TEST(Advice, WhatIsKeptAtTheEndOnlyBeginsAgainEachTime) {
  const std::string market =
      spot(R"("availability": { "up": { "exponential": "9h" }, "down": "1h" })");
  for (const std::string plan : {R"("every": "1h", "sync": "at_end")", R"("every": "20h")"}) {
    const Advice advice =
        of(market + ", " + on_demand, R"("market": "spot", "checkpoint": { )" + plan + " }");
    ASSERT_TRUE(advice.break_even_per_hour) << plan;
    const double x = *advice.break_even_per_hour * 10;
    EXPECT_NEAR(std::expm1(x) / x, 30.0 / 9, 1e-9) << plan;
    EXPECT_NEAR(*advice.break_even_per_hour, 0.20646, 1e-5) << plan;
  }
}

TEST(Advice, WhatIsReclaimedBeforeItCountsIsNeverDone) {
  const Advice never = of(both, R"("market": "spot", "checkpoint": { "every": "2h" })");
  EXPECT_TRUE(never.never_done);
  EXPECT_FALSE(never.break_even_per_hour);
  const Advice done = of(both, R"("market": "spot", "checkpoint": { "every": "1h" })");
  EXPECT_FALSE(done.never_done);
  EXPECT_TRUE(done.break_even_per_hour);
}

// Young says 2 minutes of a second's pause and 2 h between losses; an upload takes 1,000 s.
TEST(Advice, CheckpointsComeNoFasterThanTheirUploads) {
  const Advice advice =
      of(spot(R"("availability": { "up": { "exponential": "2h" }, "down": "1h" })"),
         R"("market": "spot",
         "checkpoint": { "every": "1h", "size": 100, "write": 100, "upload": 0.1 })");
  EXPECT_EQ(advice.checkpoint_every, 1'000s);
}

// A machine that breaks once in 1,000,000 machine-days: no checkpoint within ten hours pays.
TEST(Advice, RareLossesNeedNoCheckpoint) {
  const Advice advice = of(R"({ "name": "od", "instance_type": "gpu", "capacity": 1,
              "node_faults": { "per_1000_node_days": 0.001 } })",
                           R"("checkpoint": { "every": "1h", "cost": "1m" })");
  EXPECT_FALSE(advice.checkpoint_every);
  EXPECT_TRUE(advice.losses_are_rare);
  ASSERT_TRUE(advice.losses_per_hour);
  EXPECT_NEAR(*advice.losses_per_hour, 1e-6 / 24, 1e-15);
}

}  // namespace
}  // namespace reeve::experiments
