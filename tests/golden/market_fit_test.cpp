// Drawn markets behave like the recorded ones that they were fitted to.
//
// A record of 45 days is one sample: its own error reaches 4 points of availability.  So means of
// 30 runs of its length are compared with it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "models/offer_cursor.hpp"
#include "scenarios/records/market_trace.hpp"

namespace reeve::scenarios {
namespace market_fit_test {

namespace fs = std::filesystem;
using models::Pool;
using models::World;
using policy::Duration;

const fs::path zones =
    fs::path{REEVE_SOURCE_DIR} / ".." / "shared" / "data" / "spot_skypilot" / "availability";
constexpr std::uint32_t runs = 30;

struct Seen {
  double availability = 0;  ///< share of the time in which everything is on offer
  double mean_up_h = 0;     ///< of the stretches of it, the first and last as cut
};

/// What a pool's offers look like over `length`.
Seen seen(models::OfferCursor market, std::uint32_t all, Duration length) {
  Duration up{0};
  double stretches = 0;
  bool before = false;
  for (Duration at{0}; at < length; market.advance()) {
    const bool now = market.offered() >= all;
    const Duration until = std::min(market.next_at(), length);
    if (now) up += until - at;
    if (now && !before) ++stretches;
    before = now;
    at = until;
    if (market.next_at() >= length) break;
  }
  const auto total = static_cast<double>(up.count());
  return {total / static_cast<double>(length.count()), total / 3.6e12 / std::max(stretches, 1.0)};
}

World world_of(Pool pool) {
  World world;
  world.pools = {std::move(pool)};
  return world;
}

/// The record itself, as a fleet of it replays it.
Seen recorded(const fs::path& path, std::uint32_t capacity, Duration& length) {
  OfferOptions options;
  options.convention = Convention::up;
  const MarketTrace trace = read_offers(path, options);
  length = trace.length;
  Pool pool;
  pool.capacity = capacity;
  pool.replay = models::Replay{trace.offers, trace.length, models::AfterEnd::hold};
  const World world = world_of(pool);
  return seen({world, 0, {0}}, capacity, length);
}

models::DurationLaw exponential(double mean_h) {
  return {models::Shape::exponential, Duration{static_cast<std::int64_t>(mean_h * 3.6e12)}, 0,
          Duration{0}};
}

/// Fitted by hand: mean time up and the share of the time that is up.
struct Fit {
  const char* zone;
  double up_h;
  double share;
  double all_lost = 1;
};

Pool drawn(const Fit& fit, std::uint32_t capacity) {
  Pool pool;
  pool.capacity = capacity;
  const double down_h = fit.up_h * (1 - fit.share) / fit.share;
  pool.synthesis = models::Synthesis{exponential(fit.up_h), exponential(down_h), fit.all_lost};
  return pool;
}

Seen mean_of_runs(const World& world, std::uint32_t pool, std::uint32_t capacity, Duration length) {
  Seen mean;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const Seen one = seen({world, run, {pool}}, capacity, length);
    mean.availability += one.availability / runs;
    mean.mean_up_h += one.mean_up_h / runs;
  }
  return mean;
}

constexpr Fit fits[] = {
    {"us-east-1a", .719, .1667},  {"us-east-1c", 1.483, .4665}, {"us-east-1d", 1.665, .4473},
    {"us-east-1f", 2.180, .5912}, {"us-east-2a", 5.507, .7593}, {"us-east-2b", 4.270, .6822},
    {"us-west-2a", 5.762, .8831}, {"us-west-2b", 9.748, .9050}, {"us-west-2c", 6.480, .8913}};

TEST(MarketFit, EachZoneWithinTwoPointsOfAvailabilityAndATenthOfTheTimeUp) {
  if (!fs::exists(zones)) GTEST_SKIP() << "no traces in ../shared/data/spot_skypilot";
  for (const Fit& fit : fits) {
    Duration length{0};
    const fs::path path =
        zones / "1-node/aws-02-15-2023" / fmt::format("{}_v100_1.json.gz", fit.zone);
    const Seen record = recorded(path, 1, length);
    const Seen ours = mean_of_runs(world_of(drawn(fit, 1)), 0, 1, length);
    EXPECT_NEAR(ours.availability, record.availability, 0.02) << fit.zone;
    EXPECT_NEAR(ours.mean_up_h, record.mean_up_h, 0.10 * record.mean_up_h) << fit.zone;
  }
}

TEST(MarketFit, AndSoWithTheShocksOfARegion) {
  if (!fs::exists(zones)) GTEST_SKIP() << "no traces in ../shared/data/spot_skypilot";
  constexpr double per_hour = 0.15;
  constexpr double hit = 0.5;
  World world;
  models::Shocks shocks{"us-west-2", per_hour, hit, {}, {}};
  for (std::uint32_t zone = 6; zone < 9; ++zone) {
    world.pools.push_back(drawn(fits[zone], 1));
    world.pools.back().synthesis->up = exponential(1 / (1 / fits[zone].up_h - per_hour * hit));
    shocks.pools.push_back({zone - 6});
  }
  shocks.factor = models::cholesky({{1, .5, .5}, {.5, 1, .5}, {.5, .5, 1}});
  world.shocks = {shocks};
  for (std::uint32_t zone = 6; zone < 9; ++zone) {
    Duration length{0};
    const fs::path path =
        zones / "1-node/aws-02-15-2023" / fmt::format("{}_v100_1.json.gz", fits[zone].zone);
    const Seen record = recorded(path, 1, length);
    const Seen ours = mean_of_runs(world, zone - 6, 1, length);
    EXPECT_NEAR(ours.availability, record.availability, 0.02) << fits[zone].zone;
    EXPECT_NEAR(ours.mean_up_h, record.mean_up_h, 0.10 * record.mean_up_h) << fits[zone].zone;
  }
}

TEST(MarketFit, GangsOfSixteenAreFullyUpAsOftenAsRecorded) {
  if (!fs::exists(zones)) GTEST_SKIP() << "no traces in ../shared/data/spot_skypilot";
  const Fit gangs[] = {{"us-east-2b", 1.67, .4564, .68},
                       {"us-west-2a", 1.76, .4183, .95},
                       {"us-west-2c", 1.97, .4149, .957}};
  for (const Fit& fit : gangs) {
    Duration length{0};
    const fs::path path =
        zones / "16-node/aws-08-27-2023" / fmt::format("{}_v100_1.json.gz", fit.zone);
    const Seen record = recorded(path, 16, length);
    EXPECT_NEAR(record.availability, fit.share, 0.0005) << fit.zone;
    const Seen ours = mean_of_runs(world_of(drawn(fit, 16)), 0, 16, length);
    EXPECT_NEAR(ours.availability, record.availability, 0.03) << fit.zone;
    EXPECT_NEAR(ours.mean_up_h, record.mean_up_h, 0.10 * record.mean_up_h) << fit.zone;
  }
}

}  // namespace market_fit_test
}  // namespace reeve::scenarios
