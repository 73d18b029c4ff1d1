#include "tests/rules/strategy_bench.hpp"

namespace reeve::policies {
namespace strawman_test {

using namespace strategies;  // NOLINT: its bench

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

}  // namespace strawman_test
}  // namespace reeve::policies
