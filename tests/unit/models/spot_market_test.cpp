// Markets alone: the attempts that a loss hits, and when capacity is found.
#include "models/fleet/spot_market.hpp"

#include "fleet_rig.hpp"
#include "models/fleet/capacity_promises.hpp"

namespace reeve::models {
namespace spot_market_test {

struct MarketRig : FleetRig {
  MarketRig() {
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      core.running.push_back({});
      Running& run = core.running.back();
      run.job = ids[slot];
      run.instances = slot + 1;
      run.launched = rig_start + slot * 1min;
      run.stage = Stage::training;
      run.held_as = slot;
      pools[{0}].holders.emplace(slot, slot);
      core.truth[slot].running = slot;
    }
  }
  std::string victims(ReclaimOrder order, std::int64_t need) {
    world.pools[0].reclaim_order = order;
    std::string text;
    for (const Loser& loser : market.victims({0}, need, Instant::min())) {
      text += fmt::format("{}x{} ", loser.slot, loser.instances);
    }
    return text;
  }

  std::vector<policy::JobId> ids{job(1h, 1), job(1h, 2), job(1h, 3)};
  FleetCore core{world, 0, Admission::direct, {}};
  EventDelivery events{core, [](const policy::JobChanged&) { return ""; }};
  InstancePools pools{core};
  SpotMarket market{core, events, pools};
  CapacityPromises promises{core, pools};
};

TEST(SpotMarket, TakesAsFewAsItNeedsInTheOrderOfThePool) {
  MarketRig rig;
  EXPECT_EQ(rig.victims(ReclaimOrder::newest, 2), "2x3 ");
  EXPECT_EQ(rig.victims(ReclaimOrder::oldest, 2), "1x2 ") << "the first is not needed then";
  EXPECT_EQ(rig.victims(ReclaimOrder::oldest, 3), "0x1 1x2 ");
}

TEST(SpotMarket, AnAttemptThatIsEndingIsTakenLast) {
  MarketRig rig;
  rig.core.running[2].stage = Stage::uploading;
  EXPECT_EQ(rig.victims(ReclaimOrder::newest, 2), "1x2 ");
}

TEST(CapacityPromises, KeepInstancesUntilTheyAreFound) {
  MarketRig rig;
  rig.world.pools[0].capacity_wait = DurationLaw{};
  rig.world.pools[0].capacity_wait->scale = 5min;
  rig.core.truth[0].attempts = 1;
  ASSERT_TRUE(rig.promises.must_wait(rig.ids[0], 1u << 16));
  EXPECT_TRUE(rig.promises.has(rig.ids[0]));
  EXPECT_EQ(rig.pools.free_instances({0}), 3u);
  const sim::Event event = rig.core.queue.pop();
  EXPECT_EQ(event.at_ns, (rig_start + 5min).time_since_epoch().count());
  EXPECT_EQ(rig.promises.release(rig.ids[0], event.stamp), policy::PoolId{0});
  EXPECT_EQ(rig.pools.free_instances({0}), 4u);
  EXPECT_FALSE(rig.promises.must_wait(rig.ids[0], 1u << 16)) << "it does not wait twice";
  rig.promises.drop(rig.ids[0]);
  EXPECT_FALSE(rig.promises.has(rig.ids[0]));
}

}  // namespace spot_market_test
}  // namespace reeve::models
