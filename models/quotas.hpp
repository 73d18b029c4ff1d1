// Whether shares have quotas, and who may lend of them to whom.
#pragma once

#include <algorithm>

#include "models/world.hpp"

namespace reeve::models {

/// Whether shares divide machines at all: weights alone do not.
inline bool any_has_quota(const World& world) {
  const auto& shares = world.directory.shares;
  return !world.quota_changes.empty() ||
         std::any_of(shares.begin(), shares.end(),
                     [](const policy::ShareFacts& share) { return !share.quota.empty(); });
}

/// Whether one share may lend to the other: their queues are of one environment, or of none, and of
/// the same priority.  Whoever else is in one fleet is scheduled apart.
inline bool may_lend(const policy::Directory& directory, policy::ShareId a, policy::ShareId b) {
  const policy::QueueFacts& one = directory.queues[directory.shares[a.index].queue.index];
  const policy::QueueFacts& other = directory.queues[directory.shares[b.index].queue.index];
  return one.environment == other.environment && one.priority == other.priority;
}

}  // namespace reeve::models
