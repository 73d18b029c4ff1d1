// What tests of stalled_gpu share.
#pragma once

#include <cstdint>

#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace stalled_gpu_test {

inline constexpr JobId kJob{0};

inline Fact alarm(AlarmState state, std::uint32_t host = 1, AttemptNumber attempt = 1,
                  SeatId seat = kOwnSeat) {
  return AlarmChanged{{kJob, host, static_cast<std::uint16_t>(seat.index)}, attempt, state};
}

inline JobDescription on(std::uint32_t instances) {
  JobDescription description;
  description.instances = instances;
  return description;
}

/// A job on 8 instances that has just begun to train; returns what that step brought.
inline Wishes train(RuleBench& bench) {
  bench.at(0s, {submitted(kJob, 1, on(8)), changed(kJob, 1, Secondary::starting)});
  return bench.at(1min, {changed(kJob, 2, Secondary::training)});
}

}  // namespace stalled_gpu_test
}  // namespace reeve::policies
