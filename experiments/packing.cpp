#include "experiments/packing.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "sim/draws.hpp"

namespace reeve::experiments {
namespace {

using models::NodePacking;
using models::PackingRule;
using models::TaskShape;
using policy::Duration;
using scenarios::SharedTask;

constexpr std::size_t most_tasks = 10'000'000;

constexpr std::array named_rules{NamedPackingRule{"first_fit", PackingRule::first_fit},
                                 NamedPackingRule{"random_fit", PackingRule::random_fit},
                                 NamedPackingRule{"best_fit", PackingRule::best_fit},
                                 NamedPackingRule{"worst_fit", PackingRule::worst_fit},
                                 NamedPackingRule{"dot_product", PackingRule::dot_product},
                                 NamedPackingRule{"gpu_packing", PackingRule::gpu_packing},
                                 NamedPackingRule{"gpu_clustering", PackingRule::gpu_clustering},
                                 NamedPackingRule{"fgd", PackingRule::fgd}};

std::int64_t asked(const TaskShape& task) {
  return task.gpus * task.gpu_milli;
}

std::uint64_t bits(const PackingDraws& draws, sim::Cause cause, std::size_t nth) {
  return sim::random_bits(
      {draws.seed, draws.replication, cause, 0, static_cast<std::uint32_t>(nth)});
}

bool is_set(PackingStop stop) {
  return stop != nullptr && *stop;
}

/// Tasks that wait: in the order in which they came, but each shape once, for where the first of
/// a shape does not fit the others do not either.
class TaskQueue {
 public:
  using Id = std::size_t;  ///< ascending in the order in which they came

  void add(Id id, const TaskShape& shape) { of_shape_[shape].insert(id); }

  /// Offers them one after the other; `starts` takes a task, or says that there is no room for it.
  void offer(const std::function<bool(Id)>& starts) {
    std::set<std::pair<Id, const TaskShape*>> first;
    for (const auto& [shape, ids] : of_shape_) first.emplace(*ids.begin(), &shape);
    while (!first.empty()) {
      const auto [id, shape] = *first.begin();
      first.erase(first.begin());
      if (!starts(id)) continue;
      const auto ids = of_shape_.find(*shape);
      ids->second.erase(id);
      if (ids->second.empty()) {
        of_shape_.erase(ids);
      } else {
        first.emplace(*ids->second.begin(), &ids->first);
      }
    }
  }

 private:
  std::map<TaskShape, std::set<Id>> of_shape_;
};

/// One replay: ends precede arrivals at the same instant; then each pending task that fits starts.
class Replay {
 public:
  Replay(PackingRule rule, const scenarios::SharedNodes& nodes,
         std::vector<models::TypicalTask> typical, std::span<const SharedTask> tasks,
         const PackingDraws& draws)
      : tasks_{tasks}, draws_{draws}, packing_{rule, nodes.nodes, typical} {
    NodePacking empty{PackingRule::first_fit, nodes.nodes, {}};
    std::map<TaskShape, bool> at_home;
    for (std::size_t id = 0; id < tasks.size(); ++id) {
      if (!tasks[id].run) continue;
      const auto [known, is_new] = at_home.try_emplace(tasks[id].shape);
      if (is_new) {
        const auto place = empty.place(known->first, 0);
        known->second = place.has_value();
        if (place) empty.release(known->first, *place);
      }
      if (known->second) {
        arrivals_.push_back(id);
      } else {
        ++result_.homeless;
      }
    }
    std::stable_sort(arrivals_.begin(), arrivals_.end(), [&](std::size_t a, std::size_t b) {
      return tasks[a].submit < tasks[b].submit;
    });
  }

  PackingReplay play(PackingStop stop) {
    std::size_t next = 0;
    while (!is_set(stop) && (next < arrivals_.size() || !ends_.empty())) {
      now_ = next < arrivals_.size() ? tasks_[arrivals_[next]].submit : Duration::max();
      if (!ends_.empty()) now_ = std::min(now_, ends_.top().at);
      const bool freed = release_ended();
      if (freed) line_.offer([this](std::size_t place) { return start(arrivals_[place]); });
      for (; next < arrivals_.size() && tasks_[arrivals_[next]].submit == now_; ++next) {
        const std::size_t id = arrivals_[next];
        if (!start(id)) line_.add(next, tasks_[id].shape);
      }
      result_.peak_allocated = std::max(result_.peak_allocated, packing_.gpu_milli_allocated());
    }
    std::sort(result_.waits.sorted.begin(), result_.waits.sorted.end());
    result_.gpu_milli = packing_.gpu_milli();
    if (!arrivals_.empty()) result_.span = now_ - tasks_[arrivals_.front()].submit;
    return std::move(result_);
  }

 private:
  struct End {
    Duration at;
    std::size_t id;
    NodePacking::Place place;
    bool operator>(const End& other) const {
      return std::tie(at, id) > std::tie(other.at, other.id);
    }
  };

  bool release_ended() {
    bool freed = false;
    for (; !ends_.empty() && ends_.top().at == now_; ends_.pop()) {
      packing_.release(tasks_[ends_.top().id].shape, ends_.top().place);
      freed = true;
    }
    return freed;
  }

  bool start(std::size_t id) {
    const SharedTask& task = tasks_[id];
    const auto place = packing_.place(task.shape, bits(draws_, sim::Cause::packing_lot, id));
    if (!place) return false;
    if (*task.run > Duration::max() - now_)
      throw std::overflow_error{"a replay of more than 292 years"};
    ends_.push({now_ + *task.run, id, *place});
    ++result_.tasks;
    result_.waits.sorted.push_back((now_ - task.submit).count());
    if (now_ > task.submit) ++result_.waited;
    result_.allocated_time += models::Charge{asked(task.shape)} * task.run->count();
    return true;
  }

  std::span<const SharedTask> tasks_;
  PackingDraws draws_;
  NodePacking packing_;
  PackingReplay result_;
  std::vector<std::size_t> arrivals_;  ///< by submission
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  TaskQueue line_;
  Duration now_{0};
};

}  // namespace

std::span<const NamedPackingRule> packing_rules() {
  return named_rules;
}

std::vector<TaskShape> drawn_tasks(std::span<const SharedTask> tasks, std::int64_t gpu_milli,
                                   std::int64_t load_pct, const PackingDraws& draws) {
  std::vector<TaskShape> all;
  std::int64_t sum = 0;
  for (const SharedTask& task : tasks) {
    all.push_back(task.shape);
    sum += asked(task.shape);
  }
  if (sum == 0) throw std::length_error{"no task requests a GPU"};
  while (sum * 100 < gpu_milli * load_pct) {
    if (all.size() == most_tasks) throw std::length_error{"more than 10,000,000 tasks"};
    const std::uint64_t lot = bits(draws, sim::Cause::packing_task, all.size());
    all.push_back(tasks[lot % tasks.size()].shape);
    sum += asked(all.back());
  }
  for (std::size_t at = all.size(); at > 1; --at) {
    std::swap(all[at - 1], all[bits(draws, sim::Cause::packing_order, at) % at]);
  }
  std::int64_t so_far = 0;
  const auto enough = std::find_if(all.begin(), all.end(), [&](const TaskShape& task) {
    if (so_far * 100 >= gpu_milli * load_pct) return true;
    so_far += asked(task);
    return false;
  });
  all.erase(enough, all.end());
  return all;
}

PackingFill fill(PackingRule rule, const scenarios::SharedNodes& nodes,
                 std::vector<models::TypicalTask> typical, std::span<const TaskShape> tasks,
                 const PackingDraws& draws, PackingStop stop) {
  std::int64_t weights = 0;
  for (const models::TypicalTask& each : typical) weights += each.weight;
  NodePacking packing{rule, nodes.nodes, std::move(typical)};
  PackingFill result;
  for (std::size_t at = 0; at < tasks.size() && !is_set(stop); ++at) {
    if (packing.place(tasks[at], bits(draws, sim::Cause::packing_lot, at))) ++result.placed;
  }
  result.tasks = tasks.size();
  result.gpu_milli = packing.gpu_milli();
  result.allocated = packing.gpu_milli_allocated();
  if (weights > 0) {
    result.fragments_pct = 100 * static_cast<double>(packing.fragments()) /
                           static_cast<double>(weights) / static_cast<double>(result.gpu_milli);
  }
  return result;
}

PackingReplay replay(PackingRule rule, const scenarios::SharedNodes& nodes,
                     std::vector<models::TypicalTask> typical, std::span<const SharedTask> tasks,
                     const PackingDraws& draws, PackingStop stop) {
  return Replay{rule, nodes, std::move(typical), tasks, draws}.play(stop);
}

}  // namespace reeve::experiments
