// What an hour of an instance costs, on demand, on Spot and reserved, and how launches are billed.
#pragma once

#include <algorithm>

#include "models/billing.hpp"
#include "models/fleet/attempt.hpp"
#include "models/market.hpp"
#include "models/world.hpp"

namespace reeve::models {

/// Prices and billing rules of a world's pools.  The world must outlive it.
class Prices {
 public:
  explicit Prices(const World& world) : world_{world} {}

  /// Calls `part(Stretch, UsdPerHour)` for each piece of the time in which the price is constant.
  template <class Part>
  void each(policy::PoolId pool, Instant from, Instant until, Part part) const;

  /// What the instances cost in that time at the price of their pool.
  Charge cost_of(const Holding& instances, Instant from, Instant until) const;
  /// Whether the first hour of a launch is free if Spot ends it (EC2).
  bool may_be_free(policy::PoolId pool) const;
  /// Whether managed Spot bills as BillableTimeInSeconds says.
  bool bills_whole_seconds(policy::PoolId pool) const;
  /// Only Spot is ever free, and reserved instances are paid anyway.
  BillingRules rules_of(policy::PoolId pool) const;

 private:
  const World& world_;
};

template <class Part>
void Prices::each(policy::PoolId id, Instant from, Instant until, Part part) const {
  const Pool& pool = world_.pools[id.index];
  if (pool.prices.empty()) return part(Stretch{from, until}, pool.price);
  while (from < until) {
    const Duration since = from - world_.start;
    const Instant change = policy::later(world_.start, next_price_change(pool.prices, since));
    const Instant end = std::min(until, change);
    part(Stretch{from, end}, price_at(pool.prices, since));
    from = end;
  }
}

}  // namespace reeve::models
