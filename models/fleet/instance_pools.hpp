// The instances of each pool: how many it offers, how many are held, where, and for how long.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/fleet/core.hpp"
#include "models/fleet/pool_state.hpp"

namespace reeve::models {

/// The pools of a fleet and the books of their time.  Sums are in Record::pool_rows.
class InstancePools {
 public:
  explicit InstancePools(FleetCore& core);

  PoolTruth& operator[](policy::PoolId pool) { return pools_[pool.index]; }
  const PoolTruth& operator[](policy::PoolId pool) const { return pools_[pool.index]; }
  std::size_t size() const { return pools_.size(); }

  /// What there is: the market's offer, less zones that are out, and no more than are not broken.
  std::uint32_t on_offer(policy::PoolId pool) const;
  /// What there is less what the platform has taken away for a time; that is none of what is held.
  std::uint32_t present(policy::PoolId pool) const;
  /// What is not held, and is not lost at this very instant.
  std::uint32_t free_instances(policy::PoolId pool) const;
  /// Of them those that are not known to go.
  std::uint32_t free_to_stay(policy::PoolId pool) const;
  /// None in zones that are gone.
  std::vector<std::uint32_t> free_in_zones(policy::PoolId pool) const;
  /// Instances that the pool could give the job now.
  std::uint32_t room_for(policy::PoolId pool, policy::JobId job) const;
  /// Whether it could give it enough, now or ever.
  bool fits(policy::PoolId pool, policy::JobId job) const;
  bool could_fit(policy::PoolId pool, policy::JobId job) const;
  /// Instances that interrupted attempts of the pool wait for: no new attempt gets them first.
  std::uint64_t claimed(policy::PoolId pool) const;
  /// MinCount of RunInstances; a gang of a fixed size requests all or nothing.
  std::uint32_t least_instances(policy::JobId job) const;

  /// That many more are held, or fewer.
  void allocate(policy::PoolId pool, std::int64_t instances);
  /// They go away with the platform, or come back where it is less than 0.
  void take_away(policy::PoolId pool, std::int64_t instances);
  /// The attempt's instances begin to make progress, or end it.
  void make_progress(Running& run, bool begins);

  /// An elastic gang has changed its size or its stage: whether it could take free instances.
  void note_size(Running& run);

  bool in_lost_zone(policy::PoolId pool, const std::vector<std::uint32_t>& zones) const;
  void take_zones(Running& run);
  void join_zones(Running& run, std::uint32_t joining);
  void give_zones_back(policy::PoolId pool, const std::vector<std::uint32_t>& taken);
  /// `warm`: nodes of a warm pool that the attempt takes over.
  void take_nodes(Running& run, std::vector<std::uint32_t> warm);
  void give_nodes_back(policy::PoolId pool, std::vector<std::uint32_t>& given);
  void drop_node(Running& run, std::uint32_t host);
  /// The number of a node among the hosts of the attempt, from 1; those that are lost keep theirs.
  static std::uint32_t host_of(const Running& run, std::uint32_t machine);

  /// An offer changes: what it takes is noted until `note_offer` writes the row.
  void begin_turn() { turn_ = {}; }
  void note_lost(std::uint32_t instances) { turn_.lost += instances; }
  void note_loss(const Running& run, std::uint32_t instances);
  void note_offer(policy::PoolId pool);

  /// Books the time until now, before anything of the pool changes.
  void pass_time(policy::PoolId pool);
  void note_utilization(policy::PoolId pool);
  /// Before the end of the run is booked: what is in use until now.
  void note_use();
  /// Books the time of a pool to the end of the run.
  void close(policy::PoolId pool);
  /// After all pools: a job that did not end counts until the end of the run.
  void close_use();

 private:
  std::uint32_t there(policy::PoolId pool) const;
  void note_windows(policy::PoolId pool, const Stretch& stretch);
  static bool goes_on(const PoolTime& before, const PoolTime& now);
  void count_there(policy::PoolId pool, const PoolTime& time);
  void count_time(policy::PoolId pool, const PoolTime& time);
  void count_tail(policy::PoolId pool, Instant until);

  FleetCore& core_;
  std::vector<PoolTruth> pools_;
  OfferRow turn_;  ///< what the change of an offer under way takes
  InUse in_use_;   ///< of all pools, when it last lasted for any time
  Instant in_use_since_;
  std::vector<policy::PoolId> in_use_changes_;  ///< pools in which it has changed since
};

}  // namespace reeve::models
