// Whether shares have quotas, and who may lend of them to whom.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "models/world.hpp"

namespace reeve::models {

/// Whether shares divide machines at all: weights alone do not.
inline bool any_has_quota(const World& world) {
  const auto& shares = world.directory.shares;
  return !world.quota_changes.empty() ||
         std::any_of(shares.begin(), shares.end(),
                     [](const policy::ShareFacts& share) { return !share.quota.empty(); });
}

/// Whether the jobs of two queues are scheduled together: they are of one environment, or of none,
/// and of the same priority.  Whoever else is in one fleet is scheduled apart.
inline bool have_one_line(const policy::QueueFacts& one, const policy::QueueFacts& other) {
  return one.environment == other.environment && one.priority == other.priority;
}

/// Whether one share may lend to the other: those of one line may.
inline bool may_lend(const policy::Directory& directory, policy::ShareId a, policy::ShareId b) {
  return have_one_line(directory.queues[directory.shares[a.index].queue.index],
                       directory.queues[directory.shares[b.index].queue.index]);
}

/// What shares have of so many machines of a pool as there are, where each has `quota_of` it: those
/// of one environment have no more together than it may.
template <class QuotaOf>
std::int64_t covered(const policy::Directory& directory, policy::PoolId pool, std::int64_t there,
                     QuotaOf quota_of) {
  std::map<std::optional<policy::EnvironmentId>, std::int64_t> quotas;
  for (std::uint32_t index = 0; index < directory.shares.size(); ++index) {
    const policy::QueueFacts& queue = directory.queues[directory.shares[index].queue.index];
    quotas[queue.environment] += quota_of(policy::ShareId{index});
  }
  std::int64_t sum = 0;
  for (const auto& [environment, quota] : quotas) {
    const auto most =
        environment ? directory.environments[environment->index].most_of(pool) : std::nullopt;
    sum += std::min(quota, most ? std::min<std::int64_t>(*most, there) : there);
  }
  return sum;
}

}  // namespace reeve::models
