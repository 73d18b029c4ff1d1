#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace relaunch_test {

constexpr JobId kJob{3};

/// kStart is midnight UTC plus 16 h.
struct ListBench : RuleBench {
  ListBench() : RuleBench{"relaunch", R"({"every": "10m", "offset": "5m"})"} {
    at(0s, {submitted(kJob)});
    at(1min, {changed(kJob, 1, Secondary::training)});
  }
  Wishes preempted(Duration when, AttemptNumber attempt = 1) {
    return at(when, {failed(attempt, FailureClass::capacity)});
  }
  static Fact failed(AttemptNumber attempt, FailureClass failure) {
    return JobChanged{kJob, attempt, 9, Primary::failed, Secondary::failed, failure, 0};
  }
};

TEST(Relaunch, APreemptedJobIsStartedAnewAtTheNextPoll) {
  ListBench bench;
  EXPECT_TRUE(bench.preempted(2h).verbs.empty());
  EXPECT_TRUE(bench.tick(2h + 5min - 1ns).verbs.empty());
  const auto clones = bench.tick(2h + 5min).all<CloneJob>();
  ASSERT_EQ(clones.size(), 1U);
  EXPECT_EQ(clones[0].job, kJob);
  EXPECT_EQ(clones[0].attempt, 2);
  EXPECT_EQ(clones[0].from, ResumeFrom::last_checkpoint);
  EXPECT_TRUE(bench.tick(2h + 15min).verbs.empty());  // it was asked for
}

TEST(Relaunch, ARequestWithoutMachinesStaysOnTheList) {
  ListBench bench;
  bench.preempted(2h);
  bench.tick(2h + 5min);
  bench.at(2h + 5min, {submitted(kJob, 2)});
  EXPECT_TRUE(bench.preempted(2h + 5min, 2).verbs.empty());
  const auto clones = bench.tick(2h + 15min).all<CloneJob>();
  ASSERT_EQ(clones.size(), 1U);
  EXPECT_EQ(clones[0].attempt, 3);
}

TEST(Relaunch, APollDoesNotSeeWhatIsPreemptedAtItsInstant) {
  ListBench bench;
  EXPECT_TRUE(bench.preempted(2h + 5min).verbs.empty());
  EXPECT_TRUE(bench.tick(2h + 5min + 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(2h + 15min).count<CloneJob>(), 1U);
}

TEST(Relaunch, EachDaysPollsBeginAtMidnight) {
  RuleBench bench{"relaunch", R"({"every": "7h"})"};  // 0:00, 7:00, 14:00 and 21:00
  bench.at(0s, {submitted(kJob)});                    // at 16:00
  bench.at(1h, {ListBench::failed(1, FailureClass::capacity)});
  EXPECT_TRUE(bench.tick(5h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(5h).count<CloneJob>(), 1U);
  bench.at(5h + 1s, {submitted(kJob, 2), ListBench::failed(2, FailureClass::capacity)});
  EXPECT_TRUE(bench.tick(8h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(8h).count<CloneJob>(), 1U);
}

TEST(Relaunch, WhatAGuardKeptBackWaitsForAPoll) {
  ListBench bench;
  bench.preempted(2h);
  EXPECT_EQ(bench.tick(2h + 5min).count<CloneJob>(), 1U);
  bench.at(2h + 5min, {KillSwitchChanged{true}});
  bench.at(2h + 5min, {refused_by(Refusal::kill_switch, kJob, VerbKind::clone_job, 2)});
  EXPECT_TRUE(bench.at(2h + 9min, {KillSwitchChanged{false}}).verbs.empty());
  EXPECT_TRUE(bench.tick(2h + 15min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(2h + 15min).count<CloneJob>(), 1U);
}

TEST(Relaunch, OtherFailuresAreNotOfTheList) {
  ListBench bench;
  bench.at(2h, {ListBench::failed(1, FailureClass::code)});
  EXPECT_TRUE(bench.tick(3h).verbs.empty());
}

TEST(Relaunch, WhoeverStartsItMeanwhileTakesItOffTheList) {
  ListBench bench;
  bench.preempted(2h);
  bench.at(2h + 1min, {submitted(kJob, 2)});
  bench.at(2h + 2min, {changed(kJob, 1, Secondary::starting, 2)});
  EXPECT_TRUE(bench.tick(2h + 5min).verbs.empty());
}

TEST(Relaunch, ACloneThatThePlatformRefusesIsAskedForAtTheNextPoll) {
  ListBench bench;
  bench.preempted(2h);
  ASSERT_EQ(bench.tick(2h + 5min).count<CloneJob>(), 1U);
  bench.at(2h + 6min, {refused_by(Refusal::platform, kJob, VerbKind::clone_job, 2)});
  EXPECT_TRUE(bench.tick(2h + 14min).verbs.empty());
  EXPECT_EQ(bench.tick(2h + 15min).count<CloneJob>(), 1U);
}

}  // namespace relaunch_test
}  // namespace reeve::policies
