#include "wait_or_move.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "job_events.hpp"
#include "spot_price.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kLimit = "usd_per_hour_gained";
constexpr std::string_view kSpot = "spot_pct";
constexpr double kAnyPrice = -1;

/// Of one instance, in nano-dollars.
double price_per_hour(PoolId pool, double spot, const Directory& directory) {
  const PoolFacts& facts = directory.pools[pool.index];
  const auto list = static_cast<double>(directory.types[facts.type.index].price.nanos);
  return facts.market == Market::spot ? list * spot : list;
}

constexpr double kMost = 9e18;  ///< of what 64 bits hold

double hours_of(Duration of) {
  return static_cast<double>(of.count()) / 3.6e12;
}

/// Whatever the sign says in words.
std::string amount_text(Usd usd) {
  return usd_text(std::abs(usd.micros()));
}

/// Whether a job with these speeds costs more in `to` than where it is, for the same work.
bool is_dearer(PoolId to, PoolId own, const SpeedsByType& speeds, double spot,
               const Directory& directory) {
  const auto speed = [&](PoolId pool) -> double {
    return speeds.empty() ? 1'000'000 : speeds[directory.pools[pool.index].type.index];
  };
  if (speed(to) == 0) return true;
  const double at_home = speed(own) == 0 ? 1'000'000 : speed(own);
  return price_per_hour(to, spot, directory) * at_home >
         price_per_hour(own, spot, directory) * speed(to);
}

}  // namespace

WaitOrMove::WaitOrMove(const Options& options)
    : limit_{options.number(kLimit)},
      spot_{static_cast<double>(options.integer(kSpot)) / 100},
      lines_{std::max<Duration>(options.duration("after"), kAskAgainAfter)} {}

std::optional<PoolId> WaitOrMove::choose(JobId job, std::span<const PoolId> pools,
                                         const Step& step) {
  const PoolId own = step.fleet.description(job).pool;
  std::optional<PoolId> best;
  std::tuple<double, Duration, Usd> least;
  for (const PoolId pool : pools) {
    if (pool == own) continue;
    const Gain here = gain(job, pool, step);
    const std::tuple<double, Duration, Usd> costs{usd_per_hour(here), -here.sooner, here.more};
    if (!is_worth_it(here) || (best && !(costs < least))) continue;
    best = pool;
    least = costs;
  }
  if (best) return best;
  const bool may_stay = std::find(pools.begin(), pools.end(), own) != pools.end();
  return may_stay ? std::optional{own} : std::nullopt;
}

WaitOrMove::Gain WaitOrMove::gain(JobId job, PoolId to, const Step& step) {
  const PoolId own = step.fleet.description(job).pool;
  const Duration here = time_of_work(job, own, step.fleet);
  const Duration there = time_of_work(job, to, step.fleet);
  const auto nanos = [&](PoolId pool, Duration held) {
    const double price = price_per_hour(pool, spot_, step.fleet.directory());
    return price * step.fleet.description(job).instances * hours_of(held);
  };
  const double micros = (nanos(to, there) - nanos(own, here)) / 1e3;
  Gain gain{.more = Usd::from_micros(std::llround(std::clamp(micros, -kMost, kMost)))};
  // It must end there before it is stopped; the duration of work without an estimate is unknown.
  const bool is_for_it = there < Duration::max() && here > Duration{0} &&
                         there <= step.fleet.description(job).max_runtime;
  if (!is_for_it) return gain;
  const Instant turn = lines_.turn(job, own, step);
  gain.sooner = turn == never ? Duration::max() : later(turn, here) - later(step.now, there);
  return gain;
}

double WaitOrMove::usd_per_hour(const Gain& gain) {
  if (gain.more <= Usd{} || gain.sooner == Duration::max()) return 0;
  return static_cast<double>(gain.more.micros()) / 1e6 / hours_of(gain.sooner);
}

bool WaitOrMove::is_worth_it(const Gain& gain) const {
  if (gain.sooner <= Duration{0}) return false;
  return gain.more <= Usd{} || (limit_ > 0 && usd_per_hour(gain) <= limit_);
}

std::string WaitOrMove::basis(JobId job, PoolId to, const Step& step) {
  const Gain here = gain(job, to, step);
  const std::string price = amount_text(here.more) + (here.more < Usd{} ? " less" : " more");
  if (here.sooner == Duration::max()) return price + ", and its own fleet is too small now";
  std::string text =
      price + ", " + length_text(std::chrono::round<std::chrono::seconds>(here.sooner)) + " sooner";
  if (here.more <= Usd{}) return text;
  const auto micros = std::llround(std::min(usd_per_hour(here) * 1e6, kMost));
  return text + ": " + amount_text(Usd::from_micros(micros)) + " per hour gained";
}

std::uint32_t WaitOrMove::version(PoolId pool, const Step& step) {
  const std::uint32_t version = lines_.version(pool, step);
  look_ = std::min(look_, lines_.next_version(pool));
  return version;
}

Instant WaitOrMove::take_look() {
  return std::exchange(look_, never);
}

std::vector<OptionSpec> wait_or_move_options() {
  return {
      {.name = kLimit,
       .type = OptionType::number,
       .unit = "$",
       .default_json = "-1",
       .min = kAnyPrice,
       .max = 1e9,
       .choices = {},
       .help = "a job moves only if it finishes sooner and each hour gained costs at most this; "
               "-1: any price, even if it finishes later"},
      spot_pct_option(),
  };
}

OptionProblem check_wait_or_move(const Options& options) {
  const double limit = options.number(kLimit);
  if (limit < 0 && limit != kAnyPrice) {
    return {.option = kLimit,
            .message = "is negative but not -1",
            .help = "use 0 to move only without extra cost, -1 for any price"};
  }
  if (limit >= 0 || options.integer(kSpot) == 100) return {};
  return {.option = kSpot,
          .message = "is ignored if usd_per_hour_gained is -1",
          .help = R"("usd_per_hour_gained": 50)",
          .against = kLimit};
}

OptionProblem doubt_wait_or_move(const Options& options, std::span<const PoolId> fleets,
                                 const Directory& directory) {
  if (options.number(kLimit) != 0) return {};  // however dear: a wait may be long enough for it
  const double spot = static_cast<double>(options.integer(kSpot)) / 100;
  for (const PoolId to : fleets) {
    for (std::uint32_t own = 0; own < directory.pools.size(); ++own) {
      for (const SpeedsByType& speeds : directory.speeds) {
        if (to.index != own && !is_dearer(to, {own}, speeds, spot, directory)) return {};
      }
    }
  }
  return {.option = kLimit,
          .message = "each listed fleet costs more for the same work: no job moves",
          .help = "allow a price per hour gained, as in \"usd_per_hour_gained\": 50"};
}

}  // namespace reeve::policies
