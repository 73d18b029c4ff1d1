// What pools offer: replayed, drawn, cut by windows, hit by shocks.
#include "models/offer_cursor.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace reeve::models {
namespace offer_cursor_test {

using namespace std::chrono_literals;

constexpr Duration forty_five_days = std::chrono::hours{45 * 24};

World world_of(std::vector<Pool> pools) {
  World world;
  world.seed = 7;
  world.pools = std::move(pools);
  return world;
}

Pool replayed(std::vector<Offer> steps, Duration length, AfterEnd after_end) {
  Pool pool;
  pool.capacity = 4;
  pool.replay = Replay{std::move(steps), length, after_end};
  return pool;
}

DurationLaw exponential(Duration mean) {
  return {Shape::exponential, mean, 0, Duration{0}};
}

Pool drawn(Duration up, Duration down, std::uint32_t capacity = 1) {
  Pool pool;
  pool.capacity = capacity;
  pool.synthesis = Synthesis{exponential(up), exponential(down), 1};
  return pool;
}

/// "0:3 7200:4 ...": what is offered from when on, at most so many changes.
std::string offers(const World& world, int most = 8, std::uint32_t pool = 0) {
  OfferCursor cursor{world, 0, {pool}};
  std::string text = fmt::format("0:{}", cursor.offered());
  for (; most > 0 && cursor.next_at() != Duration::max(); --most) {
    const Duration at = cursor.next_at();
    cursor.advance();
    text += fmt::format(" {}:{}", at / 1s, cursor.offered());
  }
  return text;
}

struct Lived {
  double availability = 0;
  double mean_up_h = 0;
  std::vector<double> losses_h;
};

Lived lived(const World& world, std::uint32_t replication, std::uint32_t pool, Duration length) {
  OfferCursor cursor{world, replication, {pool}};
  Duration up{0};
  double runs = 0;
  Lived result;
  for (Duration at{0}; at < length;) {
    const Duration until = std::min(cursor.next_at(), length);
    if (cursor.offered() == world.pools[pool].capacity) {
      up += until - at;
      ++runs;
      if (until < length) result.losses_h.push_back(static_cast<double>(until.count()) / 3.6e12);
    }
    at = until;
    if (at < length) cursor.advance();
  }
  result.availability = static_cast<double>(up.count()) / static_cast<double>(length.count());
  result.mean_up_h = static_cast<double>(up.count()) / 3.6e12 / std::max(runs, 1.0);
  return result;
}

TEST(OfferCursor, AMarketWithoutARecordOffersAllThereIs) {
  Pool pool;
  pool.capacity = 4;
  EXPECT_EQ(offers(world_of({pool})), "0:4");
  EXPECT_FALSE(offers_change(pool));
}

TEST(OfferCursor, ARecordIsReplayedUpToTheCapacityAndKeepsItsLastValue) {
  const World world =
      world_of({replayed({{0s, 3}, {60s, 9}, {90s, 4}, {120s, 1}}, 200s, AfterEnd::hold)});
  EXPECT_EQ(offers(world), "0:3 60:4 120:1") << "9 and 4 are the same to a pool of 4";
}

TEST(OfferCursor, AfterItsEndARecordIsRepeatedOrTheMarketIsDown) {
  const std::vector<Offer> steps{{0s, 1}, {60s, 2}};
  EXPECT_EQ(offers(world_of({replayed(steps, 100s, AfterEnd::repeat)}), 4),
            "0:1 60:2 100:1 160:2 200:1");
  EXPECT_EQ(offers(world_of({replayed(steps, 100s, AfterEnd::down)})), "0:1 60:2 100:0");
  EXPECT_EQ(offers(world_of({replayed({{0s, 7}, {60s, 8}}, 100s, AfterEnd::repeat)})), "0:4")
      << "a change without effect";
}

TEST(OfferCursor, OutsideOfItsWindowsAPoolOffersNothing) {
  Pool pool;
  pool.capacity = 4;
  pool.windows = {{10s, 20s}, {20s, 30s}, {50s, 60s}};
  EXPECT_EQ(offers(world_of({pool})), "0:0 10:4 30:0 50:4 60:0") << "two windows touch";
  Pool market = drawn(1h, 1h);
  market.windows = {{0s, 1s}};
  EXPECT_LE(offers(world_of({market})).size(), std::string{"0:1 1:0"}.size()) << "and then no more";
}

TEST(OfferCursor, WhatIsDrawnDependsOnSeedReplicationAndPoolOnly) {
  const World two = world_of({drawn(3h, 1h), drawn(3h, 1h)});
  const World same = world_of({drawn(3h, 1h), drawn(9h, 9h)});
  EXPECT_EQ(offers(two, 100, 0), offers(same, 100, 0)) << "another pool changed this one";
  EXPECT_NE(offers(two, 100, 0), offers(two, 100, 1));
  OfferCursor first{two, 1, {0}};
  OfferCursor second{two, 2, {0}};
  EXPECT_NE(first.next_at(), second.next_at());
}

TEST(OfferCursor, ALossTakesEverythingOrAPart) {
  World world = world_of({drawn(1h, 1h, 16)});
  world.pools[0].synthesis->all_lost = 0.68;
  OfferCursor cursor{world, 0, {0}};
  int downs = 0;
  int all = 0;
  std::uint32_t most = 0;
  for (int change = 0; change < 4000; ++change, cursor.advance()) {
    if (cursor.offered() == 16) continue;
    ++downs;
    all += cursor.offered() == 0 ? 1 : 0;
    most = std::max(most, cursor.offered());
  }
  EXPECT_NEAR(static_cast<double>(all) / downs, 0.68, 0.03);
  EXPECT_EQ(most, 15u);
}

TEST(OfferCursor, AvailabilityIsThatOfARenewalProcessWhateverTheLaws) {
  World world = world_of({drawn(1h, 1h)});
  world.pools[0].synthesis->up = {Shape::weibull, 2h, 0.5, Duration{0}};      // mean 4 h
  world.pools[0].synthesis->down = {Shape::lognormal, 1h, 1.0, Duration{0}};  // mean 1.6487 h
  double sum = 0;
  for (std::uint32_t run = 0; run < 200; ++run) {
    sum += lived(world, run, 0, forty_five_days).availability;
  }
  EXPECT_NEAR(sum / 200, 4 / (4 + std::exp(0.5)), 0.01);
}

/// us-west-2 as fitted to its three zones: `up` is the mean with the shocks.
World region(double per_hour, double hit, double correlation) {
  const std::pair<double, double> zones[] = {{5.762, .8831}, {9.748, .9050}, {6.480, .8913}};
  World world = world_of({});
  Shocks shocks{"us-west-2", per_hour, hit, {}, {}};
  for (const auto& [up, share] : zones) {
    const double own = 1 / (1 / up - per_hour * hit);
    const auto hours = [](double value) {
      return Duration{static_cast<std::int64_t>(value * 3.6e12)};
    };
    shocks.pools.push_back({static_cast<std::uint32_t>(world.pools.size())});
    world.pools.push_back(drawn(hours(own), hours(up * (1 - share) / share)));
  }
  // Start as the process with its shocks does: the share of its own laws is a little higher.
  const double c = correlation;
  shocks.factor = cholesky({{1, c, c}, {c, 1, c}, {c, c, 1}});
  if (per_hour > 0) world.shocks = {shocks};
  return world;
}

TEST(Shocks, TheMarginalsStayAndCoLossesRise) {
  const double ups[] = {5.762, 9.748, 6.480};
  const double shares[] = {.8831, .9050, .8913};
  const auto co_losses = [&](const World& world, bool check) {
    std::size_t all = 0;
    std::size_t together = 0;
    double share[3] = {};
    double up[3] = {};
    constexpr std::uint32_t runs = 60;
    for (std::uint32_t run = 0; run < runs; ++run) {
      Lived zones[3];
      for (std::uint32_t zone = 0; zone < 3; ++zone) {
        zones[zone] = lived(world, run, zone, forty_five_days);
        share[zone] += zones[zone].availability / runs;
        up[zone] += zones[zone].mean_up_h / runs;
      }
      for (std::size_t zone = 0; zone < 3; ++zone) {
        for (const double at : zones[zone].losses_h) {
          ++all;
          for (std::size_t other = 0; other < 3; ++other) {
            const auto& losses = zones[other].losses_h;
            const auto near = std::lower_bound(losses.begin(), losses.end(), at - 1.0 / 6);
            if (other == zone || near == losses.end() || *near > at + 1.0 / 6) continue;
            ++together;
            break;
          }
        }
      }
    }
    for (std::size_t zone = 0; check && zone < 3; ++zone) {
      EXPECT_NEAR(share[zone], shares[zone], 0.01) << zone;
      EXPECT_NEAR(up[zone], ups[zone], 0.04 * ups[zone]) << zone;
    }
    return static_cast<double>(together) / static_cast<double>(all);
  };
  EXPECT_NEAR(co_losses(region(0, 0.5, 0.5), true), 0.08, 0.02);
  EXPECT_NEAR(co_losses(region(0.15, 0.5, 0.5), true), 0.45, 0.05) << "the traces have 0.437";
}

TEST(Shocks, HitsAreCorrelatedAsStated) {
  // Always up but for the instants of the shocks: all that is seen are hits.
  const auto both = [](double correlation) {
    World world = world_of({drawn(1'000'000h, 1s), drawn(1'000'000h, 1s)});
    world.shocks = {{"r", 1, 0.5, {{0}, {1}}, cholesky({{1, correlation}, {correlation, 1}})}};
    const auto a = lived(world, 0, 0, 4000h).losses_h;
    const auto b = lived(world, 0, 1, 4000h).losses_h;
    EXPECT_NEAR(static_cast<double>(a.size()), 2000, 150);
    std::vector<double> shared;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
    return static_cast<double>(shared.size()) / static_cast<double>(a.size());
  };
  // P(both | one) at hit 1/2 is 1/2 + asin(rho) / pi.
  EXPECT_NEAR(both(0.0), 0.5, 0.04);
  EXPECT_NEAR(both(0.5), 0.5 + std::asin(0.5) / 3.14159265358979, 0.04);
  EXPECT_NEAR(both(0.95), 0.5 + std::asin(0.95) / 3.14159265358979, 0.04);
}

TEST(Shocks, ACorrelationThatCannotBeIsFound) {
  EXPECT_TRUE(cholesky({{1, -0.6, -0.6}, {-0.6, 1, -0.6}, {-0.6, -0.6, 1}}).empty());
  EXPECT_EQ(cholesky({{1, 0.6}, {0.6, 1}}), (std::vector<double>{1, 0.6, 0.8}));
}

}  // namespace offer_cursor_test
}  // namespace reeve::models
