// What markets will offer, which attempts lose their instances, and who is notified of it before.
#pragma once

#include <cstdint>
#include <vector>

#include "models/fleet/core.hpp"
#include "models/fleet/event_delivery.hpp"
#include "models/fleet/instance_pools.hpp"

namespace reeve::models {

/// The markets of a fleet's pools.  It decides on losses; the fleet carries them out.
class SpotMarket {
 public:
  SpotMarket(FleetCore& core, EventDelivery& events, InstancePools& pools)
      : core_{core}, events_{events}, pools_{pools} {}

  /// Begins to follow the offers of a pool.
  void open(policy::PoolId pool);
  /// The event `market_turns`: what the pool offers now.
  void turn(policy::PoolId pool);
  /// The event `market_is_seen`: the future offer of the pool decides which attempts a loss hits.
  void see(policy::PoolId pool);
  /// The event `block_warning`: a window of a capacity block ends soon.
  void warn_of_end(policy::PoolId pool, std::size_t window);
  /// How long before a loss its victims are chosen.
  Duration foresight() const;

  /// As few as it takes to give back `need` instances, in the pool's order, of those that are not
  /// lost by `at` anyway; attempts that are ending come last.  A gang that loses one instance loses
  /// all, unless it is elastic.
  std::vector<Loser> victims(policy::PoolId pool, std::int64_t need, Instant at) const;
  /// Those of which it was known that they lose instances now, whether or not as many are missing.
  std::vector<Slot> take_foreseen(policy::PoolId pool);
  /// Whether enough are left to continue when `lost` of `of` instances go.
  bool could_go_on(const Running& run, std::uint32_t lost, std::uint32_t of) const;
  /// When the platform takes the attempt's instances away; not any more once it is ending, unless
  /// that was announced.
  Instant reclaim_of(const Running& run) const;

  /// The attempt has new instances, which may be among those that are known to go.
  void expect_loss(Running& run);
  void expect_false_signal(const Running& run);
  void expect_block_end(const Running& run);
  /// To be called wherever what an attempt holds may have changed: no sum over all holders.
  void count_held(const Running& run);
  /// A part of its instances is gone; what was known to go after it is next.
  void come_to_next_loss(Running& run);
  /// The event `launch_due`.  True: its instances are to be reclaimed now.
  bool launch_due(Running& run);
  /// A rebalance recommendation.
  void tell_rebalance(const Running& run);

 private:
  void expect_turn(policy::PoolId pool);
  void expect_sight(policy::PoolId pool);
  void expect_warnings(policy::PoolId pool);
  void choose_losers(policy::PoolId pool, const Foreseen& change);
  static std::int64_t left_at(const Running& run, Instant at);
  static std::int64_t left_at(const Counted& held, Instant at);
  static Counted counted(const Running& run);
  void foresee(Running& run, Instant loss, std::uint32_t instances);
  void foresee_later(Running& run, Instant loss, std::uint32_t instances);
  bool is_told(const Running& run, std::uint32_t nth) const;
  Stretch told_of_end(const Pool& pool, const TimeSpan& window) const;
  void tell_block_end(const Running& run, Instant loss);
  void give_notice(Running& run);
  void give_notice(Running& run, Instant loss, std::uint32_t instances);
  void give_later_notices(Running& run);

  FleetCore& core_;
  EventDelivery& events_;
  InstancePools& pools_;
};

}  // namespace reeve::models
