#include "models/fleet/prices.hpp"

namespace reeve::models {

Charge Prices::cost_of(const Holding& instances, Instant from, Instant until) const {
  const Pool& pool = world_.pools[instances.pool.index];
  if (pool.prices.empty()) return charge(pool.price, instances.instances, until - from);
  return instances.instances * cost(pool.prices, from - world_.start, until - world_.start);
}

bool Prices::may_be_free(policy::PoolId pool) const {
  return world_.platform.billing.first_hour_free && world_.pools[pool.index].market == Market::spot;
}

bool Prices::bills_whole_seconds(policy::PoolId id) const {
  const Pool& pool = world_.pools[id.index];
  return world_.platform.spot_billing == SpotBilling::billable_seconds &&
         pool.market == Market::spot && world_.directory.types[pool.type.index].price.nanos > 0;
}

BillingRules Prices::rules_of(policy::PoolId pool) const {
  BillingRules rules = world_.platform.billing;
  rules.first_hour_free = may_be_free(pool);
  if (policy::is_reserved(world_.pools[pool.index].market)) rules.minimum = Duration{0};
  return rules;
}

}  // namespace reeve::models
