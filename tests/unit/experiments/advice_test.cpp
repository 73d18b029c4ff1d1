#include "experiments/advice.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>

#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace advice_test {

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

// Each hour begins again until it is undisturbed: (e^x - 1) / x = 30/9 has x = 2.0646.  To first
// order it is half an hour that is lost.
TEST(Advice, SpotPaysUntilInterruptionsEatTheDiscount) {
  const Advice advice =
      of(spot(R"("availability": { "up": { "exponential": "90m" }, "down": "10m" })") + ", " +
             on_demand,
         R"("market": "spot", "checkpoint": { "every": "1h", "cost": "0s" })");
  ASSERT_TRUE(advice.break_even_per_hour);
  const double x = *advice.break_even_per_hour;
  EXPECT_NEAR(std::expm1(x) / x, 30.0 / 9, 1e-9);
  EXPECT_NEAR(x, 2.0646, 1e-4);
  ASSERT_TRUE(advice.break_even_first_order_per_hour);
  EXPECT_NEAR(*advice.break_even_first_order_per_hour, (30.0 / 9 - 1) / 0.5, 1e-12);
}

TEST(Advice, WhatGoesByTheClockHasNoRateAtRandom) {
  const Advice advice =
      of(spot(R"("reclaim": { "every": "90m", "away": "10m" })") + ", " + on_demand,
         R"("market": "spot", "checkpoint": { "every": "1h" })");
  EXPECT_FALSE(advice.break_even_per_hour);
  EXPECT_FALSE(advice.break_even_first_order_per_hour);
}

const std::string both = spot(R"("reclaim": { "every": "90m", "away": "10m" })") + ", " + on_demand;

// What is written while the one before uploads is put off: two lie an upload apart, and what was
// written last counts an upload later.  1,000 GB at 100 MB a second are 10,000 s.
TEST(Advice, WhereAnInterruptionCostsLessNoRateIsTold) {
  const std::string fleets =
      spot(R"("availability": { "up": { "exponential": "5h" }, "down": "1h" })") + ", " + on_demand;
  const auto rate = [&](const std::string& keys) {
    return of(fleets, R"("market": "spot", "checkpoint": { "every": "1h")" + keys)
        .break_even_per_hour;
  };
  EXPECT_TRUE(rate("}"));
  EXPECT_FALSE(rate(R"(, "on_notice": { "save": "1m" } })"));
  EXPECT_FALSE(rate(R"(}, "elastic": { "min": 1, "resize": "1m" })"));
}

TEST(Advice, UploadsThatTakeLongerThanTheIntervalCountOneAndAHalfTimes) {
  const Advice advice =
      of(spot(R"("availability": { "up": { "exponential": "90m" }, "down": "1h" })") + ", " +
             on_demand,
         R"("market": "spot", "checkpoint": { "every": "10m", "size": 1000, "upload": 0.1 })");
  ASSERT_TRUE(advice.break_even_first_order_per_hour);
  EXPECT_NEAR(*advice.break_even_first_order_per_hour, (30.0 / 9 - 1) / (1.5 * 10'000 / 3'600),
              1e-9);  // 0.56
  ASSERT_TRUE(advice.break_even_per_hour);
  EXPECT_LT(*advice.break_even_per_hour, *advice.break_even_first_order_per_hour);
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
  const Advice done = of(both, R"("market": "spot", "checkpoint": { "every": "1h" })");
  EXPECT_FALSE(done.never_done);
}

const std::string at_once = R"("provisioning": "0s", "startup": "0s")";
const std::string clock_90m = R"("reclaim": { "every": "90m", "away": "10m" })";
const std::string mean_90m = R"("availability": { "up": { "exponential": "90m" }, "down": "1s" })";

/// A gang on Spot at a third of the price.
Advice of_gang(const std::string& market, const std::string& platform, const std::string& job) {
  const std::string text = R"jsonc({ "reeve": 1, "name": "advice",
    "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "30d" },
    "prices": { "instances": { "gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 10,
                                        "gpus": 1 } } }, "policies": { "none": [] },
    "fleet": [ { "name": "spot", "instance_type": "gpu", "capacity": 2, "market": "spot", )jsonc" +
                           market + R"( },
               { "name": "od", "instance_type": "gpu", "capacity": 2 } ],
    "platform": { )" + platform +
                           R"( }, "jobs": [ { "name": "train", "market": "spot", )" + job +
                           " } ] }";
  return advise(
      scenarios::load(scenarios::SourceFile::from_text("advice.jsonc", text), ".").scenario);
}

/// On SageMaker, 90 minutes of machines at a time.
Advice by_the_clock(const std::string& platform, const std::string& job) {
  return of_gang(clock_90m, R"("model": "sagemaker-training", )" + platform, job);
}

// Half an hour of results is paid for 10.5 h on demand; on Spot an interruption ends it.
TEST(Advice, WhatIsDeliveredAtTheEndCounts) {
  const auto rate = [](const std::string& upload) {
    return of_gang(mean_90m,
                   R"("model": "sagemaker-training", "provisioning": "0s", "startup": "0s",
                      "upload": ")" +
                       upload + "\"",
                   R"("work": "10h", "checkpoint": { "every": "1h" })")
        .break_even_per_hour;
  };
  const double without = rate("0s").value();
  EXPECT_NEAR(std::expm1(without) / without, 3, 1e-9);
  const double with = rate("30m").value();
  EXPECT_NEAR(10 * std::expm1(with) / with - std::expm1(-with / 2) / with, 3 * 10.5, 1e-9);
}

// A minute of 20 h is next to nothing; what is billed for 2 h at least is more than the last hour.
TEST(Advice, ABillingMinimumCountsOrNothingIsTold) {
  const auto advice = [](const std::string& minimum) {
    return of_gang(mean_90m,
                   R"("model": "gcp", "provisioning": "0s", "startup": "0s", "notice": "0s",
                      "billing": { "minimum": ")" +
                       minimum + "\" }",
                   R"("work": "20h", "checkpoint": { "every": "1h" })");
  };
  const double without = advice("0s").break_even_per_hour.value();
  const double with = advice("1h").break_even_per_hour.value();
  EXPECT_LT(with, without);
  const double launches = 1 + 20 * std::expm1(with);
  EXPECT_NEAR(20 * std::expm1(with) / with + launches * (1 + std::expm1(-with) / with), 60, 1e-6);
  EXPECT_FALSE(advice("2h").break_even_per_hour);
  EXPECT_EQ(advice("2h").no_break_even, "launches are shorter than the minimum billed time");
}

TEST(Advice, WhereNoFormulaHoldsItSaysWhy) {
  const auto reason = [](const std::string& market, const std::string& job) {
    const Advice advice = of_gang(market, R"("model": "sagemaker-training", )" + at_once,
                                  R"("work": "20h", "checkpoint": { "every": "1h" }, )" + job);
    EXPECT_NE(advice.break_even_per_hour.has_value(), !advice.no_break_even.empty());
    return advice.no_break_even;
  };
  EXPECT_EQ(reason(mean_90m, R"("instances": 1)"), "");
  EXPECT_EQ(reason(clock_90m, R"("instances": 1)"), "instances end on a fixed schedule");
  EXPECT_EQ(reason(mean_90m, R"("stragglers": { "hosts": [1], "speed": 0.5 })"),
            "stragglers slow some launches");
  EXPECT_EQ(reason(mean_90m, R"("faults": [ { "kind": "stall", "at": "2h", "lasts": "5h" } ])"),
            "the job has its own faults");
  EXPECT_EQ(
      reason(mean_90m + R"(, "node_faults": { "per_1000_node_days": 5 })", R"("instances": 1)"),
      "nodes also fail");
}

// Checkpoints after 2 h of work are an hour apart on machines that are twice as fast, and those
// after an hour of work 2 h apart on machines half as fast.  30/10 - 1 = 2: to first order up to 2
// / (1 h / 2) = 4 interruptions an hour.
TEST(Advice, CheckpointsAreAsFarApartAsTheMachinesAreFast) {
  const std::string job = R"("work": "20h", "checkpoint": { "every": "2h" }, "throughput": )";
  const std::string managed = R"("model": "sagemaker-training", )" + at_once;
  EXPECT_FALSE(by_the_clock(at_once, job + R"({ "gpu": 2 })").never_done);
  const Advice fast = of_gang(mean_90m, managed, job + R"({ "gpu": 2 })");
  ASSERT_TRUE(fast.break_even_first_order_per_hour);
  EXPECT_NEAR(*fast.break_even_first_order_per_hour, 4, 1e-9);
  const std::string hourly = R"("work": "20h", "checkpoint": { "every": "1h" }, "throughput": )";
  EXPECT_TRUE(by_the_clock(at_once, hourly + R"({ "gpu": 0.5 })").never_done) << "2 h apart";
}

// Nodes of a gang look for their master every 10 minutes from minute 5 on, and find it at 35: half
// an hour more of start-up.  Where that is drawn no formula holds.
TEST(Advice, GangsStartUpUntilTheyHaveMet) {
  const auto rate = [](const std::string& instances, const std::string& tags) {
    return of_gang(mean_90m,
                   R"("model": "ec2", "provisioning": "0s", "startup": "5m",
                      "billing": { "first_hour_free": false },
                      "rendezvous": { "poll": "10m", "tags_after": )" +
                       tags + " }",
                   R"("work": "20h", "checkpoint": { "every": "1h" }, "instances": )" + instances)
        .break_even_first_order_per_hour;
  };
  EXPECT_NEAR(rate("1", R"("31m")").value(), 2 / (30.0 / 60 + 5.0 / 60), 1e-9);
  EXPECT_NEAR(rate("2", R"("31m")").value(), 2 / (30.0 / 60 + 35.0 / 60), 1e-9);
  EXPECT_NEAR(rate("2", R"("3m")").value(), 2 / (30.0 / 60 + 5.0 / 60), 1e-9);
  EXPECT_FALSE(rate("2", R"({ "exponential": "31m" })"));
}

// Young: 30 s of pause and 90 minutes between losses are 9m29s of machines that do twice as much.
TEST(Advice, YoungsIntervalIsToldAsWork) {
  const std::string job = R"("work": "20h", "checkpoint": { "every": "1h", "cost": "30s" })";
  EXPECT_EQ(by_the_clock(at_once, job).checkpoint_every, 9min + 29s);
  EXPECT_EQ(by_the_clock(at_once, job + R"(, "throughput": { "gpu": 2 })").checkpoint_every,
            18min + 58s);
}

// 60 min and 40 of upload; but at 90 minutes all is done.
TEST(Advice, WhatEndsBeforeItsFirstCheckpointCountsIsDone) {
  const std::string plan = R"("checkpoint": { "every": "1h", "size": 240, "upload": 0.1 })";
  EXPECT_FALSE(by_the_clock(at_once, R"("work": "90m", )" + plan).never_done);
  EXPECT_TRUE(by_the_clock(at_once, R"("work": "91m", )" + plan).never_done);
  EXPECT_FALSE(by_the_clock(at_once, R"("work": "90m")").never_done);
  EXPECT_TRUE(by_the_clock(at_once, R"("work": "91m")").never_done);
}

// 30 minutes are left for what comes before the first checkpoint, 90 - 60.  Only launches after the
// first one restore; provisioning is neither billed nor within the clock.
TEST(Advice, TheClockRunsWhileMachinesStartUp) {
  const std::string job = R"("work": "20h", "checkpoint": { "every": "1h")";
  const auto never = [&](const std::string& platform, const std::string& restore = "") {
    return by_the_clock(platform, job + restore + " }").never_done;
  };
  EXPECT_FALSE(never(R"("provisioning": "0s", "startup": "30m")"));
  EXPECT_TRUE(never(R"("provisioning": "0s", "startup": "31m")"));
  EXPECT_FALSE(
      never(R"("provisioning": "0s", "startup": "25m")", R"(, "size": 300, "restore": 1)"));
  EXPECT_TRUE(never(R"("provisioning": "0s", "startup": "25m")", R"(, "size": 360, "restore": 1)"));
  EXPECT_FALSE(never(R"("provisioning": "0s", "startup": "0s", "first_startup": "80m")"))
      << "only the first launch is in vain";
  EXPECT_FALSE(never(R"("provisioning": "2h", "startup": "0s")")) << "nor billed";
}

// Young says 2 minutes of a second's pause and 2 h between losses; an upload takes 1,000 s.
TEST(Advice, CheckpointsComeNoFasterThanTheirUploads) {
  const Advice advice =
      of(spot(R"("availability": { "up": { "exponential": "2h" }, "down": "1h" })"),
         R"("market": "spot",
         "checkpoint": { "every": "1h", "size": 100, "write": 100, "upload": 0.1 })");
  EXPECT_EQ(advice.checkpoint_every, 1'000s);
}

/// Four machines of eight, which the job has alone.
Advice of_four(const std::string& fleet) {
  return of(R"({ "name": "f", "instance_type": "gpu", "capacity": 8, )" + fleet + "}",
            R"("instances": 4, "checkpoint": { "every": "1h", "cost": "1m" })");
}

// A fifth of a machine's losses an hour: of 1 .. 7 that are left, 1, 2 and 3 are too few for four.
TEST(Advice, AMarketThatLeavesSomeMachinesHitsAGangMoreSeldom) {
  const std::string market =
      R"("market": "spot",
         "availability": { "up": { "exponential": "5h" }, "down": "1s", "all_lost": )";
  EXPECT_NEAR(of_four(market + "0 }").losses_per_hour.value(), 0.2 * 3 / 7, 1e-12);
  EXPECT_NEAR(of_four(market + "1 }").losses_per_hour.value(), 0.2, 1e-12);
}

// 0.2 faults a day of each machine: a tenth of those of all eight takes the rack that all are in.
TEST(Advice, ARacksFaultCountsOnce) {
  const std::string faults = R"("node_faults": { "per_1000_node_days": 200,
                                 "racks": { "machines": 8, "share": 0.1 } })";
  EXPECT_NEAR(of_four(faults).losses_per_hour.value(), 0.2 / 24 * (4 * 0.9 + 8 * 0.1), 1e-12);
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

}  // namespace advice_test
}  // namespace reeve::experiments
