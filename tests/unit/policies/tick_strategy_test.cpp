// What the four Spot strategies have in common, tick by tick, on hand-made reports.
#include "tests/rules/strategy_bench.hpp"

namespace reeve::policies {
namespace tick_strategy_test {

using namespace strategies;  // NOLINT: their bench

TEST(TickStrategy, DecidesOnceAtEachInstant) {
  StrategyBench bench{"spot_only"};
  EXPECT_EQ(
      StrategyBench::said(bench.at(1h, {StrategyBench::report(0h), StrategyBench::report(0h)})),
      "spot");
  EXPECT_EQ(StrategyBench::said(bench.at(1h, {StrategyBench::report(0h)})), "stays")
      << "told twice";
}

TEST(TickStrategy, WhereSpotHasNoRoomAfterAllItIsDown) {
  StrategyBench greedy{"strawman"};
  EXPECT_EQ(greedy.tick(1h, true, 0h), "spot");
  EXPECT_EQ(
      StrategyBench::said(greedy.at(1h, {refused_by(Refusal::platform, kJob, VerbKind::move_job)})),
      "stays")
      << "there is time";
  StrategyBench uniform{"uniform_progress"};
  EXPECT_EQ(uniform.tick(1h, true, 0h), "spot");
  EXPECT_EQ(StrategyBench::said(
                uniform.at(1h, {refused_by(Refusal::platform, kJob, VerbKind::move_job)})),
            "on demand");
  EXPECT_EQ(StrategyBench::said(
                uniform.at(1h, {refused_by(Refusal::platform, kJob, VerbKind::move_job)})),
            "stays")
      << "that was all there is";
  EXPECT_EQ(uniform.tick(1h + 10min, true, 0h), "spot") << "a new tick, a new try";
}

TEST(TickStrategy, WhatTheKillSwitchRefusedIsAskedForInTheNextTick) {
  StrategyBench bench{"spot_only"};
  EXPECT_EQ(bench.tick(1h, true, 0h), "spot");
  const Fact refused = refused_by(Refusal::kill_switch, kJob, VerbKind::move_job);
  EXPECT_EQ(StrategyBench::said(bench.at(1h, {refused})), "stays");
  EXPECT_EQ(bench.tick(1h + 10min, true, 0h), "spot");
}

TEST(TickStrategy, KnowsNothingOfAJobThatIsOverOrNotThereYet) {
  StrategyBench bench{"on_demand"};
  EXPECT_TRUE(bench.at(1h, {ProgressReported{{7}, 1, 0h, 0s, false, {}}}).verbs.empty());
  bench.at(1h, {changed(kJob, 2, Secondary::completed)});
  EXPECT_EQ(bench.tick(2h, true, 0h), "stays");
}

TEST(TickStrategy, GoesToTheSpotFleetThatTheJobNames) {
  StrategyBench bench{"spot_only"};
  bench.directory.pools.push_back({.name = "other zone", .market = Market::spot});
  bench.fleet.grow(kJob);
  JobDescription description = bench.fleet.description(kJob);
  description.pool = PoolId{2};
  bench.at(0s, {CapacityChanged{{2}, 2}, submitted(kJob, 1, description)});
  const auto moves = bench.at(1h, {StrategyBench::report(0h)}).all<MoveJob>();
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(moves[0].pool, PoolId{2});
}

}  // namespace tick_strategy_test
}  // namespace reeve::policies
