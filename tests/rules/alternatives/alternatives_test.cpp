#include <algorithm>

#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace alternatives_test {

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

// ---- quotas, and moves to and fro

/// Each fleet is of a type of its own, and so has a quota of its own.
struct QuotaBench : FullBench {
  QuotaBench() {
    for (std::uint32_t pool = 0; pool < 3; ++pool) directory.pools[pool].type = {pool};
  }
  static Fact over_quota(JobId job, VerbKind verb = VerbKind::clone_job,
                         AttemptNumber attempt = 2) {
    return refused_by(Refusal::no_room, job, verb, attempt);
  }
};

TEST(Alternatives, WhatFailedForLackOfMachinesIsAskedForAgainWhenAQuotaRefusedIt) {
  QuotaBench bench;
  bench.at(0s, {FullBench::asks(kFirst)});
  ASSERT_EQ(bench.at(1s, {FullBench::lacked(kFirst)}).all<CloneJob>().at(0).pool, kOther);
  EXPECT_TRUE(bench.at(2s, {QuotaBench::over_quota(kFirst)}).verbs.empty());
  EXPECT_TRUE(bench.tick(61s).verbs.empty());
  // That quota is left alone for an hour, the wait of the rule.
  ASSERT_EQ(bench.tick(62s).all<CloneJob>().at(0).pool, kLast);
  EXPECT_TRUE(bench.at(63s, {QuotaBench::over_quota(kFirst)}).verbs.empty());
  ASSERT_EQ(bench.tick(63s + 2min).all<CloneJob>().at(0).pool, kOwn);
  EXPECT_TRUE(bench.at(190s, {QuotaBench::over_quota(kFirst)}).verbs.empty());
  EXPECT_TRUE(bench.tick(1h).verbs.empty());
  EXPECT_EQ(bench.tick(1h + 2s).all<CloneJob>().at(0).pool, kOther);
}

// The first finds out; nobody else gives up a place in line for that fleet until something there
// has ended.
TEST(Alternatives, NobodyLeavesALineForAQuotaThatHasJustRefused) {
  QuotaBench bench;
  const JobId runs{2};
  bench.at(0s, {FullBench::asks(runs, 1, kOther), CapacityChanged{kOther, 16},
                CapacityChanged{kLast, 0}});
  bench.at(0s, {changed(runs, 1, Secondary::training)});
  bench.at(0s, {FullBench::asks(kFirst), changed(kFirst, 1, Secondary::pending)});
  bench.at(1min, {FullBench::asks(kSecond), changed(kSecond, 1, Secondary::pending)});
  ASSERT_EQ(bench.tick(1h).all<StopJob>().at(0).job, kFirst);
  bench.fleet.grow(kFirst).stopped_by = kOwnSeat.index + 1;
  ASSERT_EQ(bench.at(1h, {changed(kFirst, 3, Secondary::stopped)}).count<CloneJob>(), 1U);
  const auto back = bench.at(1h, {QuotaBench::over_quota(kFirst)}).all<CloneJob>();
  ASSERT_EQ(back.at(0).pool, kOwn);
  bench.at(1h, {FullBench::asks(kFirst, 2), changed(kFirst, 1, Secondary::pending, 2)});
  EXPECT_TRUE(bench.tick(1h + 59min).verbs.empty()) << "the second waits longer than an hour";
  const auto moves = bench.at(1h + 59min, {changed(runs, 3, Secondary::completed)}).all<StopJob>();
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(moves[0].job, kSecond) << "the first has been moved just now";
}

// Nothing ends there.  After an hour one finds out again, and the other waits for what it hears.
TEST(Alternatives, OneFindsOutWhetherAQuotaHasRoomAgain) {
  QuotaBench bench;
  bench.at(0s, {CapacityChanged{kOther, 16}, CapacityChanged{kLast, 0}});
  const JobId third{2};
  bench.at(0s, {FullBench::asks(third), changed(third, 1, Secondary::pending)});
  bench.at(30min, {FullBench::asks(kFirst), changed(kFirst, 1, Secondary::pending),
                   FullBench::asks(kSecond), changed(kSecond, 1, Secondary::pending)});
  ASSERT_EQ(bench.tick(1h).all<StopJob>().at(0).job, third);
  bench.fleet.grow(third).stopped_by = kOwnSeat.index + 1;
  bench.at(1h, {changed(third, 3, Secondary::stopped)});
  bench.at(1h, {QuotaBench::over_quota(third)});
  EXPECT_TRUE(bench.tick(2h - 1ns).verbs.empty());
  const auto finds_out = bench.tick(2h).all<StopJob>();
  ASSERT_EQ(finds_out.size(), 1U);
  EXPECT_EQ(finds_out[0].job, kFirst);
  bench.fleet.grow(kFirst).stopped_by = kOwnSeat.index + 1;
  bench.at(2h, {changed(kFirst, 3, Secondary::stopped)});
  const auto goes = bench.at(2h + 1min, {FullBench::asks(kFirst, 2, kOther)}).all<StopJob>();
  ASSERT_EQ(goes.size(), 1U) << "there is room";
  EXPECT_EQ(goes[0].job, kSecond);
}

// A scheduler is told of quotas, too.
TEST(Alternatives, NobodyIsPlacedWhereAStartWasRefusedForItsQuota) {
  QuotaBench bench;
  const JobId starts{2};
  bench.at(0s, {FullBench::asks(kFirst), FullBench::asks(starts, 1, kOther),
                CapacityChanged{kOther, 16}});
  bench.at(30min, {QuotaBench::over_quota(starts, VerbKind::start_job, 1)});
  EXPECT_EQ(bench.tick(1h).all<PlaceJob>().at(0).pool, kLast);
}

// Each fleet lets it wait for ever.  A wait of 1 h, then 2, 4, 8 ...: 720 h are 8 whole ones (510).
TEST(Alternatives, EachMoveIsWaitedForTwiceAsLongAsTheOneBefore) {
  FullBench bench;
  bench.directory.pools[0].name = "last";  // there and back
  bench.directory.pools[2].name = "own";
  PoolId at = kOwn;
  AttemptNumber attempt = 1;
  bench.at(0s, {FullBench::asks(kFirst), changed(kFirst, 1, Secondary::pending)});
  std::vector<Duration> moves;
  for (Duration now = 0s; now <= 720h; now += 1h) {
    if (bench.tick(now).count<StopJob>() == 0) continue;
    moves.push_back(now);
    bench.at(now, {changed(kFirst, 2, Secondary::stopping, attempt)});
    bench.fleet.grow(kFirst).stopped_by = kOwnSeat.index + 1;
    const auto clones =
        bench.at(now, {changed(kFirst, 3, Secondary::stopped, attempt)}).all<CloneJob>();
    ASSERT_EQ(clones.size(), 1U);
    EXPECT_NE(clones[0].pool, at);
    at = clones[0].pool.value();
    bench.at(now, {FullBench::asks(kFirst, ++attempt, at),
                   changed(kFirst, 1, Secondary::pending, attempt)});
  }
  EXPECT_EQ(moves, (std::vector<Duration>{1h, 3h, 7h, 15h, 31h, 63h, 127h, 255h, 511h}));
}

// While a guard holds back the stop of one, the machines are free for another; it asks again when
// there is room for it.
TEST(Alternatives, WhoseStopIsHeldBackKeepsNoMachinesFromOthers) {
  FullBench bench;
  bench.at(0s, {CapacityChanged{kLast, 0}, FullBench::asks(kFirst),
                changed(kFirst, 1, Secondary::pending)});
  bench.at(1s, {FullBench::asks(kSecond)});
  ASSERT_EQ(bench.tick(1h).count<StopJob>(), 1U);
  Fact full = refused_by(Refusal::rate_limit, kFirst, VerbKind::stop_job);
  std::get<ActionSettled>(full).room_at = kStart + 3h;
  EXPECT_TRUE(bench.at(1h, {full}).verbs.empty());
  const auto placed = bench.tick(1h + 1s).all<PlaceJob>();
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_EQ(placed[0].job, kSecond);
  EXPECT_EQ(placed[0].pool, kOther);
  bench.at(3h - 1s, {CapacityChanged{kOther, 8}});
  EXPECT_EQ(bench.tick(3h).count<StopJob>(), 1U);
}

TEST(Alternatives, WhatLostToAnotherActionIsAskedForAgain) {
  FullBench bench;
  bench.at(0s, {FullBench::asks(kFirst)});
  ASSERT_EQ(bench.tick(1h).count<PlaceJob>(), 1U);
  bench.at(2h, {refused_by(Refusal::conflict, kFirst, VerbKind::place_job)});
  EXPECT_EQ(bench.at(3h, {changed(kFirst, 1, Secondary::queued)}).count<PlaceJob>(), 1U);
}

// ---- wait or move, by price and time

/// F108's machines: four of $30 an hour that one job has for 6 h, `other` of $60, `last` of $90.
/// The job in question says 10 h; how fast it is elsewhere says `speeds`.
struct PriceBench : RuleBench {
  explicit PriceBench(const std::string& limit, SpeedsByType speeds = {})
      : RuleBench{"alternatives", R"({"fleets": ["other", "last"], "after": "0s",
                                      "usd_per_hour_gained": )" +
                                      limit + "}"} {
    directory.types[0].price = {30'000'000'000};
    directory.types.push_back({.name = "a", .gpus = 8, .price = {60'000'000'000}});
    directory.types.push_back({.name = "b", .gpus = 8, .price = {90'000'000'000}});
    directory.pools.push_back({.name = "other", .type = {1}});
    directory.pools.push_back({.name = "last", .type = {2}});
    terms_.speeds = directory.intern(speeds).value();
    at(0s, {CapacityChanged{kOwn, 4}, CapacityChanged{kOther, 4}, CapacityChanged{kLast, 4}});
    at(0s, {asks(kFirst, 6h), changed(kFirst, 1, Secondary::training)});
  }
  Fact asks(JobId job, Duration lasts, Duration at_most = Duration::max()) {
    JobDescription description;
    description.instances = 4;
    description.pool = kOwn;
    description.expected_work = lasts;
    description.max_runtime = at_most;
    description.terms = directory.intern(terms_).value();
    return submitted(job, 1, description);
  }
  Fact trains() { return asks(kSecond, 10h); }

 private:
  JobTerms terms_;
};

const SpeedsByType kMild{1'000'000, 1'600'000, 0};
const SpeedsByType kBoth{1'000'000, 1'600'000, 2'000'000};

// 4 x (6.25 h x $60 - 10 h x $30) = $300 for 6 + 10 - 6.25 = 9.75 h: $30.77 an hour.
TEST(WaitOrMove, AnHourGainedCostsNoMoreThanItMay) {
  PriceBench within{"30.77", kMild};
  const auto moves = within.at(0s, {within.trains()}).all<PlaceJob>();
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(moves[0].pool, kOther);
  PriceBench beyond{"30.76", kMild};
  EXPECT_TRUE(beyond.at(0s, {beyond.trains()}).verbs.empty());
  EXPECT_TRUE(beyond.tick(5h).verbs.empty())
      << "the longer it has waited the less there is to gain";
}

// `last`: 4 x (5 h x $90 - $300) = $600 for 11 h: $54.55 an hour.  Sooner, but an hour costs more.
TEST(WaitOrMove, OfSeveralFleetsItTakesWhereAnHourGainedCostsLeast) {
  PriceBench bench{"60", kBoth};
  EXPECT_EQ(bench.at(0s, {bench.trains()}).all<PlaceJob>().at(0).pool, kOther);
  PriceBench full{"60", kBoth};
  full.at(0s, {CapacityChanged{kOther, 3}});
  EXPECT_EQ(full.at(0s, {full.trains()}).all<PlaceJob>().at(0).pool, kLast);
}

// Three times as fast for three times the price costs nothing more, nor does twice for twice.
TEST(WaitOrMove, OfSeveralThatCostNoMoreItTakesWhereItGainsMost) {
  PriceBench bench{"0", {1'000'000, 2'000'000, 3'000'000}};
  EXPECT_EQ(bench.at(0s, {bench.trains()}).all<PlaceJob>().at(0).pool, kLast);
}

// At a third of the speed it takes 30 h: later than 6 h + 10 h, whatever an hour may cost.
TEST(WaitOrMove, NobodyGoesWhereItsResultIsLater) {
  PriceBench bench{"1e6", {1'000'000, 333'333, 0}};
  EXPECT_TRUE(bench.at(0s, {bench.trains()}).verbs.empty());
}

TEST(WaitOrMove, NobodyGoesWhereItWouldBeStoppedBeforeItsEnd) {
  PriceBench bench{"1e6", {1'000'000, 900'000, 0}};
  EXPECT_TRUE(bench.at(0s, {bench.asks(kSecond, 10h, 11h)}).verbs.empty());  // 11 h 7 min there
  PriceBench longer{"1e6", {1'000'000, 900'000, 0}};
  EXPECT_EQ(longer.at(0s, {longer.asks(kSecond, 10h, 12h)}).count<PlaceJob>(), 1U);
}

// Without a speed of anywhere it is as fast anywhere: 4 x 10 h x $30 more for the wait of 6 h.
TEST(WaitOrMove, WhoseSpeedNobodyStatedIsAsFastAnywhere) {
  PriceBench within{"200"};
  EXPECT_EQ(within.at(0s, {within.trains()}).count<PlaceJob>(), 1U);
  PriceBench beyond{"199"};
  EXPECT_TRUE(beyond.at(0s, {beyond.trains()}).verbs.empty());
}

// Who is ahead has the machines from 6 h to 106 h: $1,200 more for 106 h.  It goes, and so
// whoever was ahead need not: $12,000 for 6 h.
TEST(WaitOrMove, ThoseAheadInLineAreWaitedFor) {
  PriceBench bench{"12"};
  const JobId third{2};
  const auto moves = bench.at(0s, {bench.asks(kSecond, 100h), bench.asks(third, 10h)});
  ASSERT_EQ(moves.count<PlaceJob>(), 1U);
  EXPECT_EQ(moves.all<PlaceJob>()[0].job, third);
}

// It was to end at 6 h.  Of $1,200 an hour may cost $150: who is 8 h over is to take 8 h more.  It
// is looked at again after 1 min, 2, 4, ... 512 min.
TEST(WaitOrMove, WhoHasTheMachinesForLongerThanItSaidIsWaitedForAsLongAgain) {
  PriceBench bench{"150"};
  bench.at(0s, {bench.trains()});
  Duration now = 0s;
  while (now < 6h + 512min) {
    now = bench.next_timer().value();
    ASSERT_EQ(bench.tick(now).count<PlaceJob>(), now < 6h + 512min ? 0U : 1U);
  }
  EXPECT_EQ(now, 6h + 512min);
}

// Nobody knows when: the wait is longer than any.
TEST(WaitOrMove, WhoseFleetIsTooSmallNowGoesWhereItCostsLeast) {
  PriceBench bench{"1", kBoth};
  bench.at(0s, {CapacityChanged{kOwn, 3}});
  EXPECT_EQ(bench.at(0s, {bench.trains()}).all<PlaceJob>().at(0).pool, kOther);
}

// What failed for lack of machines waits for its turn at the end of its own line, too.
TEST(WaitOrMove, WhatLackedMachinesStaysWhereOthersAreTooDear) {
  PriceBench bench{"30.76", kMild};
  bench.at(0s, {bench.trains()});
  EXPECT_TRUE(bench.at(0s, {FullBench::lacked(kSecond)}).verbs.empty());
  const auto clones = bench.at(1h, {changed(kFirst, 2, Secondary::completed)}).all<CloneJob>();
  ASSERT_EQ(clones.size(), 1U);
  EXPECT_EQ(clones[0].pool, kOwn);
}

}  // namespace alternatives_test
}  // namespace reeve::policies
