#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace max_runtime_test {

constexpr JobId kJob{3};

TEST(MaxRuntime, ThePlatformIsToldTheLimitOnceWhenTheAttemptIsSubmitted) {
  RuleBench bench{"max_runtime", R"({"limit": "24h"})"};
  const auto limit = bench.at(0s, {submitted(kJob), submitted(kJob)}).all<LimitRuntime>();
  ASSERT_EQ(limit.size(), 1U);
  EXPECT_EQ(limit[0].job, kJob);
  EXPECT_EQ(limit[0].limit, 24h);
  EXPECT_TRUE(bench.at(1s, {submitted(kJob), changed(kJob, 1, Secondary::starting)}).verbs.empty());
}

TEST(MaxRuntime, ATighterLimitOfTheJobsOwnIsKept) {
  RuleBench bench{"max_runtime", R"({"limit": "24h"})"};
  JobDescription description;
  description.max_runtime = 24h;
  EXPECT_TRUE(bench.at(0s, {submitted(kJob, 1, description)}).verbs.empty());
  description.max_runtime = 25h;
  EXPECT_EQ(bench.at(0s, {submitted({9}, 1, description)}).count<LimitRuntime>(), 1U);
}

TEST(MaxRuntime, WhatAPersonResubmittedIsExemptWhatARuleClonedIsNot) {
  for (const auto& [origin, exempt, expected] :
       std::vector<std::tuple<Origin, std::string, std::size_t>>{
           {Origin::person, "true", 0}, {Origin::person, "false", 1}, {Origin::rule, "true", 1}}) {
    RuleBench bench{"max_runtime", R"({"limit": "24h", "exempt_resubmitted": )" + exempt + "}"};
    bench.at(0s, {submitted(kJob)});
    bench.at(24h, {changed(kJob, 1, Secondary::max_runtime_exceeded)});
    const auto limits = bench.at(72h, {submitted(kJob, 2, {}, origin)}).all<LimitRuntime>();
    ASSERT_EQ(limits.size(), expected) << exempt;
    if (expected == 1) {
      EXPECT_EQ(limits[0].attempt, 2);
    }
  }
}

TEST(MaxRuntime, ALimitLostToAnotherRuleIsAskedForAgainAndAGuardsRefusalStands) {
  const Fact lost_to_it = refused_by(Refusal::conflict, kJob, VerbKind::limit_runtime);
  const Fact refused = settled(kJob, VerbKind::limit_runtime, Outcome::refused);
  const Fact started = settled(kJob, VerbKind::start_job, Outcome::done, kOtherSeat);
  for (const Outcome end : {Outcome::done, Outcome::expired}) {
    RuleBench lost{"max_runtime", R"({"limit": "24h"})"};
    lost.at(0s, {submitted(kJob)});
    EXPECT_TRUE(lost.at(0s, {lost_to_it}).verbs.empty());
    const Fact over = settled(kJob, VerbKind::start_job, end, kOtherSeat);
    EXPECT_EQ(lost.at(1s, {over}).count<LimitRuntime>(), 1U);
  }
  RuleBench together{"max_runtime", R"({"limit": "24h"})"};
  together.at(0s, {submitted(kJob)});
  EXPECT_EQ(together.at(0s, {lost_to_it, started}).count<LimitRuntime>(), 1U);

  RuleBench guarded{"max_runtime", R"({"limit": "24h"})"};
  guarded.at(0s, {submitted(kJob)});
  EXPECT_TRUE(guarded.at(0s, {refused}).verbs.empty());
  EXPECT_TRUE(guarded.at(1s, {started}).verbs.empty());
}

TEST(MaxRuntime, ACapThatExpiredIsAskedForAgainAMinuteLater) {
  RuleBench platform{"max_runtime", R"({"limit": "24h"})"};
  platform.at(0s, {submitted(kJob)});
  platform.at(2min, {settled(kJob, VerbKind::limit_runtime, Outcome::expired)});
  EXPECT_TRUE(platform.tick(3min - 1s).verbs.empty());
  EXPECT_EQ(platform.tick(3min).count<LimitRuntime>(), 1U);

  RuleBench clock{"max_runtime", R"({"limit": "1h", "enforce_by": "clock"})"};
  clock.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_EQ(clock.tick(1h).count<StopJob>(), 1U);
  clock.at(61min, {settled(kJob, VerbKind::stop_job, Outcome::expired)});
  EXPECT_TRUE(clock.tick(62min - 1s).verbs.empty());
  EXPECT_EQ(clock.tick(62min).count<StopJob>(), 1U);
}

TEST(MaxRuntime, AnEndedAttemptIsNotCapped) {
  RuleBench bench{"max_runtime", R"({"limit": "24h"})"};
  EXPECT_TRUE(bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::failed)}).verbs.empty());
}

const char* const kClock = R"({"limit": "24h", "enforce_by": "clock"})";

TEST(MaxRuntime, OwnClockStopsAtTheLimitOfTrainingTime) {
  RuleBench bench{"max_runtime", kClock};
  EXPECT_TRUE(bench.at(0s, {submitted(kJob)}).verbs.empty());
  bench.at(1h, {changed(kJob, 1, Secondary::starting)});
  EXPECT_TRUE(bench.at(2h, {changed(kJob, 2, Secondary::training)}).verbs.empty());
  EXPECT_TRUE(bench.tick(26h - 1s).verbs.empty());
  const auto stop = bench.tick(26h).all<StopJob>();
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(stop[0].job, kJob);
  EXPECT_TRUE(bench.at(27h, {changed(kJob, 2, Secondary::training)}).verbs.empty());
}

TEST(MaxRuntime, OwnClockFollowsLateNewsOfAnEarlierStart) {
  RuleBench bench{"max_runtime", kClock};
  bench.at(0s, {submitted(kJob), changed(kJob, 5, Secondary::training)});
  bench.step(1h, {{kStart - 2h, changed(kJob, 3, Secondary::training)}});
  EXPECT_EQ(bench.tick(22h).count<StopJob>(), 1U);
}

TEST(MaxRuntime, OwnClockLeavesEndedAndExemptAttemptsAlone) {
  RuleBench bench{"max_runtime", kClock};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  bench.at(1h, {changed(kJob, 2, Secondary::failed)});
  bench.at(2h, {submitted(kJob, 2), changed(kJob, 1, Secondary::training, 2)});
  EXPECT_TRUE(bench.tick(24h).verbs.empty());
  EXPECT_TRUE(bench.tick(48h).verbs.empty());
}

TEST(MaxRuntime, OwnClockLeavesAnAttemptAloneThatUploadsItsResult) {
  RuleBench bench{"max_runtime", kClock};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  bench.at(24h - 5s, {changed(kJob, 2, Secondary::uploading)});
  EXPECT_TRUE(bench.tick(24h).verbs.empty());
}

TEST(MaxRuntime, OwnClockCountsEachAttemptAnew) {
  RuleBench bench{"max_runtime", kClock};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  bench.at(1h, {changed(kJob, 2, Secondary::failed)});
  bench.at(2h, {submitted(kJob, 2, {}, Origin::rule), changed(kJob, 1, Secondary::training, 2)});
  EXPECT_TRUE(bench.tick(24h).verbs.empty());
  const auto stop = bench.tick(26h).all<StopJob>();
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(stop[0].attempt, 2);
}

TEST(MaxRuntime, AStrangeTimerDoesNothing) {
  RuleBench bench{"max_runtime", kClock};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_TRUE(bench.at(1h, {TimerFired{~std::uint64_t{0}}, TimerFired{std::uint64_t{3} << 32U}})
                  .verbs.empty());
}

}  // namespace max_runtime_test
}  // namespace reeve::policies
