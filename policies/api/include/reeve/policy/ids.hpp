// Strong identifiers: dense indices, so that a table column is an array and iteration has one
// order.
#pragma once

#include <compare>
#include <cstdint>

namespace reeve::policy {

template <class Tag>
struct Id {
  std::uint32_t index = 0;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using JobId = Id<struct JobTag>;    ///< work that a user wants done, in one or more attempts
using PoolId = Id<struct PoolTag>;  ///< instances of one type and market
using TypeId = Id<struct InstanceTypeTag>;        ///< an instance type of the price book
using TagSetId = Id<struct TagSetTag>;            ///< a set of key=value tags, interned
using SeatId = Id<struct SeatTag>;                ///< a policy instance in the host, by priority
using EnvironmentId = Id<struct EnvironmentTag>;  ///< capacity that job queues may use
using QueueId = Id<struct QueueTag>;              ///< a queue that jobs are submitted to
using ShareId = Id<struct ShareTag>;              ///< a team's part of a queue

/// Which attempt at a job, counted from 1.  SageMaker: one training job per attempt.
using AttemptNumber = std::uint16_t;

/// In place of a host number: an alarm on all hosts; each datapoint is the lowest of theirs.
inline constexpr std::uint32_t lowest_of_hosts = 0;

/// The alarm of one seat on one host of a job.  `host` counts from 1, as in `algo-1`.
struct AlarmId {
  JobId job;
  std::uint32_t host = 1;
  std::uint16_t seat = 0;
  friend constexpr auto operator<=>(AlarmId, AlarmId) = default;
};

/// Identifies one decision permanently: retry key, client token, journal key.  0: none.
struct ActionId {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(ActionId, ActionId) = default;
};

}  // namespace reeve::policy
