// Spot takes machines away, and rules choose where attempts run.

#include <cstdint>
#include <vector>

#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_market_test {

using host::ReplyKind;
using policy::CloneJob;
using policy::PlaceJob;
using policy::StartJob;
using policy::StopJob;
using Kinds = std::vector<ReplyKind>;

/// A pool of Spot, taken away 1,000 s after each launch for 400 s, and one on demand.
struct SpotRig : FleetRig {
  explicit SpotRig(std::uint32_t capacity = 4) {
    world.pools[0].market = Market::spot;
    world.pools[0].capacity = capacity;
    world.pools[0].reclaim = Reclaim{940s, 400s};  // of machines, which come after 60 s
    world.directory.pools[0].market = Market::spot;
    world.directory.pools.push_back({.name = "od"});
    world.pools.push_back({"od", {0}, Market::on_demand, 2, {72'000'000'000}});
    profile().checkpoint = {300s, 0s, Sync::during};
  }

  std::vector<std::uint16_t> interruptions_told(policy::JobId job) const {
    std::vector<std::uint16_t> told;
    for (const Seen& news : seen) {
      const auto* change = std::get_if<policy::JobChanged>(&news.what.fact);
      if (change != nullptr && change->job == job) told.push_back(change->interruptions);
    }
    return told;
  }
  std::vector<policy::JobPlaced> placed() const {
    std::vector<policy::JobPlaced> told;
    for (const Seen& news : seen) {
      const auto* fact = std::get_if<policy::JobPlaced>(&news.what.fact);
      if (fact != nullptr) told.push_back(*fact);
    }
    return told;
  }
};

TEST(FleetMarket, ALaunchLosesItsMachinesAndTheAttemptGoesOnFromWhatItKept) {
  SpotRig rig{1};
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, interrupted 1000, starting 1400, "
            "downloading 1460, training 1580, uploading 1980, completed 1990")
      << "600 s of 820 were kept";
  EXPECT_EQ(rig.interruptions_told(job), (std::vector<std::uint16_t>{0, 0, 0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(rig.usd(Use::lost_work), "2.20");
  EXPECT_EQ(rig.billed(), "14.70") << "940 s and 530 s at 1 cent: waiting costs nothing";
  EXPECT_EQ(rig.record.attempts.at(0).interruptions, 1);
}

TEST(FleetMarket, WorkThatIsDoneIsNotTakenAwayAtTheSameInstant) {
  SpotRig rig{1};
  const auto job = rig.job(820s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, uploading 1000, completed 1010");
}

TEST(FleetMarket, WhoWasInterruptedComesBeforeWhoWaits) {
  SpotRig rig{1};
  const auto job = rig.job(1000s);
  const auto waiting = rig.job(100s, 1, 500s);
  rig.run();
  EXPECT_EQ(rig.row(job).end, rig_start + 1990s);
  EXPECT_EQ(rig.timeline(waiting).substr(0, 28), "pending 500, starting 1990, ");
}

TEST(FleetMarket, ASchedulerDoesNotGetMachinesThatAnInterruptedAttemptWaitsFor) {
  SpotRig rig{2};
  rig.admission = Admission::held;
  const auto job = rig.job(1000s, 2);
  const auto small = rig.job(100s, 1, 10s);
  rig.call(0s, StartJob{job, 1});
  rig.call(1400s, StartJob{small, 1});
  rig.call(2000s, StartJob{small, 1});
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::done, ReplyKind::rejected, ReplyKind::done}));
}

TEST(FleetMarket, MachinesStayAwayThoughTheAttemptThatWaitedForThemIsStopped) {
  SpotRig rig{1};
  const auto job = rig.job(5000s);
  const auto next = rig.job(100s, 1, 500s);
  rig.call(1100s, StopJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.timeline(job).substr(42), "interrupted 1000, stopping 1100, stopped 1100");
  EXPECT_EQ(rig.timeline(next).substr(0, 28), "pending 500, starting 1400, ");
}

TEST(FleetMarket, WhoLosesMachinesGetsFreeOnesOfThePoolAtOnce) {
  SpotRig rig{2};
  const auto job = rig.job(1000s);
  const auto gang = rig.job(5000s, 2, 10s);
  rig.call(1200s, StopJob{gang, 1});
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, interrupted 1000, starting 1000, "
            "downloading 1060, training 1180, uploading 1580, completed 1590");
  EXPECT_EQ(rig.timeline(gang), "pending 10, stopped 1200")
      << "one machine was in use, then one was away and the other in use";
}

TEST(FleetMarket, MaxWaitIsOfSpotAlone) {
  SpotRig placed{1};
  placed.admission = Admission::placed;
  placed.profile().max_wait = 500s;
  const auto on_demand = placed.job(1000s);
  const auto waits = placed.job(1000s, 2);
  const auto spot = placed.job(1000s);
  placed.call(0s, PlaceJob{on_demand, 1, second_pool});
  placed.call(0s, PlaceJob{waits, 1, second_pool});
  placed.call(0s, PlaceJob{spot, 1, first_pool});
  placed.run();
  EXPECT_EQ(placed.row(on_demand).end, rig_start + 1190s);
  EXPECT_EQ(placed.row(waits).end, rig_start + 2380s);
  EXPECT_EQ(placed.row(spot).ended_as, policy::Secondary::max_wait_time_exceeded);

  SpotRig cloned{1};
  cloned.profile().max_wait = 500s;
  const auto job = cloned.job(1000s);
  cloned.call(600s, CloneJob{job, 2, policy::ResumeFrom::last_checkpoint, true, second_pool});
  cloned.run();
  EXPECT_EQ(cloned.timeline(job, 2).substr(45), "uploading 1480, completed 1490");
}

TEST(FleetMarket, WorkThatARulePutsOnSpotWaitsNoLongerThanItsMaxWait) {
  SpotRig rig{1};
  rig.admission = Admission::placed;
  rig.profile().max_wait = 700s;
  rig.profile().pool = second_pool;
  const auto first = rig.job(100'000s);
  const auto job = rig.job(1000s);
  rig.call(0s, PlaceJob{first, 1, first_pool});
  rig.call(10s, PlaceJob{job, 1, first_pool});
  rig.run(5000s);
  EXPECT_EQ(rig.timeline(job), "pending 10, max_wait_time_exceeded 700");
}

TEST(FleetMarket, SageMakerShowsAWaitForSpotAsStarting) {
  SpotRig rig{1};
  rig.world.platform.spot_waits_as = policy::Secondary::starting;
  rig.profile().max_wait = 1200s;
  rig.job(5000s);
  const auto never_ran = rig.job(5000s, 1, 10s);
  rig.run();
  EXPECT_EQ(rig.timeline(never_ran), "starting 10, stopping 1210, max_wait_time_exceeded 1210");
  for (const FleetRig::Seen& seen : rig.seen) {
    const auto* change = std::get_if<policy::JobChanged>(&seen.what.fact);
    if (change == nullptr || change->job != never_ran) continue;
    EXPECT_EQ(change->lacks_capacity, change->secondary == policy::Secondary::starting);
  }
}

TEST(FleetMarket, MaxWaitEndsAnAttemptThatWaitsRunsOrIsInterrupted) {
  SpotRig waiting{1};
  waiting.profile().max_wait = 1200s;
  const auto running = waiting.job(5000s);
  const auto never_ran = waiting.job(5000s, 1, 10s);
  waiting.run();
  EXPECT_EQ(waiting.timeline(running).substr(42), "interrupted 1000, max_wait_time_exceeded 1200");
  EXPECT_EQ(waiting.timeline(never_ran), "pending 10, max_wait_time_exceeded 1210");
  EXPECT_EQ(waiting.record.attempts.at(0).reason, EndReason::max_wait);

  SpotRig training{1};
  training.profile().max_wait = 500s;
  const auto job = training.job(5000s);
  training.run();
  EXPECT_EQ(training.timeline(job),
            "starting 0, downloading 60, training 180, stopping 500, uploading 530, "
            "max_wait_time_exceeded 540");
}

TEST(FleetMarket, PlacedWorkWaitsInNoLineUntilARuleSaysWhere) {
  SpotRig rig{1};
  rig.admission = Admission::placed;
  const auto job = rig.job(100s);
  const auto forgotten = rig.job(100s);
  const auto big = rig.job(100s, 2);
  rig.call(10s, PlaceJob{job, 1, second_pool});
  rig.call(11s, PlaceJob{job, 1, second_pool});  // a repeat
  rig.call(12s, PlaceJob{job, 1, first_pool});   // too late, it runs
  rig.call(13s, PlaceJob{big, 1, first_pool});   // can never run there
  rig.call(14s, PlaceJob{big, 2, second_pool});  // no such attempt
  rig.run(5000s);
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::done, ReplyKind::done, ReplyKind::rejected,
                                ReplyKind::rejected, ReplyKind::rejected}));
  EXPECT_EQ(rig.timeline(job),
            "starting 10, downloading 70, training 190, uploading 290, completed 300");
  EXPECT_EQ(rig.billed(), "4.60") << "230 s at 2 cents";
  EXPECT_EQ(rig.timeline(forgotten), "");
  ASSERT_EQ(rig.placed().size(), 1u);
  EXPECT_EQ(rig.placed()[0].pool, second_pool);
}

TEST(FleetMarket, NobodyStartsWorkBeforeItIsPlaced) {
  SpotRig rig{1};
  rig.admission = Admission::placed_then_held;
  const auto job = rig.job(100s);
  rig.call(0s, StartJob{job, 1});
  rig.call(10s, PlaceJob{job, 1, second_pool});
  rig.call(20s, StartJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::rejected, ReplyKind::done, ReplyKind::done}));
  EXPECT_EQ(rig.timeline(job).substr(0, 12), "starting 20,");
  EXPECT_EQ(rig.record.attempts.at(0).pool, second_pool);
}

TEST(FleetMarket, AStopEndsWorkThatWasNeverPlaced) {
  SpotRig rig;
  rig.admission = Admission::placed;
  const auto job = rig.job(100s);
  rig.call(10s, StopJob{job, 1});
  rig.run(100s);
  EXPECT_EQ(rig.timeline(job), "stopped 10");
}

TEST(FleetMarket, ACloneMayRunElsewhereAndPaysThePriceThere) {
  SpotRig rig;
  const auto job = rig.job(600s);
  rig.call(500s, StopJob{job, 1});
  rig.call(600s, CloneJob{job, 2, policy::ResumeFrom::last_checkpoint, true, second_pool});
  rig.run();
  EXPECT_EQ(rig.timeline(job, 2),
            "starting 600, downloading 660, training 780, uploading 1080, completed 1090");
  EXPECT_EQ(rig.record.attempts.at(0).pool, first_pool);
  EXPECT_EQ(rig.record.attempts.at(1).pool, second_pool);
  EXPECT_EQ(rig.billed(), "13.40") << "480 s at 1 cent, 430 s at 2";

  SpotRig wide;
  const auto gang = wide.job(600s, 3);
  wide.call(500s, StopJob{gang, 1});
  wide.call(600s, CloneJob{gang, 2, policy::ResumeFrom::last_checkpoint, true, second_pool});
  wide.run();
  EXPECT_EQ(wide.kinds(), Kinds({ReplyKind::done, ReplyKind::rejected}))
      << "three do not fit in two";
}

}  // namespace fleet_market_test
}  // namespace reeve::models
