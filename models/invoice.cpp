#include "models/invoice.hpp"

#include <algorithm>

namespace reeve::models {
namespace {

void add_terms(const Pool& pool, policy::PoolId id, const World& world, Duration until,
               std::vector<Purchase>& all) {
  const Commitment& commitment = *pool.commitment;
  const Duration into{commitment.before.count() % commitment.term.count()};
  Duration at = into == Duration::zero() ? into : commitment.term - into;
  const Charge amount = Charge{commitment.upfront.micros()} * 3'600'000'000'000'000;
  for (; at < until && amount > 0; at += commitment.term) {
    all.push_back({id, world.start + at, amount});
  }
}

void add_blocks(const Pool& pool, policy::PoolId id, const World& world, Duration until,
                std::vector<Purchase>& all) {
  for (const TimeSpan& window : pool.windows) {
    if (window.first >= until) return;
    all.push_back({id, world.start + window.first,
                   charge(pool.price, pool.capacity, window.second - window.first)});
  }
}

}  // namespace

Duration paid_until(const Pool& pool, const World& world, Duration ran) {
  const bool bought = pool.market == policy::Market::capacity_block && !pool.windows.empty();
  if (!bought) return ran;
  if (world.end == policy::never) return std::max(ran, pool.windows.back().second);
  for (const TimeSpan& window : pool.windows) {
    if (window.first < ran) ran = std::max(ran, window.second);
  }
  return ran;
}

std::vector<Purchase> purchases(const World& world, const Record& record) {
  std::vector<Purchase> all;
  const Duration until = record.end - world.start;
  for (std::uint32_t index = 0; index < world.pools.size(); ++index) {
    const Pool& pool = world.pools[index];
    if (pool.market == policy::Market::capacity_block) {
      add_blocks(pool, {index}, world, paid_until(pool, world, until), all);
    } else if (pool.commitment) {
      add_terms(pool, {index}, world, until, all);
    }
  }
  return all;
}

policy::UsdPerHour upfront_price(const Pool& pool) {
  // A block's windows are what was bought.
  if (!pool.commitment || pool.market == policy::Market::capacity_block) return {};
  return upfront_price(*pool.commitment, pool.capacity);
}

policy::UsdPerHour invoiced_hourly(const Pool& pool) {
  if (pool.market == policy::Market::capacity_block) return {};
  return pool.commitment ? pool.commitment->hourly : pool.price;
}

Invoice invoice(const World& world, const Record& record) {
  Invoice both;
  both.unblended = record.ledger.billed();
  for (std::size_t index = 0; index < record.billed_time.size(); ++index) {
    const Pool& pool = world.pools[index];
    if (!policy::is_reserved(pool.market)) continue;
    const Charge amortized = record.pool_rows[index].billed;
    both.amortized += amortized;
    both.unblended += record.billed_time[index] * invoiced_hourly(pool).nanos - amortized;
  }
  for (const Purchase& purchase : purchases(world, record)) both.unblended += purchase.amount;
  return both;
}

}  // namespace reeve::models
