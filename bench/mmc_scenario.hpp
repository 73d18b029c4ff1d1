// A million jobs of an M/M/100 queue at 90 % load: one scenario for the benchmark and for the test
// against Erlang.
#pragma once

#include <cstdint>

namespace reeve::bench::mmc {

// One job a second, 90 s of work each, 100 instances.
inline constexpr std::uint32_t jobs = 1'000'000;
inline constexpr int machines = 100;
inline constexpr double gap_s = 1;
inline constexpr double work_s = 90;

inline constexpr const char* scenario_text = R"jsonc({
  "reeve": 1,
  "name": "mmc",
  "clock": { "start": "2026-01-01T00:00:00Z", "horizon": "until_done" },
  "random": { "seed": 1, "runs": 1 },
  "prices": { "instances": { "gpu": { "usd_per_hour": 3.06, "gpus": 1, "managed": false } } },
  "fleet": [ { "name": "cluster", "instance_type": "gpu", "capacity": 100, "market": "reserved" } ],
  "platform": { "model": "ideal" },
  "workload": {
    "jobs": 1000000, "name": "job", "instances": 1,
    "arrivals": { "process": "poisson", "gap": "1s" },
    "work": { "exponential": "90s" }
  },
  "policies": { "fifo": [ { "rule": "schedule", "algorithm": "fifo" } ] }
})jsonc";

}  // namespace reeve::bench::mmc
