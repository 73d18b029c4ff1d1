// Pools alone: what is free, what is taken from which zone, and the books of their time.
#include "models/fleet/instance_pools.hpp"

#include "fleet_rig.hpp"

namespace reeve::models {
namespace instance_pools_test {

TEST(InstancePools, WhatIsHeldIsNotFree) {
  FleetRig rig;
  const policy::JobId job = rig.job(1h, 3);
  FleetCore core{rig.world, 0, Admission::direct, {}};
  InstancePools pools{core};
  EXPECT_TRUE(pools.fits({0}, job));
  pools.allocate({0}, 2);
  EXPECT_EQ(pools.free_instances({0}), 2u);
  EXPECT_FALSE(pools.fits({0}, job));
  EXPECT_TRUE(pools.could_fit({0}, job));
  pools.take_away({0}, 1);
  EXPECT_EQ(pools.present({0}), 3u);
  EXPECT_EQ(pools.free_instances({0}), 1u);
}

TEST(InstancePools, TimeIsBookedWhenWhatIsHeldChanges) {
  FleetRig rig;
  rig.world.end = rig_start + 1h;
  FleetCore core{rig.world, 0, Admission::direct, {}};
  InstancePools pools{core};
  pools.allocate({0}, 3);
  core.now += 10s;
  pools.allocate({0}, -3);
  core.now += 10s;
  pools.close({0});
  const Charge instance_second = 1'000'000'000;
  EXPECT_EQ(core.record.allocated_time[0], 30 * instance_second);
  EXPECT_EQ(core.record.pool_rows[0].capacity_time, 80 * instance_second);
  EXPECT_EQ(core.record.pool_rows[0].free_time, 50 * instance_second);
}

TEST(InstancePools, AGangTakesTheFullestZoneThatHasRoomForAll) {
  FleetRig rig;
  const policy::JobId job = rig.job(1h, 2);
  rig.world.pools[0].capacity = 5;
  rig.world.pools[0].zones.resize(2);
  rig.world.pools[0].zones[0].instances = 3;
  rig.world.pools[0].zones[1].instances = 2;
  FleetCore core{rig.world, 0, Admission::direct, {}};
  InstancePools pools{core};
  Running run;
  run.job = job;
  run.instances = 2;
  run.launch = std::make_unique<Launch>();
  pools.take_zones(run);
  EXPECT_EQ(run.launch->zones, (std::vector{0u, 2u}));
  EXPECT_EQ(pools.free_in_zones({0}), (std::vector{3u, 0u}));
  pools.give_zones_back({0}, run.launch->zones);
  EXPECT_EQ(pools.free_in_zones({0}), (std::vector{3u, 2u}));
}

}  // namespace instance_pools_test
}  // namespace reeve::models
