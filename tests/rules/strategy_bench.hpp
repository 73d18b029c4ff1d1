// A Spot strategy on a bench: hand-made reports in, tick by tick, and where the job is sent out.
#pragma once

#include "tests/rules/rule_bench.hpp"

namespace reeve::policies::strategies {

inline constexpr JobId kJob{0};
inline constexpr PoolId kSpot{0};
inline constexpr PoolId kOnDemand{1};

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

}  // namespace reeve::policies::strategies
