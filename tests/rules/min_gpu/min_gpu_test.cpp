#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace min_gpu_test {

constexpr JobId kJob{0};

Fact alarm(AlarmState state) {
  return AlarmChanged{.alarm = {.job = kJob, .seat = 2}, .attempt = 1, .state = state};
}

struct MinGpuBench : RuleBench {
  explicit MinGpuBench(const std::string& options = "{}") : RuleBench{"min_gpu", options} {
    at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
    EXPECT_TRUE(tick(90min - 1ns).verbs.empty()) << "it would look back at what does not count";
    put = tick(90min);
  }
  /// An incident of which people are told at once.
  Wishes tell(Duration when) {
    Wishes wishes = at(when, {alarm(AlarmState::alarm)});
    const std::uint16_t incident = wishes.all<Notify>().at(0).incident;
    at(when, {of_incident(incident, settled(kJob, VerbKind::notify, Outcome::done))});
    return wishes;
  }
  Wishes put;
};

// F42: warn first.
TEST(MinGpu, AnHourBelowEightyPercentIsToldAndNoMore) {
  MinGpuBench bench;
  ASSERT_EQ(bench.put.count<PutAlarm>(), 1U);
  const AlarmRule rule = bench.put.all<PutAlarm>()[0].rule;
  EXPECT_EQ(rule.threshold, 640) << "eight GPUs";
  EXPECT_EQ(rule.compare, Compare::less);
  EXPECT_EQ(rule.period * rule.evaluation_periods, 1h);
  EXPECT_EQ(rule.datapoints_to_alarm, rule.evaluation_periods);
  const Wishes wishes = bench.at(2h, {alarm(AlarmState::alarm)});
  EXPECT_EQ(wishes.count<Notify>(), 1U);
  EXPECT_EQ(wishes.count<StopJob>(), 0U);
  EXPECT_TRUE(bench.tick(10h).verbs.empty());
}

TEST(MinGpu, WhoDoesNotMendItIsStopped) {
  MinGpuBench bench{R"({"stop_after": "4h"})"};
  EXPECT_EQ(bench.tell(2h).count<Notify>(), 1U);
  EXPECT_TRUE(bench.tick(6h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(6h).count<StopJob>(), 1U);
}

TEST(MinGpu, WhoDoesIsNot) {
  MinGpuBench bench{R"({"stop_after": "4h"})"};
  bench.tell(2h);
  bench.at(3h, {alarm(AlarmState::ok)});
  EXPECT_TRUE(bench.tick(6h).verbs.empty());
  EXPECT_EQ(bench.tell(7h).count<Notify>(), 1U) << "another incident";
  EXPECT_EQ(bench.tick(11h).count<StopJob>(), 1U);
}

// Told at 2 h, mended at 3 h, told again at 5 h: the four hours begin anew.
TEST(MinGpu, TheSecondIncidentHasAllTheTimeAgain) {
  MinGpuBench bench{R"({"stop_after": "4h"})"};
  bench.tell(2h);
  bench.at(3h, {alarm(AlarmState::ok)});
  EXPECT_EQ(bench.tell(5h).count<Notify>(), 1U);
  EXPECT_TRUE(bench.tick(6h).verbs.empty());
  EXPECT_TRUE(bench.tick(9h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(9h).count<StopJob>(), 1U);
}

TEST(MinGpu, TheTimeToMendItBeginsWhenPeopleWereTold) {
  MinGpuBench bench{R"({"stop_after": "4h"})"};
  EXPECT_EQ(bench.at(2h, {alarm(AlarmState::alarm)}).count<Notify>(), 1U);
  bench.at(2h, {refused_by(Refusal::platform, kJob, VerbKind::notify)});
  EXPECT_EQ(bench.tick(2h + 1min).count<Notify>(), 1U);
  bench.at(2h + 2min, {settled(kJob, VerbKind::notify, Outcome::done)});
  EXPECT_TRUE(bench.tick(6h + 2min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(6h + 2min).count<StopJob>(), 1U);
}

TEST(MinGpu, AStopThatIsKeptBackIsOffWhenItIsMended) {
  MinGpuBench bench{R"({"stop_after": "4h"})"};
  bench.tell(2h);
  bench.at(5h, {KillSwitchChanged{true}});
  EXPECT_EQ(bench.tick(6h).count<StopJob>(), 1U);
  bench.at(6h, {refused_by(Refusal::kill_switch, kJob, VerbKind::stop_job)});
  bench.at(6h + 10min, {alarm(AlarmState::ok)});
  bench.tell(6h + 20min);
  EXPECT_EQ(bench.at(7h, {KillSwitchChanged{false}}).count<StopJob>(), 0U);
  EXPECT_EQ(bench.tick(10h + 20min).count<StopJob>(), 1U);
}

}  // namespace min_gpu_test
}  // namespace reeve::policies
