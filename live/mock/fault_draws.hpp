// Which events and calls of a mock account have a fault, drawn by a seed.
#pragma once

#include <cstdint>

namespace reeve::live {

/// SplitMix64.
class FaultDraws {
 public:
  explicit FaultDraws(std::uint64_t seed) : state_{seed} {}

  /// True for that share of calls, in 0..1.
  bool happens(double share) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31U;
    return static_cast<double>(mixed >> 11U) * 0x1p-53 < share;
  }

 private:
  std::uint64_t state_;
};

}  // namespace reeve::live
