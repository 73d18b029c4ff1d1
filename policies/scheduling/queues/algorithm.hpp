// The interface of a scheduling algorithm: it orders pending jobs and chooses which start.
#pragma once

#include <cstdint>
#include <reeve/policy/fleet_view.hpp>
#include <span>

#include "waiting_jobs.hpp"

namespace reeve::policies {

struct Turn;

/// An attempt that needs instances.
struct Candidate {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::PoolId pool;
  std::uint32_t instances = 0;
  policy::Instant since;  ///< when this attempt was submitted
};

/// Receives from `JobQueues` which jobs are pending and which have instances, and chooses which
/// start.  It may learn late that a job is no longer pending: `Turn::waits` tells.
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// Events of this instant follow.
  virtual void step_begins(policy::Instant) {}
  /// Its place among jobs whose start the same limit refused: smaller is proposed first.
  virtual Waiting place(const Candidate&, const policy::FleetView&) const = 0;
  /// The job is pending from now on.
  virtual void entered(const Candidate& candidate, const policy::FleetView& fleet) = 0;
  /// Its start was refused.  Returns whether it is held until there may be room; it enters again
  /// then, or at once.  `release` of the turn releases another held job.
  virtual bool hold(const Candidate& refused, Turn& turn) = 0;
  /// It is no longer held: it will enter again, or has ended.
  virtual void let_go(const Candidate& held, const policy::FleetView& fleet) = 0;
  /// It is no longer pending, or no longer has instances.
  virtual void left(policy::JobId) {}
  /// It has instances, from any source; it `runs`, or its start is proposed.
  virtual void has_machines(const Candidate&, bool /*runs*/, policy::Instant /*now*/,
                            const policy::FleetView&) {}
  /// A job of another section has instances, in the same environment or in another one.  It cannot
  /// be preempted here, but its instances are free after `others_left`.
  virtual void others_have(const Candidate&, bool /*one_environment*/, policy::Instant /*now*/,
                           const policy::FleetView&) {}
  virtual void others_left(policy::JobId) {}
  /// Its preemption failed; not to be tried again until `may_lose`.
  virtual void kept(policy::JobId) {}
  virtual void may_lose(policy::JobId) {}
  /// The platform refused to move it to another queue (`Turn::place`): it stays where it is.
  /// `for_good`: it must not be moved there again.
  virtual void not_placed(policy::JobId, bool /*for_good*/) {}
  /// How many instances of the pool the section may have has changed, or a quota.
  virtual void terms_changed(policy::PoolId) {}
  /// Free instances of the pool that preempted jobs left for a pending job of this section: other
  /// sections must not use them.
  virtual std::int64_t promised(policy::PoolId) const { return 0; }
  /// The priority of the job has changed.
  virtual void reprioritized(const Candidate&, const policy::FleetView&) {}
  /// Something changed in these pools: pending jobs, jobs with instances, or capacity.
  virtual void choose(std::span<const policy::PoolId> changed, Turn& turn) = 0;
};

}  // namespace reeve::policies
