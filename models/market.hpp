// A market as data: the offered instances over time, the price, and the order of reclaims.
#pragma once

#include <cstdint>
#include <reeve/policy/ids.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/duration_law.hpp"
#include "models/ledger.hpp"
#include "models/market_steps.hpp"

namespace reeve::models {

/// A fixed schedule of Spot reclaims: each launch loses its instances `every` after it got them,
/// and the pool has them back `away` later.
struct Reclaim {
  policy::Duration every{0};
  policy::Duration away{0};
};

/// The market after the end of its record.
enum class AfterEnd : std::uint8_t {
  hold,    ///< offers what it offered last
  repeat,  ///< starts over
  down,    ///< offers nothing
};

/// A recorded market.  `length` is later than the last step; only `hold` works without it.
struct Replay {
  std::vector<Offer> steps;
  policy::Duration length = policy::Duration::max();
  AfterEnd after_end = AfterEnd::hold;
};

/// A drawn market: alternates between offering the whole pool (up) and less (down).  Two
/// exponential distributions make it a two-state Markov process.
struct Synthesis {
  DurationLaw up;
  DurationLaw down;
  double all_lost = 1;  ///< probability that a down period offers nothing; else 1 .. capacity - 1
};

/// Losses shared by the pools of one region, a Poisson process.  Each shock hits a pool that is up
/// with probability `hit`; hits of several pools are correlated (Gaussian copula).
struct Shocks {
  std::string region;
  double per_hour = 0;
  double hit = 0;
  std::vector<policy::PoolId> pools;  ///< the drawn pools of the region
  std::vector<double> factor;  ///< Cholesky factor of their correlation: lower triangle, by rows
};

/// Which attempts lose their instances first if fewer are offered than held.
enum class ReclaimOrder : std::uint8_t { random, newest, oldest };

/// Begin and end, after the start of the clock.
using TimeSpan = std::pair<policy::Duration, policy::Duration>;

/// The agreed payment for reserved instances, used or not.
struct Commitment {
  policy::UsdPerHour hourly;   ///< of one instance, invoiced over time
  policy::Usd upfront;         ///< of the whole pool, invoiced at the start of a term
  policy::Duration term{0};    ///< above 0
  policy::Duration before{0};  ///< how long before the clock the first term began
};

/// The hourly price of one instance with the upfront payment spread over its term, rounded to the
/// nano-dollar.
policy::UsdPerHour amortized_price(const Commitment& commitment, std::uint32_t capacity);

/// The upfront part of that price.
policy::UsdPerHour upfront_price(const Commitment& commitment, std::uint32_t capacity);

/// The price of an instance at an instant after the start of the clock; `steps` is not empty.
policy::UsdPerHour price_at(const std::vector<PriceStep>& steps, policy::Duration at);

/// The time of the next price change after `at`; Duration::max() if there is none.
policy::Duration next_price_change(const std::vector<PriceStep>& steps, policy::Duration at);

/// The exact charge of one instance held from `from` to `until`, `from` <= `until`.
Charge cost(const std::vector<PriceStep>& steps, policy::Duration from, policy::Duration until);

/// The time up to `until` that lies in the windows; all of it if there are none.
policy::Duration time_within(const std::vector<TimeSpan>& windows, policy::Duration until);

/// The lower triangle, row by row, of L in L L' = `correlation`, which is given by rows; empty if
/// it is not positive definite.
std::vector<double> cholesky(const std::vector<std::vector<double>>& correlation);

}  // namespace reeve::models
