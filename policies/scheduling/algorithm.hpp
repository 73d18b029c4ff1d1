// What a scheduling algorithm is: an order among those who wait, and no idea of how news arrives.
#pragma once

#include <cstdint>
#include <reeve/policy/fleet_view.hpp>
#include <span>

#include "waiting_jobs.hpp"

namespace reeve::policies {

class Desk;

/// An attempt that wants machines.
struct Candidate {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::PoolId pool;
  std::uint32_t instances = 0;
  policy::Instant since;  ///< when this attempt was asked for
};

/// Hears from its desk who waits and who has machines, and says whom to start.  Who stops to wait
/// may be found out late: `Desk::waits` tells.
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// News of this instant is to come.
  virtual void step_begins(policy::Instant) {}
  /// Its place among those whose start the same limit refused: smaller is asked for first.
  virtual Waiting place(const Candidate&, const policy::FleetView&) const = 0;
  /// It waits from now on.
  virtual void entered(const Candidate& candidate, const policy::FleetView& fleet) = 0;
  /// Its start was refused.  Whether it shall be held until there may be room; it enters again
  /// then, or at once.  `release` of the desk lets another go that is held.
  virtual bool hold(const Candidate& refused, Desk& desk) = 0;
  /// It is no longer held: it will enter again, or is gone.
  virtual void let_go(const Candidate& held, const policy::FleetView& fleet) = 0;
  /// It waits no longer, or has no machines any more.
  virtual void left(policy::JobId) {}
  /// It has machines, whoever gave them; it `runs`, or its start is asked for.
  virtual void has_machines(const Candidate&, bool /*runs*/, policy::Instant /*now*/,
                            const policy::FleetView&) {}
  /// Another section gave it machines, of the same environment or of another one: it is nobody to
  /// take them from, but they will be free when it has them no longer (`others_left`).
  virtual void others_have(const Candidate&, bool /*one_environment*/, policy::Instant /*now*/,
                           const policy::FleetView&) {}
  virtual void others_left(policy::JobId) {}
  /// Its machines could not be taken away; not to be tried again until it `may_lose` them.
  virtual void kept(policy::JobId) {}
  virtual void may_lose(policy::JobId) {}
  /// The platform would not let it stand in the line that it was sent to (`Desk::place`): it is
  /// where it was, `for_good` if it is never to be sent there again.
  virtual void not_placed(policy::JobId, bool /*for_good*/) {}
  /// How many machines of the pool there are for those who wait here, or how many of them are
  /// somebody's own.
  virtual void terms_changed(policy::PoolId) {}
  /// Machines of the pool that are free for one who waits here, as others left for it: nobody of
  /// another section gets them.
  virtual std::int64_t promised(policy::PoolId) const { return 0; }
  /// Somebody changed its priority.
  virtual void reprioritized(const Candidate&, const policy::FleetView&) {}
  /// Something changed in these pools: who waits, who has machines, how many there are.
  virtual void choose(std::span<const policy::PoolId> changed, Desk& desk) = 0;
};

}  // namespace reeve::policies
