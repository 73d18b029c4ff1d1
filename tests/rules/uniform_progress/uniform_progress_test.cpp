#include "tests/rules/strategy_bench.hpp"

namespace reeve::policies {
namespace uniform_progress_test {

using namespace strategies;  // NOLINT: its bench

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

}  // namespace uniform_progress_test
}  // namespace reeve::policies
