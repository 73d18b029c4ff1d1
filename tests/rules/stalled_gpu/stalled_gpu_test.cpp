// stalled_gpu: its alarms, the stop and the message.

#include <chrono>
#include <cstdint>

#include "tests/rules/rule_bench.hpp"
#include "tests/rules/stalled_gpu/stalled_gpu_cases.hpp"

namespace reeve::policies {
namespace stalled_gpu_test {

TEST(StalledGpu, TheArticlesAlarmIsPutOnTheFirstHostWhenTrainingStarts) {
  RuleBench bench{"stalled_gpu", "{}"};
  EXPECT_TRUE(bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::starting)}).verbs.empty());
  const auto put = bench.at(1min, {changed(kJob, 2, Secondary::training)}).all<PutAlarm>();
  ASSERT_EQ(put.size(), 1U);
  EXPECT_EQ(put[0].alarm.job, kJob);
  EXPECT_EQ(put[0].alarm.host, 1);
  EXPECT_EQ(put[0].attempt, 1);
  const AlarmRule expected{.metric = Metric::gpu_utilization,
                           .statistic = Statistic::average,
                           .period = 5min,
                           .evaluation_periods = 3,
                           .datapoints_to_alarm = 3,
                           .threshold = 1,
                           .compare = Compare::less_or_equal,
                           .missing = MissingData::not_breaching,
                           .window = Window::sliding};
  EXPECT_EQ(put[0].rule, expected);
}

TEST(StalledGpu, EveryAlarmOptionReachesTheAlarm) {
  RuleBench bench{"stalled_gpu", R"({"statistic": "maximum", "period": "1m", "datapoints": [4, 5],
      "threshold": 80, "compare": "<", "scale": "per_gpu", "missing": "breaching",
      "window": "wall_clock", "hosts": ["algo-5"]})"};
  const auto put = train(bench).all<PutAlarm>();
  ASSERT_EQ(put.size(), 1U);
  EXPECT_EQ(put[0].alarm.host, 5U);
  const AlarmRule expected{.metric = Metric::gpu_utilization,
                           .statistic = Statistic::maximum,
                           .period = 1min,
                           .evaluation_periods = 5,
                           .datapoints_to_alarm = 4,
                           .threshold = 640,
                           .compare = Compare::less,
                           .missing = MissingData::breaching,
                           .window = Window::wall_clock};
  EXPECT_EQ(put[0].rule, expected);
}

TEST(StalledGpu, AllHostsMeansOneAlarmEachAndAbsentHostsNone) {
  RuleBench every{"stalled_gpu", R"({"hosts": ["all"]})"};
  const auto put = train(every).all<PutAlarm>();
  ASSERT_EQ(put.size(), 8U);
  for (std::uint16_t host = 1; host <= 8; ++host) EXPECT_EQ(put[host - 1U].alarm.host, host);
  RuleBench absent{"stalled_gpu", R"({"hosts": ["algo-9", "algo-8", "algo-8"]})"};
  EXPECT_EQ(train(absent).count<PutAlarm>(), 1U);
}

TEST(StalledGpu, TheAlarmStopsTheJobAtOnceAndOnce) {
  RuleBench bench{"stalled_gpu", "{}"};
  train(bench);
  const auto stop = bench.at(16min, {alarm(AlarmState::alarm), alarm(AlarmState::alarm)});
  ASSERT_EQ(stop.count<StopJob>(), 1U);
  EXPECT_EQ(stop.all<StopJob>()[0].attempt, 1);
  EXPECT_EQ(stop.count<Notify>(), 0U);
  EXPECT_TRUE(bench.at(17min, {alarm(AlarmState::ok)}).verbs.empty());
  EXPECT_TRUE(bench.at(18min, {alarm(AlarmState::alarm)}).verbs.empty());
}

TEST(StalledGpu, WhereItOnlyWarnsEachIncidentIsAStopOfItsOwn) {
  RuleBench bench{"stalled_gpu", R"({"hosts": ["algo-1", "algo-2"]})"};
  train(bench);
  const Fact warned = refused_by(Refusal::seat_mode, kJob, VerbKind::stop_job);
  const auto first = bench.at(16min, {alarm(AlarmState::alarm)}).all<StopJob>();
  ASSERT_EQ(first.size(), 1U);
  bench.at(16min, {warned});
  const auto other_host = bench.at(17min, {alarm(AlarmState::alarm, 2)}).all<StopJob>();
  ASSERT_EQ(other_host.size(), 1U);
  EXPECT_EQ(other_host[0].incident, first[0].incident) << "the incident goes on";
  bench.at(17min, {warned});
  bench.at(30min, {alarm(AlarmState::ok), alarm(AlarmState::ok, 2)});
  const auto second = bench.at(1h, {alarm(AlarmState::alarm)}).all<StopJob>();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].incident, first[0].incident + 1);
}

/// A rule that only warns: its message of the first incident is given up, for the switch is
/// engaged.
void warn_in_vain(RuleBench& bench) {
  train(bench);
  EXPECT_EQ(bench.at(16min, {alarm(AlarmState::alarm)}).count<StopJob>(), 1U);
  bench.at(16min, {refused_by(Refusal::seat_mode, kJob, VerbKind::stop_job)});
  bench.at(17min, {KillSwitchChanged{true}});
  Fact given_up = settled(kJob, VerbKind::notify, Outcome::expired);
  std::get<ActionSettled>(given_up).refusal = Refusal::kill_switch;
  EXPECT_TRUE(bench.at(18min, {given_up}).verbs.empty());
}

// The rule sends no messages: it wants the job stopped, and what that comes to is its seat's mode.
TEST(StalledGpu, AWarningThatWasGivenUpIsAStopThatIsDecidedAnew) {
  RuleBench lasts{"stalled_gpu", "{}"};
  warn_in_vain(lasts);
  const Wishes same = lasts.at(1h, {KillSwitchChanged{false}});
  EXPECT_EQ(same.count<StopJob>(), 1U);
  EXPECT_EQ(same.count<Notify>(), 0U);

  RuleBench over{"stalled_gpu", "{}"};
  warn_in_vain(over);
  over.at(19min, {alarm(AlarmState::ok)});
  EXPECT_TRUE(over.at(1h, {KillSwitchChanged{false}}).verbs.empty());

  RuleBench again{"stalled_gpu", "{}"};
  warn_in_vain(again);
  again.at(19min, {alarm(AlarmState::ok)});
  EXPECT_EQ(again.at(40min, {alarm(AlarmState::alarm)}).count<StopJob>(), 1U) << "the next one";
  again.at(40min, {refused_by(Refusal::kill_switch, kJob, VerbKind::stop_job)});
  const Wishes next = again.at(1h, {KillSwitchChanged{false}});
  ASSERT_EQ(next.count<StopJob>(), 1U);
  EXPECT_EQ(next.all<StopJob>()[0].incident, 2);
  EXPECT_EQ(next.count<Notify>(), 0U);
}

TEST(StalledGpu, AStallAfterTheAlarmWasPutAfreshIsAnIncidentOfItsOwn) {
  RuleBench bench{
      "stalled_gpu",
      R"({"reset_on_new_attempt": true, "action.stop": false, "action.notify": ["a"]})"};
  train(bench);
  EXPECT_EQ(bench.at(16min, {alarm(AlarmState::alarm)}).count<Notify>(), 1U);
  bench.at(20min, {changed(kJob, 3, Secondary::interrupted)});
  EXPECT_EQ(bench.at(30min, {changed(kJob, 4, Secondary::training)}).count<DeleteAlarm>(), 1U);
  const Fact deleted = settled(kJob, VerbKind::delete_alarm, Outcome::done);
  EXPECT_EQ(bench.at(30min + 1s, {deleted}).count<PutAlarm>(), 1U);
  const auto again = bench.at(1h, {alarm(AlarmState::alarm)}).all<Notify>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].incident, 2);
}

TEST(StalledGpu, ADeletionThatThePlatformRefusedIsAskedForAgainEverLater) {
  RuleBench bench{"stalled_gpu", "{}"};
  train(bench);
  bench.at(1h, {changed(kJob, 3, Secondary::completed)});
  bench.at(1h, {refused_by(Refusal::platform, kJob, VerbKind::delete_alarm)});
  EXPECT_TRUE(bench.tick(1h + 59s).verbs.empty());
  EXPECT_EQ(bench.tick(1h + 60s).count<DeleteAlarm>(), 1U);
  bench.at(1h + 60s, {refused_by(Refusal::platform, kJob, VerbKind::delete_alarm)});
  EXPECT_TRUE(bench.tick(1h + 179s).verbs.empty());
  EXPECT_EQ(bench.tick(1h + 180s).count<DeleteAlarm>(), 1U);
  bench.at(1h + 180s, {settled(kJob, VerbKind::delete_alarm, Outcome::done)});
  EXPECT_TRUE(bench.tick(10h).verbs.empty());
}

TEST(StalledGpu, OtherAlarmStatesAndOtherAlarmsDoNothing) {
  RuleBench bench{"stalled_gpu", "{}"};
  train(bench);
  EXPECT_TRUE(bench.at(2min, {alarm(AlarmState::ok)}).verbs.empty());
  EXPECT_TRUE(bench.at(3min, {alarm(AlarmState::insufficient_data)}).verbs.empty());
  EXPECT_TRUE(bench.at(4min, {alarm(AlarmState::alarm, 1, 1, kOtherSeat)}).verbs.empty());
  EXPECT_TRUE(bench.at(5min, {alarm(AlarmState::alarm, 2)}).verbs.empty());
  EXPECT_TRUE(bench.at(6min, {alarm(AlarmState::alarm, 1, 2)}).verbs.empty());
}

TEST(StalledGpu, LatencyDelaysTheStopButNotTheMessage) {
  RuleBench bench{"stalled_gpu", R"({"action.latency": "2s", "action.notify": ["sns:Topic"]})"};
  train(bench);
  const Wishes at_alarm = bench.at(16min, {alarm(AlarmState::alarm)});
  EXPECT_EQ(at_alarm.count<StopJob>(), 0U);
  EXPECT_EQ(at_alarm.count<Notify>(), 1U);
  EXPECT_TRUE(bench.tick(16min + 1s).verbs.empty());
  EXPECT_TRUE(bench.at(16min + 1s, {alarm(AlarmState::ok), TimerFired{std::uint64_t{1} << 16U}})
                  .verbs.empty());
  const Wishes later = bench.tick(16min + 2s);
  EXPECT_EQ(later.count<StopJob>(), 1U);  // as the article's function: it does not look again
  EXPECT_EQ(later.count<Notify>(), 0U);
}

TEST(StalledGpu, WhatIsBeingStoppedNeedsNoFurtherMessage) {
  RuleBench bench{"stalled_gpu", R"({"action.notify": ["sns:Topic"]})"};
  train(bench);
  const Wishes wishes = bench.at(16min, {alarm(AlarmState::alarm)});
  EXPECT_EQ(wishes.count<StopJob>() + wishes.count<Notify>(), 2U);
  bench.at(16min, {settled(kJob, VerbKind::notify, Outcome::done)});
  bench.at(20min, {alarm(AlarmState::ok)});
  EXPECT_TRUE(bench.at(21min, {alarm(AlarmState::alarm)}).verbs.empty()) << "news may be late";
  bench.at(22min, {refused_by(Refusal::guard, kJob, VerbKind::stop_job)});
  bench.at(23min, {alarm(AlarmState::ok)});
  EXPECT_EQ(bench.at(24min, {alarm(AlarmState::alarm)}).count<Notify>(), 1U);
}

TEST(StalledGpu, NoStopAfterTheEndOrForTheNextAttempt) {
  RuleBench ended{"stalled_gpu", R"({"action.latency": "1m"})"};
  train(ended);
  ended.at(16min, {alarm(AlarmState::alarm)});
  ended.at(16min + 30s, {changed(kJob, 3, Secondary::completed)});
  EXPECT_TRUE(ended.tick(17min).verbs.empty());

  RuleBench next{"stalled_gpu", R"({"action.latency": "1m"})"};
  train(next);
  next.at(16min, {alarm(AlarmState::alarm)});
  next.at(16min + 30s, {changed(kJob, 3, Secondary::failed), submitted(kJob, 2, on(8)),
                        changed(kJob, 1, Secondary::starting, 2)});
  EXPECT_EQ(next.tick(17min).count<StopJob>(), 0U);
}

TEST(StalledGpu, NotifyOnlyNeitherStopsNorRepeats) {
  RuleBench bench{"stalled_gpu", R"({"action.stop": false, "action.notify": ["a", "b"]})"};
  train(bench);
  EXPECT_EQ(bench.at(16min, {alarm(AlarmState::alarm)}).count<Notify>(), 1U);
  EXPECT_TRUE(bench.at(17min, {alarm(AlarmState::alarm)}).verbs.empty());
}

TEST(StalledGpu, AnIncidentLastsUntilNoHostIsInAlarm) {
  RuleBench bench{
      "stalled_gpu",
      R"({"action.stop": false, "action.notify": ["a"], "hosts": ["algo-1", "algo-2"]})"};
  train(bench);
  EXPECT_EQ(bench.at(16min, {alarm(AlarmState::alarm, 1)}).count<Notify>(), 1U);
  bench.at(17min, {alarm(AlarmState::alarm, 2)});
  bench.at(18min, {alarm(AlarmState::ok, 1)});
  EXPECT_TRUE(bench.at(19min, {alarm(AlarmState::alarm, 1)}).verbs.empty()) << "algo-2 still is";
  bench.at(20min, {alarm(AlarmState::ok, 1), alarm(AlarmState::ok, 2)});
  EXPECT_EQ(bench.at(30min, {alarm(AlarmState::alarm, 1)}).count<Notify>(), 1U);
}

TEST(StalledGpu, MatchAllWaitsUntilEveryAlarmIsRaised) {
  RuleBench bench{"stalled_gpu", R"({"hosts": ["algo-1", "algo-2"], "match": "all"})"};
  train(bench);
  EXPECT_TRUE(bench.at(16min, {alarm(AlarmState::alarm, 1)}).verbs.empty());
  EXPECT_TRUE(bench.at(17min, {alarm(AlarmState::ok, 1)}).verbs.empty());
  EXPECT_TRUE(bench.at(18min, {alarm(AlarmState::alarm, 2)}).verbs.empty());
  EXPECT_EQ(bench.at(19min, {alarm(AlarmState::alarm, 1)}).count<StopJob>(), 1U);

  RuleBench any{"stalled_gpu", R"({"hosts": ["algo-1", "algo-2"]})"};
  train(any);
  EXPECT_EQ(any.at(16min, {alarm(AlarmState::alarm, 2)}).count<StopJob>(), 1U);
}

TEST(StalledGpu, AlarmNewsOutOfOrderIsPutInOrder) {
  RuleBench bench{"stalled_gpu", R"({"hosts": ["algo-1", "algo-2"], "match": "all"})"};
  train(bench);
  bench.step(20min, {{kStart + 18min, alarm(AlarmState::ok, 1)}});
  bench.step(20min, {{kStart + 16min, alarm(AlarmState::alarm, 1)}});  // overtaken
  EXPECT_TRUE(bench.at(21min, {alarm(AlarmState::alarm, 2)}).verbs.empty());
}

TEST(StalledGpu, AnEndDeletesTheAlarmOnce) {
  for (const Secondary end : {Secondary::completed, Secondary::failed, Secondary::stopped,
                              Secondary::max_runtime_exceeded, Secondary::max_wait_time_exceeded}) {
    RuleBench bench{"stalled_gpu", R"({"hosts": ["algo-3", "algo-1"]})"};
    train(bench);
    EXPECT_TRUE(bench.at(1h, {changed(kJob, 3, Secondary::uploading)}).verbs.empty());
    const auto gone = bench.at(2h, {changed(kJob, 4, end), changed(kJob, 4, end)});
    ASSERT_EQ(gone.count<DeleteAlarm>(), 2U);
    EXPECT_EQ(gone.all<DeleteAlarm>()[0].alarm.host, 1);
    EXPECT_EQ(gone.all<DeleteAlarm>()[1].alarm.host, 3);
    EXPECT_TRUE(bench.at(3h, {changed(kJob, 4, end)}).verbs.empty());
  }
}

TEST(StalledGpu, AnEndLeftOutOfTheListLeavesAnOrphan) {
  RuleBench bench{"stalled_gpu", R"({"disarm_on": ["Completed", "Failed", "Stopped"]})"};
  train(bench);
  EXPECT_TRUE(bench.at(24h, {changed(kJob, 3, Secondary::max_runtime_exceeded)}).verbs.empty());
}

TEST(StalledGpu, AJobThatEndsBeforeItsTrainingIsToldGetsNoAlarm) {
  RuleBench bench{"stalled_gpu", "{}"};
  bench.at(0s, {submitted(kJob)});
  EXPECT_TRUE(bench.at(1min, {changed(kJob, 5, Secondary::completed)}).verbs.empty());
  EXPECT_TRUE(bench.at(2min, {changed(kJob, 3, Secondary::training)}).verbs.empty());

  RuleBench together{"stalled_gpu", "{}"};
  together.at(0s, {submitted(kJob)});
  EXPECT_TRUE(
      together
          .at(1min, {changed(kJob, 3, Secondary::training), changed(kJob, 4, Secondary::failed)})
          .verbs.empty());
}

TEST(StalledGpu, RepeatedTrainingNewsPutsOneAlarm) {
  RuleBench bench{"stalled_gpu", "{}"};
  bench.at(0s, {submitted(kJob)});
  const Fact training = changed(kJob, 2, Secondary::training);
  EXPECT_EQ(bench.at(1min, {training, training}).count<PutAlarm>(), 1U);
  EXPECT_TRUE(bench.at(2min, {training}).verbs.empty());
  EXPECT_TRUE(bench.at(3min, {submitted(kJob)}).verbs.empty());
}

TEST(StalledGpu, TrainingAgainUpdatesTheSameAlarm) {
  RuleBench bench{"stalled_gpu", "{}"};
  const AlarmId first = train(bench).all<PutAlarm>().at(0).alarm;
  EXPECT_TRUE(bench.at(1h, {changed(kJob, 3, Secondary::interrupted)}).verbs.empty());
  bench.at(2h, {changed(kJob, 4, Secondary::starting)});
  const Wishes again = bench.at(3h, {changed(kJob, 5, Secondary::training)});
  ASSERT_EQ(again.verbs.size(), 1U);
  ASSERT_EQ(again.count<PutAlarm>(), 1U);
  EXPECT_EQ(again.all<PutAlarm>()[0].alarm, first);
  EXPECT_EQ(bench.at(4h, {changed(kJob, 6, Secondary::completed)}).count<DeleteAlarm>(), 1U);
}

TEST(StalledGpu, ResetDeletesTheAlarmBeforeItIsPutAfresh) {
  RuleBench bench{"stalled_gpu",
                  R"({"reset_on_new_attempt": true, "hosts": ["algo-1", "algo-2"]})"};
  train(bench);
  bench.at(1h, {changed(kJob, 3, Secondary::interrupted)});
  const Wishes again = bench.at(3h, {changed(kJob, 5, Secondary::training)});
  EXPECT_EQ(again.count<DeleteAlarm>(), 2U);
  EXPECT_EQ(again.count<PutAlarm>(), 0U);  // a delete still under way would take the new alarm too
  const auto deleted = [](std::uint32_t host) {
    return settled_on(host, kJob, VerbKind::delete_alarm, Outcome::done);
  };
  EXPECT_TRUE(bench.at(3h + 1s, {deleted(2)}).verbs.empty());
  EXPECT_EQ(bench.at(3h + 2s, {deleted(1)}).count<PutAlarm>(), 2U);
  EXPECT_EQ(bench.at(4h, {changed(kJob, 6, Secondary::completed)}).count<DeleteAlarm>(), 2U);
}

TEST(StalledGpu, AnEndDuringTheResetPutsNoAlarm) {
  RuleBench bench{"stalled_gpu", R"({"reset_on_new_attempt": true})"};
  train(bench);
  bench.at(1h, {changed(kJob, 3, Secondary::interrupted)});
  bench.at(3h, {changed(kJob, 5, Secondary::training)});
  EXPECT_TRUE(bench.at(3h, {changed(kJob, 6, Secondary::failed)}).verbs.empty());
  EXPECT_TRUE(bench.at(4h, {settled(kJob, VerbKind::delete_alarm, Outcome::done)}).verbs.empty());
}

TEST(StalledGpu, AnAlarmThatWasRefusedIsPutWithTheNextNews) {
  RuleBench bench{"stalled_gpu", "{}"};
  train(bench);
  EXPECT_TRUE(bench.at(2min, {settled(kJob, VerbKind::put_alarm, Outcome::refused)}).verbs.empty());
  EXPECT_EQ(bench.at(3min, {changed(kJob, 2, Secondary::training)}).count<PutAlarm>(), 1U);
}

/// What the platform says to the puts of three hosts, each a second later.
void refuse_three(RuleBench& bench, Duration at, Refusal who) {
  for (std::uint32_t host = 1; host <= 3; ++host) {
    Fact put = settled_on(host, kJob, VerbKind::put_alarm, Outcome::refused);
    std::get<ActionSettled>(put).refusal = who;
    EXPECT_TRUE(bench.at(at + std::chrono::seconds{host - 1}, {put}).verbs.empty());
  }
}

// A minute, then twice as long each time; however many hosts there are.
TEST(StalledGpu, AlarmsThatAreRejectedOrLackRoomArePutLaterEachTime) {
  for (const Refusal who : {Refusal::platform, Refusal::no_room}) {
    RuleBench bench{"stalled_gpu", R"({"hosts": ["algo-1", "algo-2", "algo-3"]})"};
    train(bench);
    Duration now = 2min;
    for (const Duration pause : {1min, 2min, 4min, 8min, 16min, 32min, 64min, 64min}) {
      refuse_three(bench, now, who);
      now += pause;
      EXPECT_TRUE(bench.tick(now - 1s).verbs.empty());
      ASSERT_EQ(bench.tick(now).count<PutAlarm>(), 3U) << now.count();
    }
  }
}

TEST(StalledGpu, AnAlarmThatExpiredIsTriedAgainAMinuteLater) {
  RuleBench bench{"stalled_gpu", "{}"};
  train(bench);
  EXPECT_TRUE(bench.at(2min, {settled(kJob, VerbKind::put_alarm, Outcome::expired)}).verbs.empty());
  EXPECT_TRUE(bench.tick(3min - 1s).verbs.empty());
  EXPECT_EQ(bench.tick(3min).count<PutAlarm>(), 1U);
}

TEST(StalledGpu, ADeletionWaitsForAnAlarmThatIsOnItsWay) {
  RuleBench bench{"stalled_gpu", "{}"};
  bench.leave_puts_unanswered();
  train(bench);
  EXPECT_TRUE(bench.at(2min, {changed(kJob, 3, Secondary::completed)}).verbs.empty());
  const Fact put = settled(kJob, VerbKind::put_alarm, Outcome::done);
  EXPECT_EQ(bench.at(3min, {put}).count<DeleteAlarm>(), 1U);
}

TEST(StalledGpu, ArmDelaySparesTheDataPreparation) {
  RuleBench bench{"stalled_gpu", R"({"arm_delay": "30m"})"};
  EXPECT_TRUE(train(bench).verbs.empty());
  EXPECT_TRUE(bench.tick(31min - 1s).verbs.empty());
  EXPECT_EQ(bench.tick(31min).count<PutAlarm>(), 1U);

  RuleBench late{"stalled_gpu", R"({"arm_delay": "30m"})"};
  late.at(0s, {submitted(kJob)});
  EXPECT_EQ(
      late.step(40min, {{kStart + 5min, changed(kJob, 2, Secondary::training)}}).count<PutAlarm>(),
      1U);

  RuleBench interrupted{"stalled_gpu", R"({"arm_delay": "30m"})"};
  train(interrupted);
  interrupted.at(10min, {changed(kJob, 3, Secondary::interrupted)});
  EXPECT_TRUE(interrupted.tick(31min).verbs.empty());
  interrupted.at(40min, {changed(kJob, 5, Secondary::training)});
  EXPECT_EQ(interrupted.tick(70min).count<PutAlarm>(), 1U);

  RuleBench ended{"stalled_gpu", R"({"arm_delay": "30m"})"};
  train(ended);
  EXPECT_TRUE(ended.at(10min, {changed(kJob, 3, Secondary::failed)}).verbs.empty());
  EXPECT_TRUE(ended.tick(31min).verbs.empty());
}

}  // namespace stalled_gpu_test
}  // namespace reeve::policies
