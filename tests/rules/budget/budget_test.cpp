#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace budget_test {

/// Jobs of one instance at $30 an hour.
struct BudgetBench : RuleBench {
  explicit BudgetBench(const std::string& options) : RuleBench{"budget", options} {
    directory.types[0].price = {30'000'000'000};
    directory.pools.push_back({.name = "spot", .market = Market::spot});
  }
  Wishes start(Duration when, JobId job, std::vector<Tag> set = {}, std::uint32_t instances = 1,
               PoolId pool = {}) {
    JobDescription description;
    description.instances = instances;
    description.tags = tags(std::move(set));
    description.pool = pool;
    return at(when, {submitted(job, 1, description), changed(job, 1, Secondary::starting)});
  }
};

TEST(Budget, AllJobsTogetherMaySpendSoMuch) {
  BudgetBench bench{R"({"limit_usd": 300, "ahead": "0s", "warn_at_pct": 0})"};
  bench.start(0h, {0});
  bench.start(2h, {1});  // $60 by now, $60 an hour from here on
  EXPECT_TRUE(bench.tick(6h - 1ns).verbs.empty());
  const auto stops = bench.tick(6h).all<StopJob>();
  ASSERT_EQ(stops.size(), 2U);
  EXPECT_TRUE(bench.tick(7h).verbs.empty()) << "once each";
}

TEST(Budget, AStopTakesTheGraceSoItIsAskedForAhead) {
  BudgetBench bench{R"({"limit_usd": 300, "ahead": "2m", "warn_at_pct": 0})"};
  bench.start(0h, {0});
  EXPECT_TRUE(bench.tick(9h + 57min).verbs.empty());
  EXPECT_EQ(bench.tick(9h + 58min).count<StopJob>(), 1U);
}

TEST(Budget, EachValueOfATagHasItsOwnAndJobsWithoutItHaveNone) {
  BudgetBench bench{R"({"limit_usd": 300, "per": "tag", "tag": "project", "ahead": "0s"})"};
  bench.start(0h, {0}, {{"project", "a"}});
  bench.start(0h, {1}, {{"project", "b"}}, 2);
  bench.start(0h, {2}, {}, 9);
  EXPECT_EQ(bench.tick(4h).all<Notify>().at(0).job, JobId{1}) << "80 % of b's";
  EXPECT_EQ(bench.tick(5h).all<StopJob>().at(0).job, JobId{1});
  bench.at(5h,
           {settled({1}, VerbKind::stop_job, Outcome::done), changed({1}, 2, Secondary::stopped)});
  EXPECT_EQ(bench.tick(8h).count<Notify>(), 1U) << "80 % of a's";
  EXPECT_EQ(bench.tick(10h).all<StopJob>().at(0).job, JobId{0});
}

TEST(Budget, AJobThatStartsWhenAllIsSpentIsStopped) {
  BudgetBench bench{R"({"limit_usd": 300, "ahead": "0s", "warn_at_pct": 0})"};
  bench.start(0h, {0});
  bench.tick(10h);
  bench.at(10h,
           {settled({0}, VerbKind::stop_job, Outcome::done), changed({0}, 2, Secondary::stopped)});
  EXPECT_EQ(bench.start(11h, {1}).count<StopJob>(), 1U);
}

// kStart is 16:00 UTC.
TEST(Budget, EachDayBeginsAnewAtMidnight) {
  BudgetBench bench{R"({"limit_usd": 300, "within": "day", "ahead": "0s", "warn_at_pct": 0})"};
  bench.start(0h, {0});
  EXPECT_TRUE(bench.tick(8h).verbs.empty()) << "$240 on the first day";
  EXPECT_TRUE(bench.tick(18h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(18h).count<StopJob>(), 1U) << "ten hours into the second";
}

TEST(Budget, WhatWasRefusedOnOneDayIsAskedForOnTheNext) {
  BudgetBench bench{R"({"limit_usd": 300, "within": "day", "ahead": "0s", "warn_at_pct": 0})"};
  bench.start(0h, {0}, {}, 2);
  EXPECT_EQ(bench.tick(5h).count<StopJob>(), 1U);
  bench.at(5h, {settled({0}, VerbKind::stop_job, Outcome::refused)});  // by a guard, for good
  EXPECT_TRUE(bench.tick(8h).verbs.empty()) << "midnight";
  EXPECT_TRUE(bench.tick(13h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(13h).count<StopJob>(), 1U);
}

// One job is the first of both fleets: each has a timer of its own.
TEST(Budget, AJobThatMovesTakesNoFleetsTimerAway) {
  BudgetBench bench{R"({"limit_usd": 300, "per": "fleet", "ahead": "0s", "warn_at_pct": 0})"};
  bench.start(0h, {0});
  bench.start(0h, {1});  // until 5 h on the first fleet
  JobDescription moved;
  moved.pool = PoolId{1};
  bench.at(1h, {changed({0}, 2, Secondary::failed), submitted({0}, 2, moved, Origin::rule),
                changed({0}, 1, Secondary::starting, 2)});
  const auto first = bench.tick(10h).all<StopJob>();  // $30 of job 0, $270 of job 1 at 9 h
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].job, JobId{1});
  EXPECT_EQ(bench.tick(11h).all<StopJob>().at(0).job, JobId{0}) << "$300 on the second at 11 h";
}

TEST(Budget, AJobIsOfNoFleetBeforeItsSubmissionIsToldOf) {
  BudgetBench bench{R"({"limit_usd": 300, "per": "fleet", "ahead": "0s", "warn_at_pct": 0})"};
  bench.start(0h, {0});
  bench.tick(10h);
  EXPECT_TRUE(bench.at(11h, {changed({1}, 2, Secondary::starting)}).verbs.empty());
  JobDescription other;
  other.pool = PoolId{1};
  EXPECT_TRUE(bench.at(12h, {submitted({1}, 1, other)}).verbs.empty());
  EXPECT_EQ(bench.tick(21h).all<StopJob>().at(0).job, JobId{1}) << "counted from 11 h on";
}

// $720 on the whole of a day, and $0.20 more are allowed: looking ahead ends at midnight.
TEST(Budget, WhatIsNotReachedBeforeMidnightIsNotReached) {
  BudgetBench bench{R"({"limit_usd": 720.2, "within": "day", "ahead": "2h", "warn_at_pct": 0})"};
  bench.start(0h, {0});
  for (Duration now = 0h; now < 56h; now += 10min) {
    EXPECT_TRUE(bench.tick(now).verbs.empty()) << now / 1min;
  }
}

TEST(Budget, AnEndToldLateIsTakenBack) {
  BudgetBench bench{R"({"limit_usd": 300, "ahead": "0s", "warn_at_pct": 0})"};
  bench.start(0h, {0});
  bench.start(0h, {1});
  bench.step(4h, {{kStart + 1h, changed({1}, 2, Secondary::completed)}});  // $30, not $120
  EXPECT_TRUE(bench.tick(9h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(9h).count<StopJob>(), 1U);
}

TEST(Budget, SpotIsCountedAsOneSays) {
  BudgetBench bench{R"({"limit_usd": 300, "ahead": "0s", "warn_at_pct": 0, "spot_pct": 30})"};
  bench.start(0h, {0}, {}, 1, PoolId{1});
  EXPECT_TRUE(bench.tick(33h).verbs.empty());
  EXPECT_EQ(bench.tick(33h + 20min).count<StopJob>(), 1U);
}

TEST(Budget, WhoIsOnlyToldIsToldOnceADay) {
  BudgetBench bench{R"({"limit_usd": 100, "within": "day", "action": "notify", "warn_at_pct": 0})"};
  bench.start(0h, {0}, {}, 2);
  std::vector<std::uint16_t> incidents;
  for (Duration now = 0h; now < 56h; now += 10min) {
    for (const Notify& note : bench.tick(now).all<Notify>()) incidents.push_back(note.incident);
  }
  EXPECT_EQ(incidents, (std::vector<std::uint16_t>{2, 4, 6}));
}

TEST(Budget, OnlyTheMessageThatDidNotGetOutIsSentAgain) {
  const Fact given_up = settled({0}, VerbKind::notify, Outcome::expired);
  const Fact done = settled({0}, VerbKind::notify, Outcome::done);
  for (const std::uint16_t lost : {std::uint16_t{1}, std::uint16_t{2}}) {
    BudgetBench bench{R"({"limit_usd": 300, "action": "notify"})"};
    bench.start(0h, {0}, {}, 1);
    EXPECT_EQ(bench.tick(8h).count<Notify>(), 1U) << "80 % of it";
    EXPECT_EQ(bench.tick(10h).count<Notify>(), 1U) << "all of it";
    const std::uint16_t other = lost == 1 ? 2 : 1;
    bench.at(10h, {of_incident(other, done), of_incident(lost, given_up)});
    const auto again = bench.tick(10h + 1min).all<Notify>();
    // Who has been told that it is spent need not be told that it nearly is.
    ASSERT_EQ(again.size(), lost == 2 ? 1U : 0U);
    for (const Notify& note : again) EXPECT_EQ(note.incident, 2);
    EXPECT_TRUE(bench.tick(20h).verbs.empty());
  }
}

TEST(Budget, AStopThatFailsIsNoReasonToWarnAgain) {
  BudgetBench bench{R"({"limit_usd": 300, "ahead": "30m"})"};
  bench.start(0h, {1});
  bench.start(0h, {2});
  EXPECT_EQ(bench.tick(4h).all<Notify>().at(0).job, JobId{1}) << "80 % of it";
  bench.at(4h, {settled({1}, VerbKind::notify, Outcome::done)});
  bench.start(4h, {0});
  ASSERT_EQ(bench.tick(4h + 10min).count<StopJob>(), 3U) << "$255 of it, and $45 in half an hour";
  bench.at(4h + 10min,
           {settled({2}, VerbKind::stop_job, Outcome::done), changed({2}, 2, Secondary::stopped),
            settled({0}, VerbKind::stop_job, Outcome::expired),
            settled({1}, VerbKind::stop_job, Outcome::expired)});
  std::size_t stops = 0;
  for (Duration now = 4h + 11min; now < 5h; now += 1min) {
    const auto wishes = bench.tick(now);
    stops += wishes.count<StopJob>();
    EXPECT_EQ(wishes.count<Notify>(), 0U) << "the message was delivered";
  }
  EXPECT_EQ(stops, 2U) << "both are asked for again";
}

}  // namespace budget_test
}  // namespace reeve::policies
