// One pool and its jobs, scheduled in order: what unit tests and random worlds of `schedule` share.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/rules/rule_bench.hpp"

namespace reeve::policies::schedule_rig {

inline constexpr PoolId kPool{0};

inline JobDescription work(std::uint32_t instances, Duration expected = 1h, PoolId pool = kPool) {
  JobDescription description;
  description.instances = instances;
  description.expected_work = expected;
  description.pool = pool;
  return description;
}

inline Fact machines(std::uint32_t instances, PoolId pool = kPool) {
  return CapacityChanged{pool, instances};
}

inline std::vector<std::uint32_t> started(const Wishes& wishes) {
  std::vector<std::uint32_t> jobs;
  for (const StartJob& start : wishes.all<StartJob>()) jobs.push_back(start.job.index);
  return jobs;
}

using Jobs = std::vector<std::uint32_t>;

inline constexpr const char* kFifo = R"({"algorithm": "fifo"})";
inline constexpr const char* kFifoAny = R"({"algorithm": "fifo", "backfill": "any_fit"})";
inline constexpr const char* kSjf = R"({"algorithm": "sjf"})";
inline constexpr const char* kSjfAny = R"({"algorithm": "sjf", "backfill": "any_fit"})";

}  // namespace reeve::policies::schedule_rig
