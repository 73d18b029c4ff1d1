// What jobs of a share may have by a rule that divides instances among shares: the quota, and what
// others lend.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/world.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::scenarios {

/// Whether the seat holds the rule `schedule` with that algorithm, and is not off.
bool runs(const SeatSpec& seat, std::string_view algorithm);

/// How a rule that keeps shares to their quotas has them lend.
struct Lending {
  /// If true only shares that say so lend; else all lend, and jobs may use what is in no quota.
  bool as_stated = false;
  /// What each share does, where the rule has all of them do the same.
  std::optional<policy::Sharing> of_all;

  policy::Sharing of(const policy::ShareFacts& share) const {
    return of_all.value_or(share.sharing);
  }
};

/// Nothing, if the rule of the seat, or any of the policy's, keeps no share to its quota.
std::optional<Lending> lending_of(const SeatSpec& seat);
std::optional<Lending> lending_of(const PolicySpec& policy);

/// The most of the pool that is the share's own at any time `since` then, after the start; and the
/// least.
std::int64_t largest_quota(const models::World& world, policy::ShareId share, policy::PoolId pool,
                           policy::Duration since = {});
std::int64_t smallest_quota(const models::World& world, policy::ShareId share, policy::PoolId pool,
                            policy::Duration since = {});

/// What is there for jobs on these terms, at any time `since` then, that others need not lend:
/// their share's quota, or, in no share, what no quota covers.
std::int64_t own_of(const models::World& world, const policy::JobTerms& terms, policy::PoolId pool,
                    policy::Duration since = {});
/// The most of the pool that jobs on these terms, of a share all together, can have at once at any
/// time `since` then, by the rule of the seat; nothing if it keeps no share to its quota.
std::optional<std::int64_t> reach(const models::World& world, const SeatSpec& seat,
                                  const policy::JobTerms& terms, policy::PoolId pool,
                                  policy::Duration since = {});

}  // namespace reeve::scenarios
