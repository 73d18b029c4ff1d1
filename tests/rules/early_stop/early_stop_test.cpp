#include <limits>

#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace early_stop_test {

constexpr JobId kJob{2};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Fact lost(double loss, AttemptNumber attempt = 1) {
  return TrainingReported{kJob, attempt, 1h, true, loss};
}

struct EarlyStopBench : RuleBench {
  explicit EarlyStopBench(const std::string& options = "{}") : RuleBench{"early_stop", options} {
    at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  }
};

TEST(EarlyStop, TwoLooksTenMinutesApartFindThatItHasDiverged) {
  EarlyStopBench bench;
  bench.at(3h - 1min, {lost(2)});
  bench.at(3h + 30s, {lost(kNan)});
  EXPECT_TRUE(bench.tick(3h + 10min).verbs.empty());
  EXPECT_TRUE(bench.tick(3h + 20min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(3h + 20min).count<StopJob>(), 1U);
  EXPECT_TRUE(bench.tick(5h).verbs.empty()) << "once";
}

TEST(EarlyStop, ANumberBetweenTwoLooksBeginsAnew) {
  EarlyStopBench bench;
  bench.at(1min, {lost(kNan)});
  EXPECT_TRUE(bench.tick(10min).verbs.empty());
  bench.at(11min, {lost(5)});
  EXPECT_TRUE(bench.tick(20min).verbs.empty());
  bench.at(21min, {lost(kNan)});
  EXPECT_TRUE(bench.tick(30min).verbs.empty());
  EXPECT_EQ(bench.tick(40min).count<StopJob>(), 1U);
}

TEST(EarlyStop, APlateauIsALossThatImprovesNoMore) {
  const auto stopped = [](const std::string& options) {
    EarlyStopBench bench{options};
    double loss = 8;
    std::size_t stops = 0;
    for (Duration now = 10min; now <= 12h; now += 10min) {
      if (now <= 2h) loss *= 0.9;
      if (now > 2h) loss *= 0.9999;  // not worth a percent in an hour
      stops += bench.at(now, {lost(loss)}).count<StopJob>();
      stops += bench.tick(now).count<StopJob>();
      if (stops > 0) return now;
    }
    return Duration{0};
  };
  EXPECT_EQ(stopped("{}"), 0s);
  EXPECT_EQ(stopped(R"({"plateau": "1h"})"), 3h);
  EXPECT_EQ(stopped(R"({"plateau": "1h", "improvement_pct": 0})"), 0s);
}

TEST(EarlyStop, WhoTellsNothingIsLeftAlone) {
  EarlyStopBench bench{R"({"plateau": "1h", "looks": 1})"};
  EXPECT_TRUE(bench.tick(24h).verbs.empty());
}

TEST(EarlyStop, AFurtherAttemptBeginsWithACleanSlate) {
  EarlyStopBench bench;
  bench.at(1min, {lost(kNan)});
  bench.tick(10min);
  bench.at(15min, {changed(kJob, 3, Secondary::failed)});
  bench.at(1h, {submitted(kJob, 2), changed(kJob, 1, Secondary::training, 2)});
  EXPECT_TRUE(bench.tick(2h).verbs.empty());
  bench.at(2h + 1min, {lost(kNan, 2)});
  EXPECT_TRUE(bench.tick(2h + 10min).verbs.empty());
  EXPECT_EQ(bench.tick(2h + 20min).all<StopJob>().at(0).attempt, 2);
}

/// Rising again from 2 where it was 1 before: 50 minutes that were not saved are done again.
TEST(EarlyStop, WhoTrainsAgainAfterAnInterruptionBeginsAnew) {
  EarlyStopBench bench{R"({"plateau": "2h"})"};
  bench.at(1h, {lost(2)});
  bench.at(2h, {lost(1)});
  bench.at(2h + 30min, {changed(kJob, 2, Secondary::interrupted)});
  bench.at(7h, {changed(kJob, 3, Secondary::starting)});
  bench.at(7h + 10min, {changed(kJob, 4, Secondary::training), lost(2)});
  EXPECT_EQ(bench.tick(7h + 20min).count<StopJob>(), 0U) << "nobody trained for five hours";
  EXPECT_EQ(bench.tick(9h).count<StopJob>(), 0U);
  bench.at(9h + 11min, {lost(2)});
  EXPECT_EQ(bench.tick(9h + 20min).count<StopJob>(), 1U) << "two hours of this training";
}

TEST(EarlyStop, ANumberThatWasLostWithItsTrainingIsNoDivergence) {
  EarlyStopBench bench{R"({"looks": 1})"};
  bench.at(9min, {lost(kNan)});
  bench.at(9min, {changed(kJob, 2, Secondary::interrupted)});
  bench.at(1h, {changed(kJob, 3, Secondary::training)});
  bench.at(1h, {});
  bench.step(1h + 1min, {{kStart + 8min, lost(kNan)}});  // late, and of what was lost
  EXPECT_TRUE(bench.tick(2h).verbs.empty());
}

TEST(EarlyStop, WhatIsToldAtTheInstantOfALookIsSeenByIt) {
  EarlyStopBench bench{R"({"looks": 1})"};
  EXPECT_TRUE(bench.at(20min - 1ns, {lost(2)}).verbs.empty());
  EXPECT_EQ(bench.at(20min, {lost(kNan)}).count<StopJob>(), 1U);
}

TEST(EarlyStop, WhereNothingIsWrongItDoesNotWakeUp) {
  EarlyStopBench bench{R"({"plateau": "1h"})"};
  double loss = 8;
  for (Duration now = 10min; now <= 12h; now += 10min) bench.at(now, {lost(loss *= 0.9)});
  EXPECT_EQ(bench.timers(), 0U);
}

TEST(EarlyStop, AnOldTimerAtTheInstantOfALookTakesNothingFromIt) {
  EarlyStopBench bench{R"({"looks": 1, "every": "1h"})"};
  bench.at(1h + 10min, {lost(kNan)});  // it would look at 2 h
  bench.at(1h + 20min, {changed(kJob, 2, Secondary::interrupted)});
  bench.at(1h + 30min, {changed(kJob, 3, Secondary::training)});
  std::vector<Fact> at_once{lost(kNan)};
  for (Fact& fired : bench.fired(2h)) at_once.push_back(std::move(fired));
  ASSERT_EQ(at_once.size(), 2U);
  EXPECT_EQ(bench.at(2h, std::move(at_once)).count<StopJob>(), 1U);
}

TEST(EarlyStop, WhatWasRejectedIsNotPutOffToTheNextLook) {
  EarlyStopBench bench{R"({"looks": 1, "every": "1h"})"};
  bench.at(30min, {lost(kNan)});
  EXPECT_EQ(bench.tick(1h).count<StopJob>(), 1U);
  bench.at(1h, {refused_by(Refusal::platform, kJob, VerbKind::stop_job)});
  EXPECT_EQ(bench.tick(1h + 1min).count<StopJob>(), 1U);
  bench.at(1h + 1min, {KillSwitchChanged{true}});
  bench.at(1h + 1min, {refused_by(Refusal::kill_switch, kJob, VerbKind::stop_job)});
  EXPECT_EQ(bench.at(1h + 10min, {KillSwitchChanged{false}}).count<StopJob>(), 1U);
}

TEST(EarlyStop, OfWhatPeopleWereToldItLooksNoMoreUntilItIsOver) {
  EarlyStopBench bench{R"({"plateau": "1h", "action": "notify"})"};
  bench.at(5min, {lost(2)});
  bench.at(1h + 5min, {lost(2)});
  EXPECT_EQ(bench.tick(1h + 10min).count<Notify>(), 1U);
  bench.at(1h + 15min, {lost(2)});
  EXPECT_EQ(bench.timers(), 0U);
  bench.at(1h + 25min, {lost(1)});
  bench.tick(1h + 30min);
  bench.at(2h + 25min, {lost(1)});
  EXPECT_EQ(bench.tick(2h + 30min).all<Notify>().at(0).incident, 2);
}

TEST(EarlyStop, OneLookWithoutANumberDoesNotEndAPlateau) {
  EarlyStopBench bench{R"({"plateau": "1h", "action": "notify"})"};
  std::size_t told = 0;
  for (Duration now = 10min; now <= 5h; now += 10min) {
    told += bench.at(now, {lost(now == 3h ? kNan : 2.0)}).count<Notify>();
    told += bench.tick(now).count<Notify>();
  }
  EXPECT_EQ(told, 1U);
}

TEST(EarlyStop, ADivergenceAfterAPlateauIsToldAsAnotherIncident) {
  EarlyStopBench bench{R"({"plateau": "1h", "action": "notify", "looks": 1})"};
  bench.at(1min, {lost(1)});
  bench.at(1h + 5min, {lost(1)});
  EXPECT_EQ(bench.tick(1h + 10min).all<Notify>().at(0).incident, 1);
  bench.at(3h + 5min, {lost(1)});
  EXPECT_TRUE(bench.tick(3h + 10min).verbs.empty()) << "once";
  bench.at(3h + 15min, {lost(kNan)});
  EXPECT_EQ(bench.tick(3h + 20min).all<Notify>().at(0).incident, 2);
}

}  // namespace early_stop_test
}  // namespace reeve::policies
