// Which instances share one quota of the account.
#pragma once

#include <compare>
#include <reeve/policy/directory.hpp>

namespace reeve::policies {

/// The platform has one quota per instance type, and another one for Spot (SageMaker: "for training
/// job usage", "for spot training job usage"), independent of the fleets.
struct Quota {
  policy::TypeId type;
  bool spot = false;
  friend constexpr auto operator<=>(const Quota&, const Quota&) = default;
};

constexpr Quota quota_of(const policy::PoolFacts& pool) {
  return {.type = pool.type, .spot = pool.market == policy::Market::spot};
}

}  // namespace reeve::policies
