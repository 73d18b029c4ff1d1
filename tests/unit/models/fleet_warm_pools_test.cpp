// Warm pools of SageMaker, and what a clone leaves out.
#include <gtest/gtest.h>

#include <optional>
#include <reeve/policy/clone_fields.hpp>
#include <reeve/policy/failure_reason.hpp>
#include <string>
#include <utility>

#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_warm_pools_test {

using host::ReplyKind;
using policy::CloneJob;
using policy::CloneLoss;
using policy::FailureClass;
using policy::Primary;
using policy::StartJob;
using policy::StopJob;
using Kinds = std::vector<ReplyKind>;

// ---- warm pools -------------------------------------------------------------------------------

TEST(FleetManaged, MachinesStayWarmForTheNextJobOfTheirSizeAndAreBilled) {
  FleetRig rig;
  rig.world.platform.warm_startup = 5s;
  rig.profile().keep_alive = 1800s;
  rig.world.profiles.push_back(rig.profile());
  rig.profile(1).keep_alive = 0s;
  const auto first = rig.job(1000s, 2);
  const auto other = rig.job(100s, 1, 1500s, 1);
  const auto second = rig.job(1000s, 2, 1790s, 1);
  rig.run();
  EXPECT_EQ(rig.row(first).end, rig_start + 1190s);
  EXPECT_EQ(rig.timeline(second),
            "starting 1790, downloading 1790, training 1795, uploading 2795, completed 2805");
  EXPECT_EQ(rig.timeline(other).substr(0, 32), "starting 1500, downloading 1560,")
      << "of another size";
  EXPECT_EQ(rig.usd(Use::idle_reserved), "12.00");
  EXPECT_EQ(rig.usd(Use::startup), "3.70") << "240 + 120 + 10 s";
}

TEST(FleetManaged, AWarmPoolGoesToTheFirstInLineThatMatchesItAndNotToWhoComesLater) {
  FleetRig rig;
  rig.world.platform.warm_startup = 5s;
  rig.profile().keep_alive = 1800s;
  rig.world.profiles.push_back(rig.profile());
  rig.profile(1).keep_alive = 0s;
  rig.job(1000s, 2);
  rig.job(9000s, 2, 0s, 1);
  const auto gang = rig.job(100s, 4, 10s, 1);
  const auto early = rig.job(1000s, 2, 20s, 1);
  const auto late = rig.job(1000s, 2, 1300s, 1);
  rig.run();
  EXPECT_EQ(rig.timeline(early),
            "pending 20, starting 1190, downloading 1190, training 1195, uploading 2195, "
            "completed 2205");
  EXPECT_EQ(rig.timeline(gang).substr(0, 25), "pending 10, starting 9190");
  EXPECT_GT(rig.row(late).first_start, rig.row(gang).end);
}

TEST(FleetManaged, AWarmPoolSparesWhoWaitsForCapacityTheRestOfIt) {
  FleetRig rig;
  rig.world.pools[0].capacity_wait = DurationLaw{Shape::fixed, 3000s, 0, 0s};
  rig.profile().keep_alive = 1800s;
  rig.job(1000s, 2);
  const auto second = rig.job(1000s, 2, 2000s);
  rig.run();
  EXPECT_EQ(rig.timeline(second).substr(0, 27), "pending 2000, starting 4190")
      << "3,000 + 60 + 120 + 1,000 + 10 s, not 5,000";
}

// Machines are sought for both when the first job leaves its own: the one that came first has them.
TEST(FleetManaged, OfThoseWhoWaitForCapacityTheFirstInLineTakesAWarmPool) {
  FleetRig rig;
  rig.world.pools[0].capacity = 6;
  rig.world.pools[0].capacity_wait = DurationLaw{Shape::fixed, 3000s, 0, 0s};
  rig.profile().keep_alive = 1800s;
  rig.job(1000s, 2);  // to 4,190
  const auto second = rig.job(1000s, 2, 3'200s);
  const auto first = rig.job(1000s, 2, 3'100s);
  rig.run();
  EXPECT_EQ(rig.timeline(first).substr(0, 27), "pending 3100, starting 4190");
  EXPECT_EQ(rig.timeline(second).substr(0, 27), "pending 3200, starting 5200");
}

TEST(FleetManaged, AWarmPoolEndsWithItsTime) {
  FleetRig rig;
  rig.profile().keep_alive = 600s;
  rig.job(1000s, 4);
  const auto late = rig.job(100s, 3, 1200s);  // does not match, and has to wait for its machines
  rig.run();
  EXPECT_EQ(rig.timeline(late).substr(0, 27), "pending 1200, starting 1790");
  EXPECT_EQ(rig.usd(Use::idle_reserved), "42.00") << "4 x 600 s, and 3 x 600 s of its own";
}

TEST(FleetManaged, OnlyClustersThatAreSoundAndNotOfSpotStayWarm) {
  const auto idle = [](Market market, std::optional<FailureClass> failure, bool stopped_early) {
    FleetRig rig;
    rig.world.pools[0].market = market;
    rig.profile().keep_alive = 600s;
    if (failure) rig.fault(FaultKind::failure, 100s).failure = *failure;
    const auto job = rig.job(1000s);
    if (stopped_early) rig.call(30s, StopJob{job, 1});
    rig.run();
    return rig.usd(Use::idle_reserved);
  };
  EXPECT_EQ(idle(Market::on_demand, {}, false), "6.00");
  EXPECT_EQ(idle(Market::on_demand, FailureClass::code, false), "6.00");
  EXPECT_EQ(idle(Market::on_demand, FailureClass::infrastructure, false), "0.00");
  EXPECT_EQ(idle(Market::on_demand, {}, true), "0.00") << "nothing was launched yet";
  EXPECT_EQ(idle(Market::spot, {}, false), "0.00");
}

TEST(FleetManaged, AWarmPoolIsOfItsOwnerAlone) {
  FleetRig rig;
  rig.profile().keep_alive = 600s;
  rig.profile().owner = "ann";
  rig.world.profiles.push_back({});
  rig.profile(1).owner = "bob";
  rig.job(1000s, 4);
  const auto theirs = rig.job(100s, 4, 1200s, 1);
  const auto own = rig.job(100s, 4, 1300s);
  rig.run();
  EXPECT_EQ(rig.timeline(own).substr(0, 13), "starting 1300") << "before all who wait";
  EXPECT_EQ(rig.timeline(theirs).substr(0, 12), "pending 1200");
}

// Warm from 240 (Bob's), 290 and 390 (Ann's, of two kinds of job).  What comes at 500 takes the
// older of hers: 210 + 3 x 600 s, the last its own.
TEST(FleetManaged, OfSeveralWarmPoolsOfAnOwnerTheOldestIsTaken) {
  FleetRig rig;
  rig.profile().keep_alive = 600s;
  rig.profile().owner = "ann";
  rig.world.profiles.resize(3, rig.profile());
  rig.profile(1).owner = "bob";
  rig.job(50s, 1, 0s, 1);
  rig.job(100s);
  rig.job(200s, 1, 0s, 2);
  const auto taker = rig.job(100s, 1, 500s, 2);
  rig.run();
  EXPECT_EQ(rig.timeline(taker).substr(0, 31), "starting 500, downloading 500, ");
  EXPECT_EQ(rig.usd(Use::idle_reserved), "20.10");
}

TEST(FleetManaged, ASchedulerMayStartWorkOnAWarmPool) {
  FleetRig rig;
  rig.admission = Admission::held;
  rig.profile().keep_alive = 600s;
  const auto first = rig.job(1000s, 4);
  const auto second = rig.job(1000s, 4);
  const auto small = rig.job(1000s, 1);
  rig.call(10s, StartJob{first, 1});
  rig.call(1300s, StartJob{small, 1});
  rig.call(1300s, StartJob{second, 1});
  rig.run(9000s);
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::done, ReplyKind::rejected, ReplyKind::done}));
  EXPECT_EQ(rig.timeline(second).substr(0, 33), "starting 1300, downloading 1300, ");
}

TEST(FleetManaged, AWarmPoolHasAQuotaOfItsOwn) {
  FleetRig rig;
  rig.world.platform.quotas = {quota(QuotaFamily::warm_pool, 2)};
  rig.profile().keep_alive = 1800s;
  rig.job(1000s, 2);
  const auto over = rig.job(1000s, 1, 1500s);
  const auto same = rig.job(1000s, 2, 1600s);
  const auto late = rig.job(1000s, 1, 9000s);
  rig.run();
  EXPECT_EQ(rig.timeline(over), "failed 1500");
  EXPECT_NE(reasons(rig).at(0).find("'ml.test for training warm pool usage' is 2"),
            std::string::npos);
  EXPECT_EQ(rig.row(same).status, Primary::completed) << "it takes over what is counted";
  EXPECT_EQ(rig.row(late).status, Primary::completed);
}

TEST(FleetManaged, AWarmPoolIsGoneWithItsZoneAndAtTheEndOfTheRun) {
  FleetRig rig;
  rig.profile().keep_alive = 1800s;
  rig.world.outages = {{1300s, 1400s, {{0}}, {}}};
  rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.usd(Use::idle_reserved), "1.10");
  FleetRig open;
  open.profile().keep_alive = 1800s;
  open.job(1000s);
  open.run(1290s);
  EXPECT_EQ(open.usd(Use::idle_reserved), "1.00");
}

// ---- clones -----------------------------------------------------------------------------------

TEST(FleetManaged, ACloneWithoutItsDataOrNetworkFailsWhenItWouldTrain) {
  for (const auto& [loss, failure] : {std::pair{CloneLoss::input_data, FailureClass::data},
                                      std::pair{CloneLoss::vpc, FailureClass::configuration}}) {
    FleetRig rig;
    const auto job = rig.job(1000s);
    rig.call(100s, StopJob{job, 1});
    rig.call(200s, clone(job, {loss}));
    rig.run();
    EXPECT_EQ(rig.timeline(job, 2), "starting 200, downloading 260, failed 380");
    EXPECT_EQ(rig.row(job).failure, failure);
  }
}

TEST(FleetManaged, ACloneWithoutItsCheckpointStartsFromScratchAndSavesNothing) {
  FleetRig rig;
  rig.profile().checkpoint.every = 300s;
  rig.fault(FaultKind::interruption, 700s, 0s).attempt = 2;
  const auto job = rig.job(1000s);
  rig.call(700s, StopJob{job, 1});
  rig.call(2000s, clone(job, {CloneLoss::checkpoint}));
  rig.run();
  EXPECT_EQ(rig.record.attempts.at(1).resumed_from, 0s);
  EXPECT_EQ(rig.row(job).end, rig_start + 2000s + 180s + 700s + 180s + 1000s + 10s);
}

TEST(FleetManaged, ACloneWithoutItsRetryStrategyIsNotRetried) {
  for (const bool loses : {false, true}) {
    FleetRig rig;
    rig.profile().retries = 5;
    auto& fault = rig.fault(FaultKind::failure, 100s);
    fault.failure = FailureClass::infrastructure;
    fault.attempt = 2;
    const auto job = rig.job(1000s);
    rig.call(500s, StopJob{job, 1});
    rig.call(2000s, loses ? clone(job, {CloneLoss::retry_strategy}) : clone(job));
    rig.run();
    EXPECT_EQ(rig.row(job).status, loses ? Primary::failed : Primary::completed);
  }
}

TEST(FleetManaged, OtherFieldsAreMissedByNobodyAndTagsByRules) {
  FleetRig rig;
  rig.world.directory.tag_sets = {{}, {{"username", "ann"}}};
  rig.profile().tags = {1};
  const auto job = rig.job(1000s);
  rig.call(100s, StopJob{job, 1});
  rig.call(2000s, clone(job, {CloneLoss::environment, CloneLoss::experiment, CloneLoss::debug,
                              CloneLoss::profiler, CloneLoss::tags}));
  rig.run();
  EXPECT_EQ(rig.row(job).status, Primary::completed);
  for (const auto& news : rig.seen) {
    const auto* request = std::get_if<policy::JobSubmitted>(&news.what.fact);
    if (request == nullptr) continue;
    EXPECT_EQ(request->description.tags.index, request->attempt == 1 ? 1u : 0u);
  }
}

TEST(FleetManaged, WhatOneCloneLeftOutTheNextOneCannotCopy) {
  FleetRig rig;
  const auto job = rig.job(1000s);
  rig.call(100s, StopJob{job, 1});
  rig.call(200s, clone(job, {CloneLoss::vpc}));
  CloneJob again = clone(job);
  again.attempt = 3;
  rig.call(1000s, again);
  rig.run();
  EXPECT_EQ(rig.row(job).attempts, 3u);
  EXPECT_EQ(rig.row(job).status, Primary::failed);
}

}  // namespace fleet_warm_pools_test
}  // namespace reeve::models
