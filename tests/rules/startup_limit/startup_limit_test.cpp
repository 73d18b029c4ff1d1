#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace startup_limit_test {

constexpr JobId kJob{3};

struct LimitBench : RuleBench {
  LimitBench() : RuleBench{"startup_limit", R"({"limit": "15m"})"} { at(0s, {submitted(kJob)}); }
};

TEST(StartupLimit, AnAttemptThatDoesNotTrainInTimeIsStoppedOnce) {
  LimitBench bench;
  bench.at(10s, {changed(kJob, 1, Secondary::starting)});
  bench.at(60s, {changed(kJob, 2, Secondary::downloading)});
  EXPECT_TRUE(bench.tick(15min + 9s).verbs.empty());
  const auto stop = bench.tick(15min + 10s).all<StopJob>();
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(stop[0].job, kJob);
  EXPECT_EQ(stop[0].cause, StopCause::never_starting);
  EXPECT_TRUE(bench.tick(16min).verbs.empty());
}

TEST(StartupLimit, WhatTrainsIsLeftAlone) {
  LimitBench bench;
  bench.at(10s, {changed(kJob, 1, Secondary::starting)});
  bench.at(14min, {changed(kJob, 2, Secondary::training)});
  EXPECT_TRUE(bench.tick(20min).verbs.empty());
}

TEST(StartupLimit, AnInterruptionBeginsItAnew) {
  LimitBench bench;
  bench.at(0s, {changed(kJob, 1, Secondary::starting)});
  bench.at(10min, {changed(kJob, 2, Secondary::interrupted)});
  bench.at(14min, {changed(kJob, 3, Secondary::starting)});
  EXPECT_TRUE(bench.tick(15min).verbs.empty());
  EXPECT_EQ(bench.tick(29min).count<StopJob>(), 1U);
}

TEST(StartupLimit, WaitingForMachinesIsNoStartUp) {
  LimitBench bench;
  bench.at(0s, {changed(kJob, 1, Secondary::pending)});
  EXPECT_TRUE(bench.tick(5h).verbs.empty());
}

TEST(StartupLimit, AWaitForCapacityInStartingCountsOnce) {
  LimitBench bench;
  Fact waits = changed(kJob, 1, Secondary::starting);
  std::get<JobChanged>(waits).lacks_capacity = true;
  bench.at(0s, {waits});
  bench.at(10min, {changed(kJob, 2, Secondary::starting)});
  EXPECT_TRUE(bench.tick(14min).verbs.empty());
  EXPECT_EQ(bench.tick(15min).count<StopJob>(), 1U);
}

TEST(StartupLimit, AStopThatExpiredIsAskedForAgain) {
  LimitBench bench;
  bench.at(0s, {changed(kJob, 1, Secondary::starting)});
  ASSERT_EQ(bench.tick(15min).count<StopJob>(), 1U);
  bench.at(16min, {settled(kJob, VerbKind::stop_job, Outcome::expired)});
  EXPECT_EQ(bench.tick(17min).count<StopJob>(), 1U);
}

TEST(StartupLimit, EachSlowStartUpIsToldOf) {
  RuleBench bench{"startup_limit", R"({"limit": "15m", "action": "notify"})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::starting)});
  EXPECT_EQ(bench.tick(15min).all<Notify>().at(0).incident, 1);
  bench.at(20min, {changed(kJob, 2, Secondary::training)});
  bench.at(1h, {changed(kJob, 3, Secondary::interrupted)});
  bench.at(2h, {changed(kJob, 4, Secondary::starting)});
  EXPECT_EQ(bench.tick(2h + 15min).all<Notify>().at(0).incident, 2);
  EXPECT_TRUE(bench.tick(3h).verbs.empty());
}

TEST(StartupLimit, WhatThePlatformRejectedIsAskedForAgainEverLater) {
  LimitBench bench;
  bench.at(0s, {changed(kJob, 1, Secondary::starting)});
  ASSERT_EQ(bench.tick(15min).count<StopJob>(), 1U);
  bench.at(15min, {refused_by(Refusal::platform, kJob, VerbKind::stop_job)});
  EXPECT_EQ(bench.tick(16min - 1ns).count<StopJob>(), 0U);
  ASSERT_EQ(bench.tick(16min).count<StopJob>(), 1U);
  bench.at(16min, {refused_by(Refusal::platform, kJob, VerbKind::stop_job)});
  EXPECT_EQ(bench.tick(18min - 1ns).count<StopJob>(), 0U);
  EXPECT_EQ(bench.tick(18min).count<StopJob>(), 1U);
}

}  // namespace startup_limit_test
}  // namespace reeve::policies
