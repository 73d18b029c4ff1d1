// A sequence of uniform numbers that the content of a history determines.
#pragma once

#include <cstdint>

#include "sim/draws.hpp"

namespace reeve::experiments {

class RandomNumbers {
 public:
  RandomNumbers(std::uint64_t seed, sim::Cause cause, std::uint32_t entity,
                std::uint32_t replication = 0)
      : next_{seed, replication, cause, entity, 0} {}

  /// In (0, 1].
  double next() {
    const double drawn = sim::uniform(next_);
    ++next_.nth;
    return drawn;
  }

  /// Below `count` > 0, each with equal probability.
  std::size_t index(std::size_t count) {
    const auto drawn = static_cast<std::size_t>(next() * static_cast<double>(count));
    return drawn < count ? drawn : count - 1;
  }

 private:
  sim::Address next_;
};

}  // namespace reeve::experiments
