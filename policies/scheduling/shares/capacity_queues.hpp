// YARN's capacity scheduler: shares that are guaranteed instances, have what others leave idle, and
// give it back after a time of grace.
#pragma once

#include <cstdint>
#include <memory>
#include <reeve/policy/units.hpp>

#include "algorithm.hpp"

namespace reeve::policies {

struct CapacityModel {
  /// What one user of a share may hold, of what the share is guaranteed; 0: as much as there is
  /// (user-limit-factor, -1).
  std::int64_t user_limit_pct = 100;
  /// How long a job with a guarantee waits for instances before others are preempted
  /// (monitor.capacity.preemption.max_wait_before_kill); `Duration::max()`: for ever.
  policy::Duration grace{0};
};

/// Hadoop, CapacityScheduler.html: a share's quota is its capacity, and with what it may borrow its
/// maximum capacity.  Jobs within their share's capacity go first, the share with the least part of
/// its capacity in use before others; in a share the highest priority, then the earliest
/// submission.  Only shares above their capacity lose instances, the share that is farthest above
/// first.  O(shares + users) for each job that starts, is preempted, or waits within its share's
/// capacity.
std::unique_ptr<Algorithm> capacity_queues(const CapacityModel& model);

}  // namespace reeve::policies
