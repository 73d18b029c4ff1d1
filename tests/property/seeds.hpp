// What is checked on one random world after the other.
//
// REEVE_SEEDS says how many (default 300; tests/CMakeLists.txt has more for some, CONTRIBUTING.md
// names the campaign), REEVE_SEED starts at another one.  A failure prints the one line that
// repeats it.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

namespace reeve::tests {

inline std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Of the worlds to draw: as many as REEVE_SEEDS says, or `otherwise`, from REEVE_SEED on.
inline std::vector<std::uint32_t> seeds(std::uint32_t otherwise) {
  std::vector<std::uint32_t> all(number_from("REEVE_SEEDS", otherwise));
  std::iota(all.begin(), all.end(), static_cast<std::uint32_t>(number_from("REEVE_SEED", 1)));
  return all;
}

class EachSeed : public ::testing::Test {
 protected:
  /// Runs `check` on each seed and names the first that fails.
  template <class Check>
  void each_seed(Check check) {
    const std::uint64_t first = number_from("REEVE_SEED", 1);
    const std::uint64_t count = number_from("REEVE_SEEDS", 300);
    ASSERT_GT(count, 0u) << "a check that examines nothing is no check";
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
      SCOPED_TRACE("repeat with: REEVE_SEED=" + std::to_string(seed) + " REEVE_SEEDS=1 " +
                   program_invocation_name + " --gtest_filter=" + test->test_suite_name() + "." +
                   test->name());
      check(seed);
      if (HasFailure()) return;
    }
  }
};

}  // namespace reeve::tests
