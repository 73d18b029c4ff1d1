#include "rule_bench.hpp"

namespace reeve::policies {
namespace {

constexpr JobId kJob{3};
constexpr PoolId kOnDemand{1};

Fact interrupted(std::uint16_t times, AttemptNumber attempt = 1) {
  return JobChanged{kJob,
                    attempt,
                    static_cast<std::uint16_t>(10 * times),
                    Primary::in_progress,
                    Secondary::interrupted,
                    FailureClass::none,
                    times};
}

struct FallbackBench : RuleBench {
  explicit FallbackBench(const std::string& options = "{}") : RuleBench{"spot_fallback", options} {
    directory.pools[0].market = Market::spot;
    directory.pools.push_back({.name = "od", .size = 2});
  }
  /// The fourth interruption, and the stop that it brings.
  void leave_spot() {
    at(0s, {submitted(kJob)});
    ASSERT_EQ(at(1h, {interrupted(4)}).count<StopJob>(), 1U);
  }
  Wishes stopped_by_rule(Duration when) {
    fleet.grow(kJob).stopped_by = static_cast<std::uint8_t>(kOwnSeat.index + 1);
    return at(when, {changed(kJob, 90, Secondary::stopped)});
  }
};

TEST(SpotFallback, TheFourthInterruptionTriggersTheThirdDoesNot) {
  FallbackBench bench;
  bench.at(0s, {submitted(kJob)});
  EXPECT_TRUE(bench.at(1h, {interrupted(3)}).verbs.empty());
  const auto stop = bench.at(2h, {interrupted(4)}).all<StopJob>();
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(stop[0].cause, StopCause::rule_broken);
  EXPECT_TRUE(bench.at(2h, {interrupted(4)}).verbs.empty()) << "told twice";
}

TEST(SpotFallback, WhatItStoppedIsClonedOnDemandOnce) {
  FallbackBench bench;
  bench.leave_spot();
  const auto clone = bench.stopped_by_rule(1h).all<CloneJob>();
  ASSERT_EQ(clone.size(), 1U);
  EXPECT_EQ(clone[0].attempt, 2);
  EXPECT_EQ(clone[0].pool, kOnDemand);
  EXPECT_EQ(clone[0].from, ResumeFrom::last_checkpoint);
  EXPECT_TRUE(bench.stopped_by_rule(1h).verbs.empty());
}

TEST(SpotFallback, WhatSomebodyElseStoppedOrWhatCompletedIsNotCloned) {
  FallbackBench stopped;
  stopped.leave_spot();
  EXPECT_TRUE(stopped.at(2h, {changed(kJob, 90, Secondary::stopped)}).verbs.empty());
  FallbackBench completed;
  completed.leave_spot();
  EXPECT_TRUE(completed.at(2h, {changed(kJob, 90, Secondary::completed)}).verbs.empty());
}

TEST(SpotFallback, WithoutMachinesElsewhereTheJobStays) {
  FallbackBench bench{R"({"market": "reserved"})"};
  bench.at(0s, {submitted(kJob)});
  EXPECT_TRUE(bench.at(1h, {interrupted(9)}).verbs.empty());
}

TEST(SpotFallback, WhereItDoesNotFitElsewhereTheJobStays) {
  for (const std::uint32_t instances : {2U, 3U}) {
    FallbackBench bench;
    JobDescription description;
    description.instances = instances;
    bench.at(0s, {submitted(kJob, 1, description)});
    EXPECT_EQ(bench.at(1h, {interrupted(4)}).count<StopJob>(), instances == 2 ? 1U : 0U);
  }
}

TEST(SpotFallback, WhatIsNotOnOfferElsewhereForTheMomentIsWaitedForThere) {
  FallbackBench bench;
  bench.at(0s, {submitted(kJob), CapacityChanged{kOnDemand, 0}});
  EXPECT_EQ(bench.at(1h, {interrupted(4)}).count<StopJob>(), 1U);
}

TEST(SpotFallback, AWarningThatExpiredIsAskedForAgain) {
  FallbackBench bench;
  bench.leave_spot();
  bench.at(2h, {refused_by(Refusal::seat_mode, kJob, VerbKind::stop_job)});
  EXPECT_TRUE(bench.at(2h, {settled(kJob, VerbKind::notify, Outcome::expired)}).verbs.empty());
  EXPECT_EQ(bench.tick(2h + 1min).count<StopJob>(), 1U);
}

TEST(SpotFallback, JobsOnDemandAreNoneOfItsBusiness) {
  FallbackBench bench;
  JobDescription description;
  description.pool = kOnDemand;
  bench.at(0s, {submitted(kJob, 1, description)});
  EXPECT_TRUE(bench.at(1h, {interrupted(9)}).verbs.empty());
}

TEST(SpotFallback, ACloneForWhichThereIsNoRoomIsAskedForLaterEachTime) {
  FallbackBench bench;
  bench.leave_spot();
  ASSERT_EQ(bench.stopped_by_rule(1h).count<CloneJob>(), 1U);
  const Fact full = refused_by(Refusal::no_room, kJob, VerbKind::clone_job, 2);
  EXPECT_TRUE(bench.at(2h, {full}).verbs.empty());
  EXPECT_EQ(bench.tick(2h + 1min).count<CloneJob>(), 1U);
  EXPECT_TRUE(bench.at(3h, {full}).verbs.empty());
  EXPECT_TRUE(bench.tick(3h + 2min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(3h + 2min).count<CloneJob>(), 1U);
}

TEST(SpotFallback, AStopThatExpiredIsAskedForAgainAndACloneToo) {
  FallbackBench bench;
  bench.leave_spot();
  bench.at(2h, {settled(kJob, VerbKind::stop_job, Outcome::expired)});
  EXPECT_EQ(bench.tick(2h + 1min).count<StopJob>(), 1U);
  EXPECT_EQ(bench.stopped_by_rule(3h).count<CloneJob>(), 1U);
  bench.at(4h, {settled(kJob, VerbKind::clone_job, Outcome::expired, kOwnSeat, 2)});
  EXPECT_EQ(bench.tick(4h + 1min).count<CloneJob>(), 1U);
}

TEST(SpotFallback, ALossyCloneStartsFromScratch) {
  FallbackBench bench{R"({"clone_keeps_checkpoint": false})"};
  bench.leave_spot();
  const auto clone = bench.stopped_by_rule(1h).all<CloneJob>();
  ASSERT_EQ(clone.size(), 1U);
  EXPECT_EQ(clone[0].from, ResumeFrom::scratch);
}

}  // namespace
}  // namespace reeve::policies
