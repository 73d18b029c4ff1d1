// Prices of instances alone, without a fleet.
#include "models/fleet/prices.hpp"

#include "fleet_rig.hpp"

namespace reeve::models {
namespace prices_test {

constexpr Charge cent = Charge{36'000'000'000} * 1'000'000'000;  // $36 per hour, for a second

TEST(Prices, ASpotHourIsCutWhereThePriceChanges) {
  FleetRig rig;
  rig.world.pools[0].market = Market::spot;
  rig.world.pools[0].prices = {{0s, {36'000'000'000}}, {10s, {72'000'000'000}}};
  const Prices prices{rig.world};
  std::string pieces;
  prices.each(
      {0}, rig_start + 5s, rig_start + 20s, [&](const Stretch& piece, policy::UsdPerHour price) {
        pieces +=
            fmt::format("{}s at {} ", (piece.until - piece.from) / 1s, price.nanos / 1'000'000'000);
      });
  EXPECT_EQ(pieces, "5s at 36 10s at 72 ");
  const Holding two{{0}, 1, {0}, 2};
  EXPECT_EQ(prices.cost_of(two, rig_start + 5s, rig_start + 20s), 2 * (5 + 2 * 10) * cent);
}

TEST(Prices, OnlySpotMayBeFree) {
  FleetRig rig;
  rig.world.platform.billing = {.minimum = 60s, .first_hour_free = true};
  const Prices prices{rig.world};
  EXPECT_FALSE(prices.may_be_free({0}));
  rig.world.pools[0].market = Market::spot;
  EXPECT_TRUE(prices.may_be_free({0}));
  EXPECT_EQ(prices.rules_of({0}).minimum, 60s);
  rig.world.pools[0].market = Market::reserved;
  EXPECT_EQ(prices.rules_of({0}).minimum, 0s) << "reserved instances are paid anyway";
}

}  // namespace prices_test
}  // namespace reeve::models
