#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace market_test {

constexpr JobId kJob{3};
constexpr PoolId kSpot{0};
constexpr PoolId kOnDemand{1};

JobDescription on(PoolId pool, bool awaits_placement = true) {
  JobDescription description;
  description.pool = pool;
  description.awaits_placement = awaits_placement;
  return description;
}

struct MarketBench : RuleBench {
  explicit MarketBench(const std::string& use)
      : RuleBench{"market", R"({"use": ")" + use + R"("})"} {
    directory.pools[0].market = Market::spot;
    directory.pools.push_back({.name = "od"});
  }
};

TEST(MarketRule, WhatIsSubmittedIsPlacedOnceWhereTheRuleSays) {
  MarketBench bench{"on_demand"};
  const auto place = bench.at(0s, {submitted(kJob, 1, on(kSpot))}).all<PlaceJob>();
  ASSERT_EQ(place.size(), 1U);
  EXPECT_EQ(place[0].pool, kOnDemand);
  EXPECT_TRUE(bench.at(1s, {submitted(kJob, 1, on(kSpot))}).verbs.empty()) << "told twice";
  EXPECT_EQ(bench.at(2s, {submitted(kJob, 2, on(kSpot))}).count<PlaceJob>(), 1U)
      << "a person submitted it again";
}

TEST(MarketRule, AJobThatWaitsIsPlacedThoughThereIsNoSuchMarket) {
  MarketBench bench{"reserved"};
  const auto place = bench.at(0s, {submitted(kJob, 1, on(kSpot))}).all<PlaceJob>();
  ASSERT_EQ(place.size(), 1U);
  EXPECT_EQ(place[0].pool, kSpot) << "where it asked to run";
}

TEST(MarketRule, WhereTheMarketHasNoRoomTheJobRunsWhereItAskedTo) {
  MarketBench bench{"on_demand"};
  bench.at(0s, {submitted(kJob, 1, on(kSpot))});
  const auto place =
      bench.at(1s, {refused_by(Refusal::platform, kJob, VerbKind::place_job)}).all<PlaceJob>();
  ASSERT_EQ(place.size(), 1U);
  EXPECT_EQ(place[0].pool, kSpot);
  EXPECT_TRUE(
      bench.at(2s, {refused_by(Refusal::platform, kJob, VerbKind::place_job)}).verbs.empty());
}

TEST(MarketRule, AJobThatNobodyTakesIsOfferedAgainWhereItAskedToRun) {
  MarketBench bench{"on_demand"};
  bench.at(0s, {submitted(kJob, 1, on(kSpot))});
  bench.at(1s, {refused_by(Refusal::platform, kJob, VerbKind::place_job)});
  for (const Duration now : {2s, 62s, 122s}) {
    EXPECT_TRUE(
        bench.at(now, {refused_by(Refusal::platform, kJob, VerbKind::place_job)}).verbs.empty());
    const auto place = bench.tick(now + 60s).all<PlaceJob>();
    ASSERT_EQ(place.size(), 1U) << "it waits in no line until it is placed";
    EXPECT_EQ(place[0].pool, kSpot);
  }
  bench.at(183s, {settled(kJob, VerbKind::place_job, Outcome::done)});
  EXPECT_TRUE(bench.tick(10h).verbs.empty());
}

TEST(MarketRule, AnExpiredPlacementIsAskedForAgainAfterAMinute) {
  MarketBench bench{"on_demand"};
  bench.at(0s, {submitted(kJob, 1, on(kSpot))});
  EXPECT_TRUE(bench.at(1s, {settled(kJob, VerbKind::place_job, Outcome::expired)}).verbs.empty());
  EXPECT_EQ(bench.tick(61s).count<PlaceJob>(), 1U);
}

TEST(MarketRule, ClonesOfRulesAndRunningJobsStayWhereTheyAre) {
  MarketBench bench{"on_demand"};
  EXPECT_TRUE(bench.at(0s, {submitted(kJob, 1, on(kSpot, false), Origin::rule)}).verbs.empty());
  EXPECT_TRUE(bench.at(0s, {submitted({6}, 1, on(kSpot, false), Origin::queue)}).verbs.empty());
  EXPECT_TRUE(
      bench.at(0s, {submitted({4}, 1, on(kSpot, false)), changed({4}, 1, Secondary::training)})
          .verbs.empty());
  EXPECT_TRUE(bench.at(0s, {submitted({5}, 1, on(kOnDemand, false))}).verbs.empty());
}

}  // namespace market_test
}  // namespace reeve::policies
