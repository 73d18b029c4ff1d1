// The parts of a job queue: environments that limit it, and shares that divide it.
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

/// A number of instances of one pool.
struct CapacityLimit {
  PoolId pool;
  std::uint32_t instances = 0;
};

/// What a share does with its unused quota (AWS Batch: ResourceSharingStrategy).  `reserve`: keeps
/// it.  `lend`: other shares may borrow it until the share reclaims it.  `lend_and_borrow`: the
/// share may also borrow from others.
enum class Sharing : std::uint8_t { reserve, lend, lend_and_borrow };

/// The only spelling of each strategy, by value.
inline constexpr std::array<std::string_view, 3> sharing_names{"reserve", "lend",
                                                               "lend_and_borrow"};

/// In place of a borrow limit in percent: no limit.
inline constexpr std::int32_t borrow_without_limit = -1;

/// The integer that stands for a weight of 1.0.
inline constexpr std::uint32_t weight_one = 10'000;

/// The capacity that queues may use (AWS Batch: service environment).
struct EnvironmentFacts {
  std::string name;
  std::vector<CapacityLimit> limits = {};                 ///< at most one per pool
  std::optional<std::uint32_t> instances = std::nullopt;  ///< of all pools together

  /// The largest number of instances of `pool` that jobs may hold at once; nothing: no limit.
  std::optional<std::uint32_t> most_of(PoolId pool) const {
    std::optional<std::uint32_t> most = instances;
    for (const CapacityLimit& limit : limits) {
      if (limit.pool == pool) most = std::min(most.value_or(limit.instances), limit.instances);
    }
    return most;
  }
};

/// A queue that jobs are submitted to.
struct QueueFacts {
  std::string name;
  std::optional<EnvironmentId> environment = std::nullopt;
  std::int32_t priority = 0;  ///< among queues of one environment, larger goes first
  std::vector<ShareId> shares = {};
  /// How long an attempt can wait for instances before it fails (AWS Batch:
  /// jobStateTimeLimitActions).
  Duration runnable_limit = Duration::max();
};

/// A team's part of a queue (AWS Batch: quota share, or the share identifier of fair share).
struct ShareFacts {
  std::string name;
  QueueId queue = {};
  std::vector<CapacityLimit> quota = {};  ///< as stated; the current value: FleetView::quota
  Sharing sharing = Sharing::reserve;
  std::int32_t borrow_limit_pct = borrow_without_limit;  ///< of its own quota, per pool
  bool in_share_preemption = false;
  std::uint32_t weight = weight_one;  ///< AWS Batch: weightFactor; a lower weight gets more
};

/// The properties of a job, besides its priority, that its queue uses.
struct JobTerms {
  std::optional<QueueId> queue = std::nullopt;
  std::optional<ShareId> share = std::nullopt;
  bool keeps_machines = false;  ///< the queue must not preempt it
  std::uint16_t speeds = 0;     ///< index in Directory::speeds
  friend constexpr bool operator==(const JobTerms&, const JobTerms&) = default;
};

/// Why a queue preempts a job: its share borrowed the instances, a job of its own share runs ahead
/// of it, or its share's quota was lowered.
enum class PreemptCause : std::uint8_t { reclaim, in_share, lowered_quota };

/// The only spelling of each cause, by value.
inline constexpr std::array<std::string_view, 3> preempt_cause_names{"reclaim", "in_share",
                                                                     "lowered_quota"};

/// Why a queued job cannot start, however long it waits.  `capacity`: the platform had no instances
/// for it.  `environment`: the job is larger than the environment of its queue.
enum class Blockage : std::uint8_t { capacity, environment };

/// The only spelling of each blockage, by value.
inline constexpr std::array<std::string_view, 2> blockage_names{"capacity", "environment"};

/// The `statusReason` of AWS Batch for each blockage (AWS Batch User Guide, "Jobs stuck in a
/// RUNNABLE status"), by value.
inline constexpr std::array<std::string_view, 2> blockage_reasons{
    "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY", "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE"};

}  // namespace reeve::policy
