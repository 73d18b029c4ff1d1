// Runs every policy on the same replications, on several threads, and hands results over in order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

struct ReplicateOptions {
  std::vector<const scenarios::PolicySpec*> policies;
  std::uint32_t runs = 1;
  unsigned threads = 1;  ///< at least 1; changes no byte of any result
  RunOptions run;
};

/// Called in order of (replication, policy), from one thread at a time.
using Receive = std::function<void(RunResult&&)>;

/// Throws what a run throws.  Stops early if interrupted: what was received is then the first of
/// all results, the last of which may be partial; of replication 0 there may be one for each
/// policy.
void replicate(const scenarios::Scenario& scenario, const ReplicateOptions& options,
               const Receive& receive);

}  // namespace reeve::experiments
