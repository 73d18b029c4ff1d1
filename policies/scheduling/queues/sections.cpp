#include "sections.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace reeve::policies {

using namespace policy;

namespace {

/// Sections in the order in which they are served: by environment, then by priority.
struct SectionRank {
  std::optional<std::uint32_t> environment = std::nullopt;  ///< none: first
  std::int32_t priority = 0;
  friend bool operator<(const SectionRank& a, const SectionRank& b) {
    if (a.environment != b.environment) return a.environment < b.environment;
    return a.priority > b.priority;
  }
};

SectionRank rank_of(const QueueFacts& queue) {
  SectionRank rank{.priority = queue.priority};
  if (queue.environment) rank.environment = queue.environment->index;
  return rank;
}

}  // namespace

void Sections::divide(const Directory& directory, const AlgorithmMaker& make) {
  std::map<SectionRank, std::size_t> places;
  for (const QueueFacts& queue : directory.queues) places.try_emplace(rank_of(queue));
  const bool limited = std::any_of(places.begin(), places.end(), [](const auto& each) {
    return each.first.environment.has_value();
  });
  if (places.size() != 1 || limited) places.try_emplace(SectionRank{});
  for (auto& [rank, place] : places) {
    place = sections_.size();
    sections_.push_back({.algorithm = make(), .environment = rank.environment});
  }
  for (const QueueFacts& queue : directory.queues) of_queue_.push_back(places.at(rank_of(queue)));
  for (const ShareFacts& share : directory.shares) {
    of_share_.push_back(of_queue_[share.queue.index]);
  }
  of_nobody_ = sections_.size() == 1 ? 0 : places.at(SectionRank{});
  for (const EnvironmentFacts& facts : directory.environments) {
    Environment environment{.most_of_all = facts.instances};
    for (const CapacityLimit& limit : facts.limits) {
      environment.most.resize(
          std::max<std::size_t>(environment.most.size(), limit.pool.index + std::size_t{1}));
      environment.most[limit.pool.index] = limit.instances;
    }
    environments_.push_back(std::move(environment));
  }
}

std::int64_t Sections::most(std::size_t section, PoolId pool, std::int64_t capacity) const {
  const Environment* const limits = limits_of(section);
  if (limits == nullptr) return capacity;
  if (limits->most_of_all) capacity = std::min(capacity, *limits->most_of_all);
  const bool stated = pool.index < limits->most.size() && limits->most[pool.index];
  return stated ? std::min(capacity, *limits->most[pool.index]) : capacity;
}

Headroom Sections::headroom(std::size_t section, PoolId pool, std::int64_t free,
                            std::int64_t promised) const {
  Headroom room{.of_machines = free};
  const Environment* const limits = limits_of(section);
  if (limits == nullptr) return room;
  if (limits->most_of_all) {
    room.of_instances = *limits->most_of_all - limits->used_of_all - promised;
  }
  if (pool.index >= limits->most.size() || !limits->most[pool.index]) return room;
  const std::int64_t used = pool.index < limits->used.size() ? limits->used[pool.index] : 0;
  room.of_limit = *limits->most[pool.index] - used;
  return room;
}

std::int64_t Sections::used(std::size_t section, PoolId pool, std::int64_t all) const {
  if (count() == 1) return all;
  const std::vector<std::int64_t>& used = sections_[section].used;
  return pool.index < used.size() ? used[pool.index] : 0;
}

void Sections::use(std::size_t section, PoolId pool, std::int64_t instances) {
  const auto add = [&](std::vector<std::int64_t>& used) {
    if (pool.index >= used.size()) used.resize(std::size_t{pool.index} + 1);
    used[pool.index] += instances;
  };
  add(sections_[section].used);
  const auto place = sections_[section].environment;
  if (!place) return;
  add(environments_[*place].used);
  environments_[*place].used_of_all += instances;
}

bool Sections::spans_pools(std::size_t section) const {
  const Environment* const limits = limits_of(section);
  return limits != nullptr && limits->most_of_all.has_value();
}

}  // namespace reeve::policies
