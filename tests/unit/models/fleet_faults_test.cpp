// Machines that break under jobs: the jobs that they hit, the cost, and the events.
#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_faults_test {

/// The rig's pool of 4 machines, of which the stated ones break.
void breaks(FleetRig& rig, std::vector<StatedNodeFault> stated) {
  NodeFaults faults;
  faults.stated = std::move(stated);
  rig.world.pools[0].node_faults = std::move(faults);
}

template <class Fact>
std::vector<Fact> told(const FleetRig& rig) {
  std::vector<Fact> all;
  for (const FleetRig::Seen& news : rig.seen) {
    if (const auto* fact = std::get_if<Fact>(&news.what.fact)) all.push_back(*fact);
  }
  return all;
}

/// "4 3 4": what the pool was said to offer.
std::string offers(const FleetRig& rig) {
  std::string text;
  for (const auto& change : told<policy::CapacityChanged>(rig)) {
    text += (text.empty() ? "" : " ") + std::to_string(change.instances);
  }
  return text;
}

TEST(NodeFaults, AnIdleMachineIsAwayAndHitsNobody) {
  FleetRig rig;
  breaks(rig, {{3, 1000s, 500s}});
  const auto job = rig.job(2000s);
  rig.run(1h);
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, uploading 2180, completed 2190");
  EXPECT_EQ(offers(rig), "4 3 4");
  const PoolRow& row = rig.record.pool_rows[0];
  EXPECT_EQ(row.node_faults, 1u);
  EXPECT_EQ(row.node_hits, 0u);
  EXPECT_TRUE(row.down_time == Charge{500'000'000'000});
  EXPECT_TRUE(row.offered_time + row.down_time == row.capacity_time);
}

TEST(NodeFaults, SageMakerRepairsTheClusterOnAnotherMachine) {
  FleetRig rig;
  rig.world.platform.cluster_repair = {.replace = 300s, .replace_share = 1};
  breaks(rig, {{0, 1000s, 9000s}, {1, 2500s, 9000s}});
  const auto job = rig.job(2000s, 2);
  rig.run();
  // The first machine breaks after 820 s of training, the third takes its place; the second after
  // 1,080 s, and the fourth does.
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, starting 1000, downloading 1300, "
            "training 1420, starting 2500, downloading 2800, training 2920, uploading 4920, "
            "completed 4930");
  EXPECT_EQ(rig.record.repairs, 2u);
  EXPECT_EQ(rig.usd(Use::lost_work), "38.00");  // 1,900 s of two machines
  EXPECT_EQ(rig.record.pool_rows[0].node_hits, 2u);
}

TEST(NodeFaults, ARepairWaitsForAMachineWhereThereIsNone) {
  FleetRig rig;
  breaks(rig, {{0, 1000s, 4000s}});
  const auto job = rig.job(1000s, 4);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, pending 1000, starting 5000, "
            "downloading 5060, training 5180, uploading 6180, completed 6190");
}

/// When a job of 1,000 s on so many machines trains to its end after a repair at 1,000 s, of which
/// the first is a straggler of half the speed.
Duration ends_beside_a_straggler(FleetRig& rig, std::uint32_t instances = 2) {
  rig.profile().throughput =
      std::make_shared<const Throughput>(Throughput{{}, {}, Stragglers{0, {1}, 500'000}});
  const auto job = rig.job(1000s, instances);
  rig.run();
  EXPECT_EQ(rig.timeline(job).substr(0, 67),
            "starting 0, downloading 60, training 180, starting 1000, downloadin");
  return rig.row(job).end - rig_start;
}

TEST(NodeFaults, AStragglerGoesWithItsMachineAndAMachineThatStaysIsWhatItWas) {
  for (const auto& [breaks_down, trains] : {std::pair{0u, 1000s}, {1u, 2000s}}) {
    FleetRig rig;
    rig.world.platform.cluster_repair = {.replace = 300s, .replace_share = 1};
    breaks(rig, {{breaks_down, 1000s, 9000s}});
    EXPECT_EQ(ends_beside_a_straggler(rig), 1420s + trains + 10s) << breaks_down;
  }
}

TEST(NodeFaults, AHostThatIsReplacedIsAnotherAndOneThatIsRebootedIsNot) {
  for (const auto& [replaced, trains] : {std::pair{1, 1000s}, {0, 2000s}}) {
    FleetRig rig;
    rig.world.platform.cluster_repair = {
        .reboot = 300s, .replace = 300s, .replace_share = static_cast<double>(replaced)};
    rig.fault(FaultKind::hardware, 820s);
    EXPECT_EQ(ends_beside_a_straggler(rig, 1), 1420s + trains + 10s) << replaced;
  }
}

TEST(NodeFaults, WhatIsReplacedUnseenIsNoStragglerAnyMore) {
  FleetRig rig;
  rig.profile().throughput =
      std::make_shared<const Throughput>(Throughput{{}, {}, Stragglers{0, {1}, 500'000}});
  breaks(rig, {{0, 30s, 4000s}});
  const auto job = rig.job(1000s, 2);
  rig.run();
  EXPECT_EQ(rig.row(job).end, rig_start + 180s + 1000s + 10s);
}

TEST(NodeFaults, AClusterThatWaitedForAMachineWaitsForItsCapacityAnew) {
  FleetRig rig;
  rig.world.platform.provisioning = 0s;
  rig.world.pools[0].capacity_wait = DurationLaw{Shape::exponential, 1000s};
  breaks(rig, {{0, 20'000s, 4000s}});
  rig.job(40'000s, 4);
  rig.run();
  std::vector<Duration> waits;
  Instant asked = policy::never;
  for (const EventRow& event : rig.record.events) {
    if (event.secondary == policy::Secondary::pending) asked = event.at;
    if (event.secondary == policy::Secondary::starting) waits.push_back(event.at - asked);
  }
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_NE(waits[0], waits[1]) << "another launch, another draw";
}

TEST(NodeFaults, RepairsComeToAnEnd) {
  FleetRig rig;
  rig.world.platform.cluster_repair = {.max = 0};
  breaks(rig, {{0, 1000s, 0s}});
  const auto job = rig.job(2000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job), "starting 0, downloading 60, training 180, failed 1000");
  EXPECT_EQ(rig.row(job).failure, policy::FailureClass::hardware);
}

TEST(NodeFaults, WhatBreaksBeforeTheClusterIsThereIsReplacedUnseen) {
  FleetRig rig;
  breaks(rig, {{0, 30s, 4000s}});
  const auto job = rig.job(1000s, 2);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, uploading 1180, completed 1190");
}

TEST(NodeFaults, AnUploadThatIsCutOffHasDoneItsWork) {
  FleetRig rig;
  breaks(rig, {{0, 1185s, 4000s}});
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, uploading 1180, completed 1185");
}

TEST(NodeFaults, ElsewhereTheAttemptFails) {
  FleetRig rig;
  rig.world.platform.model = PlatformModel::ideal;
  rig.world.platform.cluster_repair.max = 0;
  breaks(rig, {{0, 1000s, 4000s}});
  const auto job = rig.job(2000s);
  rig.run();
  EXPECT_EQ(rig.row(job).failure, policy::FailureClass::hardware);
  EXPECT_EQ(rig.usd(Use::lost_work), "8.20");  // 820 s
}

TEST(NodeFaults, AGangOfOnesOwnWaitsForTheMachineThatIsGone) {
  FleetRig rig;
  rig.world.platform.model = PlatformModel::ec2;
  rig.world.platform.provisioning = rig.world.platform.startup = 0s;
  breaks(rig, {{1, 1000s, 500s}});
  const auto job = rig.job(2000s, 3);
  rig.profile().watchdog = Watchdog{.timeout = 600s};
  rig.run();
  const auto lost = told<policy::NodesLost>(rig);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].lost, 1u);
  EXPECT_EQ(rig.row(job).end, rig_start + 1600s);
  EXPECT_EQ(rig.usd(Use::lost_work), "30.00");  // 1,000 s of three
  EXPECT_EQ(rig.usd(Use::stalled), "12.00");    // 600 s of two
  EXPECT_EQ(rig.record.node_losses, 1u);
}

TEST(NodeFaults, AHangIsSeenByNobodyButTheWatchdog) {
  FleetRig rig;
  NodeFaults faults;
  faults.per_1000_node_days = 100'000;  // 400 a day
  faults.hangs = 1;
  rig.world.pools[0].node_faults = faults;
  rig.profile().watchdog = Watchdog{.timeout = 600s};
  const auto job = rig.job(100h, 4);
  rig.run();
  ASSERT_EQ(rig.record.stalls.size(), 1u);
  EXPECT_EQ(rig.record.stalls[0].ended - rig.record.stalls[0].onset, 600s);
  EXPECT_EQ(rig.row(job).end, rig.record.stalls[0].ended);
  EXPECT_EQ(offers(rig), "4") << "the fault is not known yet";
}

TEST(NodeFaults, AWarmPoolThatLosesAMachineIsNone) {
  FleetRig rig;
  rig.profile().keep_alive = 1h;
  breaks(rig, {{0, 1500s, 100s}});
  rig.job(1000s, 2);
  const auto second = rig.job(100s, 2, 2000s);
  rig.run();
  EXPECT_EQ(rig.timeline(second),
            "starting 2000, downloading 2060, training 2180, uploading 2280, completed 2290");
  EXPECT_EQ(rig.usd(Use::idle_reserved), "78.20");  // 310 s, and the hour after: of two
}

TEST(NodeFaults, MachinesThatAJobTakesOverBreakUnderIt) {
  FleetRig rig;
  rig.profile().keep_alive = 1h;
  rig.world.platform.cluster_repair = {.max = 0};
  breaks(rig, {{0, 30s, 800s}, {2, 2100s, 100s}});
  rig.job(1000s, 2);  // on machines 2 and 1: the first is away until 830 s
  const auto second = rig.job(1000s, 2, 2000s);
  rig.run();
  EXPECT_EQ(rig.row(second).failure, policy::FailureClass::hardware);
}

TEST(NodeFaults, ReservedMachinesArePaidForWhileTheyAreBroken) {
  FleetRig rig;
  rig.world.pools[0].market = Market::reserved;
  breaks(rig, {{3, 0s, 3600s}});
  rig.job(1000s);
  rig.run(1h);
  EXPECT_EQ(rig.billed(), "144.00");
  EXPECT_EQ(rig.usd(Use::idle_reserved), "132.10");  // but 1,190 s of one machine
  EXPECT_TRUE(rig.record.pool_rows[0].billed == rig.record.ledger.billed());
}

TEST(NodeFaults, WhoWaitsGetsTheMachineThatIsBack) {
  FleetRig rig;
  breaks(rig, {{0, 0s, 1000s}});
  const auto job = rig.job(100s, 4, 1s);
  rig.run();
  EXPECT_EQ(rig.row(job).first_start, rig_start + 1060s);
}

/// The rig's pool in two zones of two machines each, the first of which is gone for a while.
void part_is_out(FleetRig& rig, Duration from, Duration until) {
  rig.world.pools[0].zones = {{"a", 2}, {"b", 2}};
  rig.world.outages = {{from, until, {}, {{{0}, 0}}}};
}

TEST(OutageOfAZone, HitsThePartOfASpreadFleetThatStandsThere) {
  FleetRig rig;
  part_is_out(rig, 1000s, 5000s);
  const auto there = rig.job(2000s, 2);
  const auto elsewhere = rig.job(2000s, 2);
  rig.run(2h);
  EXPECT_EQ(rig.timeline(there), "starting 0, downloading 60, training 180, failed 1000");
  EXPECT_EQ(rig.row(there).failure, policy::FailureClass::infrastructure);
  EXPECT_EQ(rig.timeline(elsewhere),
            "starting 0, downloading 60, training 180, uploading 2180, completed 2190");
  EXPECT_EQ(offers(rig), "4 2 4");
}

TEST(OutageOfAZone, ARetryGoesOnInAnotherZone) {
  FleetRig rig;
  part_is_out(rig, 1000s, 5000s);
  rig.profile().retries = 1;
  const auto job = rig.job(1000s, 2);
  const auto late = rig.job(100s, 1, 1500s);
  rig.run(2h);
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, starting 1000, downloading 1060, "
            "training 1180, uploading 2180, completed 2190");
  EXPECT_EQ(rig.row(late).first_start, rig_start + 2250s) << "the other zone is full until then";
}

TEST(CapacityBlock, TellsItsJobsBeforeItEnds) {
  FleetRig rig;
  Pool& pool = rig.world.pools[0];
  pool.market = Market::capacity_block;
  pool.windows = {{0s, 10h}};
  pool.ends_early = 30min;
  pool.end_warning = 40min;
  const auto job = rig.job(20h, 2);
  rig.run(12h);
  const auto notices = told<policy::SpotNotice>(rig);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0].signal, policy::SpotSignal::block_end);
  EXPECT_EQ(notices[0].job, job);
  EXPECT_EQ(notices[0].instances, 2u);
  EXPECT_EQ(notices[0].at, rig_start + 9h + 30min);
  EXPECT_EQ(rig.row(job).end, rig_start + 9h + 30min);
  for (const FleetRig::Seen& news : rig.seen) {
    if (std::holds_alternative<policy::SpotNotice>(news.what.fact)) {
      EXPECT_EQ(news.delivered, rig_start + 9h + 20min);
    }
  }
}

}  // namespace fleet_faults_test
}  // namespace reeve::models
