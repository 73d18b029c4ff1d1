#include <algorithm>

#include "rule_bench.hpp"

namespace reeve::policies {
namespace {

constexpr JobId kFirst{0};
constexpr JobId kSecond{1};
constexpr PoolId kOwn{0};
constexpr PoolId kOther{1};
constexpr PoolId kLast{2};

/// Jobs of four instances ask for a pool that is full; `other` has four machines, `last` eight.
struct FullBench : RuleBench {
  FullBench() : RuleBench{"alternatives", R"({"fleets": ["other", "last"], "after": "1h"})"} {
    directory.pools[0].size = 4;
    directory.pools.push_back({.name = "other", .size = 4});
    directory.pools.push_back({.name = "last", .size = 8});
    at(0s, {CapacityChanged{kOwn, 4}, CapacityChanged{kOther, 4}, CapacityChanged{kLast, 8}});
  }
  static Fact asks(JobId job, AttemptNumber attempt = 1, PoolId pool = kOwn) {
    JobDescription description;
    description.instances = 4;
    description.pool = pool;
    return submitted(job, attempt, description);
  }
  static Fact lacked(JobId job, AttemptNumber attempt = 1) {
    return changed(job, 5, Secondary::failed, attempt, FailureClass::capacity);
  }
};

TEST(Alternatives, WhoWaitsForTooLongIsPlacedInTheFirstFleetWithRoom) {
  FullBench bench;
  EXPECT_TRUE(bench.at(0s, {FullBench::asks(kFirst)}).verbs.empty());
  EXPECT_TRUE(bench.tick(1h - 1ns).verbs.empty());
  const auto moves = bench.tick(1h).all<PlaceJob>();
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(moves[0].job, kFirst);
  EXPECT_EQ(moves[0].pool, kOther);
}

TEST(Alternatives, TwoAreNeverSentForTheSameMachines) {
  FullBench bench;
  bench.at(0s, {FullBench::asks(kSecond)});
  bench.at(1s, {FullBench::asks(kFirst)});
  EXPECT_EQ(bench.tick(1h).all<PlaceJob>().at(0).job, kSecond);  // it waits longer
  const auto later = bench.tick(1h + 1s).all<PlaceJob>();
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].job, kFirst);
  EXPECT_EQ(later[0].pool, kLast);
}

TEST(Alternatives, AFleetThatOffersTooLittleIsPassedOver) {
  FullBench bench;
  bench.at(0s, {FullBench::asks(kFirst), CapacityChanged{kOther, 3}});
  EXPECT_EQ(bench.tick(1h).all<PlaceJob>().at(0).pool, kLast);
}

TEST(Alternatives, WhoFoundNoRoomMovesWhenThereIsSome) {
  FullBench bench;
  bench.at(0s, {FullBench::asks(kFirst), CapacityChanged{kOther, 0}, CapacityChanged{kLast, 0}});
  EXPECT_TRUE(bench.tick(1h).verbs.empty());
  const auto moves = bench.at(3h, {CapacityChanged{kLast, 8}}).all<PlaceJob>();
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(moves[0].pool, kLast);
}

TEST(Alternatives, WhoStartedInTimeStays) {
  FullBench bench;
  bench.at(0s, {FullBench::asks(kFirst)});
  bench.at(30min, {changed(kFirst, 1, Secondary::starting)});
  EXPECT_TRUE(bench.tick(2h).verbs.empty());
}

TEST(Alternatives, WhatThePlatformLinedUpIsStoppedAndClonedThere) {
  FullBench bench;
  bench.at(0s, {FullBench::asks(kFirst), changed(kFirst, 1, Secondary::pending)});
  const auto stops = bench.tick(1h).all<StopJob>();
  ASSERT_EQ(stops.size(), 1U);
  EXPECT_EQ(stops[0].cause, StopCause::rule_broken);
  EXPECT_TRUE(bench.at(1h + 1s, {changed(kFirst, 2, Secondary::stopping)}).verbs.empty());
  bench.fleet.grow(kFirst).stopped_by = kOwnSeat.index + 1;
  const auto clones = bench.at(1h + 2s, {changed(kFirst, 3, Secondary::stopped)}).all<CloneJob>();
  ASSERT_EQ(clones.size(), 1U);
  EXPECT_EQ(clones[0].attempt, 2);
  EXPECT_EQ(clones[0].pool, kOther);
}

TEST(Alternatives, WhatFailedForLackOfMachinesIsClonedAtOnce) {
  FullBench bench;
  bench.at(0s, {FullBench::asks(kFirst)});
  const auto clones = bench.at(1s, {FullBench::lacked(kFirst)}).all<CloneJob>();
  ASSERT_EQ(clones.size(), 1U);
  EXPECT_EQ(clones[0].pool, kOther);
}

TEST(Alternatives, WhoWasSentToMachinesThatWereNotThereWaitsAMinute) {
  FullBench bench;
  bench.at(0s, {FullBench::asks(kFirst)});
  ASSERT_EQ(bench.at(1s, {FullBench::lacked(kFirst)}).count<CloneJob>(), 1U);
  JobDescription description;
  description.instances = 4;
  description.pool = kOther;
  bench.at(1s, {submitted(kFirst, 2, description, Origin::rule)});
  EXPECT_TRUE(bench.at(1s, {FullBench::lacked(kFirst, 2)}).verbs.empty());
  const auto clones = bench.tick(61s).all<CloneJob>();
  ASSERT_EQ(clones.size(), 1U);
  EXPECT_EQ(clones[0].attempt, 3);
  EXPECT_EQ(clones[0].pool, kLast);
}

// Each time twice as long; machines for once, and it begins anew.
TEST(Alternatives, WhoIsSentInVainAgainAndAgainWaitsLongerEachTime) {
  FullBench bench;
  const auto lacks = [&](Duration at, AttemptNumber attempt) {
    bench.at(at, {FullBench::lacked(kFirst, attempt)});
  };
  const auto sent = [&](Duration at, AttemptNumber attempt) {
    JobDescription description;
    description.instances = 4;
    description.pool = kOther;
    bench.at(at, {submitted(kFirst, attempt, description, Origin::rule)});
  };
  bench.at(0s, {FullBench::asks(kFirst)});
  lacks(0s, 1);
  Duration now = 0s;
  Duration pause = 1min;
  for (AttemptNumber attempt = 2; attempt < 30; ++attempt) {
    sent(now, attempt);
    lacks(now, attempt);
    EXPECT_TRUE(bench.tick(now + pause - 1ns).verbs.empty()) << attempt;
    now += pause;
    ASSERT_EQ(bench.tick(now).count<CloneJob>(), 1U) << attempt;
    pause = std::min<Duration>(2 * pause, 64min);
  }
  sent(now, 30);
  bench.at(now, {changed(kFirst, 1, Secondary::starting, 30)});
  lacks(now + 1h, 30);
  ASSERT_EQ(bench.tick(now + 1h + 1min).count<CloneJob>(), 1U);
}

// No attempt could follow it.
TEST(Alternatives, WhatCannotBeClonedIsNotStopped) {
  FullBench bench;
  bench.at(0s, {FullBench::asks(kFirst, 65'535), changed(kFirst, 1, Secondary::pending, 65'535)});
  EXPECT_TRUE(bench.tick(2h).verbs.empty());
  EXPECT_TRUE(bench.at(3h, {FullBench::lacked(kFirst, 65'535)}).verbs.empty());
}

/// Waits in the platform's line, is stopped after an hour, and has stopped.
struct StoppedBench : FullBench {
  StoppedBench() {
    at(0s, {asks(kFirst), changed(kFirst, 1, Secondary::pending)});
    EXPECT_EQ(tick(1h).count<StopJob>(), 1U);
    fleet.grow(kFirst).stopped_by = kOwnSeat.index + 1;
    const auto clones = at(1h + 2s, {changed(kFirst, 3, Secondary::stopped)}).all<CloneJob>();
    EXPECT_EQ(clones.size(), 1U);
  }
};

TEST(Alternatives, WhatWasStoppedIsClonedWhenTheKillSwitchIsReleased) {
  StoppedBench bench;
  bench.at(1h + 3s, {KillSwitchChanged{true}});
  bench.at(1h + 4s, {refused_by(Refusal::kill_switch, kFirst, VerbKind::clone_job, 2)});
  const auto clones = bench.at(5h, {KillSwitchChanged{false}}).all<CloneJob>();
  ASSERT_EQ(clones.size(), 1U);
  EXPECT_EQ(clones[0].pool, kOther);
}

TEST(Alternatives, ACloneThatExpiredIsAskedForAMinuteLater) {
  StoppedBench bench;
  bench.at(1h + 10s, {settled(kFirst, VerbKind::clone_job, Outcome::expired, kOwnSeat, 2)});
  EXPECT_EQ(bench.tick(1h + 70s).count<CloneJob>(), 1U);
}

TEST(Alternatives, WhatWasStoppedGoesBackWhereItsCloneIsRefused) {
  StoppedBench bench;
  const auto back =
      bench.at(1h + 3s, {refused_by(Refusal::platform, kFirst, VerbKind::clone_job, 2)})
          .all<CloneJob>();
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].pool, kOwn);
  EXPECT_TRUE(bench.at(1h + 4s, {refused_by(Refusal::platform, kFirst, VerbKind::clone_job, 2)})
                  .verbs.empty());
  EXPECT_EQ(bench.tick(1h + 64s).count<CloneJob>(), 1U);  // until it may
}

TEST(Alternatives, AWaitingCloneKeepsTheMachinesItWasSentFor) {
  StoppedBench bench;
  JobDescription description;
  description.instances = 4;
  description.pool = kOther;
  bench.at(1h + 3s, {submitted(kFirst, 2, description, Origin::rule)});
  const auto moves =
      bench.at(1h + 4s, {FullBench::lacked(kSecond), FullBench::asks(kSecond)}).all<CloneJob>();
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(moves[0].job, kSecond);
  EXPECT_EQ(moves[0].pool, kLast);
}

TEST(Alternatives, OnlyTheWaitCountsNotTheAgeOfAnAttempt) {
  FullBench bench;
  bench.at(0s, {FullBench::asks(kFirst)});
  bench.at(1min, {changed(kFirst, 1, Secondary::training)});
  EXPECT_TRUE(bench.at(5h, {changed(kFirst, 2, Secondary::pending)}).verbs.empty());
  EXPECT_TRUE(bench.tick(6h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(6h).count<StopJob>(), 1U);
}

TEST(Alternatives, AMoveThatIsRefusedIsNotAskedForAgain) {
  FullBench bench;
  bench.at(0s, {FullBench::asks(kFirst)});
  ASSERT_EQ(bench.tick(1h).count<PlaceJob>(), 1U);
  bench.at(2h, {refused_by(Refusal::platform, kFirst, VerbKind::place_job)});
  EXPECT_TRUE(bench.at(3h, {CapacityChanged{kLast, 8}}).verbs.empty());
}

TEST(Alternatives, WhatLostToAnotherActionIsAskedForAgain) {
  FullBench bench;
  bench.at(0s, {FullBench::asks(kFirst)});
  ASSERT_EQ(bench.tick(1h).count<PlaceJob>(), 1U);
  bench.at(2h, {refused_by(Refusal::conflict, kFirst, VerbKind::place_job)});
  EXPECT_EQ(bench.at(3h, {changed(kFirst, 1, Secondary::queued)}).count<PlaceJob>(), 1U);
}

}  // namespace
}  // namespace reeve::policies
