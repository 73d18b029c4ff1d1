#include "models/node_packing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace reeve::models {
namespace {

constexpr std::size_t most_worth = 10'000'000;  ///< that are kept, a quarter of a gigabyte

bool is_part(const TaskShape& task) {
  return task.gpus == 1 && task.gpu_milli < whole_gpu_milli;
}

bool is_sound(const TaskShape& task) {
  if (task.cpu_milli < 0 || task.memory_mib < 0) return false;
  if (task.gpus == 0) return true;
  if (task.gpus > most_gpus_of_node || task.gpu_milli <= 0) return false;
  return task.gpu_milli == whole_gpu_milli || is_part(task);
}

std::int64_t asked_gpu(const TaskShape& task) {
  return task.gpus * task.gpu_milli;
}

std::size_t kind_of(const TaskShape& task) {
  return is_part(task) ? 0 : task.gpus;
}

}  // namespace

std::vector<TypicalTask> typical_tasks(std::span<const TaskShape> tasks, std::int64_t percent) {
  std::map<TaskShape, std::int64_t> count;
  for (TaskShape task : tasks) {
    task.memory_mib = 0;
    ++count[task];
  }
  std::vector<TypicalTask> typical;
  for (const auto& [task, weight] : count) typical.push_back({task, weight});
  std::stable_sort(typical.begin(), typical.end(),
                   [](const TypicalTask& a, const TypicalTask& b) { return a.weight > b.weight; });
  const auto all = static_cast<std::int64_t>(tasks.size());
  std::int64_t sum = 0;
  std::size_t kept = 0;
  while (kept < typical.size() && sum * 100 < all * percent) sum += typical[kept++].weight;
  typical.resize(kept);
  return typical;
}

NodePacking::NodePacking(PackingRule rule, std::span<const NodeShape> nodes,
                         std::vector<TypicalTask> typical)
    : rule_(rule), typical_(std::move(typical)) {
  for (const TypicalTask& each : typical_) weights_ += each.weight;
  weights_ = std::max<std::int64_t>(weights_, 1);
  for (const NodeShape& shape : nodes) {
    if (shape.gpus > most_gpus_of_node || shape.gpu_model > 63) {
      throw std::invalid_argument("a node of more GPUs or models than there is room for");
    }
    Node& node = nodes_.emplace_back();
    node.shape = shape;
    node.cpu_left = shape.cpu_milli;
    node.memory_left = shape.memory_mib;
    node.gpu_left = shape.gpus * whole_gpu_milli;
    std::fill_n(node.left.begin(), shape.gpus, whole_gpu_milli);
    node.fragments = fragments_of(node);
    gpu_milli_ += node.gpu_left;
    largest_cpu_ = std::max(largest_cpu_, static_cast<double>(shape.cpu_milli));
    largest_gpu_ = std::max(largest_gpu_, static_cast<double>(node.gpu_left));
  }
}

bool NodePacking::fits(const Node& node, const TaskShape& task) const {
  if (node.cpu_left < task.cpu_milli || node.memory_left < task.memory_mib) return false;
  if (task.gpus == 0) return true;
  if ((task.gpu_models >> node.shape.gpu_model & 1) == 0) return false;
  const auto end = node.left.begin() + node.shape.gpus;
  const auto enough = [&task](std::int64_t left) { return left >= task.gpu_milli; };
  return std::count_if(node.left.begin(), end, enough) >= task.gpus;
}

/// Whole ones from the first on.  A part goes where least is left behind, with worst_fit where most
/// is; with fgd where fragments grow least.
std::uint32_t NodePacking::gpus_for(const Node& node, const TaskShape& task) const {
  if (!is_part(task)) {
    std::uint32_t gpus = 0;
    std::uint32_t wanted = task.gpus;
    for (std::uint32_t gpu = 0; gpu < node.shape.gpus && wanted > 0; ++gpu) {
      if (node.left[gpu] < whole_gpu_milli) continue;
      gpus |= 1u << gpu;
      --wanted;
    }
    return gpus;
  }
  std::uint32_t chosen = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t gpu = 0; gpu < node.shape.gpus; ++gpu) {
    if (node.left[gpu] < task.gpu_milli) continue;
    std::int64_t cost = rule_ == PackingRule::worst_fit ? -node.left[gpu] : node.left[gpu];
    if (rule_ == PackingRule::fgd) {
      Node after = node;
      move(after, task, 1u << gpu, -1);
      cost = fragments_of(after);
    }
    if (cost >= least) continue;
    least = cost;
    chosen = 1u << gpu;
  }
  return chosen;
}

/// Of dot_product in whole points of a hundred, as openb's scheduler has it: what is equal then
/// goes to the first node, which fills it.
double NodePacking::score(std::size_t at, const TaskShape& task) const {
  const Node& node = nodes_[at];
  const double cpu_left = static_cast<double>(node.cpu_left) / largest_cpu_;
  const double gpu_left = static_cast<double>(node.gpu_left) / largest_gpu_;
  const double cpu = static_cast<double>(task.cpu_milli) / largest_cpu_;
  const double gpu = static_cast<double>(asked_gpu(task)) / largest_gpu_;
  switch (rule_) {
    case PackingRule::first_fit:
      return -static_cast<double>(at);
    case PackingRule::random_fit:
      return 0;
    case PackingRule::best_fit:
      return -(cpu_left - cpu + (gpu_left - gpu));
    case PackingRule::worst_fit:
      return cpu_left - cpu + (gpu_left - gpu);
    case PackingRule::dot_product:
      return std::floor(100 * (1 - (cpu_left * cpu + gpu_left * gpu) / 2));
    case PackingRule::gpu_packing:
      return packing_score(node, task);
    case PackingRule::gpu_clustering:
      return clustering_score(node, task);
    case PackingRule::fgd:
      return gradient_score(node, task);
  }
  return 0;
}

/// GPUs in use before others, the fuller the better; else few GPUs that were free on a node that is
/// in use; else a small node.
double NodePacking::packing_score(const Node& node, const TaskShape& task) const {
  if (task.gpus == 0) return 0;
  if (node.gpu_left == node.shape.gpus * whole_gpu_milli) {
    return -2.0 * most_gpus_of_node - node.shape.gpus;
  }
  if (!is_part(task)) return -static_cast<double>(task.gpus);
  const auto chosen = static_cast<std::size_t>(std::countr_zero(gpus_for(node, task)));
  if (node.left[chosen] == whole_gpu_milli) return -1;
  return static_cast<double>(whole_gpu_milli - node.left[chosen]);
}

/// A node of nothing but tasks of this size, then one with some, then an empty one, then others; in
/// each class the fuller the better.
double NodePacking::clustering_score(const Node& node, const TaskShape& task) const {
  if (task.gpus == 0) return 0;
  const bool same = node.tasks.at(kind_of(task)) > 0;
  const int place = same ? (node.kinds == 1 ? 3 : 2) : (node.kinds == 0 ? 1 : 0);
  return place - static_cast<double>(node.gpu_left) / (2 * largest_gpu_);
}

/// In whole points of a hundred along a logistic curve, as kube-scheduler has them: what is apart
/// by a few hundredths of a GPU is equal, and then the first node has it.
double NodePacking::gradient_score(const Node& node, const TaskShape& task) const {
  Node after = node;
  move(after, task, gpus_for(node, task), -1);
  const double whole = static_cast<double>(weights_) * whole_gpu_milli;
  const double drop = static_cast<double>(node.fragments - fragments_of(after)) / whole;
  return std::floor(100 / (1 + std::exp(-drop)));
}

/// To a task that has no room here all that is left of GPUs is a fragment; to another one, the GPUs
/// of which too little is left.
std::int64_t NodePacking::fragments_of(const Node& node) const {
  if (node.gpu_left == 0) return 0;
  std::int64_t sum = 0;
  for (const auto& [task, weight] : typical_) {
    std::int64_t lost = node.gpu_left;
    if (task.gpus > 0 && fits(node, task)) {
      lost = 0;
      for (std::uint32_t gpu = 0; gpu < node.shape.gpus; ++gpu) {
        if (node.left[gpu] < task.gpu_milli) lost += node.left[gpu];
      }
    }
    sum += weight * lost;
  }
  return sum;
}

std::int64_t NodePacking::fragments() const {
  std::int64_t sum = 0;
  for (const Node& node : nodes_) sum += node.fragments;
  return sum;
}

void NodePacking::move(Node& node, const TaskShape& task, std::uint32_t gpus,
                       std::int64_t sign) const {
  node.cpu_left += sign * task.cpu_milli;
  node.memory_left += sign * task.memory_mib;
  for (std::uint32_t gpu = 0; gpu < node.shape.gpus; ++gpu) {
    if ((gpus >> gpu & 1) == 0) continue;
    node.left[gpu] += sign * task.gpu_milli;
    node.gpu_left += sign * task.gpu_milli;
  }
}

void NodePacking::settle(Node& node) {
  node.fragments = fragments_of(node);
  ++node.version;
}

std::optional<NodePacking::Place> NodePacking::place(const TaskShape& task, std::uint64_t lot) {
  if (!is_sound(task)) return std::nullopt;
  if (worth_.size() * nodes_.size() > most_worth) worth_.clear();
  std::vector<Worth>& worth = worth_[task];
  worth.resize(nodes_.size());
  double best = 0;
  std::vector<std::uint32_t> equals;
  for (std::size_t at = 0; at < nodes_.size(); ++at) {
    Worth& here = worth[at];
    if (here.version != nodes_[at].version) {
      here = {nodes_[at].version, 0, fits(nodes_[at], task)};
      if (here.fits) here.score = score(at, task);
    }
    if (!here.fits || (!equals.empty() && here.score < best)) continue;
    if (equals.empty() || here.score > best) equals.clear();
    best = here.score;
    equals.push_back(static_cast<std::uint32_t>(at));
  }
  if (equals.empty()) return std::nullopt;
  const std::size_t which = rule_ == PackingRule::random_fit ? lot % equals.size() : 0;
  const Place place{equals[which], gpus_for(nodes_[equals[which]], task)};
  Node& node = nodes_[place.node];
  move(node, task, place.gpus, -1);
  if (task.gpus > 0 && node.tasks.at(kind_of(task))++ == 0) ++node.kinds;
  allocated_ += asked_gpu(task);
  settle(node);
  return place;
}

void NodePacking::release(const TaskShape& task, const Place& place) {
  Node& node = nodes_.at(place.node);
  move(node, task, place.gpus, 1);
  if (task.gpus > 0 && --node.tasks.at(kind_of(task)) == 0) --node.kinds;
  allocated_ -= asked_gpu(task);
  settle(node);
}

}  // namespace reeve::models
