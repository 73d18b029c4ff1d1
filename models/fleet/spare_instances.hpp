// Instances that outlive their attempt: orphaned, held for debugging, or warm for the next job.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "models/fleet/core.hpp"
#include "models/fleet/event_delivery.hpp"

namespace reeve::models {

/// Instances that outlive the attempt they were launched for.  They stay allocated, and billed.
struct Spare {
  /// `orphan`: left running by mistake; `held`: for debugging; `warm`: for the next attempt.
  enum class Kind : std::uint8_t { orphan, held, warm };
  Kind kind = Kind::orphan;
  Holding of;
  Instant launched;               ///< when billing of the launch began
  Instant since;                  ///< when the attempt ended
  Instant until = policy::never;  ///< when they are given back
  Instant loss = policy::never;   ///< when Spot takes them
  std::vector<std::uint32_t> zones = {};
  std::vector<std::uint32_t> nodes = {};
  bool mapped = true;  ///< a tag says whose they are
};

/// What a spare's time is booked as.
Use use_of(Spare::Kind kind);

/// The spares of a fleet, and the queued jobs that a warm one would fit.
class SpareInstances {
 public:
  SpareInstances(FleetCore& core, EventDelivery& events);

  bool empty() const { return spares_.empty(); }
  /// Adds one under a new number.
  std::uint32_t next_id() { return next_id_++; }
  void add(std::uint32_t id, Spare spare);
  Spare remove(std::uint32_t id);
  /// Null if it is gone.
  const Spare* find(std::uint32_t id) const;
  /// The oldest; there is one.
  std::uint32_t first() const { return spares_.begin()->first; }
  /// Ids in a pool, and of a job.  Removing one may remove others: look each up again.
  std::vector<std::uint32_t> in(policy::PoolId pool) const;
  std::vector<std::uint32_t> of(policy::JobId job) const;
  /// In the order in which a market takes them: warm ones last.  None: `after` is the last.
  struct Place {
    std::uint32_t warm = 0;
    std::uint32_t id = 0;
  };
  std::optional<Place> next_in(policy::PoolId pool, std::optional<Place> after) const;
  /// Takes `instances` of a spare, those on `nodes`, and adds them under a new number.
  std::uint32_t split(std::uint32_t id, std::vector<std::uint32_t> nodes, std::uint32_t instances);

  /// The oldest warm pool that fits: as many instances of the same pool, of the same owner.  AWS
  /// compares roles, networks and volumes, which stand for the owner here.
  std::optional<std::uint32_t> warm_for(policy::JobId job, policy::PoolId pool) const;
  /// The job waits for instances of its pool, or no more.
  void join_queue(policy::JobId job);
  void leave_queue(policy::JobId job);
  /// The first queued job that a warm pool of that job's owner fits.
  std::optional<policy::JobId> waits_for(policy::JobId owner_job, policy::PoolId pool,
                                         std::uint32_t instances) const;

  /// Tells that the job left more orphans that a tag maps to it, or fewer.
  void tell_left(const Spare& spare, bool more);

 private:
  std::uint32_t owner_of(policy::JobId job) const { return owners_[core_.spec(job).profile]; }

  FleetCore& core_;
  EventDelivery& events_;
  std::map<std::uint32_t, Spare> spares_;  ///< by id, in the order in which they came to be
  std::uint32_t next_id_ = 0;
  /// Their ids by pool; warm ones by how many they are, others at 0.
  std::set<std::tuple<policy::PoolId, std::uint32_t, std::uint32_t>> in_;
  std::set<std::pair<policy::JobId, std::uint32_t>> of_;
  std::map<std::pair<policy::JobId, policy::AttemptNumber>, std::uint32_t> left_of_;  ///< orphans
  /// Ids of warm pools by pool, size and owner.
  std::set<std::tuple<policy::PoolId, std::uint32_t, std::uint32_t, std::uint32_t>> warm_of_;
  std::vector<std::uint32_t> owners_;  ///< by profile; none where no job keeps instances warm
  /// Queued jobs, where some may take warm pools: by pool, size, owner and position in the queue.
  std::map<std::tuple<policy::PoolId, std::uint32_t, std::uint32_t, std::uint64_t>, policy::JobId>
      queued_;
  std::map<policy::JobId, std::uint64_t> position_of_;
  std::uint64_t last_position_ = 0;
};

}  // namespace reeve::models
