#include <random>
#include <tuple>

#include "tests/rules/schedule/schedule_rig.hpp"
#include "waiting_jobs.hpp"

namespace reeve::policies {
namespace schedule_test {

using schedule_rig::Jobs;
using schedule_rig::kFifo;
using schedule_rig::kFifoAny;
using schedule_rig::kPool;
using schedule_rig::kSjf;
using schedule_rig::machines;
using schedule_rig::started;
using schedule_rig::work;

TEST(Schedule, FifoStartsInOrderAndTheFirstThatDoesNotFitBlocks) {
  RuleBench bench{"schedule", kFifo};
  EXPECT_EQ(started(bench.at(0s, {machines(4), submitted({0}, 1, work(3)),
                                  submitted({1}, 1, work(2)), submitted({2}, 1, work(1))})),
            (Jobs{0}));
  EXPECT_EQ(started(bench.at(1h, {changed({0}, 2, Secondary::completed)})), (Jobs{1, 2}));
}

TEST(Schedule, WhatAwaitsPlacementStartsWhereItIsPlaced) {
  constexpr PoolId other{1};
  RuleBench bench{"schedule", kFifo};
  JobDescription unplaced = work(1);
  unplaced.awaits_placement = true;
  EXPECT_EQ(started(bench.at(0s, {machines(1), machines(2, other), submitted({0}, 1, unplaced),
                                  submitted({1}, 1, unplaced), submitted({2}, 1, unplaced)})),
            (Jobs{}));
  EXPECT_EQ(started(bench.at(1s, {JobPlaced{{0}, 1, other}, JobPlaced{{1}, 1, other},
                                  JobPlaced{{2}, 1, kPool}})),
            (Jobs{2, 0, 1}));
}

TEST(Schedule, WhoIsPlacedElsewhereLeavesTheLine) {
  constexpr PoolId other{1};
  RuleBench bench{"schedule", kFifo};
  EXPECT_EQ(started(bench.at(0s, {machines(1), machines(1, other), submitted({0}, 1, work(1)),
                                  submitted({1}, 1, work(1)), submitted({2}, 1, work(1))})),
            (Jobs{0}));
  EXPECT_EQ(started(bench.at(1s, {JobPlaced{{1}, 1, other}})), (Jobs{1}));
  EXPECT_EQ(started(bench.at(1h, {changed({0}, 2, Secondary::completed)})), (Jobs{2}));
  EXPECT_EQ(started(bench.at(2h, {changed({2}, 2, Secondary::completed)})), (Jobs{}));
}

TEST(Schedule, AnyFitStartsWhateverFits) {
  RuleBench bench{"schedule", kFifoAny};
  EXPECT_EQ(started(bench.at(0s, {machines(4), submitted({0}, 1, work(3)),
                                  submitted({1}, 1, work(2)), submitted({2}, 1, work(1))})),
            (Jobs{0, 2}));
}

TEST(Schedule, SjfStartsTheShortestThenTheOldest) {
  RuleBench bench{"schedule", kSjf};
  bench.at(0s, {machines(1), submitted({9}, 1, work(1))});
  JobDescription late = work(1, 2h);
  late.submitted_at = kStart + 2s;
  JobDescription early = work(1, 2h);
  early.submitted_at = kStart + 1s;
  bench.at(3s, {submitted({1}, 1, late), submitted({2}, 1, early), submitted({3}, 1, early),
                submitted({4}, 1, work(1, 1h))});
  Jobs order;
  for (std::uint32_t last = 9; order.size() < 4; last = order.back()) {
    const auto next = started(bench.at(4h, {changed({last}, 2, Secondary::completed)}));
    ASSERT_EQ(next.size(), 1U);
    order.push_back(next[0]);
  }
  EXPECT_EQ(order, (Jobs{4, 2, 3, 1}));
}

JobDescription urgent(std::int32_t priority, std::uint32_t instances = 1) {
  JobDescription description = work(instances);
  description.priority = priority;
  return description;
}

TEST(Schedule, TheHighestPriorityIsFirstThenTheOldest) {
  RuleBench bench{"schedule", R"({"algorithm": "priority"})"};
  bench.at(0s, {machines(1), submitted({9}, 1, work(1))});
  bench.at(1s, {submitted({1}, 1, urgent(2)), submitted({2}, 1, urgent(7)),
                submitted({3}, 1, urgent(7)), submitted({4}, 1, urgent(-1))});
  EXPECT_EQ(started(bench.at(1h, {changed({9}, 2, Secondary::completed)})), (Jobs{2}));
  EXPECT_EQ(started(bench.at(2h, {changed({2}, 2, Secondary::completed)})), (Jobs{3}));
  EXPECT_EQ(started(bench.at(3h, {changed({3}, 2, Secondary::completed)})), (Jobs{1}));
  EXPECT_EQ(started(bench.at(4h, {changed({1}, 2, Secondary::completed)})), (Jobs{4}));
}

// Whatever lets jobs pass others, a new priority is a new place.
TEST(Schedule, WhosePriorityIsChangedHasItsPlaceByTheNewOne) {
  for (const char* const passing : {"none", "any_fit", "easy", "conservative"}) {
    RuleBench bench{"schedule",
                    std::string{R"({"algorithm": "priority", "backfill": ")"} + passing + R"("})"};
    bench.at(0s, {machines(1), submitted({9}, 1, work(1))});
    bench.at(1s, {submitted({0}, 1, urgent(3)), submitted({1}, 1, urgent(2)),
                  submitted({2}, 1, urgent(1))});
    EXPECT_TRUE(
        bench.at(2s, {PriorityChanged{{2}, 1, 9}, PriorityChanged{{0}, 1, 0}}).verbs.empty());
    EXPECT_EQ(started(bench.at(1h, {changed({9}, 2, Secondary::completed)})), (Jobs{2}));
    EXPECT_EQ(started(bench.at(2h, {changed({2}, 2, Secondary::completed)})), (Jobs{1}));
    EXPECT_EQ(started(bench.at(3h, {changed({1}, 2, Secondary::completed)})), (Jobs{0}));
    EXPECT_TRUE(bench.at(4h, {changed({0}, 2, Secondary::completed)}).verbs.empty());
  }
}

// The first was refused and blocks all behind it; then another is more urgent.
TEST(Schedule, InStrictOrderWhoIsHeldCanBecomeLessUrgentThanOthers) {
  RuleBench bench{"schedule", R"({"algorithm": "priority"})"};
  bench.at(0s, {machines(2), submitted({0}, 1, urgent(3)), submitted({1}, 1, urgent(2, 2))});
  EXPECT_TRUE(bench.at(1s, {settled({0}, VerbKind::start_job, Outcome::refused)}).verbs.empty());
  EXPECT_EQ(started(bench.at(2s, {PriorityChanged{{0}, 1, 1}})), (Jobs{1}));
  EXPECT_EQ(started(bench.at(1h, {changed({1}, 2, Secondary::completed)})), (Jobs{0}));
}

TEST(Schedule, EqualInstantsKeepTheOrderOfTheFile) {
  RuleBench bench{"schedule", kFifo};
  EXPECT_EQ(started(bench.at(0s, {submitted({2}, 1, work(1)), submitted({0}, 1, work(1)),
                                  submitted({1}, 1, work(1)), machines(3)})),
            (Jobs{0, 1, 2}));
}

TEST(Schedule, RepeatedNewsStartsNothingTwiceAndFreesNothingTwice) {
  RuleBench bench{"schedule", kFifo};
  const Fact first = submitted({0}, 1, work(1));
  EXPECT_EQ(started(bench.at(0s, {machines(1), machines(1), first, first})), (Jobs{0}));
  EXPECT_TRUE(bench.at(1s, {first, changed({0}, 1, Secondary::queued)}).verbs.empty());
  EXPECT_TRUE(bench.at(2s, {submitted({1}, 1, work(1)), submitted({2}, 1, work(1))}).verbs.empty());
  const Fact ended = changed({0}, 3, Secondary::completed);
  EXPECT_EQ(started(bench.at(1h, {ended, ended})), (Jobs{1}));
  EXPECT_TRUE(bench.at(1h, {ended, changed({0}, 2, Secondary::training)}).verbs.empty());
}

TEST(Schedule, LaterAttemptsQueueAgainAndOldEndsAreForgotten) {
  RuleBench bench{"schedule", kFifo};
  bench.at(0s, {machines(1), submitted({0}, 1, work(1)), submitted({1}, 1, work(1))});
  // The second attempt overtakes the end of the first: whose machines are free then.
  const Wishes next = bench.at(1h, {submitted({0}, 2, work(1))});
  EXPECT_EQ(started(next), (Jobs{1}));
  EXPECT_TRUE(bench.at(2h, {changed({0}, 3, Secondary::failed)}).verbs.empty());
  const auto again = bench.at(3h, {changed({1}, 3, Secondary::completed)}).all<StartJob>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].attempt, 2);
}

TEST(Schedule, ARefusedStartKeepsItsPlaceAndIsTriedAgainLater) {
  RuleBench bench{"schedule", kFifo};
  bench.at(0s, {machines(1), submitted({0}, 1, work(1)), submitted({1}, 1, work(1))});
  EXPECT_TRUE(bench.at(1s, {settled({0}, VerbKind::start_job, Outcome::refused)}).verbs.empty());
  EXPECT_TRUE(bench.at(2s, {submitted({2}, 1, work(1))}).verbs.empty());  // order is strict
  EXPECT_TRUE(bench.tick(1min).verbs.empty());
  EXPECT_EQ(started(bench.tick(1min + 1s)), (Jobs{0}));
  EXPECT_EQ(started(bench.at(1h, {changed({0}, 3, Secondary::completed)})), (Jobs{1}));
}

TEST(Schedule, WhatIsRefusedAgainAndAgainIsAskedForEachHour) {
  RuleBench bench{"schedule", kFifo};
  const Fact refused = settled({0}, VerbKind::start_job, Outcome::refused);
  Duration now{0};
  bench.at(now, {machines(1), submitted({0}, 1, work(1))});
  // Of one minute, doubled: 64 is the first that is no less than an hour.
  for (const Duration wait : {1min, 2min, 4min, 8min, 16min, 32min, 64min, 64min, 64min}) {
    EXPECT_TRUE(bench.at(now, {refused}).verbs.empty());
    EXPECT_TRUE(bench.tick(now + wait - 1ns).verbs.empty());
    now += wait;
    EXPECT_EQ(started(bench.tick(now)), (Jobs{0}));
  }
  // Once it ran, the next refusal is a first one.
  bench.at(now, {changed({0}, 2, Secondary::starting)});
  bench.at(now, {changed({0}, 3, Secondary::queued)});
  bench.at(now, {refused});
  EXPECT_EQ(started(bench.tick(now + 1min)), (Jobs{0}));
}

// A quota may have room again when an attempt ends: one of those refused finds out, and the next
// one when that has started.
TEST(Schedule, WhoWasRefusedIsAskedForWhenAnAttemptEnds) {
  RuleBench bench{"schedule", R"({"backfill": "any_fit"})"};
  bench.at(0s, {machines(8), submitted({0}, 1, work(1)), submitted({1}, 1, work(1)),
                submitted({2}, 1, work(1))});
  const auto refused = [](JobId job) {
    return settled(job, VerbKind::start_job, Outcome::refused);
  };
  bench.at(1s, {changed({0}, 1, Secondary::starting), refused({1}), refused({2})});
  const auto ends = bench.at(10s, {changed({0}, 3, Secondary::completed)});
  EXPECT_EQ(started(ends), (Jobs{1}));
  EXPECT_EQ(started(bench.at(11s, {changed({1}, 1, Secondary::starting)})), (Jobs{2}));
  EXPECT_TRUE(bench.at(12s, {changed({1}, 2, Secondary::downloading), refused({2})}).verbs.empty());
  EXPECT_EQ(started(bench.at(20s, {changed({1}, 3, Secondary::completed)})), (Jobs{2}));
}

Fact over_quota(JobId job) {
  return refused_by(Refusal::no_room, job, VerbKind::start_job);
}

// Three of four are refused together.  From then on one is asked for at a time, in order, as soon
// as one ends, and nobody behind the first who waits.
TEST(Schedule, InStrictOrderWhoWasRefusedStartsInOrderWithoutTimers) {
  RuleBench bench{"schedule", R"({"retry_after": "100h"})"};
  bench.at(0s, {machines(8), submitted({0}, 1, work(2)), submitted({1}, 1, work(2)),
                submitted({2}, 1, work(2)), submitted({3}, 1, work(2))});
  bench.at(0s, {changed({0}, 1, Secondary::starting), over_quota({1}), over_quota({2})});
  EXPECT_TRUE(bench.at(0s, {over_quota({3})}).verbs.empty());
  EXPECT_TRUE(bench.at(1s, {submitted({4}, 1, work(1))}).verbs.empty());
  for (std::uint32_t next = 1; next < 4; ++next) {
    const Duration now = std::chrono::hours{next};
    EXPECT_EQ(started(bench.at(now, {changed({next - 1}, 3, Secondary::completed)})), Jobs{next});
    const Fact starts = changed({next}, 1, Secondary::starting);
    EXPECT_EQ(started(bench.at(now + 1s, {starts})), Jobs{next + 1}) << "there may be room for two";
    EXPECT_TRUE(bench.at(now + 2s, {over_quota({next + 1})}).verbs.empty());
  }
  EXPECT_EQ(started(bench.at(4h, {changed({3}, 3, Secondary::completed)})), (Jobs{4}));
}

// The large one is first, so the small one must not start although it would fit in the quota.
TEST(Schedule, InStrictOrderNobodyPassesAnAskThatIsNotAnswered) {
  RuleBench bench{"schedule", kFifo};
  bench.at(0s, {machines(8), submitted({0}, 1, work(2)), submitted({1}, 1, work(4)),
                submitted({2}, 1, work(1))});
  bench.at(0s, {changed({0}, 1, Secondary::starting), over_quota({1}), over_quota({2})});
  EXPECT_EQ(started(bench.at(1h, {changed({0}, 3, Secondary::completed)})), (Jobs{1}));
  EXPECT_TRUE(bench.at(1h, {over_quota({1})}).verbs.empty());
  EXPECT_EQ(started(bench.tick(2h)), (Jobs{1}));
  EXPECT_EQ(started(bench.at(2h, {changed({1}, 1, Secondary::starting)})), (Jobs{2}));
}

// A quota is of the type: what ends in one fleet leaves room for another one; not so machines.
TEST(Schedule, AQuotaIsSharedByFleetsOfAType) {
  constexpr PoolId other{1};
  constexpr PoolId spot{2};
  for (const char* options : {kFifo, kFifoAny}) {
    RuleBench bench{"schedule", options};
    bench.directory.pools.push_back({.name = "other"});
    bench.directory.pools.push_back({.name = "spot", .market = Market::spot});
    bench.at(0s, {machines(8), machines(8, other), machines(8, spot), submitted({0}, 1, work(2)),
                  submitted({1}, 1, work(2, 1h, other)), submitted({2}, 1, work(2, 1h, spot))});
    bench.at(0s, {changed({0}, 1, Secondary::starting), over_quota({1}), over_quota({2})});
    EXPECT_EQ(started(bench.at(10s, {changed({0}, 3, Secondary::completed)})), (Jobs{1}));
    bench.at(11s, {changed({1}, 1, Secondary::starting), submitted({3}, 1, work(2))});
    const Fact taken = refused_by(Refusal::platform, {3}, VerbKind::start_job);
    EXPECT_TRUE(bench.at(12s, {taken}).verbs.empty());
    EXPECT_TRUE(bench.at(13s, {changed({1}, 3, Secondary::completed)}).verbs.empty());
  }
}

// With backfill who is refused again lets those pass that ask for less.
TEST(Schedule, WhoAsksForLessIsAskedForNextAndWhoAsksForAsMuchIsNot) {
  RuleBench bench{"schedule", kFifoAny};
  bench.at(0s,
           {machines(16), submitted({0}, 1, work(2)), submitted({1}, 1, work(4)),
            submitted({2}, 1, work(4)), submitted({3}, 1, work(2)), submitted({4}, 1, work(1))});
  bench.at(0s, {changed({0}, 1, Secondary::starting), over_quota({4}), over_quota({3}),
                over_quota({2}), over_quota({1})});
  EXPECT_EQ(started(bench.at(10s, {changed({0}, 3, Secondary::completed)})), (Jobs{1}));
  EXPECT_EQ(started(bench.at(11s, {over_quota({1})})), (Jobs{3}));
  EXPECT_EQ(started(bench.at(12s, {changed({3}, 1, Secondary::starting)})), (Jobs{4}));
  EXPECT_TRUE(bench.at(13s, {over_quota({4})}).verbs.empty());
}

// Where nothing ends, one of all that a full quota refused finds out whether it has room by now.
TEST(Schedule, AFullQuotaCostsOneTimerHoweverManyWait) {
  RuleBench bench{"schedule", kFifoAny};
  std::vector<Fact> submissions{machines(16)};
  std::vector<Fact> refusals;
  for (std::uint32_t job = 0; job < 9; ++job) {
    submissions.push_back(submitted({job}, 1, work(1)));
    refusals.push_back(over_quota({job}));
  }
  bench.at(0s, submissions);
  EXPECT_TRUE(bench.at(0s, refusals).verbs.empty());
  EXPECT_EQ(bench.timers(), 1U);
  EXPECT_EQ(started(bench.tick(1min)), (Jobs{0}));
  EXPECT_TRUE(bench.at(1min, {over_quota({0})}).verbs.empty());
  EXPECT_TRUE(bench.tick(3min - 1ns).verbs.empty()) << "after twice as long";
  EXPECT_EQ(started(bench.tick(3min)), (Jobs{0}));
  // It has: the others are asked for, one after the other.
  EXPECT_EQ(started(bench.at(3min, {changed({0}, 1, Secondary::starting)})), (Jobs{1}));
  EXPECT_EQ(started(bench.at(3min, {changed({1}, 1, Secondary::starting)})), (Jobs{2}));
}

TEST(Schedule, WhoWasStartedByOthersOrIsOverIsNotAskedForAgain) {
  for (const Secondary now : {Secondary::training, Secondary::stopped}) {
    RuleBench bench{"schedule", kFifoAny};
    bench.at(0s, {machines(8), submitted({0}, 1, work(1)), submitted({1}, 1, work(1)),
                  submitted({2}, 1, work(1))});
    bench.at(0s, {changed({0}, 1, Secondary::starting), over_quota({1}), over_quota({2})});
    bench.at(1s, {changed({1}, 1, now)});
    EXPECT_EQ(started(bench.at(10s, {changed({0}, 3, Secondary::completed)})), (Jobs{2}));
  }
}

TEST(Schedule, WhatTheKillSwitchRefusedIsAskedForAtItsRelease) {
  RuleBench bench{"schedule", kFifo};
  bench.at(0s, {machines(2), submitted({0}, 1, work(1))});
  const Fact refused = refused_by(Refusal::kill_switch, {0}, VerbKind::start_job);
  EXPECT_TRUE(bench.at(0s, {KillSwitchChanged{true}, refused}).verbs.empty());
  EXPECT_TRUE(bench.tick(2h).verbs.empty());
  EXPECT_EQ(started(bench.at(3h, {KillSwitchChanged{false}})), (Jobs{0}));
}

TEST(Schedule, WithBackfillOthersPassARefusedStart) {
  RuleBench bench{"schedule", kFifoAny};
  bench.at(0s, {machines(1), submitted({0}, 1, work(1)), submitted({1}, 1, work(1)),
                submitted({2}, 1, work(1))});
  const Fact expired = settled({0}, VerbKind::start_job, Outcome::expired);
  EXPECT_EQ(started(bench.at(1s, {expired, expired})), (Jobs{1}));
  EXPECT_TRUE(bench.tick(2min).verbs.empty());
  EXPECT_EQ(started(bench.at(1h, {changed({1}, 3, Secondary::completed)})), (Jobs{0}));
}

TEST(Schedule, AStartThatWasLostToAnotherRuleIsTriedWhenThatIsOver) {
  RuleBench bench{"schedule", kFifo};
  bench.at(0s, {machines(1), submitted({0}, 1, work(1))});
  const Fact refused = settled({0}, VerbKind::start_job, Outcome::refused);
  const Fact limited = settled({0}, VerbKind::limit_runtime, Outcome::done, kOtherSeat);
  EXPECT_TRUE(bench.at(0s, {refused}).verbs.empty());
  EXPECT_EQ(started(bench.at(1s, {limited})), (Jobs{0}));
  EXPECT_EQ(started(bench.at(1s, {refused, limited})), (Jobs{0}));
}

TEST(Schedule, AStartThatWasGivenUpButHappenedUsesItsMachines) {
  RuleBench bench{"schedule", kFifoAny};
  bench.at(0s, {machines(2), submitted({0}, 1, work(2))});
  bench.at(1s, {settled({0}, VerbKind::start_job, Outcome::expired)});
  bench.at(2s, {changed({0}, 1, Secondary::starting)});
  EXPECT_TRUE(bench.at(3s, {submitted({1}, 1, work(1))}).verbs.empty());
  EXPECT_TRUE(bench.tick(2min).verbs.empty());
  EXPECT_EQ(started(bench.at(1h, {changed({0}, 2, Secondary::failed)})), (Jobs{1}));

  RuleBench seen{"schedule", kFifoAny};
  seen.at(0s, {machines(2), submitted({0}, 1, work(2))});
  seen.at(1s, {changed({0}, 1, Secondary::starting)});
  seen.at(2s, {settled({0}, VerbKind::start_job, Outcome::expired)});
  EXPECT_TRUE(seen.at(3s, {submitted({1}, 1, work(1))}).verbs.empty());
}

TEST(Schedule, AJobTakenOutOfTheQueueIsNotStarted) {
  RuleBench bench{"schedule", kFifo};
  bench.at(0s, {machines(1), submitted({0}, 1, work(1)), submitted({1}, 1, work(1)),
                submitted({2}, 1, work(1))});
  bench.at(1s, {changed({1}, 1, Secondary::stopped)});
  EXPECT_EQ(started(bench.at(1h, {changed({0}, 3, Secondary::completed)})), (Jobs{2}));
}

TEST(Schedule, AnAttemptThatEndedInTheQueueIsNotStartedInPlaceOfTheNextOne) {
  RuleBench bench{"schedule", kFifo};
  bench.at(0s, {machines(1), submitted({0}, 1, work(1)), submitted({1}, 1, work(1))});
  bench.at(1s, {changed({1}, 1, Secondary::stopped)});
  bench.at(2s, {submitted({2}, 1, work(1))});
  bench.at(3s, {submitted({1}, 2, work(1))});
  EXPECT_EQ(started(bench.at(1h, {changed({0}, 3, Secondary::completed)})), (Jobs{2}));
  const auto next = bench.at(2h, {changed({2}, 3, Secondary::completed)}).all<StartJob>();
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(next[0].attempt, 2);
}

TEST(Schedule, AJobThatGoesBackToTheQueueKeepsItsPlace) {
  RuleBench bench{"schedule", kFifo};
  bench.at(0s, {machines(1), submitted({0}, 1, work(1)), submitted({1}, 1, work(1))});
  bench.at(1s, {changed({0}, 1, Secondary::training)});
  EXPECT_EQ(started(bench.at(2s, {changed({0}, 2, Secondary::queued)})), (Jobs{0}));
  bench.at(3s, {changed({0}, 3, Secondary::training)});
  EXPECT_TRUE(bench.at(4s, {changed({0}, 2, Secondary::queued)}).verbs.empty());  // late
}

TEST(Schedule, NewsThatOvertakesTheSubmissionWaitsForIt) {
  RuleBench bench{"schedule", kFifoAny};
  EXPECT_TRUE(bench.at(0s, {machines(2), changed({0}, 1, Secondary::queued)}).verbs.empty());
  EXPECT_EQ(started(bench.at(1s, {submitted({0}, 1, work(2))})), (Jobs{0}));
  EXPECT_TRUE(bench.at(2s, {submitted({1}, 1, work(1))}).verbs.empty());

  RuleBench running{"schedule", kFifoAny};
  running.at(0s, {machines(2), changed({0}, 2, Secondary::training)});
  running.at(1s, {submitted({0}, 1, work(2))});
  EXPECT_TRUE(running.at(2s, {submitted({1}, 1, work(1))}).verbs.empty());
  EXPECT_EQ(started(running.at(3s, {changed({0}, 3, Secondary::completed)})), (Jobs{1}));
}

TEST(Schedule, ALaterAttemptNeedsNoSecondDescription) {
  RuleBench bench{"schedule", kFifo};
  bench.at(0s, {machines(2), submitted({0}, 1, work(2))});
  bench.at(1h, {changed({0}, 3, Secondary::failed)});
  const auto start = bench.at(2h, {changed({0}, 1, Secondary::queued, 2)}).all<StartJob>();
  ASSERT_EQ(start.size(), 1U);
  EXPECT_EQ(start[0].attempt, 2);
  EXPECT_TRUE(bench.at(2h, {submitted({0}, 2, work(2))}).verbs.empty());
}

TEST(Schedule, CapacityThatComesAndGoesIsFollowed) {
  RuleBench bench{"schedule", kFifo};
  bench.at(0s, {machines(4), submitted({0}, 1, work(4)), submitted({1}, 1, work(2))});
  bench.at(1s, {machines(1)});
  EXPECT_TRUE(bench.at(1h, {changed({0}, 3, Secondary::completed)}).verbs.empty());
  EXPECT_EQ(started(bench.at(2h, {machines(2)})), (Jobs{1}));
}

TEST(Schedule, AJobLargerThanThePoolDoesNotBlockItAndStartsWhenThePoolGrows) {
  RuleBench bench{"schedule", kFifo};
  EXPECT_EQ(
      started(bench.at(0s, {machines(2), submitted({0}, 1, work(5)), submitted({1}, 1, work(2))})),
      (Jobs{1}));
  bench.at(1s, {submitted({2}, 1, work(1))});
  EXPECT_EQ(started(bench.at(2s, {machines(7)})), (Jobs{0}));
}

TEST(Schedule, PoolsDoNotBlockEachOther) {
  RuleBench bench{"schedule", kFifo};
  bench.directory.pools.push_back({.name = "other"});
  const PoolId other{1};
  EXPECT_EQ(
      started(bench.at(0s, {machines(1), machines(1, other), submitted({0}, 1, work(1)),
                            submitted({1}, 1, work(1)), submitted({2}, 1, work(1, 1h, other))})),
      (Jobs{0, 2}));
  EXPECT_EQ(started(bench.at(1s, {submitted({3}, 1, work(1, 1h, other)),
                                  changed({2}, 2, Secondary::completed)})),
            (Jobs{3}));
}

TEST(Schedule, NothingIsAskedForWhileTheKillSwitchIsEngaged) {
  RuleBench bench{"schedule", kFifo};
  bench.at(0s, {machines(1), KillSwitchChanged{true}});
  EXPECT_TRUE(bench.at(1s, {submitted({0}, 1, work(1))}).verbs.empty());
  EXPECT_EQ(started(bench.at(2s, {KillSwitchChanged{false}})), (Jobs{0}));
  EXPECT_EQ(started(bench.step(3s, {{kStart + 1s, KillSwitchChanged{true}},
                                    {kStart + 3s, changed({0}, 2, Secondary::completed)},
                                    {kStart + 3s, submitted({1}, 1, work(1))}})),
            (Jobs{1}));
}

TEST(ArrivalLane, StaysSortedWhateverTheOrderOfArrival) {
  std::mt19937 random{5};
  ArrivalLane lane;
  std::vector<Waiting> expected;
  for (std::uint32_t n = 0; n < 5000; ++n) {
    if (random() % 5 < 3 || expected.empty()) {
      const Waiting member{static_cast<std::int64_t>(n / 3 + random() % 20), 0, {n}, 1};
      lane.push(member);
      expected.insert(std::upper_bound(expected.begin(), expected.end(), member), member);
    } else {
      lane.pop();
      expected.erase(expected.begin());
    }
    ASSERT_EQ(lane.empty(), expected.empty());
    if (!expected.empty()) {
      ASSERT_EQ(lane.front(), expected.front());
    }
  }
}

}  // namespace schedule_test
}  // namespace reeve::policies
