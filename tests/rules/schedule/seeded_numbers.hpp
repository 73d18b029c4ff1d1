// Whole numbers from a seed, for the random worlds of oracle tests.
#pragma once

#include <cstdint>
#include <random>

namespace reeve::policies {

/// Each call draws one number from `low` to `high`, both included.  Equal seeds give equal numbers.
class SeededNumbers {
 public:
  explicit SeededNumbers(std::uint32_t seed) : rng_{seed} {}

  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(rng_() % static_cast<std::uint32_t>(high - low + 1));
  }

 private:
  std::mt19937 rng_;
};

}  // namespace reeve::policies
