// stalled_gpu over several attempts, and actions that fail.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/rules/rule_bench.hpp"
#include "tests/rules/stalled_gpu/stalled_gpu_cases.hpp"

namespace reeve::policies {
namespace stalled_gpu_test {

TEST(StalledGpu, EveryAttemptHasItsOwnAlarmAndStop) {
  RuleBench bench{"stalled_gpu", "{}"};
  train(bench);
  EXPECT_EQ(bench.at(16min, {alarm(AlarmState::alarm)}).count<StopJob>(), 1U);
  EXPECT_EQ(bench.at(18min, {changed(kJob, 3, Secondary::stopped)}).count<DeleteAlarm>(), 1U);
  bench.at(18min, {settled(kJob, VerbKind::delete_alarm, Outcome::done)});
  bench.at(20min, {submitted(kJob, 2, on(8), Origin::rule)});
  const auto put = bench.at(25min, {changed(kJob, 1, Secondary::training, 2)}).all<PutAlarm>();
  ASSERT_EQ(put.size(), 1U);
  EXPECT_EQ(put[0].attempt, 2);
  EXPECT_TRUE(bench.at(26min, {alarm(AlarmState::alarm, 1, 1)}).verbs.empty());  // late news
  const auto stop = bench.at(45min, {alarm(AlarmState::alarm, 1, 2)}).all<StopJob>();
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(stop[0].attempt, 2);
}

TEST(StalledGpu, TheNextAttemptsAlarmIsNotHeldUpByTheOldOnesDeletion) {
  RuleBench bench{"stalled_gpu", "{}"};
  train(bench);
  EXPECT_EQ(bench.at(1h, {changed(kJob, 3, Secondary::failed)}).count<DeleteAlarm>(), 1U);
  const Wishes next =
      bench.at(1h, {submitted(kJob, 2, on(8)), changed(kJob, 1, Secondary::training, 2)});
  ASSERT_EQ(next.count<PutAlarm>(), 1U);
  EXPECT_EQ(next.all<PutAlarm>()[0].attempt, 2);
  bench.at(1h + 1s, {settled(kJob, VerbKind::delete_alarm, Outcome::done)});
  EXPECT_EQ(bench.at(2h, {alarm(AlarmState::alarm, 1, 2)}).count<StopJob>(), 1U)
      << "the deletion was of the other alarm";
}

TEST(StalledGpu, TheAlarmsOfTwoAttemptsAreTwo) {
  RuleBench bench{"stalled_gpu", R"({"action.stop": false, "action.notify": ["a"]})"};
  train(bench);
  // The end of the first attempt is not told yet, but that another has followed says it all.
  const auto late = bench.at(1h, {submitted(kJob, 2, on(8))}).all<DeleteAlarm>();
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].attempt, 1);
  EXPECT_EQ(bench.at(2h, {changed(kJob, 1, Secondary::training, 2)}).count<PutAlarm>(), 1U);
  EXPECT_EQ(bench.at(3h, {alarm(AlarmState::alarm, 1, 2)}).count<Notify>(), 1U);
  bench.at(3h + 1min, {alarm(AlarmState::ok, 1, 1)});  // of the first: the incident goes on
  EXPECT_EQ(bench.at(3h + 2min, {alarm(AlarmState::alarm, 1, 2)}).count<Notify>(), 0U);
  EXPECT_TRUE(bench.at(4h, {changed(kJob, 3, Secondary::failed)}).verbs.empty());
  const auto end = bench.at(5h, {changed(kJob, 2, Secondary::completed, 2)}).all<DeleteAlarm>();
  ASSERT_EQ(end.size(), 1U);
  EXPECT_EQ(end[0].attempt, 2);
}

TEST(StalledGpu, AnOrphanIsNotDeletedInPlaceOfTheNextAttemptsAlarm) {
  RuleBench bench{"stalled_gpu", R"({"disarm_on": ["Completed"]})"};
  train(bench);
  bench.at(24h, {changed(kJob, 3, Secondary::max_runtime_exceeded)});
  bench.at(25h, {submitted(kJob, 2, on(8)), changed(kJob, 1, Secondary::training, 2)});
  const auto gone = bench.at(30h, {changed(kJob, 2, Secondary::completed, 2)}).all<DeleteAlarm>();
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].attempt, 2);
}

TEST(StalledGpu, ADeletionThatExpiredIsAskedForAgainAMinuteLater) {
  RuleBench bench{"stalled_gpu", R"({"hosts": ["algo-1", "algo-2"]})"};
  train(bench);
  EXPECT_EQ(bench.at(1h, {changed(kJob, 3, Secondary::completed)}).count<DeleteAlarm>(), 2U);
  bench.at(61min, {settled_on(1, kJob, VerbKind::delete_alarm, Outcome::done),
                   settled_on(2, kJob, VerbKind::delete_alarm, Outcome::expired)});
  EXPECT_TRUE(bench.tick(62min - 1s).verbs.empty());
  const auto again = bench.tick(62min).all<DeleteAlarm>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].alarm.host, 2);
}

TEST(StalledGpu, OnlyTheAlarmThatFailedIsPutAgain) {
  RuleBench bench{"stalled_gpu", R"({"hosts": ["algo-1", "algo-2"]})"};
  train(bench);
  bench.at(2min, {settled_on(1, kJob, VerbKind::put_alarm, Outcome::done),
                  settled_on(2, kJob, VerbKind::put_alarm, Outcome::expired)});
  const auto again = bench.tick(3min).all<PutAlarm>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].alarm.host, 2);
}

TEST(StalledGpu, AMessageThatExpiredIsSentAgainUnderTheSameNumberAlsoAfterTheEnd) {
  RuleBench bench{"stalled_gpu", R"({"action.notify": ["a"]})"};
  train(bench);
  EXPECT_EQ(bench.at(16min, {alarm(AlarmState::alarm)}).count<Notify>(), 1U);
  bench.at(17min, {changed(kJob, 3, Secondary::stopped)});
  bench.at(18min, {settled(kJob, VerbKind::notify, Outcome::expired)});
  const auto again = bench.tick(19min).all<Notify>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].incident, 1);
}

TEST(StalledGpu, AStopHeldBackIsDroppedIfTheAlarmIsOverAtTheRelease) {
  RuleBench bench{"stalled_gpu", "{}"};
  train(bench);
  bench.at(15min, {KillSwitchChanged{true}});
  EXPECT_EQ(bench.at(16min, {alarm(AlarmState::alarm)}).count<StopJob>(), 1U);
  bench.at(17min, {refused_by(Refusal::kill_switch, kJob, VerbKind::stop_job)});
  bench.at(18min, {alarm(AlarmState::ok)});
  EXPECT_TRUE(bench.at(1h, {KillSwitchChanged{false}}).verbs.empty());
  EXPECT_EQ(bench.at(2h, {alarm(AlarmState::alarm)}).count<StopJob>(), 1U) << "the next one counts";
}

// With what end it ended nobody knows before that is told, and not each deletes the alarm here.
TEST(StalledGpu, TheLateEndOfAnOldAttemptDeletesItsAlarmOnly) {
  RuleBench bench{"stalled_gpu", R"({"disarm_on": ["Completed", "Failed"]})"};
  train(bench);
  EXPECT_TRUE(bench.at(1h, {submitted(kJob, 2, on(8))}).verbs.empty());
  EXPECT_EQ(bench.at(2h, {changed(kJob, 3, Secondary::failed)}).count<DeleteAlarm>(), 1U);
  bench.at(2h, {settled(kJob, VerbKind::delete_alarm, Outcome::done)});
  EXPECT_EQ(bench.at(3h, {changed(kJob, 1, Secondary::training, 2)}).count<PutAlarm>(), 1U);
  EXPECT_TRUE(bench.at(4h, {changed(kJob, 3, Secondary::failed)}).verbs.empty());
}

TEST(StalledGpu, ALostStopIsAskedForAgainARefusedOneWithTheNextAlarm) {
  const Fact refused = settled(kJob, VerbKind::stop_job, Outcome::refused);
  RuleBench lost{"stalled_gpu", "{}"};
  train(lost);
  lost.at(16min, {alarm(AlarmState::alarm)});
  EXPECT_TRUE(
      lost.at(16min, {refused_by(Refusal::conflict, kJob, VerbKind::stop_job)}).verbs.empty());
  const Fact over = settled(kJob, VerbKind::limit_runtime, Outcome::done, kOtherSeat);
  EXPECT_EQ(lost.at(17min, {over}).count<StopJob>(), 1U);

  RuleBench expired{"stalled_gpu", "{}"};
  train(expired);
  expired.at(16min, {alarm(AlarmState::alarm)});
  expired.at(17min, {settled(kJob, VerbKind::stop_job, Outcome::expired)});
  EXPECT_EQ(expired.tick(18min).count<StopJob>(), 1U) << "a stalled job makes no news";

  RuleBench guarded{"stalled_gpu", "{}"};
  train(guarded);
  guarded.at(16min, {alarm(AlarmState::alarm)});
  EXPECT_TRUE(guarded.at(16min, {refused}).verbs.empty());
  EXPECT_TRUE(guarded.at(17min, {changed(kJob, 2, Secondary::training)}).verbs.empty());
  EXPECT_TRUE(guarded.step(17min, {{kStart + 16min, alarm(AlarmState::alarm)}}).verbs.empty());
  guarded.at(18min, {alarm(AlarmState::ok)});
  EXPECT_EQ(guarded.at(40min, {alarm(AlarmState::alarm)}).count<StopJob>(), 1U);
}

TEST(StalledGpu, AMessageThatWasRejectedIsToldAlsoOnceTheJobIsResumed) {
  RuleBench bench{"stalled_gpu", R"({"action.notify": ["a"]})"};
  train(bench);
  EXPECT_EQ(bench.at(16min, {alarm(AlarmState::alarm)}).count<Notify>(), 1U);
  bench.at(17min, {refused_by(Refusal::platform, kJob, VerbKind::notify)});
  bench.at(17min, {changed(kJob, 3, Secondary::stopped)});
  bench.at(17min, {submitted(kJob, 2, on(8), Origin::rule)});
  bench.at(17min + 30s, {changed(kJob, 1, Secondary::training, 2)});
  const auto told = bench.tick(18min).all<Notify>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].attempt, 1);
  EXPECT_EQ(told[0].incident, 1);
}

TEST(StalledGpu, AMessageThatGetsOutLeavesTheBackOffOfTheStopAsItIs) {
  RuleBench bench{"stalled_gpu", R"({"action.notify": ["a"]})"};
  train(bench);
  EXPECT_EQ(bench.at(16min, {alarm(AlarmState::alarm)}).count<StopJob>(), 1U);
  bench.at(16min, {refused_by(Refusal::platform, kJob, VerbKind::stop_job)});
  bench.at(16min, {settled(kJob, VerbKind::notify, Outcome::done)});
  EXPECT_EQ(bench.tick(17min).count<StopJob>(), 1U);
  bench.at(17min, {refused_by(Refusal::platform, kJob, VerbKind::stop_job)});
  EXPECT_EQ(bench.tick(18min).count<StopJob>(), 0U) << "the second pause is of two minutes";
  EXPECT_EQ(bench.tick(19min).count<StopJob>(), 1U);
}

TEST(StalledGpu, TheMessageOfAnEarlierAttemptIsNotLostForThatOfTheNext) {
  RuleBench bench{"stalled_gpu", R"({"action.notify": ["a"], "action.stop": false})"};
  train(bench);
  EXPECT_EQ(bench.at(16min, {alarm(AlarmState::alarm)}).count<Notify>(), 1U);
  bench.at(16min, {refused_by(Refusal::platform, kJob, VerbKind::notify)});
  EXPECT_EQ(bench.tick(17min).count<Notify>(), 1U);
  bench.at(17min, {refused_by(Refusal::platform, kJob, VerbKind::notify)});
  EXPECT_EQ(bench.tick(19min).count<Notify>(), 1U);
  bench.at(19min, {refused_by(Refusal::platform, kJob, VerbKind::notify)});  // due again at 23
  bench.at(20min, {changed(kJob, 3, Secondary::failed), submitted(kJob, 2, on(8))});
  bench.at(20min, {changed(kJob, 1, Secondary::training, 2)});
  EXPECT_EQ(bench.at(21min, {alarm(AlarmState::alarm, 1, 2)}).count<Notify>(), 1U);
  bench.at(21min, {refused_by(Refusal::platform, kJob, VerbKind::notify, 2)});
  const auto second = bench.tick(22min).all<Notify>();
  ASSERT_EQ(second.size(), 1U) << "its own back-off is its own";
  EXPECT_EQ(second[0].attempt, 2);
  const auto first = bench.tick(24min).all<Notify>();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].attempt, 1);
}

TEST(StalledGpu, AnotherIncidentBacksOffAnew) {
  RuleBench bench{"stalled_gpu", "{}"};
  train(bench);
  bench.at(16min, {alarm(AlarmState::alarm)});
  bench.at(16min, {refused_by(Refusal::platform, kJob, VerbKind::stop_job)});
  bench.tick(17min);
  bench.at(17min, {refused_by(Refusal::platform, kJob, VerbKind::stop_job)});
  bench.at(18min, {alarm(AlarmState::ok)});
  EXPECT_EQ(bench.at(30min, {alarm(AlarmState::alarm)}).count<StopJob>(), 1U);
  bench.at(30min, {refused_by(Refusal::platform, kJob, VerbKind::stop_job)});
  EXPECT_EQ(bench.tick(31min).count<StopJob>(), 1U);
}

TEST(StalledGpu, AnotherIncidentDoesNotWaitForTheBackOffOfTheStopBefore) {
  RuleBench bench{"stalled_gpu", "{}"};
  train(bench);
  EXPECT_EQ(bench.at(16min, {alarm(AlarmState::alarm)}).count<StopJob>(), 1U);
  bench.at(16min, {refused_by(Refusal::platform, kJob, VerbKind::stop_job)});
  bench.at(16min + 10s, {alarm(AlarmState::ok)});
  const auto next = bench.at(16min + 40s, {alarm(AlarmState::alarm)}).all<StopJob>();
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(next[0].incident, 2);
  EXPECT_EQ(bench.tick(17min).count<StopJob>(), 0U) << "it is asked for already";
}

TEST(StalledGpu, WhatCloudWatchWouldRefuseIsRefused) {
  const std::vector<std::pair<std::string, std::string_view>> wrong{
      {R"({"datapoints": [4, 3]})", "datapoints"},
      {R"({"datapoints": [3]})", "datapoints"},
      {R"({"datapoints": [3, 400]})", "datapoints"},
      {R"({"period": "90s"})", "period"},
      {R"({"period": "10m", "window": "wall_clock"})", "window"},
      {R"({"hosts": []})", "hosts"},
      {R"({"hosts": ["algo-0"]})", "hosts"},
      {R"({"hosts": ["algo-x"]})", "hosts"},
      {R"({"hosts": ["algo-1000001"]})", "hosts"},
      {R"({"hosts": ["node-1"]})", "hosts"},
      {R"({"arm_on": []})", "arm_on"},
      {R"({"disarm_on": ["Training"]})", "disarm_on"},
  };
  for (const auto& [options, option] : wrong) {
    const OptionProblem problem = check_rule("stalled_gpu", options);
    EXPECT_EQ(problem.option, option) << options;
    EXPECT_FALSE(problem.message.empty()) << options;
  }
  for (const char* fine : {"{}", R"({"hosts": ["all"]})", R"({"hosts": ["algo-70000"]})",
                           R"({"period": "2m"})", R"({"period": "1h", "datapoints": [1, 168]})"}) {
    EXPECT_TRUE(check_rule("stalled_gpu", fine).message.empty()) << fine;
  }
}

}  // namespace stalled_gpu_test
}  // namespace reeve::policies
