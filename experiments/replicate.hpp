// Runs every policy on the same replications, on several threads, and delivers results in order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

struct ReplicateOptions {
  std::vector<const scenarios::PolicySpec*> policies;
  std::uint32_t runs = 1;
  unsigned threads = 1;  ///< at least 1; does not affect results
  RunOptions run;
  std::optional<RunOptions> first = std::nullopt;  ///< of replication 0; none: as `run`

  const RunOptions& of(std::uint32_t replication) const {
    return replication == 0 && first ? *first : run;
  }
};

/// Called in order of (replication, policy), from one thread at a time.
using Receive = std::function<void(RunResult&&)>;

/// Throws what a run throws.  If interrupted, it stops early: the received results are then the
/// first ones of all, and the last may be partial; of replication 0 there may be one per policy.
void replicate(const scenarios::Scenario& scenario, const ReplicateOptions& options,
               const Receive& receive);

}  // namespace reeve::experiments
