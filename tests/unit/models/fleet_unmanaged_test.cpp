// Machines of one's own: what they bill, when they warn, and what is left of them.
#include <cmath>

#include "fleet_rig.hpp"

namespace reeve::models {
namespace fleet_unmanaged_test {

using host::ReplyKind;
using policy::SpotNotice;
using policy::SpotSignal;
using policy::StopJob;
using policy::TerminateInstances;
using Kinds = std::vector<ReplyKind>;

/// Four machines on EC2 at a cent a second, there at once, no start-up.
struct OwnRig : FleetRig {
  OwnRig() {
    Platform& platform = world.platform;
    platform.model = PlatformModel::ec2;
    platform.provisioning = platform.startup = platform.stop_grace = platform.upload = 0s;
    platform.billing = {60s, true};
  }

  template <class T>
  std::vector<std::pair<Duration, T>> told() const {
    std::vector<std::pair<Duration, T>> all;
    for (const Seen& news : seen) {
      const auto* fact = std::get_if<T>(&news.what.fact);
      if (fact != nullptr) all.emplace_back(news.delivered - rig_start, *fact);
    }
    return all;
  }
};

/// The same on Spot, with two minutes of notice.
struct OwnSpotRig : OwnRig {
  OwnSpotRig() {
    world.pools[0].market = Market::spot;
    world.directory.pools[0].market = Market::spot;
    world.platform.notice.lead = 120s;
    world.platform.unmanaged.spot_request = SpotRequest::persistent;
    world.platform.unmanaged.waits_for_capacity = true;
  }
  void offer(std::vector<Offer> steps) { world.pools[0].replay = Replay{std::move(steps)}; }
};

TEST(Unmanaged, ALaunchIsBilledForAMinuteAtLeast) {
  OwnRig rig;
  const auto job = rig.job(25s, 2);
  rig.run();
  EXPECT_EQ(rig.timeline(job), "starting 0, downloading 0, training 0, uploading 25, completed 25");
  EXPECT_EQ(rig.usd(Use::productive), "0.50");
  EXPECT_EQ(rig.usd(Use::drain), "0.70");
  EXPECT_EQ(rig.billed(), "1.20");
}

TEST(Unmanaged, WhatSpotTakesBackInTheFirstHourIsFreeToTheNanosecond) {
  for (const auto& [held, billed] : {std::pair{Duration{1h} - 1ns, "0.00"}, {1h, "36.00"}}) {
    OwnSpotRig rig;
    rig.world.platform.unmanaged.spot_request = SpotRequest::one_time;
    rig.world.pools[0].reclaim = Reclaim{held, 1h};
    rig.profile().checkpoint = {600s, 0s, Sync::during};
    const auto job = rig.job(20h);
    rig.run();
    EXPECT_EQ(rig.billed(), billed);
    EXPECT_EQ(rig.row(job).progress, held < 1h ? 50min : 60min) << "what was done stays done";
    EXPECT_EQ(rig.record.waived > 0, held < 1h);
    EXPECT_EQ(rig.row(job).failure, policy::FailureClass::capacity);
    EXPECT_EQ(rig.record.attempts.at(0).reason, EndReason::capacity);
  }
}

TEST(Unmanaged, WhoStopsInTheFirstHourPaysForIt) {
  OwnSpotRig rig;
  const auto job = rig.job(20h);
  rig.call(600s, StopJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.billed(), "6.00");
  EXPECT_TRUE(rig.record.waived == 0);
}

TEST(Unmanaged, AMarketWarnsTwoMinutesAheadWhomItWillHit) {
  OwnSpotRig rig;
  rig.offer({{0s, 4}, {1000s, 2}, {1060s, 4}});
  rig.world.pools[0].reclaim_order = ReclaimOrder::newest;
  rig.job(2000s, 2);
  const auto second = rig.job(2000s, 2, 10s);
  rig.run();
  const auto notices = rig.told<SpotNotice>();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].first, 880s);
  EXPECT_EQ(notices[0].second.job, second);
  EXPECT_EQ(notices[0].second.at, rig_start + 1000s);
  EXPECT_EQ(notices[0].second.signal, SpotSignal::interruption);
  EXPECT_EQ(rig.row(second).interruptions, 1);
  EXPECT_EQ(rig.record.notices, 1U);
  EXPECT_EQ(rig.record.interruptions, 1U);
}

TEST(Unmanaged, LossesThatFollowCloselyAreEachToldInFullTime) {
  OwnSpotRig rig;
  rig.offer({{0s, 4}, {1000s, 3}, {1030s, 2}, {1050s, 1}, {2000s, 4}});
  for (int i = 0; i < 4; ++i) rig.job(1500s);
  rig.run();
  const auto notices = rig.told<SpotNotice>();
  ASSERT_EQ(notices.size(), 3U);
  for (const auto& [at, notice] : notices) EXPECT_EQ(notice.at - rig_start - at, 120s);
  EXPECT_EQ(rig.record.interruptions, 3U);
}

TEST(Unmanaged, ALaunchThatIsYoungerThanTheNoticeGetsItAtOnce) {
  OwnSpotRig rig;
  rig.offer({{0s, 4}, {1000s, 3}, {2000s, 4}});
  for (int i = 0; i < 3; ++i) rig.job(5000s);
  const auto late = rig.job(5000s, 1, 950s);
  rig.run();
  const auto notices = rig.told<SpotNotice>();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].first, 950s);
  EXPECT_EQ(notices[0].second.job, late);
  EXPECT_EQ(rig.row(late).interruptions, 1);
}

TEST(Unmanaged, AHookSavesAllWorkIfItIsInTime) {
  struct Case {
    Duration save;
    bool pauses;
    Duration kept;
  };
  for (const Case& of :
       {Case{115s, false, 1000s}, Case{121s, false, 600s}, Case{90s, true, 910s}}) {
    OwnSpotRig rig;
    rig.world.platform.unmanaged.spot_request = SpotRequest::one_time;
    rig.world.pools[0].reclaim = Reclaim{1000s, 1h};
    rig.world.platform.billing.first_hour_free = false;
    rig.profile().checkpoint = {300s, 0s, Sync::during, OnNotice{of.save, 1, of.pauses}};
    if (of.save == 121s) rig.profile().checkpoint.every = 600s;
    const auto job = rig.job(20h);
    rig.run();
    EXPECT_EQ(rig.row(job).progress, of.kept);
    EXPECT_EQ(rig.usd(Use::checkpoint), of.pauses ? "0.90" : "0.00");
  }
}

TEST(Unmanaged, AHookLooksForItsNoticeFromTimeToTime) {
  for (const Duration save : {95s, 101s}) {
    OwnSpotRig rig;
    rig.world.platform.unmanaged.spot_request = SpotRequest::one_time;
    rig.world.platform.notice.poll = 300s;  // the notice of 880 s is seen at 900 s
    rig.world.pools[0].reclaim = Reclaim{1000s, 1h};
    rig.profile().checkpoint.on_notice = OnNotice{save};
    const auto job = rig.job(20h);
    rig.run();
    EXPECT_EQ(rig.row(job).progress, save == 95s ? 1000s : 0s);
  }
}

TEST(Unmanaged, ASignalToRebalanceComesBeforeTheNotice) {
  OwnSpotRig rig;
  rig.world.platform.unmanaged.rebalance = {300s, 1};
  rig.offer({{0s, 4}, {1000s, 0}, {1100s, 4}});
  rig.job(3000s);
  rig.run();
  const auto notices = rig.told<SpotNotice>();
  ASSERT_EQ(notices.size(), 2U);
  EXPECT_EQ(notices[0].first, 580s);
  EXPECT_EQ(notices[0].second.signal, SpotSignal::rebalance);
  EXPECT_EQ(notices[1].first, 880s);
}

TEST(Unmanaged, ASignalToRebalanceMayBeFalse) {
  std::size_t told = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    OwnSpotRig rig;
    rig.world.seed = seed;
    rig.world.platform.unmanaged.rebalance.false_per_hour = 1;
    const auto job = rig.job(1h);
    rig.run();
    told += rig.told<SpotNotice>().size();
    EXPECT_LE(rig.told<SpotNotice>().size(), 1U);
    EXPECT_EQ(rig.row(job).interruptions, 0);
  }
  EXPECT_NEAR(static_cast<double>(told) / 400, 1 - std::exp(-1), 0.07);  // 3 standard errors
}

TEST(Unmanaged, WhoWasToldIsNotSparedBecauseItIsEnding) {
  for (const Duration notice : {120s, 0s}) {
    OwnSpotRig rig;
    rig.world.platform.notice.lead = notice;
    rig.world.platform.upload = 100s;
    rig.world.pools[0].reclaim = Reclaim{1000s, 1h};
    const auto job = rig.job(950s);
    rig.run();
    EXPECT_EQ(rig.record.attempts.at(0).end - rig_start, notice > 0s ? 1000s : 1050s);
    EXPECT_EQ(rig.row(job).status, policy::Primary::completed) << "its work was done";
  }
}

TEST(Unmanaged, ARequestThatDoesNotFitFailsOrWaits) {
  for (const bool waits : {false, true}) {
    OwnRig rig;
    rig.world.platform.unmanaged.waits_for_capacity = waits;
    rig.job(100s, 3);
    const auto second = rig.job(100s, 2, 10s);
    rig.run();
    EXPECT_EQ(rig.timeline(second), waits ? "pending 10, starting 100, downloading 100, training "
                                            "100, uploading 200, completed 200"
                                          : "failed 10");
    EXPECT_EQ(rig.row(second).failure,
              waits ? policy::FailureClass::none : policy::FailureClass::capacity);
    EXPECT_EQ(rig.billed(), waits ? "5.00" : "3.00");
  }
}

TEST(Unmanaged, MachinesThatOutliveTheirScriptAreBilledUntilSomebodyEndsThem) {
  for (const auto& [ends_at, orphans] : {std::pair{500s, 0U}, {5000s, 2U}}) {
    OwnRig rig;
    rig.world.platform.unmanaged.self_destruct_fails = 1;
    const auto job = rig.job(100s, 2);
    rig.call(ends_at, TerminateInstances{job, 1});
    rig.run(1000s);
    EXPECT_EQ(rig.usd(Use::orphan), orphans == 0 ? "8.00" : "18.00");
    EXPECT_EQ(rig.record.orphan_instances, orphans);
  }
}

TEST(Unmanaged, WhoseNobodyKnowsNobodyEnds) {
  OwnRig rig;
  rig.world.platform.unmanaged.self_destruct_fails = 1;
  rig.world.platform.unmanaged.untagged_instances = 1;
  rig.profile().owner = "ann";
  rig.world.humans = {{"ann", {{0s, 600s}}, OnReturn::resubmit_unfinished, {}}};
  const auto job = rig.job(100s, 2);
  rig.call(500s, TerminateInstances{job, 1});
  rig.run(1000s);
  EXPECT_EQ(rig.usd(Use::orphan), "18.00");
  EXPECT_EQ(rig.record.unmapped_instances, 2U);
}

TEST(Unmanaged, HowManyMachinesAreLeftIsToldWheneverItChanges) {
  OwnSpotRig rig;
  rig.world.platform.unmanaged.self_destruct_fails = 1;
  rig.offer({{0s, 4}, {1000s, 1}});
  const auto job = rig.job(100s, 4);
  rig.call(1500s, TerminateInstances{job, 1});
  rig.run(2000s);
  std::vector<std::pair<Duration, std::uint32_t>> told;
  for (const auto& news : rig.seen) {
    const auto* left = std::get_if<policy::MachinesLeft>(&news.what.fact);
    if (left == nullptr) continue;
    EXPECT_EQ(left->job, job);
    EXPECT_EQ(left->attempt, 1);
    told.emplace_back(news.what.happened_at - rig_start, left->instances);
  }
  using Told = std::vector<std::pair<Duration, std::uint32_t>>;
  EXPECT_EQ(told, (Told{{100s, 4}, {1000s, 1}, {1500s, 0}}));
}

TEST(Unmanaged, WhatIsKeptToBeLookedAtOrHasNoTagIsNotTold) {
  for (const bool held : {true, false}) {
    OwnRig rig;
    auto& own = rig.world.platform.unmanaged;
    own.self_destruct_fails = 1;
    if (held) {
      own.debug_hold = 300s;
      rig.fault(FaultKind::failure, 50s).failure = policy::FailureClass::code;
    } else {
      own.untagged_instances = 1;
    }
    rig.job(100s, 2);
    rig.run(1000s);
    EXPECT_TRUE(rig.told<policy::MachinesLeft>().empty());
  }
}

TEST(Unmanaged, WhoIsBackFromHolidayEndsWhatWasLeftRunning) {
  OwnRig rig;
  rig.world.platform.unmanaged.self_destruct_fails = 1;
  rig.profile().owner = "ann";
  rig.world.humans = {{"ann", {{0s, 600s}}, OnReturn::resubmit_unfinished, {}}};
  rig.job(100s);
  rig.run(1000s);
  EXPECT_EQ(rig.usd(Use::orphan), "5.00");
}

TEST(Unmanaged, AStopFromOutsideLeavesNothingBehind) {
  OwnRig rig;
  rig.world.platform.unmanaged.self_destruct_fails = 1;
  const auto job = rig.job(900s);
  rig.call(100s, StopJob{job, 1});
  rig.run(1000s);
  EXPECT_EQ(rig.billed(), "1.00");
}

TEST(Unmanaged, ManagedMachinesAreNobodysToTerminate) {
  FleetRig rig;
  const auto job = rig.job(100s);
  rig.call(500s, TerminateInstances{job, 1});
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::rejected}));
}

TEST(Unmanaged, WhatAMarketLacksIsTakenFromLeftoversFirst) {
  OwnSpotRig rig;
  rig.world.platform.unmanaged.self_destruct_fails = 1;
  rig.offer({{0s, 4}, {1000s, 3}});
  rig.job(100s);
  const auto working = rig.job(1500s, 3);
  rig.run(2000s);
  EXPECT_EQ(rig.row(working).interruptions, 0);
  EXPECT_EQ(rig.record.orphan_instances, 3U);
}

TEST(Unmanaged, SpotTakesNoMoreOfWhatAGangLeftBehindThanItMust) {
  OwnSpotRig rig;
  rig.world.platform.unmanaged.self_destruct_fails = 1;
  rig.offer({{0s, 4}, {1000s, 1}, {1500s, 0}});
  rig.job(100s, 4);
  rig.run(2000s);
  EXPECT_EQ(rig.usd(Use::orphan), "41.00") << "3 x 900 s and 1 x 1,400 s at a cent";
  EXPECT_EQ(rig.record.orphan_instances, 0U);
}

TEST(Unmanaged, AttemptsThatNeverHadMachinesAreListed) {
  OwnSpotRig rig;
  rig.world.platform.unmanaged.waits_for_capacity = false;
  rig.offer({{0s, 0}, {500s, 4}});
  const auto job = rig.job(100s);
  rig.call(600s, policy::CloneJob{job, 2, policy::ResumeFrom::last_checkpoint});
  rig.run();
  ASSERT_EQ(rig.record.attempts.size(), 2U);
  EXPECT_EQ(rig.record.attempts[0].number, 1);
  EXPECT_EQ(rig.record.attempts[0].billed_from, policy::never);
  EXPECT_EQ(rig.record.attempts[0].end, rig_start);
  EXPECT_EQ(rig.record.attempts[0].reason, EndReason::capacity);
  EXPECT_EQ(rig.record.attempts[0].failure, policy::FailureClass::capacity);
  EXPECT_EQ(rig.record.attempts[1].billed_from, rig_start + 600s);
}

TEST(Unmanaged, MachinesOfAFailedAttemptAreHeldForALook) {
  OwnRig rig;
  rig.world.platform.unmanaged.debug_hold = 300s;
  rig.fault(FaultKind::failure, 100s).failure = policy::FailureClass::code;
  const auto job = rig.job(900s, 2);
  const auto next = rig.job(100s, 4, 150s);
  rig.world.platform.unmanaged.waits_for_capacity = true;
  rig.world.profiles.push_back(rig.profile());
  rig.world.profiles[1].faults.clear();
  rig.world.jobs.specs[next.index].profile = 1;
  rig.run();
  EXPECT_EQ(rig.usd(Use::drain), "6.00");
  EXPECT_EQ(rig.row(job).end, rig_start + 100s);
  EXPECT_EQ(rig.row(next).first_start, rig_start + 400s);
}

TEST(Unmanaged, ALostNodeIsBilledToItsEndAndTheOthersWaitForIt) {
  OwnRig rig;
  rig.profile().checkpoint = {300s, 0s, Sync::during};
  rig.profile().util_waiting = 7;
  rig.fault(FaultKind::node_lost, 400s).hosts = {2, 4};
  const auto job = rig.job(5000s, 4);
  rig.call(1000s, StopJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.usd(Use::productive), "12.00");
  EXPECT_EQ(rig.usd(Use::lost_work), "4.00");
  EXPECT_EQ(rig.usd(Use::stalled), "12.00") << "two machines for 600 s";
  EXPECT_EQ(rig.row(job).progress, 300s);
  EXPECT_EQ(rig.record.node_losses, 2U);
  const auto told = rig.told<policy::NodesLost>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].second.left, 2U);
}

TEST(Unmanaged, NewsOfALostNodeGoesTheWayOfAllNews) {
  const auto told = [](const EventBus& bus) {
    OwnRig rig;
    rig.world.platform.events = bus;
    rig.fault(FaultKind::node_lost, 400s).hosts = {2};
    const auto job = rig.job(5000s, 4);
    rig.call(1000s, StopJob{job, 1});
    rig.run();
    std::vector<Duration> at;
    for (const auto& [when, news] : rig.told<policy::NodesLost>()) at.push_back(when);
    return at;
  };
  const auto doubled = told({.delay = 30s, .duplicates = 1, .duplicate_within = 60s});
  ASSERT_EQ(doubled.size(), 2U);
  EXPECT_EQ(doubled[0], 430s);
  EXPECT_GT(doubled[1], 430s);
  const auto late = told({.jitter = 600s});
  ASSERT_EQ(late.size(), 1U);
  EXPECT_GT(late[0], 400s);
  EXPECT_EQ(told({.lost = 1}), std::vector<Duration>{});
  EXPECT_EQ(told({.lost = 1, .poll = 420s}), std::vector<Duration>{420s});
}

TEST(Unmanaged, WhenTheLastNodeIsLostTheAttemptFails) {
  OwnRig rig;
  rig.fault(FaultKind::node_lost, 400s).hosts = {1};
  const auto job = rig.job(5000s);
  rig.run();
  EXPECT_EQ(rig.row(job).status, policy::Primary::failed);
  EXPECT_EQ(rig.billed(), "4.00");
}

TEST(Unmanaged, ANodeLostInAFreeFirstHourCostsAndTheOthersDoNot) {
  OwnSpotRig rig;
  rig.world.platform.unmanaged.spot_request = SpotRequest::one_time;
  rig.world.pools[0].reclaim = Reclaim{1000s, 1h};
  rig.fault(FaultKind::node_lost, 400s).hosts = {2};
  rig.job(5000s, 2);
  rig.run();
  EXPECT_EQ(rig.billed(), "4.00");
  EXPECT_EQ(to_usd(rig.record.waived), policy::Usd::from_micros(10'000'000));
}

TEST(Unmanaged, FewerMachinesThanWantedWorkSlowlier) {
  OwnRig rig;
  rig.profile().min_instances = 2;
  rig.profile().checkpoint = {100s, 10s, Sync::during};
  rig.job(5000s, 1);
  const auto gang = rig.job(300s, 4);
  rig.call(450s, StopJob{gang, 1});
  rig.run(460s);
  EXPECT_EQ(rig.row(gang).progress, 300s)
      << "three quarters of the speed: 100 s of work in 133.3 s, and 10 s for each checkpoint";
}

TEST(Unmanaged, AGangThatIsSpreadOverZonesIsSlowUnlessItAsksForOne) {
  for (const Placement placement : {Placement::any, Placement::single_zone}) {
    OwnRig rig;
    rig.world.pools[0].zones = {{"a", 2}, {"b", 2}};
    rig.world.pools[0].spread_ppm = 500'000;
    rig.world.platform.unmanaged.waits_for_capacity = true;
    rig.world.profiles.push_back(rig.profile());
    rig.world.profiles[1].placement = placement;
    rig.job(1000s, 1);
    rig.job(1000s, 1, 1s);
    const auto gang = rig.job(600s, 2, 2s, 1);
    rig.run();
    EXPECT_EQ(rig.row(gang).end, rig_start + 602s) << "the others share a zone";
  }
  for (const Placement placement : {Placement::any, Placement::single_zone}) {
    OwnRig rig;
    rig.world.pools[0].zones = {{"a", 2}, {"b", 2}};
    rig.world.pools[0].spread_ppm = 500'000;
    rig.world.platform.unmanaged.waits_for_capacity = true;
    rig.profile().placement = placement;
    rig.job(1000s);
    rig.job(100s);
    rig.job(2000s, 1, 1s);
    const auto gang = rig.job(600s, 2, 200s);
    rig.run();
    EXPECT_EQ(rig.row(gang).end,
              rig_start + (placement == Placement::any ? 200s + 1200s : 1000s + 600s));
  }
}

TEST(Unmanaged, NodesLookForTheirMasterAfterTheirStartUp) {
  for (const auto& [startup, ready] : {std::pair{0s, 15s}, {4s, 14s}, {60s, 60s}}) {
    OwnRig rig;
    rig.world.platform.startup = startup;
    rig.world.platform.unmanaged.rendezvous = Rendezvous{5s, DurationLaw{Shape::fixed, 12s}};
    const auto gang = rig.job(100s, 2);
    const auto alone = rig.job(100s, 1);
    rig.run();
    EXPECT_EQ(rig.row(gang).end, rig_start + ready + 100s);
    EXPECT_EQ(rig.row(alone).end, rig_start + startup + 100s) << "it needs no master";
  }
}

TEST(Unmanaged, WhyAnAttemptFailedIsLostWithItsMachines) {
  struct Case {
    Duration flush, hold;
    policy::FailureClass told;
  };
  for (const Case& of :
       {Case{0s, 0s, policy::FailureClass::code}, Case{1s, 0s, policy::FailureClass::unknown},
        Case{60s, 59s, policy::FailureClass::unknown},
        Case{60s, 60s, policy::FailureClass::code}}) {
    OwnRig rig;
    rig.world.platform.unmanaged.log_flush = of.flush;
    rig.world.platform.unmanaged.debug_hold = of.hold;
    rig.fault(FaultKind::failure, 100s).failure = policy::FailureClass::code;
    const auto job = rig.job(900s);
    rig.run();
    policy::FailureClass told{};
    for (const auto& [at, change] : rig.told<policy::JobChanged>()) told = change.failure;
    EXPECT_EQ(told, of.told);
    EXPECT_EQ(rig.row(job).failure, policy::FailureClass::code) << "the truth is as it is";
  }
}

}  // namespace fleet_unmanaged_test
}  // namespace reeve::models
