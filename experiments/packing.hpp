// Compares packing rules: the same tasks on the same nodes, until they are full or as recorded.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "experiments/fairness.hpp"
#include "models/ledger.hpp"
#include "models/node_packing.hpp"
#include "scenarios/exchange/shared_nodes.hpp"

namespace reeve::experiments {

/// The rules by their names for `reeve pack --rule`, in the order of its table.
struct NamedPackingRule {
  std::string_view name;
  models::PackingRule rule;
};
std::span<const NamedPackingRule> packing_rules();

/// The address of the draws, equal for all rules.
struct PackingDraws {
  std::uint64_t seed = 1;
  std::uint32_t replication = 0;
};

/// Tasks of the file, with repetitions drawn if they are too few, in random order, until they
/// request `load_pct` percent of the GPUs (Beware of Fragmentation, ATC 2023, section 6.2: 130).
/// Throws std::length_error if no task requests a GPU or more than 10,000,000 would be needed.
std::vector<models::TaskShape> drawn_tasks(std::span<const scenarios::SharedTask> tasks,
                                           std::int64_t gpu_milli, std::int64_t load_pct,
                                           const PackingDraws& draws);

/// Ends early with partial results once `stop` is set; null: never.
using PackingStop = const std::atomic<bool>*;

/// The result of tasks that arrive one after the other and stay.
struct PackingFill {
  std::uint64_t tasks = 0;
  std::uint64_t placed = 0;
  std::int64_t gpu_milli = 0;  ///< of all nodes
  std::int64_t allocated = 0;  ///< milli-GPU, at the end
  double fragments_pct = 0;    ///< of all GPU capacity: free but unusable for typical tasks
};
PackingFill fill(models::PackingRule rule, const scenarios::SharedNodes& nodes,
                 std::vector<models::TypicalTask> typical, std::span<const models::TaskShape> tasks,
                 const PackingDraws& draws, PackingStop stop = nullptr);

/// The result of tasks that arrive and run as recorded in the file.
struct PackingReplay {
  std::uint64_t tasks = 0;     ///< that ran
  std::uint64_t waited = 0;    ///< of those, not started at arrival
  std::uint64_t homeless = 0;  ///< that would not fit on empty nodes: they never run
  Sample waits;
  std::int64_t gpu_milli = 0;         ///< of all nodes
  std::int64_t peak_allocated = 0;    ///< milli-GPU
  models::Charge allocated_time = 0;  ///< milli-GPU nanoseconds
  policy::Duration span{0};           ///< from the first submission to the last end
};

/// Tasks wait in order of arrival.  A task that fits runs ahead of one that does not, as in the
/// default scheduler of Kubernetes.  Tasks without a run time are left out.  Throws
/// std::overflow_error if the last task would end 292 years after the zero of the file.
PackingReplay replay(models::PackingRule rule, const scenarios::SharedNodes& nodes,
                     std::vector<models::TypicalTask> typical,
                     std::span<const scenarios::SharedTask> tasks, const PackingDraws& draws,
                     PackingStop stop = nullptr);

}  // namespace reeve::experiments
