// One turn of a section: what its algorithm sees and decides while it is served.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <reeve/policy/policy.hpp>

#include "pool_usage.hpp"

namespace reeve::policies {

class JobQueues;

/// The fleet at an instant, as one section sees it, and where its decisions go.  Valid during the
/// call that it is passed to.
struct Turn {
  const policy::FleetView& fleet;
  policy::Instant now;
  std::size_t section = 0;
  policy::Decisions& out;
  const PoolUsage& usage;
  JobQueues& queues;

  Turn of_section(std::size_t other) const { return {fleet, now, other, out, usage, queues}; }

  /// A start would only be refused.
  bool is_closed() const { return fleet.kill_switch_engaged(); }
  /// The most instances that jobs of the section may ever have at once.
  std::int64_t capacity(policy::PoolId pool) const { return usage.most(section, pool); }
  /// Instances that no attempt has or was granted, by what limits them: they grow as others end.
  Headroom headroom(policy::PoolId pool, KeptForOthers kept = {}) const {
    return usage.headroom(section, pool, kept);
  }
  /// The same, as one number; below 0 where capacity was lost.  `kept` stays free for others.
  std::int64_t free(policy::PoolId pool, KeptForOthers kept = {}) const {
    return headroom(pool, kept).least();
  }
  /// What is free beside `kept`, and what jobs of the section use.
  std::int64_t own_and_free(policy::PoolId pool, KeptForOthers kept = {}) const {
    return free(pool, kept) + usage.used(section, pool);
  }
  /// Unused quota of shares of other sections.  Changes only with the terms.
  KeptForOthers kept_for_others(policy::PoolId pool) const {
    return usage.kept_for_others(section, pool, fleet);
  }
  /// Of what is free, what is kept for those shares.
  std::int64_t free_but_kept(policy::PoolId pool) const {
    return free(pool) - free(pool, kept_for_others(pool));
  }
  /// What is free for a job within its share's quota, where the quotas of the section sum to `own`:
  /// of what is `kept` for others only what completes that sum.
  std::int64_t free_of_own(policy::PoolId pool, KeptForOthers kept, std::int64_t own) const {
    return std::max(free(pool, kept), std::min(free(pool), own - usage.used(section, pool)));
  }
  /// What no quota covers: it is for jobs of no share.
  std::int64_t uncovered(policy::PoolId pool) const {
    return usage.uncovered(section, pool, fleet);
  }
  /// The share's quota of the pool; 0 if the share belongs to another section.
  std::int64_t quota(policy::ShareId share, policy::PoolId pool) const {
    return usage.quota(section, share, pool, fleet);
  }

  /// Starts in the pool that are proposed and not answered.
  std::size_t asked(policy::PoolId pool) const;
  /// Whether the attempt is still pending there; an entry of a queue may be older.
  bool waits(policy::JobId job, policy::AttemptNumber attempt, policy::PoolId pool) const;
  std::uint32_t instances(policy::JobId job) const;

  /// Proposes the start of a pending job that fits: its instances count as used at once.
  void start(policy::JobId job);
  /// Preempts a running job for `to`; it has its instances until it has left.
  void preempt(policy::JobId job, policy::PreemptCause cause, policy::JobId to);
  /// Proposes to move a pending job to the queue of another pool: it enters there.
  void place(policy::JobId job, policy::PoolId pool);
  /// The pool is looked at again after that time.
  void look_after(policy::PoolId pool, policy::Duration wait);
  /// The job is larger than its pool: it enters again if the pool grows.
  void set_aside(policy::JobId job);
  /// A held job enters again.
  void release(policy::JobId job);
};

}  // namespace reeve::policies
