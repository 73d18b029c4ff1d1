#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace heartbeat_test {

constexpr JobId kJob{2};

Fact reported(AttemptNumber attempt = 1) {
  return TrainingReported{kJob, attempt, 1h, false, 0};
}

/// Trains from 0s on, and has reported then.
struct HeartbeatBench : RuleBench {
  explicit HeartbeatBench(const std::string& options = "{}") : RuleBench{"heartbeat", options} {
    at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  }
};

TEST(Heartbeat, AJobThatFallsSilentIsStoppedForStandingStill) {
  HeartbeatBench bench;
  bench.at(1h - 1s, {reported()});
  EXPECT_TRUE(bench.tick(1h + 15min - 1ns).verbs.empty());
  const auto stops = bench.tick(1h + 15min).all<StopJob>();
  ASSERT_EQ(stops.size(), 1U);
  EXPECT_EQ(stops[0].cause, StopCause::standing_still);
  EXPECT_TRUE(bench.tick(2h).verbs.empty()) << "once";
}

// Whole periods: from the end of the one in which the newest report came.
TEST(Heartbeat, EachReportBeginsTheTimeAnew) {
  HeartbeatBench bench{R"({"period": "1m", "misses": 2})"};
  for (Duration now = 30s; now < 1h; now += 1min) {
    EXPECT_TRUE(bench.at(now, {reported()}).verbs.empty());
    EXPECT_TRUE(bench.tick(now + 29s).verbs.empty());
  }
  EXPECT_TRUE(bench.tick(1h + 2min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(1h + 2min).count<StopJob>(), 1U);
}

TEST(Heartbeat, WhoNeverReportsIsUnknownNotDead) {
  HeartbeatBench bench;
  EXPECT_TRUE(bench.tick(24h).verbs.empty());
}

TEST(Heartbeat, SilenceCountsOnlyWhileItTrains) {
  HeartbeatBench bench;
  bench.at(1h - 1s, {reported()});
  bench.at(1h + 5min, {changed(kJob, 2, Secondary::interrupted)});
  EXPECT_TRUE(bench.tick(3h).verbs.empty());
  bench.at(4h, {changed(kJob, 3, Secondary::training)});
  EXPECT_TRUE(bench.tick(4h + 15min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(4h + 15min).count<StopJob>(), 1U);
}

TEST(Heartbeat, AFurtherAttemptIsWatchedFromItsOwnFirstReport) {
  HeartbeatBench bench;
  bench.at(1h - 1s, {reported()});
  bench.at(1h + 5min, {changed(kJob, 3, Secondary::failed)});
  bench.at(2h, {submitted(kJob, 2), changed(kJob, 1, Secondary::training, 2)});
  bench.at(2h, {reported(1)});  // late news of the first one
  EXPECT_TRUE(bench.tick(5h).verbs.empty());
  bench.at(6h - 1s, {reported(2)});
  EXPECT_EQ(bench.tick(6h + 15min).all<StopJob>().at(0).attempt, 2);
}

TEST(Heartbeat, OnlyTellsWhereItIsToTell) {
  HeartbeatBench bench{R"({"action": "notify"})"};
  bench.at(1h - 1s, {reported()});
  EXPECT_EQ(bench.tick(2h).count<Notify>(), 1U);
}

Fact seen(Sign sign) {
  return SignsSeen{kJob, 1, static_cast<std::uint8_t>(sign)};
}

// F35: a spin hang draws power, and writes nothing.
TEST(Heartbeat, ListensForItsSignalAlone) {
  HeartbeatBench log{R"({"signal": "log_lines"})"};
  HeartbeatBench power{R"({"signal": "power"})"};
  for (HeartbeatBench* bench : {&log, &power}) {
    bench->at(1min, {seen(Sign::log_lines)});
    bench->at(1min, {seen(Sign::power)});
  }
  std::size_t stops_by_log = 0;
  for (Duration now = 2min; now < 1h; now += 1min) {
    log.at(now, {reported(), seen(Sign::power)});
    power.at(now, {reported(), seen(Sign::power)});
    stops_by_log += log.tick(now + 30s).count<StopJob>();
    EXPECT_EQ(power.tick(now + 30s).count<StopJob>(), 0U) << "power is power";
  }
  EXPECT_EQ(stops_by_log, 1U) << "a step is no log line, nor is power";
  EXPECT_EQ(power.tick(2h).count<StopJob>(), 1U);
}

TEST(Heartbeat, WhoGivesAnotherSignalIsUnknownNotDead) {
  HeartbeatBench bench{R"({"signal": "network"})"};
  bench.at(1min, {reported()});
  EXPECT_TRUE(bench.tick(24h).verbs.empty());
}

}  // namespace heartbeat_test
}  // namespace reeve::policies
