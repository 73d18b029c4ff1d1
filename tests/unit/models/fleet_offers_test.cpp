// Machines on offer that come and go, waits for capacity, and their prices.

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_offers_test {

using host::ReplyKind;
using policy::PlaceJob;
using policy::StartJob;
using policy::StopJob;
using Kinds = std::vector<ReplyKind>;

/// A pool of Spot whose offers are written down.
struct OffersRig : FleetRig {
  explicit OffersRig(std::vector<Offer> steps, std::uint32_t capacity = 4) {
    world.pools[0].market = Market::spot;
    world.pools[0].capacity = capacity;
    world.directory.pools[0].market = Market::spot;
    world.pools[0].replay = Replay{std::move(steps), Duration::max(), AfterEnd::hold};
    profile().checkpoint = {300s, 0s, Sync::during};
  }
  std::string offered() const {
    std::string text;
    for (const Seen& news : seen) {
      const auto* fact = std::get_if<policy::CapacityChanged>(&news.what.fact);
      if (fact == nullptr) continue;
      text += fmt::format("{}{}:{}", text.empty() ? "" : " ",
                          std::chrono::duration<double>(news.delivered - rig_start).count(),
                          fact->instances);
    }
    return text;
  }
};

TEST(FleetMarket, WorkRunsWhileMachinesAreOnOfferAndRulesAreToldHowMany) {
  OffersRig rig{{{0s, 0}, {100s, 1}, {1100s, 0}, {2000s, 2}}};
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "pending 0, starting 100, downloading 160, training 280, interrupted 1100, "
            "starting 2000, downloading 2060, training 2180, uploading 2580, completed 2590");
  EXPECT_EQ(rig.offered(), "0:0 100:1 1100:0 2000:2");
  EXPECT_EQ(rig.billed(), "14.70") << "940 s and 530 s";
}

TEST(FleetMarket, WorkThatEndsWhenTheOfferFallsIsDone) {
  OffersRig rig{{{0s, 1}, {1000s, 0}}};
  const auto job = rig.job(810s);  // uploads until 1000
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, uploading 990, completed 1000");
}

TEST(FleetMarket, NobodyStartsOnMachinesThatAreLostAtThatInstant) {
  OffersRig rig{{{0s, 1}, {500s, 0}, {600s, 1}}};
  const auto job = rig.job(100s, 1, 500s);
  rig.run();
  EXPECT_EQ(rig.timeline(job).substr(0, 26), "pending 500, starting 600,");
}

TEST(FleetMarket, AGangThatLosesOneMachineLosesAllAndItsOthersServeWhoFits) {
  OffersRig rig{{{0s, 4}, {1000s, 3}}};
  const auto gang = rig.job(5000s, 4);
  const auto small = rig.job(100s, 2, 10s);
  rig.call(1500s, StopJob{gang, 1});
  rig.run();
  EXPECT_EQ(rig.timeline(gang).substr(42, 16), "interrupted 1000");
  EXPECT_EQ(rig.timeline(small).substr(0, 27), "pending 10, starting 1500, ")
      << "who was interrupted is first in line, and does not fit";
}

TEST(FleetMarket, AnAttemptThatIsEndingIsOverWhenItsMachinesGo) {
  OffersRig rig{{{0s, 1}, {1000s, 0}}};
  const auto job = rig.job(815s);  // would upload until 1005
  rig.run();
  EXPECT_EQ(rig.timeline(job).substr(42), "uploading 995, completed 1000");
}

TEST(FleetMarket, AsFewAsItTakesLoseTheirMachinesInTheOrderOfThePool) {
  const auto interrupted = [](ReclaimOrder order, std::uint64_t seed = 1) {
    OffersRig rig{{{0s, 4}, {1000s, 2}}};
    rig.world.pools[0].reclaim_order = order;
    rig.world.seed = seed;
    rig.job(5000s, 1, 0s);
    rig.job(5000s, 2, 10s);
    rig.job(5000s, 1, 20s);
    rig.run(1500s);
    std::string who;
    for (const JobRow& row : rig.record.job_rows) who += row.interruptions > 0 ? 'x' : '-';
    return who;
  };
  EXPECT_EQ(interrupted(ReclaimOrder::newest), "-x-") << "the gang alone is enough";
  EXPECT_EQ(interrupted(ReclaimOrder::oldest), "-x-");
  std::set<std::string> drawn;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    drawn.insert(interrupted(ReclaimOrder::random, seed));
  }
  EXPECT_EQ(drawn, (std::set<std::string>{"-x-", "x-x"}));
}

TEST(FleetMarket, OnDemandKeepsWhatItHasAndTurnsAwayWhoAsks) {
  OffersRig rig{{{0s, 2}, {100s, 0}, {2000s, 1}}};
  rig.world.pools[0].market = Market::on_demand;
  const auto first = rig.job(1000s);
  const auto late = rig.job(100s, 1, 200s);
  rig.run();
  EXPECT_EQ(rig.timeline(first),
            "starting 0, downloading 60, training 180, uploading 1180, completed 1190");
  EXPECT_EQ(rig.timeline(late).substr(0, 27), "pending 200, starting 2000,");
}

TEST(FleetMarket, AReservationEndsAndStopsWhatRuns) {
  FleetRig rig;
  rig.world.pools[0].market = Market::reserved;
  rig.world.pools[0].windows = {{1000s, 2000s}};
  rig.profile().checkpoint = {300s, 0s, Sync::during};
  const auto job = rig.job(5000s);
  rig.run(10'000s);
  EXPECT_EQ(rig.timeline(job),
            "pending 0, starting 1000, downloading 1060, training 1180, stopping 2000, "
            "stopped 2000");
  EXPECT_EQ(rig.record.attempts.at(0).reason, EndReason::capacity);
  EXPECT_EQ(rig.row(job).progress, 600s);
  EXPECT_EQ(rig.billed(), "40.00") << "4 machines of a cent a second, 1,000 s";
  EXPECT_EQ(rig.usd(Use::idle_reserved), "30.00");
}

TEST(FleetMarket, AScarceMarketMakesEachLaunchWaitUnbilled) {
  OffersRig rig{{{0s, 1}, {1000s, 0}, {2000s, 1}}};
  rig.world.pools[0].capacity_wait = DurationLaw{Shape::fixed, 40s, 0, 0s};
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(
      rig.timeline(job),
      "pending 0, starting 40, downloading 100, training 220, interrupted 1000, starting 2040, "
      "downloading 2100, training 2220, uploading 2620, completed 2630");
  EXPECT_EQ(rig.billed(), "14.30");
}

/// Two machines on demand that take 5,000 s to be found.
struct ScarceRig : FleetRig {
  ScarceRig() {
    world.pools[0].capacity = 2;
    world.pools[0].capacity_wait = DurationLaw{Shape::fixed, 5000s, 0, 0s};
  }
  std::uint32_t held_at(Duration at) const {
    std::uint32_t held = 0;
    for (const UtilizationRow& row : record.utilization) {
      if (row.at <= rig_start + at) held = row.allocated;
    }
    return held;
  }
};

TEST(FleetMarket, WhoWaitsForCapacityIsPendingAndHoldsNothing) {
  ScarceRig rig;
  rig.profile().max_pending = 6000s;
  const auto job = rig.job(1000s, 2);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "pending 0, starting 5000, downloading 5060, training 5180, uploading 6180, "
            "completed 6190");
  EXPECT_EQ(rig.held_at(4999s), 0u);
  EXPECT_EQ(rig.held_at(5000s), 2u);
}

TEST(FleetMarket, MaxPendingTimeCountsTheWaitForCapacity) {
  for (const Admission admission : {Admission::direct, Admission::held}) {
    ScarceRig rig;
    rig.admission = admission;
    rig.profile().max_pending = 2000s;
    const auto job = rig.job(1000s, 2);
    if (admission == Admission::held) rig.call(100s, StartJob{job, 1});
    rig.run();
    EXPECT_EQ(rig.row(job).end, rig_start + (admission == Admission::held ? 2100s : 2000s));
    EXPECT_EQ(rig.row(job).ended_as, policy::Secondary::stopped);
    EXPECT_EQ(rig.billed(), "0.00");
  }
}

TEST(FleetMarket, WhatIsKeptForOneIsNotGivenToAnotherUntilHeGoes) {
  ScarceRig rig;
  const auto first = rig.job(1000s, 2);
  const auto second = rig.job(1000s, 1, 1000s);
  rig.call(2000s, StopJob{first, 1});
  rig.run();
  EXPECT_EQ(rig.timeline(first), "pending 0, stopped 2000");
  EXPECT_EQ(rig.timeline(second).substr(0, 28), "pending 1000, starting 7000,");
}

TEST(FleetMarket, WhoWaitsForCapacityCanBePlacedElsewhere) {
  ScarceRig rig;
  rig.admission = Admission::placed;
  rig.world.directory.pools.push_back({.name = "od"});
  rig.world.pools.push_back({"od", {0}, Market::on_demand, 2, {36'000'000'000}});
  const auto job = rig.job(1000s, 2);
  const auto other = rig.job(1000s, 2, 10s);
  rig.call(20s, PlaceJob{job, 1, first_pool});
  rig.call(30s, PlaceJob{other, 1, first_pool});
  rig.call(1000s, PlaceJob{job, 1, second_pool});
  rig.run();
  EXPECT_EQ(rig.timeline(job).substr(0, 25), "pending 20, starting 1000");
  EXPECT_EQ(rig.timeline(other).substr(0, 25), "pending 30, starting 6000")
      << "his wait begins when it is his turn";
}

TEST(FleetMarket, AStartIsAcceptedOnceAndWaitsForCapacity) {
  ScarceRig rig;
  rig.admission = Admission::held;
  const auto job = rig.job(1000s, 2);
  const auto other = rig.job(1000s);
  rig.call(100s, StartJob{job, 1});
  rig.call(200s, StartJob{job, 1});
  rig.call(300s, StartJob{other, 1});
  rig.run(6000s);
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::done, ReplyKind::done, ReplyKind::rejected}));
  EXPECT_EQ(rig.timeline(job), "pending 100, starting 5100, downloading 5160, training 5280");
}

TEST(FleetMarket, WhatTheMarketTakesWhileItIsWaitedForIsWaitedForOnlyOnce) {
  OffersRig rig{{{0s, 1}, {1000s, 0}, {7000s, 1}}};
  rig.world.pools[0].capacity_wait = DurationLaw{Shape::fixed, 5000s, 0, 0s};
  const auto job = rig.job(1000s);
  const auto other = rig.job(1000s, 1, 10s);
  rig.run(9000s);
  EXPECT_EQ(rig.timeline(job).substr(0, 41), "pending 0, starting 7000, downloading 706");
  EXPECT_EQ(rig.timeline(other), "pending 10") << "its turn comes after the first has ended";
  EXPECT_EQ(rig.record.interruptions, 0u);
}

TEST(FleetMarket, WhereNobodyWaitsARequestFailsOnceItsMachinesAreGone) {
  for (const bool waits : {false, true}) {
    OffersRig rig{{{0s, 1}, {1000s, 0}, {7000s, 1}}};
    rig.world.platform.model = PlatformModel::ec2;
    rig.world.platform.unmanaged.waits_for_capacity = waits;
    rig.world.pools[0].capacity_wait = DurationLaw{Shape::fixed, 5000s, 0, 0s};
    const auto job = rig.job(1000s);
    const auto none_left = rig.job(1000s, 1, 2000s);
    rig.run(20'000s);
    if (waits) {
      EXPECT_EQ(rig.timeline(job).substr(0, 25), "pending 0, starting 7000,");
      continue;
    }
    EXPECT_EQ(rig.timeline(job), "pending 0, failed 5000");
    EXPECT_EQ(rig.row(job).failure, policy::FailureClass::capacity);
    EXPECT_EQ(rig.timeline(none_left), "failed 2000");
    EXPECT_EQ(rig.billed(), "0.00");
  }
}

TEST(FleetMarket, ACapacityBlockIsPaidToItsEndWhereverTheHorizonIs) {
  FleetRig rig;
  Pool& pool = rig.world.pools[0];
  pool.market = Market::capacity_block;
  pool.windows = {{0s, 1000s}, {2000s, 6000s}, {7000s, 8000s}};
  rig.job(5000s, 4, 2000s);
  rig.run(3000s);
  EXPECT_EQ(rig.billed(), "200.00") << "4 x 5,000 s; the third is not begun";
  EXPECT_EQ(rig.usd(Use::idle_reserved), "160.00") << "4 x 1,000 s before, 4 x 3,000 s after";
  const LedgerLine& last = rig.record.ledger_lines.back();
  EXPECT_EQ(last.from, rig_start + 3000s);
  EXPECT_EQ(last.until, rig_start + 6000s);
  EXPECT_TRUE(last.amount == charge(pool.price, 4, 3000s));
}

TEST(FleetMarket, ThePriceIntegralIsExactAcrossCheckpointsStallsAndLosses) {
  OffersRig rig{{{0s, 1}, {1700s, 0}, {2000s, 1}}, 1};
  rig.world.pools[0].prices = {{0s, {36'000'000'007}},    {150s, {72'000'000'001}},
                               {485s, {18'000'000'003}},  {820s, {90'000'000'011}},
                               {1690s, {36'000'000'007}}, {2200s, {72'000'000'001}},
                               {2600s, {36'000'000'007}}};
  rig.profile().checkpoint = {300s, 20s, Sync::during};
  rig.fault(FaultKind::stall, 500s, 200s);
  const auto job = rig.job(1500s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, interrupted 1700, starting 2000, "
            "downloading 2060, training 2180, uploading 2480, completed 2490");
  EXPECT_TRUE(rig.record.ledger.residual() == 0);
  // Training 180..680 and 880..1700: 1,320 s = 4 x 320 s and 40 s that are lost, dear ones.
  EXPECT_TRUE(rig.record.ledger.uses()[static_cast<std::size_t>(Use::lost_work)] ==
              charge({90'000'000'011}, 1, 30s) + charge({36'000'000'007}, 1, 10s));
  // Pauses at 480..500, 1000..1020, 1320..1340, 1640..1660: the price changes inside the first.
  EXPECT_TRUE(rig.record.ledger.uses()[static_cast<std::size_t>(Use::checkpoint)] ==
              charge({72'000'000'001}, 1, 5s) + charge({18'000'000'003}, 1, 15s) +
                  charge({90'000'000'011}, 1, 60s) + charge({72'000'000'001}, 1, 10s))
      << "and the upload is one";
  EXPECT_TRUE(rig.record.ledger.billed() == cost(rig.world.pools[0].prices, 60s, 1700s) +
                                                cost(rig.world.pools[0].prices, 2060s, 2490s));
}

TEST(FleetMarket, AMarketThatNobodyWaitsForDoesNotKeepARunWithoutAnEndGoing) {
  OffersRig rig{{}};
  rig.world.pools[0].replay.reset();
  const DurationLaw hour{Shape::exponential, 1h, 0, 0s};
  rig.world.pools[0].synthesis = Synthesis{hour, hour, 1};
  rig.job(100s);
  rig.run();
  EXPECT_LT(rig.seen.back().delivered, rig_start + 240h);
  EXPECT_EQ(rig.record.job_rows.at(0).status, policy::Primary::completed);
}

TEST(FleetMarket, WhatAMarketOffersDoesNotDependOnWhoHoldsMachines) {
  const auto offered = [](std::uint32_t jobs) {
    OffersRig rig{{}};
    rig.world.pools[0].replay.reset();
    const DurationLaw hour{Shape::exponential, 1h, 0, 0s};
    rig.world.pools[0].synthesis = Synthesis{hour, hour, 0.5};
    for (std::uint32_t job = 0; job < jobs; ++job) rig.job(40h);
    rig.run(100h);
    return rig.offered();
  };
  EXPECT_GT(offered(0).size(), 100u);
  EXPECT_EQ(offered(0), offered(6));
}

}  // namespace fleet_offers_test
}  // namespace reeve::models
