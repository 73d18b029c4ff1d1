#include "tests/rules/strategy_bench.hpp"

namespace reeve::policies {
namespace on_demand_test {

using namespace strategies;  // NOLINT: its bench

TEST(OnDemand, HoldsOnDemandMachinesUntilTheWorkIsDone) {
  StrategyBench bench{"on_demand"};
  EXPECT_EQ(bench.tick(0h, true, 0h), "on demand");
  EXPECT_EQ(bench.tick(1h, true, 1h, kOnDemand), "stays");
  EXPECT_EQ(bench.tick(5h, true, 4h, kOnDemand), "nothing") << "asked when the work is done";
}

}  // namespace on_demand_test
}  // namespace reeve::policies
