// Rules that only tell people: of long waits, of failures, of idle machines.
#include "rule_bench.hpp"

namespace reeve::policies {
namespace alerts_test {

constexpr JobId kJob{2};

TEST(LongWait, AWaitIsToldOnceAndTheNextOneAgain) {
  RuleBench bench{"long_wait", R"({"after": "30m"})"};
  bench.at(0s, {submitted(kJob)});
  EXPECT_TRUE(bench.tick(30min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(30min).all<Notify>().at(0).incident, 1);
  EXPECT_TRUE(bench.tick(9h).verbs.empty()) << "once";
  bench.at(9h, {changed(kJob, 1, Secondary::starting)});
  bench.at(10h, {changed(kJob, 2, Secondary::interrupted)});
  EXPECT_TRUE(bench.tick(10h + 29min).verbs.empty());
  EXPECT_EQ(bench.tick(10h + 30min).all<Notify>().at(0).incident, 2);
}

TEST(LongWait, WhoStartsInTimeIsNotToldOf) {
  RuleBench bench{"long_wait", R"({"after": "30m"})"};
  bench.at(0s, {submitted(kJob)});
  bench.at(29min, {changed(kJob, 1, Secondary::starting)});
  EXPECT_TRUE(bench.tick(2h).verbs.empty());
  bench.at(3h, {submitted(kJob, 2)});
  bench.at(3h + 1min, {changed(kJob, 1, Secondary::stopped, 2)});
  EXPECT_TRUE(bench.tick(9h).verbs.empty()) << "nor who waits no more";
}

TEST(LongWait, ThatItHadMachinesInBetweenNeedNotBeToldFirst) {
  RuleBench bench{"long_wait", R"({"after": "65m"})"};
  bench.at(0s, {submitted(kJob)});
  const JobChanged interrupted{
      kJob, 1, 4, Primary::in_progress, Secondary::interrupted, FailureClass::none, 1};
  bench.at(50min, {interrupted});
  bench.at(51min, {changed(kJob, 1, Secondary::starting), changed(kJob, 3, Secondary::training)});
  EXPECT_TRUE(bench.tick(50min + 65min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(50min + 65min).all<Notify>().at(0).incident, 2);
}

TEST(LongWait, AMessageThatFailedIsSentAgain) {
  RuleBench bench{"long_wait", R"({"after": "30m"})"};
  bench.at(0s, {submitted(kJob)});
  bench.tick(30min);
  bench.at(31min, {settled(kJob, VerbKind::notify, Outcome::expired)});
  EXPECT_EQ(bench.tick(32min).all<Notify>().at(0).incident, 1) << "as the same message";
}

Fact over(std::uint32_t job, Secondary how, FailureClass failure = FailureClass::none) {
  return changed(JobId{job}, 9, how, 1, failure);
}

TEST(FailureRate, TheJobThatTipsItIsNamedOncePerIncident) {
  RuleBench bench{"failure_rate", R"({"failures": 2, "last": 3})"};
  for (std::uint32_t job = 0; job < 9; ++job) bench.at(0s, {submitted(JobId{job})});
  EXPECT_TRUE(bench.at(1h, {over(0, Secondary::failed, FailureClass::code)}).verbs.empty());
  EXPECT_TRUE(bench.at(2h, {over(1, Secondary::completed)}).verbs.empty());
  const auto told = bench.at(3h, {over(2, Secondary::failed, FailureClass::data)}).all<Notify>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].job, JobId{2});
  EXPECT_TRUE(bench.at(3h, {over(2, Secondary::failed, FailureClass::data)}).verbs.empty());
  EXPECT_TRUE(bench.at(4h, {over(3, Secondary::failed)}).verbs.empty()) << "the same incident";
  bench.at(5h, {over(4, Secondary::completed)});
  bench.at(6h, {over(5, Secondary::stopped)});  // 1 of 3: armed again
  EXPECT_EQ(bench.at(7h, {over(6, Secondary::failed)}).count<Notify>(), 0U) << "1 of 3";
  EXPECT_EQ(bench.at(8h, {over(7, Secondary::failed)}).all<Notify>().at(0).job, JobId{7});
}

TEST(FailureRate, AMessageOfAnIncidentThatIsOverDoesNotBringBackThatOfTheNext) {
  RuleBench bench{"failure_rate", R"({"failures": 1, "last": 1})"};
  const auto ends = [&bench](std::uint32_t job, Duration when, Secondary how) {
    return bench.at(when, {submitted({job}), changed({job}, 1, how)});
  };
  EXPECT_EQ(ends(0, 1h, Secondary::failed).count<Notify>(), 1U);
  bench.at(1h, {KillSwitchChanged{true}});
  bench.at(1h, {refused_by(Refusal::kill_switch, {0}, VerbKind::notify)});
  ends(1, 2h, Secondary::completed);
  EXPECT_EQ(ends(2, 3h, Secondary::failed).count<Notify>(), 1U);
  bench.at(3h, {refused_by(Refusal::kill_switch, {2}, VerbKind::notify)});
  const auto told = bench.at(4h, {KillSwitchChanged{false}}).all<Notify>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].job, JobId{2});
}

/// A queue tries again at once: the end and the next submission are one step's news.
TEST(FailureRate, AnEndThatAnotherAttemptHasFollowedCountsOnce) {
  RuleBench bench{"failure_rate", R"({"failures": 2, "last": 3})"};
  bench.at(0s, {submitted({0})});
  const auto fails = [](AttemptNumber attempt) {
    return changed({0}, 9, Secondary::failed, attempt);
  };
  EXPECT_TRUE(bench.at(1h, {fails(1), submitted({0}, 2)}).verbs.empty());
  EXPECT_TRUE(bench.at(1h, {fails(1)}).verbs.empty()) << "told twice";
  const auto told = bench.at(2h, {fails(2), submitted({0}, 3)}).all<Notify>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].attempt, 2);
}

TEST(FailureRate, OtherClassesDoNotCount) {
  RuleBench bench{"failure_rate", R"({"failures": 1, "classes": ["data"]})"};
  for (std::uint32_t job = 0; job < 2; ++job) bench.at(0s, {submitted(JobId{job})});
  EXPECT_TRUE(bench.at(1h, {over(0, Secondary::failed, FailureClass::code)}).verbs.empty());
  EXPECT_EQ(bench.at(2h, {over(1, Secondary::failed, FailureClass::data)}).count<Notify>(), 1U);
}

struct IdleBench : RuleBench {
  explicit IdleBench(const std::string& options = "{}") : RuleBench{"idle_capacity", options} {
    JobDescription three;
    three.instances = 3;
    at(0s, {CapacityChanged{{0}, 10}, submitted(JobId{0}, 1, three)});
    at(0s, {changed(JobId{0}, 1, Secondary::starting)});
  }
};

TEST(IdleCapacity, LittleInUseWhileJobsWaitIsToldOfTheFirstOfThem) {
  IdleBench bench;
  EXPECT_TRUE(bench.tick(9h).verbs.empty()) << "nobody waits";
  bench.at(10h, {submitted(JobId{2})});
  bench.at(11h, {submitted(JobId{1})});
  EXPECT_TRUE(bench.tick(12h - 1ns).verbs.empty());
  const auto told = bench.tick(12h).all<Notify>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].job, JobId{2});
  EXPECT_TRUE(bench.tick(20h).verbs.empty()) << "once";
}

TEST(IdleCapacity, ABreakBeginsTheTimeAnew) {
  IdleBench bench;
  bench.at(10h, {submitted(JobId{1})});
  bench.at(11h, {changed(JobId{1}, 1, Secondary::starting)});  // 4 of 10 are not less than 40 %
  bench.at(11h + 30min, {submitted(JobId{2})});
  bench.at(12h, {changed(JobId{1}, 2, Secondary::completed)});
  EXPECT_TRUE(bench.tick(14h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(14h).count<Notify>(), 1U);
  bench.at(15h, {changed(JobId{2}, 1, Secondary::starting)});
  bench.at(16h, {submitted(JobId{3})});
  bench.at(16h, {changed(JobId{2}, 2, Secondary::completed)});
  EXPECT_EQ(bench.tick(18h).all<Notify>().at(0).job, JobId{3}) << "another incident";
}

TEST(Notify, AnIncidentIsToldOnceAndRemindedOf) {
  RuleBench bench{"notify", R"({"events": ["failed:code"], "remind_every": "1h", "reminders": 2})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  const Fact failed = changed(kJob, 2, Secondary::failed, 1, FailureClass::code);
  EXPECT_EQ(bench.at(1h, {failed, failed}).count<Notify>(), 1U);
  bench.at(1h, {failed, settled(kJob, VerbKind::notify, Outcome::done)});
  EXPECT_TRUE(bench.tick(2h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(2h).all<Notify>().at(0).incident, 2);
  bench.at(2h, {of_incident(2, settled(kJob, VerbKind::notify, Outcome::done))});
  EXPECT_EQ(bench.tick(3h).count<Notify>(), 1U);
  bench.at(3h, {of_incident(3, settled(kJob, VerbKind::notify, Outcome::done))});
  EXPECT_TRUE(bench.tick(9h).verbs.empty()) << "two reminders are enough";
}

TEST(Notify, WhoSubmitsTheJobAgainIsNotReminded) {
  RuleBench bench{"notify", R"({"events": ["failed"], "remind_every": "1h"})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::failed)});
  bench.at(0s, {settled(kJob, VerbKind::notify, Outcome::done)});
  bench.at(30min, {submitted(kJob, 2)});
  EXPECT_TRUE(bench.tick(9h).verbs.empty());
}

TEST(Notify, OtherEndsAreNobodysBusiness) {
  RuleBench bench{"notify", R"({"events": ["failed:data", "stopped_by:budget"]})"};
  bench.at(0s, {submitted(kJob)});
  EXPECT_TRUE(
      bench.at(1h, {changed(kJob, 1, Secondary::failed, 1, FailureClass::code)}).verbs.empty());
  bench.at(2h, {submitted(kJob, 2)});
  EXPECT_TRUE(bench.at(3h, {changed(kJob, 1, Secondary::stopped, 2)}).verbs.empty());
}

/// Quiet but for the hour before midnight; a job trains from the start on.
struct QuietBench : RuleBench {
  QuietBench()
      : RuleBench{"notify", R"({"events": ["failed"], "quiet_hours.from": "0h",
      "quiet_hours.to": "23h",
      "quiet_hours.days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]})"} {
    at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  }
  /// Since the start: the first of the next day.
  const Duration midnight = 24h - (kStart - std::chrono::floor<std::chrono::days>(kStart));
};

TEST(Notify, MessagesWaitForTheEndOfQuietHours) {
  QuietBench bench;
  const Duration quiet = bench.midnight + 1h;
  EXPECT_TRUE(bench.at(quiet, {changed(kJob, 2, Secondary::failed)}).verbs.empty());
  EXPECT_TRUE(bench.tick(quiet + 22h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(quiet + 22h).count<Notify>(), 1U);
}

TEST(Notify, WhatWaitsForTheEndOfQuietHoursIsToldAlsoOfAJobThatIsResumed) {
  QuietBench bench;
  const Duration quiet = bench.midnight + 1h;
  EXPECT_TRUE(bench.at(quiet, {changed(kJob, 2, Secondary::failed)}).verbs.empty());
  bench.at(quiet, {submitted(kJob, 2), changed(kJob, 1, Secondary::training, 2)});
  EXPECT_TRUE(bench.at(quiet + 1h, {changed(kJob, 2, Secondary::failed, 2)}).verbs.empty());
  const auto told = bench.tick(quiet + 22h).all<Notify>();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].attempt, 1);
  EXPECT_EQ(told[1].attempt, 2);
}

TEST(Notify, WhatWasRejectedBeforeQuietHoursIsNotToldInThem) {
  QuietBench bench;
  const Duration late = bench.midnight - 30s;
  EXPECT_EQ(bench.at(late, {changed(kJob, 2, Secondary::failed)}).count<Notify>(), 1U);
  bench.at(late, {submitted(kJob, 2), changed(kJob, 1, Secondary::training, 2)});
  bench.at(late, {refused_by(Refusal::platform, kJob, VerbKind::notify)});
  EXPECT_TRUE(bench.tick(late + 1min).verbs.empty());
  EXPECT_EQ(bench.tick(bench.midnight + 23h).all<Notify>().at(0).attempt, 1);
}

// Its queue does so in the very step in which the end is told.
TEST(Notify, TheEndOfAnAttemptThatIsTriedAgainAtOnceIsTold) {
  RuleBench bench{"notify", R"({"events": ["failed"]})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  const Fact end = changed(kJob, 2, Secondary::failed);
  const auto told = bench.at(1h, {end, submitted(kJob, 2, {}, Origin::queue)}).all<Notify>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].attempt, 1);
  EXPECT_TRUE(bench.at(2h, {end}).verbs.empty()) << "once";
}

// News overtake each other: the next attempt trains by the time that the end of the first is told.
TEST(Notify, TheEndOfAnAttemptThatIsToldLateIsTold) {
  RuleBench bench{"notify", R"({"events": ["failed", "nodes_lost"]})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_EQ(bench.at(1h, {NodesLost{kJob, 1, 1, 1}}).count<Notify>(), 1U);
  EXPECT_TRUE(
      bench.at(2h, {submitted(kJob, 3), changed(kJob, 1, Secondary::training, 3)}).verbs.empty());
  const Fact first = changed(kJob, 2, Secondary::failed);
  const auto told = bench.at(2h + 1min, {first, first}).all<Notify>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].attempt, 1);
  EXPECT_EQ(told[0].incident, 2) << "the loss was the first";
  const auto second = bench.at(2h + 2min, {changed(kJob, 2, Secondary::failed, 2)}).all<Notify>();
  ASSERT_EQ(second.size(), 1U) << "of which nothing else was ever told";
  EXPECT_EQ(second[0].attempt, 2);
  EXPECT_TRUE(bench.at(3h, {first}).verbs.empty());
}

TEST(Notify, WhatWasRejectedIsToldAlsoOfAJobThatIsResumed) {
  RuleBench bench{"notify", R"({"events": ["failed"]})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_EQ(bench.at(1h, {changed(kJob, 2, Secondary::failed)}).count<Notify>(), 1U);
  bench.at(1h, {submitted(kJob, 2), changed(kJob, 1, Secondary::training, 2)});
  const Fact rejected = refused_by(Refusal::platform, kJob, VerbKind::notify);
  EXPECT_TRUE(bench.at(1h, {rejected}).verbs.empty());
  EXPECT_TRUE(bench.at(1h + 30s, {changed(kJob, 2, Secondary::uploading, 2)}).verbs.empty());
  const auto again = bench.tick(1h + 1min).all<Notify>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].attempt, 1);
  bench.at(1h + 1min, {settled(kJob, VerbKind::notify, Outcome::done)});
  EXPECT_TRUE(bench.tick(9h).verbs.empty()) << "once";
}

TEST(Notify, AnAttemptThatNobodyMendsIsStopped) {
  RuleBench bench{"notify", R"({"events": ["interrupted"], "stop_after": "2h"})"};
  const auto interrupted = [](std::uint16_t revision, std::uint16_t times) {
    return JobChanged{
        kJob, 1, revision, Primary::in_progress, Secondary::interrupted, FailureClass::none, times};
  };
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_EQ(bench.at(1h, {interrupted(2, 1)}).count<Notify>(), 1U);
  bench.at(1h, {settled(kJob, VerbKind::notify, Outcome::done)});
  bench.at(2h, {changed(kJob, 3, Secondary::starting)});
  EXPECT_TRUE(bench.tick(3h).verbs.empty()) << "it has machines again";
  EXPECT_EQ(bench.at(4h, {interrupted(4, 2)}).all<Notify>().at(0).incident, 2);
  bench.at(4h, {of_incident(2, settled(kJob, VerbKind::notify, Outcome::done))});
  EXPECT_TRUE(bench.tick(6h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(6h).count<StopJob>(), 1U);
}

TEST(Notify, OnlyWhatDidNotGetOutIsSentAgain) {
  RuleBench bench{"notify", R"({"events": ["nodes_lost"], "stop_after": "2h"})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  for (const int hour : {1, 2, 3}) bench.at(hour * 1h, {NodesLost{kJob, 1, 1, 1}});
  const Fact done = settled(kJob, VerbKind::notify, Outcome::done);
  const Fact given_up = settled(kJob, VerbKind::notify, Outcome::expired);
  bench.at(3h, {done, of_incident(2, given_up), of_incident(3, given_up)});
  const auto again = bench.tick(3h + 1min).all<Notify>();
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].incident, 2);
  EXPECT_EQ(again[1].incident, 3);
  bench.at(4h, {of_incident(2, done)});
  EXPECT_TRUE(bench.tick(6h).verbs.empty()) << "nobody was told of the newest loss";
  bench.at(6h, {of_incident(3, done)});
  EXPECT_TRUE(bench.tick(8h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(8h).count<StopJob>(), 1U);
}

TEST(Notify, EachLossIsAnIncidentHoweverOftenItIsTold) {
  RuleBench bench{"notify", R"({"events": ["nodes_lost", "spot_notice"]})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  const NodesLost loss{kJob, 1, 1, 3};
  EXPECT_EQ(bench.at(1h, {loss, loss}).count<Notify>(), 1U);
  EXPECT_EQ(bench.at(2h, {NodesLost{kJob, 1, 1, 2}}).count<Notify>(), 1U);
  const SpotNotice notice{kJob, 1, SpotSignal::interruption, kStart + 4h, 1};
  EXPECT_EQ(bench.at(3h, {notice, notice}).count<Notify>(), 1U);
  EXPECT_TRUE(bench.at(3h, {notice}).verbs.empty());
}

TEST(Notify, ALossThatIsToldAfterALaterOneIsAnIncidentToo) {
  RuleBench bench{"notify", R"({"events": ["nodes_lost"]})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_EQ(bench.step(21min, {{kStart + 20min, NodesLost{kJob, 1, 1, 2}}}).count<Notify>(), 1U);
  EXPECT_EQ(bench.step(22min, {{kStart + 10min, NodesLost{kJob, 1, 1, 3}}}).count<Notify>(), 1U);
  EXPECT_TRUE(bench.step(23min, {{kStart + 10min, NodesLost{kJob, 1, 1, 3}}}).verbs.empty());
}

}  // namespace alerts_test
}  // namespace reeve::policies
