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

using JobId = Id<struct JobTag>;    ///< a piece of work a person wants done; has 1.. attempts
using PoolId = Id<struct PoolTag>;  ///< machines of one type and market
using TypeId = Id<struct InstanceTypeTag>;  ///< an instance type of the price book
using TagSetId = Id<struct TagSetTag>;      ///< a set of key=value tags, interned
using SeatId = Id<struct SeatTag>;          ///< a rule's place in the host, in order of priority
using EnvironmentId = Id<struct EnvironmentTag>;  ///< capacity that job queues may use
using QueueId = Id<struct QueueTag>;              ///< a line that jobs are submitted to
using ShareId = Id<struct ShareTag>;              ///< a team's part of a queue

/// Which attempt at a job, counted from 1.  SageMaker: one training job per attempt.
using AttemptNumber = std::uint16_t;

/// In the place of a host: an alarm on all of them, whose datapoint is the lowest of theirs.
inline constexpr std::uint32_t lowest_of_hosts = 0;

/// The alarm of one seat on one host of a job.  `host` counts from 1, as in `algo-1`.
struct AlarmId {
  JobId job;
  std::uint32_t host = 1;
  std::uint16_t seat = 0;
  friend constexpr auto operator<=>(AlarmId, AlarmId) = default;
};

/// Names one decision for ever: the retry key, the client token, the journal key.  0 names none.
struct ActionId {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(ActionId, ActionId) = default;
};

}  // namespace reeve::policy
