// What a job queue is made of: environments that limit it, and shares that divide it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <reeve/policy/ids.hpp>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::policy {

/// So many instances of one pool.
struct CapacityLimit {
  PoolId pool;
  std::uint32_t instances = 0;
};

/// What a share does with capacity that nobody in it uses (AWS Batch: ResourceSharingStrategy).
/// `reserve`: keeps it.  `lend`: others may have it until it is wanted back.  `lend_and_borrow`:
/// and it may have that of others.
enum class Sharing : std::uint8_t { reserve, lend, lend_and_borrow };

/// The one spelling of each, in the order of their values.
inline constexpr std::array<std::string_view, 3> sharing_names{"reserve", "lend",
                                                               "lend_and_borrow"};

/// In the place of a percentage of borrowing: as much as there is.
inline constexpr std::int32_t borrow_without_limit = -1;

/// What a share's weight is a fraction of: 1.0 is so many.
inline constexpr std::uint32_t weight_one = 10'000;

/// The capacity that queues may use (AWS Batch: service environment).
struct EnvironmentFacts {
  std::string name;
  std::vector<CapacityLimit> limits = {};                 ///< of one pool each
  std::optional<std::uint32_t> instances = std::nullopt;  ///< of all pools together

  /// How many instances of a pool its jobs may have at once; nothing: no limit.
  std::optional<std::uint32_t> most_of(PoolId pool) const {
    std::optional<std::uint32_t> most = instances;
    for (const CapacityLimit& limit : limits) {
      if (limit.pool == pool) most = std::min(most.value_or(limit.instances), limit.instances);
    }
    return most;
  }
};

/// A line that jobs are submitted to.
struct QueueFacts {
  std::string name;
  std::optional<EnvironmentId> environment = std::nullopt;
  std::int32_t priority = 0;  ///< larger goes first where queues have one environment
  std::vector<ShareId> shares = {};
  /// How long an attempt waits for machines until it fails (AWS Batch: jobStateTimeLimitActions).
  Duration runnable_limit = Duration::max();
};

/// A team's part of a queue (AWS Batch: quota share, or the share identifier of fair share).
struct ShareFacts {
  std::string name;
  QueueId queue = {};
  std::vector<CapacityLimit> quota = {};  ///< as stated; FleetView::quota: as it is now
  Sharing sharing = Sharing::reserve;
  std::int32_t borrow_limit_pct = borrow_without_limit;  ///< of its own quota, per pool
  bool in_share_preemption = false;
  std::uint32_t weight = weight_one;  ///< AWS Batch: weightFactor; lower gets more
};

/// What the queue that a job stands in goes by, besides its priority.
struct JobTerms {
  std::optional<QueueId> queue = std::nullopt;
  std::optional<ShareId> share = std::nullopt;
  bool keeps_machines = false;  ///< nobody may preempt it
  std::uint16_t speeds = 0;     ///< place in Directory::speeds
  friend constexpr bool operator==(const JobTerms&, const JobTerms&) = default;
};

/// Why a queue takes machines away from a job: its share has borrowed them, one of its own share
/// goes before it, or its share's quota was lowered.
enum class PreemptCause : std::uint8_t { reclaim, in_share, lowered_quota };

/// The one spelling of each, in the order of their values.
inline constexpr std::array<std::string_view, 3> preempt_cause_names{"reclaim", "in_share",
                                                                     "lowered_quota"};

/// What keeps a job that waits in a queue from starting, however long it waits.  `capacity`: the
/// platform had no machines for it.  `environment`: it is larger than its queue's environment.
enum class Blockage : std::uint8_t { capacity, environment };

/// The one spelling of each, in the order of their values.
inline constexpr std::array<std::string_view, 2> blockage_names{"capacity", "environment"};

/// What AWS Batch says of each in `statusReason` (AWS Batch User Guide, "Jobs stuck in a RUNNABLE
/// status"), in the order of their values.
inline constexpr std::array<std::string_view, 2> blockage_reasons{
    "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY", "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE"};

}  // namespace reeve::policy
