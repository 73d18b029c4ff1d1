#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace orphan_sweep_test {

constexpr JobId kJob{3};

Fact left(std::uint32_t instances, AttemptNumber attempt = 1) {
  return MachinesLeft{kJob, attempt, instances};
}

/// What became of an alarm verb of some seat, about the alarm of `kOtherSeat` on host 1.
Fact of_alarm(VerbKind verb, Outcome outcome = Outcome::done, SeatId seat = kOtherSeat,
              AttemptNumber attempt = 1, std::uint32_t host = 1) {
  Fact fact = settled(kJob, verb, outcome, seat, attempt);
  auto& told = std::get<ActionSettled>(fact);
  told.host = host;
  told.alarm_seat = static_cast<std::uint16_t>(kOtherSeat.index);
  return fact;
}

/// The first step is at 0 s: sweeps are at each whole half hour.
struct SweepBench : RuleBench {
  explicit SweepBench(const std::string& options = "{}") : RuleBench{"orphan_sweep", options} {
    at(0s, {submitted(kJob)});
    at(10s, {changed(kJob, 1, Secondary::training)});
  }
};

TEST(OrphanSweep, TheFirstSweepThatFindsMachinesLeftOverForLongEnoughEndsThem) {
  SweepBench bench;
  EXPECT_EQ(bench.timers(), 0U) << "nothing is left over";
  bench.at(4h, {changed(kJob, 2, Secondary::completed), left(8)});
  EXPECT_TRUE(bench.tick(4h + 15min).verbs.empty());
  EXPECT_TRUE(bench.tick(4h + 30min - 1ns).verbs.empty());
  const auto ended = bench.tick(4h + 30min).all<TerminateInstances>();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].job, kJob);
  EXPECT_EQ(ended[0].attempt, 1);
  EXPECT_TRUE(bench.tick(5h).verbs.empty()) << "once";
  EXPECT_EQ(bench.timers(), 0U);
}

TEST(OrphanSweep, WhatIsLeftFifteenMinutesBeforeASweepIsEndedByIt) {
  SweepBench bench;
  bench.at(15min, {left(1)});
  EXPECT_EQ(bench.tick(30min).count<TerminateInstances>(), 1U);
}

TEST(OrphanSweep, WhatIsToldLateIsEndedByTheNextSweep) {
  SweepBench bench;
  bench.step(2h + 1min, {{kStart + 1h, left(1)}});
  EXPECT_TRUE(bench.tick(2h + 29min).verbs.empty());
  EXPECT_EQ(bench.tick(2h + 30min).count<TerminateInstances>(), 1U);
}

TEST(OrphanSweep, MachinesThatAreGoneByThenAreNotAskedFor) {
  SweepBench bench;
  bench.at(1h, {left(2)});
  bench.at(1h + 10min, {left(0)});
  bench.step(1h + 11min, {{kStart + 1h, left(2)}});  // told again
  EXPECT_TRUE(bench.tick(2h).verbs.empty());
}

TEST(OrphanSweep, WhatExpiredIsAskedForAMinuteLater) {
  SweepBench bench;
  bench.at(15min, {left(1)});
  ASSERT_EQ(bench.tick(30min).count<TerminateInstances>(), 1U);
  bench.at(31min, {settled(kJob, VerbKind::terminate_instances, Outcome::expired)});
  EXPECT_EQ(bench.tick(32min).count<TerminateInstances>(), 1U);
}

// Two of four machines were ended: news of the others that is older than that says nothing.
TEST(OrphanSweep, MachinesThatStayAreAskedForAgain) {
  SweepBench bench;
  bench.at(15min, {left(4)});
  ASSERT_EQ(bench.tick(30min).count<TerminateInstances>(), 1U);
  bench.at(31min, {settled(kJob, VerbKind::terminate_instances, Outcome::partly_done)});
  bench.step(32min, {{kStart + 29min, left(4)}});
  EXPECT_TRUE(bench.tick(1h).verbs.empty());
  bench.at(61min, {left(2)});
  EXPECT_EQ(bench.tick(90min).count<TerminateInstances>(), 1U);
  bench.at(91min, {settled(kJob, VerbKind::terminate_instances, Outcome::done)});
  bench.at(92min, {left(0)});
  EXPECT_TRUE(bench.tick(9h).verbs.empty());
}

TEST(OrphanSweep, WhatTheKillSwitchRefusedIsAskedForWhenItIsReleased) {
  SweepBench bench;
  bench.at(15min, {left(1)});
  bench.at(20min, {KillSwitchChanged{true}});
  ASSERT_EQ(bench.tick(30min).count<TerminateInstances>(), 1U);
  bench.at(31min, {refused_by(Refusal::kill_switch, kJob, VerbKind::terminate_instances)});
  EXPECT_TRUE(bench.tick(60min).verbs.empty());
  EXPECT_EQ(bench.at(70min, {KillSwitchChanged{false}}).count<TerminateInstances>(), 1U);
}

TEST(OrphanSweep, AConflictIsOverWithTheOtherAction) {
  SweepBench bench;
  bench.at(15min, {left(1), left(1, 2)});
  ASSERT_EQ(bench.tick(30min).count<TerminateInstances>(), 2U) << "of two attempts of one job";
  bench.at(31min, {refused_by(Refusal::conflict, kJob, VerbKind::terminate_instances, 2)});
  const auto again =
      bench.at(32min, {settled(kJob, VerbKind::terminate_instances, Outcome::done), left(0)})
          .all<TerminateInstances>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].attempt, 2);
}

TEST(OrphanSweep, WhatWasRefusedOnItsMeritsIsLeftAlone) {
  SweepBench bench;
  bench.at(15min, {left(1)});
  ASSERT_EQ(bench.tick(30min).count<TerminateInstances>(), 1U);
  bench.at(31min, {refused_by(Refusal::guard, kJob, VerbKind::terminate_instances)});
  bench.at(32min, {left(1)});
  EXPECT_TRUE(bench.tick(10h).verbs.empty());
}

TEST(OrphanSweep, AlarmsOfOthersThatWatchNothingAreDeleted) {
  SweepBench bench;
  bench.at(1min, {of_alarm(VerbKind::put_alarm)});
  bench.at(1min, {of_alarm(VerbKind::put_alarm, Outcome::expired, kOtherSeat, 1, 2)});
  bench.at(1min, {of_alarm(VerbKind::put_alarm, Outcome::refused, kOtherSeat, 1, 3)});
  EXPECT_EQ(bench.timers(), 0U) << "the attempt trains";
  bench.at(50min, {changed(kJob, 2, Secondary::max_runtime_exceeded)});
  EXPECT_TRUE(bench.tick(1h).verbs.empty());
  const auto gone = bench.tick(1h + 30min).all<DeleteAlarm>();
  ASSERT_EQ(gone.size(), 2U) << "one was refused; one may exist, nobody knows";
  EXPECT_EQ(gone[0].alarm.job, kJob);
  EXPECT_EQ(gone[0].alarm.host, 1U);
  EXPECT_EQ(gone[0].alarm.seat, kOtherSeat.index);
  EXPECT_TRUE(gone[0].of_others);
  EXPECT_EQ(gone[1].alarm.host, 2U);
  bench.at(1h + 31min, {of_alarm(VerbKind::delete_alarm, Outcome::done, kOwnSeat),
                        of_alarm(VerbKind::delete_alarm, Outcome::expired, kOwnSeat, 1, 2)});
  EXPECT_EQ(bench.tick(1h + 32min).count<DeleteAlarm>(), 1U);
}

TEST(OrphanSweep, WhatItsRuleDeletesInTimeIsNotDeletedTwice) {
  SweepBench bench;
  bench.at(1min, {of_alarm(VerbKind::put_alarm)});
  bench.at(50min, {changed(kJob, 2, Secondary::completed)});
  bench.at(51min, {of_alarm(VerbKind::delete_alarm)});
  EXPECT_TRUE(bench.tick(2h).verbs.empty());
}

TEST(OrphanSweep, AlarmsOfAnAttemptThatAnotherFollowedAreDeleted) {
  SweepBench bench;
  bench.at(1min, {of_alarm(VerbKind::put_alarm)});
  bench.at(40min, {submitted(kJob, 2)});
  bench.at(41min, {of_alarm(VerbKind::put_alarm, Outcome::done, kOtherSeat, 2)});
  const auto gone = bench.tick(1h).all<DeleteAlarm>();
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].attempt, 1);
  EXPECT_TRUE(bench.tick(9h).verbs.empty());
}

TEST(OrphanSweep, AnAlarmThatIsPutAfterTheEndIsFoundToo) {
  SweepBench bench;
  bench.at(10min, {changed(kJob, 2, Secondary::completed)});
  bench.at(40min, {of_alarm(VerbKind::put_alarm)});
  EXPECT_EQ(bench.tick(1h).count<DeleteAlarm>(), 1U);
}

TEST(OrphanSweep, AGangThatWaitsForWhatIsGoneIsStopped) {
  SweepBench bench;
  bench.at(12min, {NodesLost{kJob, 1, 1, 3}});
  EXPECT_TRUE(bench.tick(17min - 1ns).verbs.empty());
  const auto stops = bench.tick(17min).all<StopJob>();
  ASSERT_EQ(stops.size(), 1U);
  EXPECT_EQ(stops[0].cause, StopCause::standing_still);
  bench.at(18min, {NodesLost{kJob, 1, 1, 2}});
  EXPECT_TRUE(bench.tick(1h).verbs.empty()) << "once";
}

// That it trained before it lost machines is told when it was to be stopped already.
TEST(OrphanSweep, AGangIsStoppedThoughItsTrainingIsToldLate) {
  RuleBench bench{"orphan_sweep", "{}"};
  bench.at(0s, {submitted(kJob)});
  bench.at(10s, {changed(kJob, 1, Secondary::downloading)});
  bench.at(12min, {NodesLost{kJob, 1, 1, 3}});
  EXPECT_TRUE(bench.tick(20min).verbs.empty()) << "it is not known to train";
  bench.step(21min, {{kStart + 11min, changed(kJob, 2, Secondary::training)}});
  EXPECT_TRUE(bench.tick(36min).verbs.empty()) << "twice as long as such news takes";
  EXPECT_EQ(bench.tick(37min).count<StopJob>(), 1U);
}

TEST(OrphanSweep, AGangThatGoesOnIsLeftAlone) {
  SweepBench bench;
  bench.at(12min, {NodesLost{kJob, 1, 1, 3}});
  bench.at(13min, {changed(kJob, 2, Secondary::downloading)});
  bench.at(14min, {changed(kJob, 3, Secondary::training)});
  EXPECT_TRUE(bench.tick(1h).verbs.empty());
}

TEST(OrphanSweep, AGangThatIsToldToGoOnBeforeItsLossIsToldIsLeftAlone) {
  SweepBench bench;
  bench.at(12min, {changed(kJob, 2, Secondary::starting)});
  bench.at(14min, {changed(kJob, 3, Secondary::training)});
  for (const Duration late : {15min, 18min}) {  // and twice
    bench.step(late, {{kStart + 12min, NodesLost{kJob, 1, 1, 3}}});
  }
  EXPECT_TRUE(bench.tick(9h).verbs.empty());
}

TEST(OrphanSweep, AGangIsNotStoppedBeforeLateNewsCouldSayThatItGoesOn) {
  SweepBench bench;
  bench.step(21min, {{kStart + 11min, changed(kJob, 2, Secondary::training)}});  // 10 minutes late
  bench.at(30min, {NodesLost{kJob, 1, 1, 3}});
  EXPECT_TRUE(bench.tick(55min - 1ns).verbs.empty()) << "5 minutes and twice 10";
  EXPECT_EQ(bench.tick(55min).count<StopJob>(), 1U);
}

TEST(OrphanSweep, NewsThatComesLaterThanAnyBeforeMakesTheGangsThatAreDueWait) {
  SweepBench bench;
  bench.at(12min, {NodesLost{kJob, 1, 1, 3}});
  bench.step(16min, {{kStart + 10min, changed(kJob, 2, Secondary::training)}});  // 6 minutes late
  EXPECT_TRUE(bench.tick(17min).verbs.empty());
  bench.step(19min, {{kStart + 12min, changed(kJob, 3, Secondary::starting)}});
  EXPECT_TRUE(bench.tick(9h).verbs.empty());
}

TEST(OrphanSweep, ThatAGangWentOnAfterALossSaysNothingOfTheNext) {
  SweepBench bench;
  bench.at(12min, {NodesLost{kJob, 1, 1, 3}});
  bench.at(13min, {NodesLost{kJob, 1, 1, 2}});
  bench.step(13min, {{kStart + 12min, changed(kJob, 2, Secondary::training)}});  // 1 minute late
  EXPECT_TRUE(bench.tick(20min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(20min).count<StopJob>(), 1U);
}

TEST(OrphanSweep, WhatThePlatformRefusedIsAskedForAtTheNextSweepAndThenLessAndLess) {
  SweepBench bench;
  bench.at(15min, {left(1)});
  ASSERT_EQ(bench.tick(30min).count<TerminateInstances>(), 1U);
  const Fact refused = refused_by(Refusal::platform, kJob, VerbKind::terminate_instances);
  bench.at(30min, {refused});
  EXPECT_TRUE(bench.tick(60min - 1ns).verbs.empty());
  ASSERT_EQ(bench.tick(60min).count<TerminateInstances>(), 1U);
  bench.at(10h + 15min, {refused});  // left over for 10 h
  EXPECT_TRUE(bench.tick(15h + 30min - 1ns).verbs.empty());
  ASSERT_EQ(bench.tick(15h + 30min).count<TerminateInstances>(), 1U);
  bench.at(16h, {refused, left(0)});
  EXPECT_TRUE(bench.tick(99h).verbs.empty()) << "they are gone";
}

TEST(OrphanSweep, AMessageThatFailedIsSentAgainWhateverItWarnedOf) {
  SweepBench bench;
  bench.at(1min, {of_alarm(VerbKind::put_alarm)});
  bench.at(10min, {changed(kJob, 2, Secondary::completed)});
  ASSERT_EQ(bench.tick(30min).count<DeleteAlarm>(), 1U);
  bench.at(30min, {refused_by(Refusal::seat_mode, kJob, VerbKind::delete_alarm)});
  bench.at(31min, {settled(kJob, VerbKind::notify, Outcome::expired)});
  EXPECT_EQ(bench.tick(32min).count<DeleteAlarm>(), 1U);
  bench.at(33min, {settled(kJob, VerbKind::notify, Outcome::done)});
  EXPECT_TRUE(bench.tick(9h).verbs.empty());
}

TEST(OrphanSweep, WhatIsTurnedOffIsLeftAlone) {
  SweepBench bench{R"({"instances": false, "alarms": true, "gangs": false})"};
  bench.at(1min, {left(4), NodesLost{kJob, 1, 1, 3}});
  EXPECT_TRUE(bench.tick(9h).verbs.empty());
  EXPECT_EQ(bench.timers(), 0U);
  const auto problem =
      check_rule("orphan_sweep", R"({"instances": false, "alarms": false, "gangs": false})");
  EXPECT_EQ(problem.option, "instances");
}

}  // namespace orphan_sweep_test
}  // namespace reeve::policies
