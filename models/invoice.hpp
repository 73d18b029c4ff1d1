// What AWS would invoice for a run: reserved machines when they fall due, not as they are used.
#pragma once

#include <vector>

#include "models/record.hpp"

namespace reeve::models {

/// An up-front payment: of a commitment's term, or of a whole capacity block.
struct Purchase {
  policy::PoolId pool;
  Instant at;
  Charge amount = 0;
};

/// How much of the time from the clock's start on is paid for when a run is over after `ran`: each
/// window of a capacity block to its end, but none that begins after a horizon.
Duration paid_until(const Pool& pool, const World& world, Duration ran);

/// Those that fall due before the run's end, by pool, then time.
std::vector<Purchase> purchases(const World& world, const Record& record);

/// What an instance-hour of the pool costs of what was paid up front, whether or not a window is
/// open.
policy::UsdPerHour upfront_price(const Pool& pool);

/// What an instance-hour of the pool adds to an invoice as time goes by; the rest of its price was
/// paid up front.
policy::UsdPerHour invoiced_hourly(const Pool& pool);

/// AWS's two views of one bill.
struct Invoice {
  Charge amortized = 0;  ///< of reserved machines, as the ledger has them
  Charge unblended = 0;  ///< of everything, purchases in full
};

Invoice invoice(const World& world, const Record& record);

}  // namespace reeve::models
