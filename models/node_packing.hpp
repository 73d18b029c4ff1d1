// Packs tasks onto nodes with shared CPU, memory and GPUs, by one of several rules.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace reeve::models {

inline constexpr std::uint32_t most_gpus_of_node = 16;
inline constexpr std::int64_t whole_gpu_milli = 1000;

/// Which of the nodes with room a task gets; ties go to the first one.
enum class PackingRule : std::uint8_t {
  first_fit,       ///< the first node
  random_fit,      ///< the node that `lot` selects
  best_fit,        ///< least left over: CPU and GPU as fractions of the largest node, summed
  worst_fit,       ///< most left over: spread
  dot_product,     ///< least product of what is left and what is requested (baseline of ATC 2023)
  gpu_packing,     ///< GPUs in use first, then nodes in use (MLaaS in the Wild, NSDI 2022)
  gpu_clustering,  ///< together with tasks of the same number of GPUs (Gandiva, OSDI 2018)
  fgd,             ///< least growth of fragments (Beware of Fragmentation, ATC 2023, section 4.3)
};

struct NodeShape {
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
  std::uint32_t gpus = 0;       ///< at most most_gpus_of_node
  std::uint32_t gpu_model = 0;  ///< 0 .. 63
};

struct TaskShape {
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
  std::uint32_t gpus = 0;
  std::int64_t gpu_milli = 0;  ///< of each GPU: whole_gpu_milli, or a part of a single one
  std::uint64_t gpu_models = ~std::uint64_t{0};  ///< acceptable models, one bit each

  auto operator<=>(const TaskShape&) const = default;
};

/// A typical request of future tasks, with its frequency.
struct TypicalTask {
  TaskShape task;
  std::int64_t weight = 0;
};

/// The most frequent shapes, memory ignored, until they cover `percent` of all tasks (ATC 2023,
/// section 5: 95).  Ties are ordered by shape.
std::vector<TypicalTask> typical_tasks(std::span<const TaskShape> tasks, std::int64_t percent = 95);

/// Nodes and their free resources.  No clock, no draws: the same calls give the same places.
class NodePacking {
 public:
  struct Place {
    std::uint32_t node = 0;
    std::uint32_t gpus = 0;  ///< one bit per GPU of the node
  };

  /// Throws std::invalid_argument for a node of more than most_gpus_of_node GPUs.
  NodePacking(PackingRule rule, std::span<const NodeShape> nodes, std::vector<TypicalTask> typical);

  /// Takes the requested resources if a node has them; `lot` is for random_fit.  No node accepts a
  /// task with parts of several GPUs.
  std::optional<Place> place(const TaskShape& task, std::uint64_t lot);

  /// Returns the resources of a placed task.
  void release(const TaskShape& task, const Place& place);

  std::int64_t gpu_milli() const { return gpu_milli_; }
  std::int64_t gpu_milli_allocated() const { return allocated_; }

  /// Free GPU capacity that a typical task cannot use, in milli-GPU times the weight of all typical
  /// tasks (ATC 2023, equation 3).
  std::int64_t fragments() const;

 private:
  using Left = std::array<std::int64_t, most_gpus_of_node>;

  struct Node {
    NodeShape shape;
    std::int64_t cpu_left = 0;
    std::int64_t memory_left = 0;
    std::int64_t gpu_left = 0;                                 ///< of all GPUs
    Left left{};                                               ///< by GPU
    std::array<std::uint32_t, most_gpus_of_node + 1> tasks{};  ///< by requested GPUs; 0: a part
    std::uint32_t kinds = 0;  ///< number of nonzero entries in `tasks`
    std::int64_t fragments = 0;
    std::uint64_t version = 1;  ///< counts changes, from 1
  };

  /// The score of a shape on a node at this version of the node.
  struct Worth {
    std::uint64_t version = 0;
    double score = 0;  ///< more is better
    bool fits = false;
  };

  bool fits(const Node& node, const TaskShape& task) const;
  double score(std::size_t at, const TaskShape& task) const;
  double packing_score(const Node& node, const TaskShape& task) const;
  double clustering_score(const Node& node, const TaskShape& task) const;
  double gradient_score(const Node& node, const TaskShape& task) const;
  std::int64_t fragments_of(const Node& node) const;
  std::uint32_t gpus_for(const Node& node, const TaskShape& task) const;
  void move(Node& node, const TaskShape& task, std::uint32_t gpus, std::int64_t sign) const;
  void settle(Node& node);

  PackingRule rule_;
  std::vector<Node> nodes_;
  std::vector<TypicalTask> typical_;
  std::int64_t weights_ = 0;  ///< of all typical tasks, at least 1
  double largest_cpu_ = 1;
  double largest_gpu_ = 1;
  std::int64_t gpu_milli_ = 0;
  std::int64_t allocated_ = 0;
  std::map<TaskShape, std::vector<Worth>> worth_;  ///< by shape, one per node
};

}  // namespace reeve::models
