// YARN's capacity scheduler: shares that are guaranteed machines, have what others leave idle, and
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
  /// How long one that is guaranteed machines waits for them before others lose theirs
  /// (monitor.capacity.preemption.max_wait_before_kill); `Duration::max()`: nobody does.
  policy::Duration grace{0};
};

/// Hadoop, CapacityScheduler.html: a share's quota is its capacity, and with what it may borrow its
/// maximum capacity.  Whoever is within its share's capacity goes before all who are not, the share
/// with the least part of its capacity in use first; in a share the highest priority, then the
/// earliest submission.  Machines are taken from shares above their capacity alone, from the share
/// that is farthest above first.  O(shares + users) for each that starts, is preempted, or waits
/// within its share's capacity.
std::unique_ptr<Algorithm> capacity_queues(const CapacityModel& model);

}  // namespace reeve::policies
