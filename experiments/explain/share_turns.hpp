// Shares that take turns, at an instant of a run: what each has used, and their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiments/explain/queue_snapshot.hpp"
#include "experiments/holdings.hpp"
#include "models/record.hpp"
#include "models/world.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::experiments {

/// One of them; jobs in no share are one more.  `used_hours`: instance-hours in all pools, of which
/// as much is left as the rule leaves; nothing where it goes by what is held.
struct ShareTurn {
  std::optional<policy::ShareId> share;  ///< none: of jobs in no share
  std::uint32_t weight = policy::weight_one;
  std::int64_t held = 0;  ///< instances; of the pool under max_min, of all under the others
  std::optional<double> used_hours = std::nullopt;
  /// What it will have used a `decay` from now, if it keeps what it holds; of fair_share, which
  /// goes by that.
  std::optional<double> ahead_hours = std::nullopt;
  policy::Duration decay{0};
  double had = 0;  ///< times its weight: who has had least goes first
};

/// How a waiter's share stands among those that it takes turns with.
struct ShareTurns {
  std::string algorithm;
  ShareTurn own;
  /// The pending share that is ahead by the measure of the rule.  Empty under multifactor, which
  /// uses more than that; if the waiter itself is set aside; and if the waiter would fit and jobs
  /// that fit run ahead of those that do not.
  std::optional<ShareTurn> before = std::nullopt;
  std::int64_t reservation_pct = 0;
  double kept = 0;        ///< instances of the pool, for shares that have no jobs; 0: none
  std::int64_t most = 0;  ///< instances of it that there are for all of them together
};

/// Nothing where the policy has no shares take turns.  As far as a record tells: the rule hears of
/// starts and ends a little later than they are.
std::optional<ShareTurns> share_turns(const models::World& world,
                                      const scenarios::PolicySpec& policy,
                                      const models::Record& record, const Holdings& holdings,
                                      const QueueSnapshot& snapshot, const Waiter& waiter,
                                      policy::Instant at);

}  // namespace reeve::experiments
