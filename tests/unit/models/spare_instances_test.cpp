// Spare instances, quotas and names alone.
#include "models/fleet/spare_instances.hpp"

#include "fleet_rig.hpp"
#include "models/fleet/account_quotas.hpp"
#include "models/fleet/clone_names.hpp"

namespace reeve::models {
namespace spare_instances_test {

struct SpareRig : FleetRig {
  SpareRig() {
    profile().keep_alive = 1h;
    profile().owner = "ana";
    world.profiles.push_back(profile());
    world.profiles.back().owner = "bob";
  }
  static std::string nothing(const policy::JobChanged&) { return {}; }
  static Spare spare(Spare::Kind kind, policy::JobId job, std::uint32_t instances) {
    Spare made;
    made.kind = kind;
    made.of = {job, 1, {0}, instances};
    return made;
  }
};

TEST(SpareInstances, AWarmPoolFitsAJobOfItsOwnerAndSize) {
  SpareRig rig;
  const policy::JobId ana = rig.job(1h, 2);
  const policy::JobId larger = rig.job(1h, 3);
  const policy::JobId bob = rig.job(1h, 2, 0s, 1);
  FleetCore core{rig.world, 0, Admission::direct, {}};
  EventDelivery events{core, SpareRig::nothing};
  SpareInstances spares{core, events};
  const std::uint32_t id = spares.next_id();
  spares.add(id, SpareRig::spare(Spare::Kind::warm, ana, 2));
  EXPECT_EQ(spares.warm_for(ana, {0}), id);
  EXPECT_FALSE(spares.warm_for(larger, {0}));
  EXPECT_FALSE(spares.warm_for(bob, {0}));
  for (const policy::JobId job : {bob, larger, ana}) spares.join_queue(job);
  EXPECT_EQ(spares.waits_for(ana, {0}, 2), ana);
  spares.leave_queue(ana);
  EXPECT_FALSE(spares.waits_for(ana, {0}, 2));
  spares.remove(id);
  EXPECT_TRUE(spares.empty());
}

TEST(SpareInstances, AMarketTakesWarmPoolsLast) {
  SpareRig rig;
  const policy::JobId job = rig.job(1h, 2);
  FleetCore core{rig.world, 0, Admission::direct, {}};
  EventDelivery events{core, SpareRig::nothing};
  SpareInstances spares{core, events};
  spares.add(spares.next_id(), SpareRig::spare(Spare::Kind::warm, job, 2));
  spares.add(spares.next_id(), SpareRig::spare(Spare::Kind::orphan, job, 2));
  auto next = spares.next_in({0}, std::nullopt);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->id, 1u);
  next = spares.next_in({0}, next);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->id, 0u);
  EXPECT_FALSE(spares.next_in({0}, next));
  const std::uint32_t part = spares.split(1, {}, 1);
  EXPECT_EQ(spares.find(part)->of.instances, 1u);
  EXPECT_EQ(spares.find(1)->of.instances, 1u);
  EXPECT_EQ(spares.of(job).size(), 3u);
}

TEST(AccountQuotas, AnAttemptUsesTheQuotaUntilItEnds) {
  SpareRig rig;
  rig.profile().keep_alive = 0s;
  const policy::JobId first = rig.job(1h, 3);
  const policy::JobId second = rig.job(1h, 2);
  const policy::JobId huge = rig.job(1h, 5);
  InstanceQuota quota{.type = {0}, .instances = {}};
  quota.instances[static_cast<std::size_t>(QuotaFamily::training)] = 4;
  rig.world.platform.quotas = {quota};
  FleetCore core{rig.world, 0, Admission::direct, {}};
  EventDelivery events{core, SpareRig::nothing};
  SpareInstances spares{core, events};
  AccountQuotas quotas{core, spares};
  quotas.count(first);
  ASSERT_TRUE(quotas.is_over(second, {0}));
  EXPECT_EQ(quotas.exhausted(second, {0})->used, 3u);
  quotas.leave(first);
  EXPECT_FALSE(quotas.is_over(second, {0}));
  EXPECT_TRUE(quotas.ever_fits(second, {0}));
  EXPECT_FALSE(quotas.ever_fits(huge, {0}));
}

TEST(CloneNames, ANameIsTakenOnce) {
  FleetRig rig;
  const policy::JobId job = rig.job(1h);
  CloneNames names{rig.world.jobs};
  EXPECT_EQ(names.job("job-1"), job);
  EXPECT_FALSE(names.job("job-2"));
  EXPECT_TRUE(names.append(job, 2));
  EXPECT_FALSE(names.append(job, 2));
}

}  // namespace spare_instances_test
}  // namespace reeve::models
