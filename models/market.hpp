// A market as data: who offers how many machines when, at what price, and who loses theirs.
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

/// When the platform takes Spot machines away, without luck: each launch loses its machines `every`
/// after it got them, and the pool has them back `away` later.
struct Reclaim {
  policy::Duration every{0};
  policy::Duration away{0};
};

/// What a recorded market does when its record is over.
enum class AfterEnd : std::uint8_t {
  hold,    ///< offers what it offered last
  repeat,  ///< begins anew
  down,    ///< offers nothing
};

/// A recorded market.  `length` is later than the last step; only `hold` needs none.
struct Replay {
  std::vector<Offer> steps;
  policy::Duration length = policy::Duration::max();
  AfterEnd after_end = AfterEnd::hold;
};

/// A market that is drawn: the whole pool is on offer (up), then not (down), in turns.  Two
/// exponential laws make it a two-state Markov process.
struct Synthesis {
  DurationLaw up;
  DurationLaw down;
  double all_lost = 1;  ///< probability that nothing is left while down; else 1 .. capacity - 1 are
};

/// Losses that pools of one region share.  They come as a Poisson process; each hits a pool that is
/// up with probability `hit`, and which ones it hits together is correlated (a Gaussian copula).
struct Shocks {
  std::string region;
  double per_hour = 0;
  double hit = 0;
  std::vector<policy::PoolId> pools;  ///< drawn ones of the region
  std::vector<double> factor;         ///< cholesky of their correlation: lower triangle, by rows
};

/// Which attempts lose their machines first when fewer are on offer than are held.
enum class ReclaimOrder : std::uint8_t { random, newest, oldest };

/// From and until, after the start of the clock.
using TimeSpan = std::pair<policy::Duration, policy::Duration>;

/// What was agreed to be paid for reserved machines, used or not.
struct Commitment {
  policy::UsdPerHour hourly;   ///< of one instance, invoiced as time goes by
  policy::Usd upfront;         ///< of the whole pool, invoiced when a term begins
  policy::Duration term{0};    ///< above 0
  policy::Duration before{0};  ///< that the first term began before the clock
};

/// Of one instance: the up-front payment spread over its term, rounded to the nano-dollar.
policy::UsdPerHour amortized_price(const Commitment& commitment, std::uint32_t capacity);

/// What of that is the up-front payment.
policy::UsdPerHour upfront_price(const Commitment& commitment, std::uint32_t capacity);

/// What an instance costs at an instant after the start of the clock; `steps` is not empty.
policy::UsdPerHour price_at(const std::vector<PriceStep>& steps, policy::Duration at);

/// When the price changes next after `at`; Duration::max() if never.
policy::Duration next_price_change(const std::vector<PriceStep>& steps, policy::Duration at);

/// The exact charge of one instance held from `from` to `until`, `from` <= `until`.
Charge cost(const std::vector<PriceStep>& steps, policy::Duration from, policy::Duration until);

/// How much of the time up to `until` lies in the windows; all of it if there are none.
policy::Duration time_within(const std::vector<TimeSpan>& windows, policy::Duration until);

/// The lower triangle, row by row, of L in L L' = `correlation`, given by rows; empty if that is
/// not positive definite.
std::vector<double> cholesky(const std::vector<std::vector<double>>& correlation);

}  // namespace reeve::models
