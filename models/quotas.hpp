// Whether shares have quotas.
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

}  // namespace reeve::models
