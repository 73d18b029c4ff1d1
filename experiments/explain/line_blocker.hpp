// Who keeps a waiter from its turn, though it may itself never start: the first of its share, or of
// those who borrow.
#pragma once

#include "experiments/explain/queue_snapshot.hpp"
#include "models/record.hpp"
#include "models/world.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::experiments {

struct LineBlocker {
  const Waiter* who = nullptr;  ///< of the snapshot; null: no job
  bool borrows = false;         ///< the first of those who do; else of its share, or of none
};

/// Where the policy's rule looks only at the first job of a share, or lets no job borrow before the
/// first that would.  Only as far as a record tells: the rule skips jobs whose start was refused.
LineBlocker line_blocker(const models::World& world, const scenarios::PolicySpec& policy,
                         const models::Record& record, const QueueSnapshot& snapshot,
                         const Waiter& waiter);

}  // namespace reeve::experiments
