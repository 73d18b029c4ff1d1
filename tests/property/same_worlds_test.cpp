// Random worlds are the same with every compiler: none of them depends on the order in which the
// parts of one expression are evaluated.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "report/hash_chain.hpp"
#include "tests/property/random_scenario.hpp"
#include "tests/property/random_ticks.hpp"

namespace reeve::tests {
namespace same_worlds_test {

constexpr std::uint64_t kWorlds = 200;

// What a change of the worlds changes, with each compiler alike: the failure prints the new one.
TEST(SameWorlds, OfFleetsWithEveryCompiler) {
  std::string texts;
  for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) {
    for (const Leaning leaning : {Leaning::none, Leaning::spot, Leaning::own_spot}) {
      texts += RandomScenario{seed, 1, leaning}.text();
    }
  }
  EXPECT_EQ(report::sha256(texts),
            "49d89bf6d549382ba005a96e604094faf70ee6082e0a0e4dfa249483f31ac251");
}

TEST(SameWorlds, OfTicksWithEveryCompiler) {
  std::string texts;
  for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) texts += RandomTicks{seed}.text();
  EXPECT_EQ(report::sha256(texts),
            "9852e8826ca09c2e1c29bf1a53f09f5754b8407022a01832815b8dd37e68288a");
}

}  // namespace same_worlds_test
}  // namespace reeve::tests
