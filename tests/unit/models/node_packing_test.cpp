#include "models/node_packing.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace reeve::models {
namespace node_packing_test {

using Place = NodePacking::Place;

constexpr std::uint64_t any_model = ~std::uint64_t{0};

NodeShape node_of(std::int64_t cpus, std::uint32_t gpus, std::uint32_t model = 0) {
  return {cpus * 1000, 1 << 20, gpus, model};
}

TaskShape task_of(std::int64_t cpus, std::uint32_t gpus, std::int64_t gpu_milli = 1000) {
  return {cpus * 1000, 0, gpus, gpus == 0 ? 0 : gpu_milli, any_model};
}

/// Where each task went, one after the other; -1: nowhere.
std::vector<int> nodes_of(PackingRule rule, const std::vector<NodeShape>& nodes,
                          const std::vector<TaskShape>& tasks,
                          std::vector<TypicalTask> typical = {}) {
  NodePacking packing{rule, nodes, std::move(typical)};
  std::vector<int> out;
  for (const TaskShape& task : tasks) {
    const std::optional<Place> place = packing.place(task, 0);
    out.push_back(place ? static_cast<int>(place->node) : -1);
  }
  return out;
}

TEST(NodePacking, EachRuleChoosesAsItsNameSays) {
  const std::vector<NodeShape> nodes{node_of(64, 8), node_of(32, 2), node_of(64, 4)};
  const std::vector<TaskShape> tasks{task_of(8, 2), task_of(8, 1)};
  using Nodes = std::vector<int>;
  EXPECT_EQ(nodes_of(PackingRule::first_fit, nodes, tasks), (Nodes{0, 0}));
  // The small one is full of GPUs after the first; then four GPUs are closer than eight.
  EXPECT_EQ(nodes_of(PackingRule::best_fit, nodes, tasks), (Nodes{1, 2}));
  EXPECT_EQ(nodes_of(PackingRule::worst_fit, nodes, tasks), (Nodes{0, 0}));
  // 8/64 x 32/64 + 2/8 x 2/8 is the least product.
  EXPECT_EQ(nodes_of(PackingRule::dot_product, nodes, tasks), (Nodes{1, 2}));
}

TEST(NodePacking, WhatIsApartByLessThanAPointIsEqualToDotProduct) {
  // 0.5 CPU of 64 beside one or two CPUs more: hundredths of a point apart; beside 32, a point.
  const TaskShape small{500, 0, 0, 0, any_model};
  EXPECT_EQ(nodes_of(PackingRule::dot_product, {node_of(64, 0), node_of(62, 0)}, {small}),
            (std::vector<int>{0}));
  const TaskShape large = task_of(8, 0);
  EXPECT_EQ(nodes_of(PackingRule::dot_product, {node_of(64, 0), node_of(32, 0)}, {large}),
            (std::vector<int>{1}));
}

TEST(NodePacking, TheLotChoosesAmongAllThatHaveRoom) {
  const std::vector<NodeShape> nodes{node_of(64, 8), node_of(4, 8), node_of(64, 8)};
  NodePacking packing{PackingRule::random_fit, nodes, {}};
  EXPECT_EQ(packing.place(task_of(8, 1), 3)->node, 2u) << "the second of the two with 8 CPUs";
  EXPECT_EQ(packing.place(task_of(8, 1), 4)->node, 0u);
}

TEST(NodePacking, GpuPackingUsesGpusInUseThenNodesInUseThenSmallNodes) {
  const std::vector<NodeShape> nodes{node_of(64, 8), node_of(64, 4)};
  const auto went = nodes_of(
      PackingRule::gpu_packing, nodes,
      {task_of(1, 1, 400), task_of(1, 1, 500), task_of(1, 1, 200), task_of(1, 3), task_of(1, 1)});
  // The small node first; half a GPU beside 0.4 of it; 0.2 has no room on that GPU, but on its
  // node, where only two whole ones are left then.  In the end both nodes are in use: the first
  // one.
  EXPECT_EQ(went, (std::vector<int>{1, 1, 1, 0, 0}));
}

TEST(NodePacking, GpuClusteringPutsTasksOfASizeTogether) {
  const std::vector<NodeShape> nodes{node_of(64, 8), node_of(64, 8)};
  const auto went =
      nodes_of(PackingRule::gpu_clustering, nodes,
               {task_of(1, 4), task_of(1, 1, 500), task_of(1, 4), task_of(1, 1, 600)});
  EXPECT_EQ(went, (std::vector<int>{0, 1, 0, 1}));
}

TEST(NodePacking, TheGradientKeepsWholeGpusForThoseWhoWantThem) {
  const std::vector<NodeShape> nodes{node_of(64, 2), node_of(64, 2)};
  const std::vector<TypicalTask> typical{{task_of(1, 2), 9}, {task_of(1, 1, 500), 1}};
  NodePacking packing{PackingRule::fgd, nodes, typical};
  EXPECT_EQ(packing.fragments(), 0);
  const auto first = packing.place(task_of(1, 1, 500), 0);
  // 1.5 GPUs are of no use to nine of ten, and nothing is lost to the tenth.
  EXPECT_EQ(packing.fragments(), 9 * 1500);
  const auto second = packing.place(task_of(1, 1, 500), 0);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->node, first->node);
  EXPECT_EQ(second->gpus, first->gpus) << "the other half of the same GPU";
  EXPECT_EQ(packing.place(task_of(1, 2), 0)->node, 1 - first->node);
  packing.release(task_of(1, 1, 500), *first);
  packing.release(task_of(1, 1, 500), *second);
  EXPECT_EQ(packing.fragments(), 0);
}

TEST(NodePacking, AskedModelsCpuAndMemoryMustBeThere) {
  const std::vector<NodeShape> nodes{node_of(64, 8, 0), node_of(64, 8, 3)};
  TaskShape picky = task_of(1, 1);
  picky.gpu_models = std::uint64_t{1} << 3;
  TaskShape large = task_of(1, 1);
  large.memory_mib = (1 << 20) + 1;
  EXPECT_EQ(nodes_of(PackingRule::first_fit, nodes, {picky, large, task_of(65, 0), task_of(64, 0)}),
            (std::vector<int>{1, -1, -1, 0}));
}

TEST(NodePacking, WhatIsNeitherWholeGpusNorOnePartIsRefused) {
  EXPECT_EQ(nodes_of(PackingRule::best_fit, {node_of(64, 8)},
                     {task_of(1, 2, 500), task_of(1, 1, 0), task_of(1, 1, 1001), task_of(1, 17)}),
            (std::vector<int>{-1, -1, -1, -1}));
  EXPECT_THROW((NodePacking{PackingRule::best_fit, std::vector{node_of(1, 17)}, {}}),
               std::invalid_argument);
}

TEST(NodePacking, TypicalTasksAreTheMostFrequentUntilTheyAreEnough) {
  std::vector<TaskShape> tasks(90, task_of(1, 1));
  tasks.insert(tasks.end(), 6, task_of(2, 2));
  tasks.insert(tasks.end(), 4, task_of(3, 4));
  std::int64_t memory = 0;
  for (TaskShape& task : tasks) task.memory_mib = ++memory;
  const std::vector<TypicalTask> typical = typical_tasks(tasks);
  ASSERT_EQ(typical.size(), 2u) << "90 and 6 of 100 are 95 of 100 and more";
  EXPECT_EQ(typical[0].weight, 90);
  EXPECT_EQ(typical[1].task, task_of(2, 2));
}

/// Books kept beside those of the model, in the plainest way.
struct Books {
  std::vector<NodeShape> nodes;
  std::vector<std::pair<TaskShape, Place>> here = {};

  /// Milli-GPU in use of one GPU.
  std::int64_t used(std::uint32_t node, std::uint32_t gpu) const {
    std::int64_t sum = 0;
    for (const auto& [task, place] : here) {
      if (place.node == node && (place.gpus >> gpu & 1) != 0) sum += task.gpu_milli;
    }
    return sum;
  }
  std::int64_t cpu_used(std::uint32_t node) const {
    std::int64_t sum = 0;
    for (const auto& [task, place] : here) sum += place.node == node ? task.cpu_milli : 0;
    return sum;
  }
  bool has_room(const TaskShape& task) const {
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
      if (cpu_used(node) + task.cpu_milli > nodes[node].cpu_milli) continue;
      std::uint32_t gpus = 0;
      for (std::uint32_t gpu = 0; gpu < nodes[node].gpus; ++gpu) {
        gpus += used(node, gpu) + task.gpu_milli <= whole_gpu_milli;
      }
      if (gpus >= task.gpus) return true;
    }
    return false;
  }
  void expect_kept() const {
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
      ASSERT_LE(cpu_used(node), nodes[node].cpu_milli);
      for (std::uint32_t gpu = 0; gpu < most_gpus_of_node; ++gpu) {
        ASSERT_LE(used(node, gpu), gpu < nodes[node].gpus ? whole_gpu_milli : 0);
      }
    }
  }
};

TEST(NodePacking, NothingIsGivenTwiceAndNobodyIsRefusedForWhomThereIsRoom) {
  constexpr std::int64_t parts[] = {100, 250, 500, 900};
  for (int rule = 0; rule <= static_cast<int>(PackingRule::fgd); ++rule) {
    std::mt19937_64 draw{static_cast<std::uint64_t>(rule) + 1};
    Books books{{node_of(32, 8), node_of(16, 2), node_of(64, 4), node_of(16, 0)}};
    const std::vector<TypicalTask> typical{{task_of(4, 1), 3}, {task_of(2, 1, 500), 5}};
    NodePacking packing{static_cast<PackingRule>(rule), books.nodes, typical};
    int refused = 0;
    for (int step = 0; step < 600; ++step) {
      if (!books.here.empty() && draw() % 3 == 0) {
        const std::size_t leaves = draw() % books.here.size();
        packing.release(books.here[leaves].first, books.here[leaves].second);
        books.here.erase(books.here.begin() + static_cast<std::ptrdiff_t>(leaves));
      } else {
        const auto gpus = static_cast<std::uint32_t>(draw() % 5);
        const auto cpus = static_cast<std::int64_t>(draw() % 9);
        const TaskShape task =
            gpus == 1 ? task_of(cpus, 1, parts[draw() % 4]) : task_of(cpus, gpus);
        const std::optional<Place> place = packing.place(task, draw());
        ASSERT_EQ(place.has_value(), books.has_room(task));
        refused += !place;
        if (place) books.here.emplace_back(task, *place);
      }
      books.expect_kept();
    }
    EXPECT_GT(refused, 20);
    std::int64_t sum = 0;
    for (const auto& [task, place] : books.here) sum += task.gpus * task.gpu_milli;
    EXPECT_EQ(packing.gpu_milli_allocated(), sum);
    for (const auto& [task, place] : books.here) packing.release(task, place);
    EXPECT_EQ(packing.gpu_milli_allocated(), 0);
    EXPECT_EQ(packing.fragments(),
              (NodePacking{PackingRule::fgd, books.nodes, typical}.fragments()));
  }
}

}  // namespace node_packing_test
}  // namespace reeve::models
