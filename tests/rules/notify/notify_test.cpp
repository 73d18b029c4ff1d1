#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace notify_test {

constexpr JobId kJob{2};

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

}  // namespace notify_test
}  // namespace reeve::policies
