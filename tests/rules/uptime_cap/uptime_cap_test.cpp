#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace uptime_cap_test {

constexpr JobId kJob{3};

struct UptimeBench : RuleBench {
  explicit UptimeBench(const std::string& options = R"({"limit": "24h", "ahead": "0s"})")
      : RuleBench{"uptime_cap", options} {
    at(0s, {submitted(kJob), changed(kJob, 1, Secondary::pending)});
  }
};

// F25: from Starting on, not from Training, and not from the submission.
TEST(UptimeCap, MachinesAreCountedFromStartingOn) {
  UptimeBench bench;
  bench.at(1h, {changed(kJob, 2, Secondary::starting)});
  bench.at(2h, {changed(kJob, 3, Secondary::training)});
  EXPECT_TRUE(bench.tick(25h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(25h).count<StopJob>(), 1U);
  EXPECT_TRUE(bench.tick(26h).verbs.empty()) << "once";
}

TEST(UptimeCap, TheStopIsAskedForAheadOfTheLimit) {
  UptimeBench bench{R"({"limit": "24h", "ahead": "2m"})"};
  bench.at(1h, {changed(kJob, 2, Secondary::starting)});
  EXPECT_TRUE(bench.tick(24h + 57min).verbs.empty());
  EXPECT_EQ(bench.tick(24h + 58min).count<StopJob>(), 1U);
}

TEST(UptimeCap, PeopleAreToldWhenTheLimitIsReachedAndNotBefore) {
  UptimeBench bench{R"({"limit": "24h", "ahead": "2m", "action": "notify"})"};
  bench.at(1h, {changed(kJob, 2, Secondary::starting)});
  EXPECT_TRUE(bench.tick(25h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(25h).count<Notify>(), 1U);
}

TEST(UptimeCap, AnInterruptionHoldsNoMachinesAndAttemptsAddUp) {
  UptimeBench bench;
  bench.at(1h, {changed(kJob, 2, Secondary::starting)});
  bench.at(11h, {changed(kJob, 3, Secondary::interrupted)});  // 10 h
  bench.at(31h, {changed(kJob, 4, Secondary::starting)});
  bench.at(36h, {changed(kJob, 5, Secondary::failed)});  // 5 h
  bench.at(50h, {submitted(kJob, 2), changed(kJob, 1, Secondary::starting, 2)});
  EXPECT_TRUE(bench.tick(59h - 1ns).verbs.empty());
  const auto stops = bench.tick(59h).all<StopJob>();
  ASSERT_EQ(stops.size(), 1U);
  EXPECT_EQ(stops[0].attempt, 2U);
}

TEST(UptimeCap, AFurtherAttemptAfterTheLimitEndsAtOnce) {
  UptimeBench bench;
  bench.at(1h, {changed(kJob, 2, Secondary::starting)});
  bench.tick(25h);
  bench.at(25h + 1min, {settled(kJob, VerbKind::stop_job, Outcome::done),
                        changed(kJob, 3, Secondary::stopped)});
  EXPECT_TRUE(bench.at(26h, {submitted(kJob, 2)}).verbs.empty());
  EXPECT_EQ(bench.at(27h, {changed(kJob, 1, Secondary::starting, 2)}).count<StopJob>(), 1U);
}

TEST(UptimeCap, AStartToldLateCountsFromWhenItWas) {
  UptimeBench bench;
  bench.at(3h, {changed(kJob, 3, Secondary::training)});
  bench.step(4h, {{kStart + 1h, changed(kJob, 2, Secondary::starting)}});
  EXPECT_EQ(bench.tick(25h).count<StopJob>(), 1U);
}

}  // namespace uptime_cap_test
}  // namespace reeve::policies
