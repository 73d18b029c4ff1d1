// The rungs of `action`, on the rule that has least to it otherwise.
#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace ladder_test {

constexpr JobId kJob{2};

constexpr const char* warns = R"({"limit": "1h", "ahead": "0s", "action": "warn_then_stop",
                                  "warn_for": "30m"})";

/// Holds machines from 0s on.
struct CapBench : RuleBench {
  explicit CapBench(const std::string& options = warns) : RuleBench{"uptime_cap", options} {
    at(0s, {submitted(kJob), changed(kJob, 1, Secondary::starting)});
  }
};

TEST(Ladder, ThePeopleWhoAreToldHaveTimeFromTheDeliveryOn) {
  CapBench bench;
  EXPECT_EQ(bench.tick(1h).count<Notify>(), 1U);
  bench.at(1h + 5min, {settled(kJob, VerbKind::notify, Outcome::done)});
  EXPECT_TRUE(bench.tick(1h + 35min - 1ns).verbs.empty());
  const auto stops = bench.tick(1h + 35min).all<StopJob>();
  ASSERT_EQ(stops.size(), 1U);
  EXPECT_EQ(stops[0].incident, 1) << "where the seat only warns, they were told already";
  EXPECT_TRUE(bench.tick(9h).verbs.empty()) << "once";
}

TEST(Ladder, NobodyIsStoppedWhoWasNotTold) {
  CapBench bench;
  EXPECT_EQ(bench.tick(1h).count<Notify>(), 1U);
  EXPECT_TRUE(bench.tick(9h).verbs.empty()) << "the message is on its way";
  bench.at(9h, {settled(kJob, VerbKind::notify, Outcome::expired)});
  EXPECT_EQ(bench.tick(9h + 1min).count<Notify>(), 1U) << "it is sent again";
  bench.at(9h + 2min, {settled(kJob, VerbKind::notify, Outcome::done)});
  EXPECT_EQ(bench.tick(9h + 32min).count<StopJob>(), 1U);
}

// Who was told of what is wrong by a message whose reply was lost is not told twice: the message
// that is sent again is the same; of what is wrong anew there is a new one.
TEST(Ladder, AMessageThatIsSentAgainIsTheSame) {
  RuleBench bench{"heartbeat", R"({"period": "1m", "misses": 2, "action": "warn_then_stop",
                                   "warn_for": "10m"})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  bench.at(30s, {TrainingReported{kJob, 1, 1h, false, 0}});
  EXPECT_EQ(bench.tick(3min).all<Notify>().at(0).incident, 1);
  bench.at(4min, {settled(kJob, VerbKind::notify, Outcome::expired)});
  EXPECT_EQ(bench.tick(5min).all<Notify>().at(0).incident, 1) << "of the same silence";
  bench.at(6min, {settled(kJob, VerbKind::notify, Outcome::expired),
                  TrainingReported{kJob, 1, 1h, false, 0}});
  EXPECT_EQ(bench.tick(9min).all<Notify>().at(0).incident, 2) << "of the next one";
}

TEST(Ladder, AMessageThatIsRejectedIsSentAgainLaterEachTimeWhateverElseIsNews) {
  CapBench bench;
  EXPECT_EQ(bench.tick(1h).count<Notify>(), 1U);
  const Fact rejected = refused_by(Refusal::platform, kJob, VerbKind::notify);
  bench.at(1h, {rejected});
  EXPECT_EQ(bench.at(1h + 30s, {changed(kJob, 2, Secondary::training)}).count<Notify>(), 0U);
  EXPECT_EQ(bench.tick(1h + 1min).count<Notify>(), 1U);
  bench.at(1h + 1min, {rejected});
  EXPECT_EQ(bench.tick(1h + 2min).count<Notify>(), 0U);
  const auto again = bench.tick(1h + 3min).all<Notify>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].incident, 1) << "it is the same message";
}

TEST(Ladder, InShadowTheStopComesAsIfPeopleHadBeenTold) {
  CapBench bench;
  bench.tick(1h);
  bench.at(1h, {refused_by(Refusal::seat_mode, kJob, VerbKind::notify)});
  EXPECT_EQ(bench.tick(1h + 30min).count<StopJob>(), 1U);
}

TEST(Ladder, AStopThatLostToAnotherActionIsAskedForAgain) {
  CapBench bench;
  bench.tick(1h);
  bench.at(1h, {settled(kJob, VerbKind::notify, Outcome::done)});
  EXPECT_EQ(bench.tick(1h + 30min).count<StopJob>(), 1U);
  bench.at(1h + 31min, {refused_by(Refusal::conflict, kJob, VerbKind::stop_job)});
  EXPECT_EQ(
      bench.at(1h + 32min, {settled(kJob, VerbKind::limit_runtime, Outcome::done, kOtherSeat)})
          .count<StopJob>(),
      1U);
}

TEST(Ladder, WhatIsOverBeforeTheStopBeginsAnewWithAMessage) {
  RuleBench bench{"heartbeat", R"({"period": "1m", "misses": 2, "action": "warn_then_stop",
                                   "warn_for": "10m"})"};
  const auto beat = [] { return TrainingReported{kJob, 1, 1h, false, 0}; };
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  bench.at(30s, {beat()});
  EXPECT_EQ(bench.tick(3min).all<Notify>().at(0).incident, 1);
  bench.at(3min, {settled(kJob, VerbKind::notify, Outcome::done)});
  EXPECT_TRUE(bench.at(12min + 30s, {beat()}).verbs.empty()) << "it lives";
  EXPECT_TRUE(bench.tick(13min).verbs.empty()) << "the time for the first silence is of no matter";
  EXPECT_EQ(bench.tick(15min).all<Notify>().at(0).incident, 2) << "a message of its own";
  bench.at(15min, {of_incident(2, settled(kJob, VerbKind::notify, Outcome::done))});
  EXPECT_TRUE(bench.tick(25min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(25min).all<StopJob>().at(0).cause, StopCause::standing_still);
}

TEST(Ladder, ABudgetWarnsOfEachOfItsJobsAndStopsThem) {
  RuleBench bench{"budget", R"({"limit_usd": 60, "warn_at_pct": 0, "ahead": "0s",
                                "action": "warn_then_stop", "warn_for": "30m"})"};
  bench.directory.types[0].price = UsdPerHour{30'000'000'000};
  bench.at(0s, {CapacityChanged{{0}, 4}, submitted(JobId{0}), submitted(JobId{1})});
  bench.at(0s,
           {changed(JobId{0}, 1, Secondary::starting), changed(JobId{1}, 1, Secondary::starting)});
  EXPECT_EQ(bench.tick(1h).count<Notify>(), 2U) << "2 x $30 after an hour";
  const std::uint16_t spent = 2;  // 1: that it is nearly spent
  bench.at(1h, {of_incident(spent, settled(JobId{0}, VerbKind::notify, Outcome::done)),
                of_incident(spent, settled(JobId{1}, VerbKind::notify, Outcome::done))});
  EXPECT_TRUE(bench.tick(1h + 29min).verbs.empty());
  EXPECT_EQ(bench.tick(1h + 30min).count<StopJob>(), 2U);
}

}  // namespace ladder_test
}  // namespace reeve::policies
