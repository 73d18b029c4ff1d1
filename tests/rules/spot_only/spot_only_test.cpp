#include "tests/rules/strategy_bench.hpp"

namespace reeve::policies {
namespace spot_only_test {

using namespace strategies;  // NOLINT: its bench

TEST(SpotOnly, HoldsSpotWheneverTheWholeJobFits) {
  StrategyBench bench{"spot_only"};
  EXPECT_EQ(bench.tick(0h, false, 0h), "stays") << "one machine is on offer, it needs two";
  EXPECT_EQ(bench.tick(1h, true, 0h), "spot");
  EXPECT_EQ(bench.tick(2h, true, 1h, kSpot), "stays");
  EXPECT_EQ(bench.tick(5h, false, 1h), "stays") << "even if the deadline passes";
}

}  // namespace spot_only_test
}  // namespace reeve::policies
