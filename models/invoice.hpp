// The AWS invoice of a run: reserved instances are charged when payments fall due, not with use.
#pragma once

#include <vector>

#include "models/record.hpp"

namespace reeve::models {

/// An upfront payment for a commitment's term or for a whole capacity block.
struct Purchase {
  policy::PoolId pool;
  Instant at;
  Charge amount = 0;
};

/// The time from the start of the clock that is paid for if a run ends after `ran`: each window of
/// a capacity block counts to its end, but windows that begin after the horizon do not count.
Duration paid_until(const Pool& pool, const World& world, Duration ran);

/// The payments that fall due before the end of the run, by pool, then time.
std::vector<Purchase> purchases(const World& world, const Record& record);

/// The upfront part of the price of an instance-hour of the pool, inside or outside its windows.
policy::UsdPerHour upfront_price(const Pool& pool);

/// The part of the price of an instance-hour of the pool that is invoiced over time; the rest was
/// paid upfront.
policy::UsdPerHour invoiced_hourly(const Pool& pool);

/// The two views of one AWS bill.
struct Invoice {
  Charge amortized = 0;  ///< reserved instances as in the ledger
  Charge unblended = 0;  ///< of everything, with purchases in full
};

Invoice invoice(const World& world, const Record& record);

}  // namespace reeve::models
