// The four Spot strategies, tick by tick, on hand-made reports.
#include "rule_bench.hpp"

namespace reeve::policies {
namespace tick_strategies_test {

constexpr JobId kJob{0};
constexpr PoolId kSpot{0};
constexpr PoolId kOnDemand{1};

/// A job of 4 h on two machines with 6 h to its deadline, in ticks of 10 min; restarts take 6 min.
struct StrategyBench : RuleBench {
  explicit StrategyBench(std::string_view rule)
      : RuleBench{rule, rule == "strawman" || rule == "uniform_progress"
                            ? R"({ "tick": "10m", "restart_overhead": "6m" })"
                            : "{}"} {
    directory.pools[0].market = Market::spot;
    directory.pools.push_back({.name = "od"});
    JobDescription description;
    description.submitted_at = kStart;
    description.expected_work = 4h;
    description.deadline = 6h;
    description.instances = 2;
    description.pool = kSpot;
    at(0s, {CapacityChanged{kSpot, 2}, CapacityChanged{kOnDemand, 2},
            submitted(kJob, 1, description), changed(kJob, 1, Secondary::pending)});
  }

  static Fact report(Duration done, std::optional<PoolId> held = {}, Duration overhead = 0s) {
    return ProgressReported{kJob, 1, done, overhead, held.has_value(), held.value_or(PoolId{})};
  }

  /// Where the job is sent at that time: a pool, "nothing", or "stays".
  std::string tick(Duration when, bool up, Duration done, std::optional<PoolId> held = {},
                   Duration overhead = 0s) {
    return said(at(when, {CapacityChanged{kSpot, up ? 2U : 1U}, report(done, held, overhead)}));
  }

  static std::string said(const Wishes& wishes) {
    const auto moves = wishes.all<MoveJob>();
    EXPECT_EQ(moves.size(), wishes.verbs.size());
    if (moves.empty()) return "stays";
    EXPECT_EQ(moves.size(), 1U);
    if (!moves[0].hold) return "nothing";
    return moves[0].pool == kSpot ? "spot" : "on demand";
  }
};

TEST(OnDemand, HoldsOnDemandMachinesUntilTheWorkIsDone) {
  StrategyBench bench{"on_demand"};
  EXPECT_EQ(bench.tick(0h, true, 0h), "on demand");
  EXPECT_EQ(bench.tick(1h, true, 1h, kOnDemand), "stays");
  EXPECT_EQ(bench.tick(5h, true, 4h, kOnDemand), "nothing") << "asked when the work is done";
}

TEST(SpotOnly, HoldsSpotWheneverTheWholeJobFits) {
  StrategyBench bench{"spot_only"};
  EXPECT_EQ(bench.tick(0h, false, 0h), "stays") << "one machine is on offer, it needs two";
  EXPECT_EQ(bench.tick(1h, true, 0h), "spot");
  EXPECT_EQ(bench.tick(2h, true, 1h, kSpot), "stays");
  EXPECT_EQ(bench.tick(5h, false, 1h), "stays") << "even if the deadline passes";
}

TEST(Strawman, WaitsForSpotUntilTheDeadlineLeavesNoTime) {
  StrategyBench bench{"strawman"};
  EXPECT_EQ(bench.tick(0h, false, 0h), "stays");
  EXPECT_EQ(bench.tick(10min, true, 0h), "spot");
  EXPECT_EQ(bench.tick(1h, false, 0h), "stays");
  // 4 h and a restart are 250 min in ticks: at 1h50m so much is left.
  EXPECT_EQ(bench.tick(1h + 40min, false, 0h), "stays");
  EXPECT_EQ(bench.tick(1h + 50min, false, 0h), "on demand");
  EXPECT_EQ(bench.tick(2h, true, 10min, kOnDemand), "stays") << "no more gambling";
}

TEST(Strawman, KeepsTheSpotMachinesThatItHasWhenTimeIsShort) {
  StrategyBench bench{"strawman"};
  EXPECT_EQ(bench.tick(3h, true, 1h, kSpot), "stays");
  EXPECT_EQ(bench.tick(3h + 10min, false, 1h), "on demand") << "lost, and no time to wait";
}

TEST(Strawman, GivesItsMachinesBackWhenTheWorkIsDone) {
  StrategyBench bench{"strawman"};
  EXPECT_EQ(bench.tick(5h, true, 4h, kOnDemand), "nothing");
}

TEST(UniformProgress, TakesOnDemandMachinesWhenItFallsBehindTheLine) {
  StrategyBench bench{"uniform_progress"};
  EXPECT_EQ(bench.tick(0h, false, 0h), "stays") << "on the line";
  EXPECT_EQ(bench.tick(10min, false, 0h), "on demand") << "behind it";
  // Spot is up again, but the line plus two restarts is at (10 + 10 + 12) min x 4/6.
  EXPECT_EQ(bench.tick(20min, true, 10min, kOnDemand), "stays");
  EXPECT_EQ(bench.tick(30min, true, 28min, kOnDemand), "stays") << "28 min exactly";
  EXPECT_EQ(bench.tick(40min, true, 38min, kOnDemand), "spot");
}

TEST(UniformProgress, StaysOnSpotWhereTwoRestartsWouldNotFit) {
  StrategyBench bench{"uniform_progress"};
  // 3 h and two restarts are 200 min in ticks, 3 h and one 190 min; 200 min are left.
  EXPECT_EQ(bench.tick(2h + 40min, true, 1h, kSpot), "stays");
  EXPECT_EQ(bench.tick(2h + 40min + 1ns, true, 1h), "on demand") << "not onto Spot";
}

TEST(UniformProgress, LeavesASpotMachineThatIsStillStartingWhenNoTimeIsLeft) {
  StrategyBench working{"uniform_progress"};
  EXPECT_EQ(working.tick(2h + 50min, true, 1h, kSpot), "stays");
  StrategyBench starting{"uniform_progress"};
  EXPECT_EQ(starting.tick(2h + 50min, true, 1h, kSpot, 1min), "on demand");
}

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

}  // namespace tick_strategies_test
}  // namespace reeve::policies
