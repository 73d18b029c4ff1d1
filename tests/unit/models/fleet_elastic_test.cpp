// Gangs that go on with what is left of them: how fast, at what price, and when they grow again.
#include <cmath>

#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_elastic_test {

/// Four machines on EC2 at a cent a second, there at once; who changes its size stops for 50 s.
struct ElasticRig : FleetRig {
  ElasticRig() {
    Platform& platform = world.platform;
    platform.model = PlatformModel::ec2;
    platform.provisioning = platform.startup = platform.stop_grace = platform.upload = 0s;
    profile().checkpoint = {100s, 0s, Sync::during};
    of.min = 2;
    of.resize.scale = 50s;
  }
  void go(Duration until = Duration::max()) {
    profile().elastic = std::make_shared<const Elastic>(of);
    run(until);
  }
  void breaks(std::vector<StatedNodeFault> stated) {
    NodeFaults faults;
    faults.stated = std::move(stated);
    world.pools[0].node_faults = std::move(faults);
  }
  /// Spot with two minutes of notice, which offers so much.
  void offer(std::vector<Offer> steps) {
    world.pools[0].market = world.directory.pools[0].market = Market::spot;
    world.pools[0].replay = Replay{std::move(steps)};
    world.platform.notice.lead = 120s;
    world.platform.billing = {60s, true};
    world.platform.unmanaged.spot_request = SpotRequest::persistent;
    world.platform.unmanaged.waits_for_capacity = true;
  }
  Elastic of;
};

TEST(Elastic, WhatIsLeftGoesOnFromTheLastCheckpointAfterAPause) {
  for (const double scaling : {1.0, 0.5, 0.0}) {
    for (const std::uint32_t lost : {1u, 2u}) {
      ElasticRig rig;
      rig.of.scaling = scaling;
      std::vector<StatedNodeFault> gone{{0, 1030s, 100h}};
      if (lost == 2) gone.push_back({1, 1030s, 100h});
      rig.breaks(gone);
      const auto job = rig.job(4000s, 4);
      rig.go();
      // 1,000 s were saved of 1,030, and 3,000 are left at ((4 - lost) / 4) ^ scaling.
      const double rest = 3000 / std::pow((4.0 - lost) / 4, scaling);
      const auto took = std::chrono::duration<double>(rig.row(job).end - rig_start).count();
      EXPECT_NEAR(took, 1030 + 50 + rest, 0.01) << scaling << ' ' << lost;
      EXPECT_EQ(rig.usd(Use::lost_work), "1.20") << "30 s of four";
      EXPECT_EQ(rig.usd(Use::startup), lost == 1 ? "1.50" : "1.00") << "50 s of those left";
      EXPECT_EQ(rig.record.node_losses, lost);
    }
  }
}

TEST(Elastic, BelowItsMinimumAGangWaitsAsAnyOther) {
  ElasticRig rig;
  rig.of.min = 3;
  rig.fault(FaultKind::node_lost, 400s).hosts = {2, 4};
  const auto job = rig.job(5000s, 4);
  rig.call(1000s, policy::StopJob{job, 1});
  rig.go();
  EXPECT_EQ(rig.usd(Use::stalled), "12.00") << "two machines for 600 s";
  EXPECT_EQ(rig.record.resizes, 0u);
}

TEST(Elastic, WhereOthersAreFreeTheyJoinInTheSamePause) {
  ElasticRig rig;
  rig.world.pools[0].capacity = 6;
  rig.fault(FaultKind::node_lost, 400s).hosts = {2, 4};
  const auto job = rig.job(1000s, 4);
  rig.go();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 0, training 0, downloading 400, training 450, "
            "uploading 1050, completed 1050");
  EXPECT_EQ(rig.record.resizes, 1u);
  EXPECT_EQ(rig.billed(), "42.00") << "four at each time";
}

TEST(Elastic, KeptWorkIsNotDoneAgain) {
  ElasticRig rig;
  rig.of.keeps_work = true;
  rig.breaks({{0, 450s, 100h}});
  const auto job = rig.job(1050s, 4);
  rig.go();
  EXPECT_EQ(rig.row(job).end, rig_start + 450s + 50s + 800s) << "600 s at three quarters";
  EXPECT_EQ(rig.usd(Use::lost_work), "0.00");
}

TEST(Elastic, WhatIsNotSavedYetIsLostIfNobodyIsLeftToSaveIt) {
  for (const bool hour_free : {false, true}) {
    for (const Duration second : {20s, 50s}) {  // the pause takes 50 s
      ElasticRig rig;
      rig.of.keeps_work = true;
      rig.profile().checkpoint.every = 10h;
      rig.offer({{0s, 4}, {4000s, 3}, {4000s + second, 0}});
      rig.world.platform.notice.lead = 0s;
      rig.world.platform.billing.first_hour_free = hour_free;
      rig.job(10'000s, 4);
      rig.go(9000s);
      const bool saved = second == 50s;
      EXPECT_EQ(rig.usd(Use::lost_work), saved ? "0.00" : "160.00") << "4,000 s of four";
      EXPECT_EQ(rig.usd(Use::productive), saved ? "160.00" : "0.00");
      EXPECT_EQ(rig.row({0}).progress, saved ? 4000s : 0s);
    }
  }
}

TEST(Elastic, WhatNoRestartMendsStandsStillAgain) {
  for (const bool taken : {false, true}) {  // by Spot, all of them; or one breaks
    for (const bool recovers : {false, true}) {
      ElasticRig rig;
      rig.fault(FaultKind::stall, 1000s).recovers_on_restart = recovers;
      if (taken) rig.offer({{0s, 4}, {1500s, 0}, {1550s, 4}});
      if (!taken) rig.breaks({{0, 1500s, 100h}});
      rig.job(2500s, 4);
      rig.go(9000s);
      EXPECT_EQ(rig.record.stalls.size(), recovers ? 1u : 2u);
      if (recovers) continue;
      EXPECT_EQ(rig.record.stalls[1].onset, rig_start + 1550s + 1000s) << taken;
    }
  }
}

TEST(Elastic, ALossWhileTheyMeetBeginsThePauseAnew) {
  ElasticRig rig;
  rig.world.platform.model = PlatformModel::ideal;
  rig.breaks({{0, 400s, 100h}, {1, 420s, 100h}});
  const auto job = rig.job(1000s, 4);
  rig.go();
  EXPECT_EQ(rig.row(job).end, rig_start + 470s + 1200s) << "600 s at half the speed";
  EXPECT_EQ(rig.usd(Use::startup), "1.60") << "20 s of three, 50 s of two";
}

TEST(Elastic, SpotTakesWhatItMustAndGivesItBack) {
  ElasticRig rig;
  rig.offer({{0s, 4}, {1000s, 3}, {2000s, 4}});
  const auto job = rig.job(4000s, 4);
  rig.go();
  // 1,000 s at full speed; from 1,050 on three quarters of it, 700 s of 712.5 are saved by 2,000;
  // from 2,050 on the 2,300 s that are left.
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 0, training 0, downloading 1000, training 1050, "
            "downloading 2000, training 2050, uploading 4350, completed 4350");
  EXPECT_EQ(rig.row(job).interruptions, 0);
  EXPECT_EQ(rig.billed(), "154.00") << "three for 4,350 s, and one from 2,000 s on";
  EXPECT_EQ(to_usd(rig.record.waived), policy::Usd::from_micros(10'000'000)) << "its first hour";
  std::vector<std::uint32_t> told;
  for (const FleetRig::Seen& news : rig.seen) {
    const auto* notice = std::get_if<policy::SpotNotice>(&news.what.fact);
    if (notice != nullptr) told.push_back(notice->instances);
  }
  EXPECT_EQ(told, std::vector<std::uint32_t>{1});
}

TEST(Elastic, EachLossIsToldInFullTimeHoweverCloselyTheyFollow) {
  ElasticRig rig;
  rig.of.min = 1;
  rig.offer({{0s, 4}, {1000s, 3}, {1060s, 2}, {1070s, 0}});
  rig.job(4000s, 4);
  rig.go(2000s);
  std::string told;
  for (const FleetRig::Seen& news : rig.seen) {
    const auto* notice = std::get_if<policy::SpotNotice>(&news.what.fact);
    if (notice == nullptr) continue;
    told += fmt::format("{} of {} at {}, ", (notice->at - news.what.happened_at) / 1s,
                        notice->instances, (news.what.happened_at - rig_start) / 1s);
  }
  EXPECT_EQ(told, "120 of 1 at 880, 120 of 1 at 940, 120 of 2 at 950, ");
  EXPECT_EQ(rig.row({0}).interruptions, 1);
}

TEST(Elastic, NobodyGrowsOntoWhatIsKnownToGo) {
  ElasticRig rig;
  rig.offer({{0s, 4}, {1000s, 2}, {2000s, 4}, {2060s, 3}, {3000s, 2}});
  const auto job = rig.job(8000s, 4);
  rig.go(2500s);
  EXPECT_EQ(rig.record.resizes, 2u) << "to two, and to the three that stay";
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 0, training 0, downloading 1000, training 1050, "
            "downloading 2000, training 2050");
}

/// What loaders at 0.2 of the speed cost a gang on Spot with a free first hour.
policy::Usd starved(ElasticRig& rig, Duration work) {
  rig.profile().throughput = std::make_shared<const Throughput>(Throughput{{}, 200'000, {}});
  rig.job(work, 4);
  rig.go(8000s);
  return to_usd(rig.record.starved);
}

TEST(Elastic, WhatStarvationCostsIsOfThePartsThatAreBilled) {
  ElasticRig taken;
  taken.of.min = 1;
  taken.of.scaling = 0;
  taken.offer({{0s, 4}, {3000s, 1}});
  // Three are free: four fifths of the one's 3,000 s and 4,950 s at work.
  EXPECT_EQ(starved(taken, 9000s), policy::Usd::from_micros(63'600'000));
  ElasticRig broken;
  broken.offer({{0s, 4}, {3000s, 0}});
  broken.fault(FaultKind::node_lost, 2000s).hosts = {1};
  // One leaves before Spot takes the others: it is billed for its 2,000 s.
  EXPECT_EQ(starved(broken, 9000s), policy::Usd::from_micros(16'000'000));
}

TEST(Elastic, EachMachineHasAFirstHourOfItsOwn) {
  ElasticRig rig;
  rig.offer({{0s, 4}, {1000s, 3}, {2000s, 4}, {4000s, 0}});
  rig.job(9000s, 4);
  rig.go(5000s);
  EXPECT_EQ(rig.billed(), "120.00") << "three for 4,000 s";
  EXPECT_EQ(to_usd(rig.record.waived), policy::Usd::from_micros(30'000'000))
      << "1,000 s of the first that went, 2,000 s of the one that came";
}

TEST(Elastic, WhoJoinedIsBilledForItsOwnMinimum) {
  ElasticRig rig;
  rig.world.platform.billing = {600s, false};
  rig.breaks({{3, 1000s, 1000s}, {3, 2100s, 100h}});
  rig.job(5000s, 4);
  rig.go();
  EXPECT_EQ(rig.usd(Use::drain), "5.00") << "it was there for 100 s";
}

TEST(Elastic, WhoWaitsForMachinesComesFirst) {
  ElasticRig rig;
  rig.world.platform.unmanaged.waits_for_capacity = true;
  rig.breaks({{3, 1000s, 1000s}});
  const auto gang = rig.job(5000s, 4);
  const auto other = rig.job(130s, 1, 1500s);
  rig.go();
  EXPECT_EQ(rig.row(other).first_start, rig_start + 2000s);
  EXPECT_EQ(rig.timeline(gang),
            "starting 0, downloading 0, training 0, downloading 1000, training 1050, "
            "downloading 2130, training 2180, uploading 5380, completed 5380")
      << "1,000 s, 800 of 810 s, and 3,200 s";
}

TEST(Elastic, AStragglerLeavesWithItsMachine) {
  for (const auto& [lost, rest] : {std::pair{2u, 800s}, {0u, 1600s}}) {
    ElasticRig rig;
    rig.profile().throughput =
        std::make_shared<const Throughput>(Throughput{{}, {}, Stragglers{0, {3}, 500'000}});
    rig.breaks({{lost, 400s, 100h}});
    const auto job = rig.job(800s, 4);
    rig.go();
    EXPECT_EQ(rig.row(job).end, rig_start + 400s + 50s + rest)
        << "200 s were done at half the speed, 600 are left for three";
  }
}

TEST(Elastic, AMachineBeyond65535IsItself) {
  ElasticRig rig;
  rig.world.pools[0].capacity = 70'000;
  rig.breaks({{65'535, 400s, 100h}, {65'539, 400s, 100h}});
  const auto job = rig.job(800s, 70'000);
  rig.go();
  EXPECT_EQ(rig.record.node_losses, 2u);
  EXPECT_EQ(rig.row(job).status, policy::Primary::completed);
}

TEST(Elastic, AHostThatLeftReadsNothing) {
  ElasticRig rig;
  const auto job = rig.job(5000s, 4);
  for (const std::uint16_t host : {std::uint16_t{3}, std::uint16_t{4}}) {
    policy::AlarmRule rule;
    rule.threshold = 1;
    rule.missing = policy::MissingData::breaching;
    rig.call(100s, policy::PutAlarm{{job, host, 0}, 1, rule});
  }
  rig.breaks({{0, 400s, 100h}});
  rig.go(2000s);
  ASSERT_EQ(rig.record.alarms.size(), 2u);
  EXPECT_EQ(rig.record.alarms[0].state, policy::AlarmState::ok);
  EXPECT_EQ(rig.record.alarms[1].state, policy::AlarmState::alarm);
}

/// Three hours of work, a stall of 20 minutes that no restart mends after the first of them, and
/// Spot away for 20 minutes; when it ends.
Duration taken_away_at(Duration away) {
  ElasticRig rig;
  rig.fault(FaultKind::stall, 1h, 20min).recovers_on_restart = false;
  rig.offer({{0s, 4}, {away, 0}, {away + 20min, 4}});
  const auto job = rig.job(3h, 4);
  rig.run();
  return rig.row(job).end - rig_start;
}

TEST(Elastic, AStallOfATimeAtWhichNothingRanIsNotMet) {
  EXPECT_EQ(taken_away_at(50min), 3h + 20min) << "only away";
  EXPECT_EQ(taken_away_at(90min), 3h + 60min) << "met, away, and met again after an hour";
}

TEST(Elastic, EachPauseIsCountedOnce) {
  for (const PlatformModel model : {PlatformModel::ec2, PlatformModel::ideal}) {
    ElasticRig rig;
    rig.world.platform.model = model;
    rig.of.min = 1;
    rig.breaks({{0, 400s, 100h}, {1, 420s, 100h}, {2, 440s, 100h}, {3, 1000s, 100h}});
    const auto job = rig.job(500s, 4);
    rig.go();
    EXPECT_EQ(rig.record.resizes, 1u) << "two other losses made it longer";
    EXPECT_EQ(rig.record.node_losses, 3u);
    const std::string told = rig.timeline(job);
    EXPECT_NE(told.find("training 0, downloading 400, training 490"), std::string::npos) << told;
  }
}

TEST(Elastic, AResizeRightAfterAStartUpOfNoTimeIsAPause) {
  ElasticRig rig;
  rig.world.platform.provisioning = 60s;
  rig.profile().min_instances = 3;
  rig.world.profiles.emplace_back();
  rig.job(10s, 1, 0s, 1);  // from 60 s to 70 s
  const auto job = rig.job(1000s, 4, 15s);
  rig.go();
  EXPECT_EQ(rig.timeline(job),
            "starting 15, downloading 75, training 125, uploading 1125, "
            "completed 1125");
  EXPECT_EQ(rig.record.resizes, 1u);
  EXPECT_EQ(rig.usd(Use::startup), "2.00") << "50 s of four";
}

TEST(Elastic, WhoComesBackWhileTheyMeetBeginsThePauseAnew) {
  for (const bool keeps : {false, true}) {
    ElasticRig rig;
    rig.of.keeps_work = keeps;
    rig.breaks({{0, 450s, 20s}});
    const auto job = rig.job(1000s, 4);
    rig.go();
    EXPECT_EQ(rig.row(job).end, rig_start + 450s + 20s + 50s + (keeps ? 550s : 600s));
    EXPECT_EQ(rig.record.resizes, 1u);
    EXPECT_EQ(rig.usd(Use::startup), "2.60") << "20 s of three, 50 s of four";
    EXPECT_EQ(rig.usd(Use::lost_work), keeps ? "0.00" : "2.00");
  }
}

TEST(Elastic, WhoKeepsItsWorkReadsNoCheckpoint) {
  for (const bool keeps : {false, true}) {
    ElasticRig rig;
    rig.of.keeps_work = keeps;
    rig.profile().checkpoint.restore = 30s;
    rig.breaks({{0, 400s, 100h}});
    const auto job = rig.job(1000s, 4);
    rig.go();
    EXPECT_EQ(rig.row(job).end, rig_start + 400s + (keeps ? 50s : 80s) + 800s) << keeps;
  }
}

TEST(Elastic, AnotherLossWhileTheyMeetTakesNothingOfWhatIsKept) {
  for (const Duration second : {430s, 460s}) {  // within the pause, and after it
    ElasticRig rig;
    rig.of.keeps_work = true;
    rig.profile().checkpoint.every = 10h;
    rig.breaks({{0, 400s, 100h}, {1, second, 100h}});
    const auto job = rig.job(1000s, 4);
    rig.go();
    const bool met = second == 460s;  // 10 s at three quarters of the speed
    const Duration rest = met ? 2 * (600s - 7500ms) : 2 * 600s;
    EXPECT_EQ(rig.row(job).end, rig_start + second + 50s + rest);
    EXPECT_EQ(rig.usd(Use::lost_work), "0.00");
    EXPECT_EQ(rig.record.resizes, met ? 2u : 1u);
  }
}

/// Two hundred jobs of one machine each, which Spot takes at 1,000 s and again at 2,600 s.
ElasticRig taken_twice() {
  ElasticRig rig;
  rig.world.pools[0].capacity = 200;
  rig.profile().checkpoint.every = 100h;
  rig.offer({{0s, 200}, {1000s, 0}, {1100s, 200}, {2600s, 0}});
  for (int nth = 0; nth < 200; ++nth) rig.job(100h);
  return rig;
}

TEST(Notices, ASecondLaunchOfAnAttemptIsToldByLuckOfItsOwn) {
  ElasticRig rig = taken_twice();
  rig.world.platform.notice.probability = 0.5;
  rig.run(2700s);
  std::map<policy::JobId, std::set<Instant>> told;
  for (const FleetRig::Seen& news : rig.seen) {
    const auto* notice = std::get_if<policy::SpotNotice>(&news.what.fact);
    if (notice != nullptr) told[notice->job].insert(notice->at);
  }
  int first = 0;
  int second = 0;
  int both = 0;
  for (const auto& [job, losses] : told) {
    const bool of_first = losses.contains(rig_start + 1000s);
    const bool of_second = losses.contains(rig_start + 2600s);
    ++(of_first && of_second ? both : of_first ? first : second);
  }
  for (const int times : {first, second, both}) EXPECT_NEAR(times, 50, 20);
}

TEST(Notices, ASecondLaunchOfAnAttemptHasAHookOfItsOwn) {
  ElasticRig rig = taken_twice();
  rig.profile().checkpoint.on_notice = OnNotice{60s, 0.5, false};
  rig.run(2700s);
  std::map<Duration, int> saved;
  for (const JobRow& row : rig.record.job_rows) ++saved[row.progress];
  ASSERT_EQ(saved.size(), 4u) << "neither, the first, the second, or both";
  for (const Duration work : {0s, 1000s, 1500s, 2500s}) EXPECT_NEAR(saved[work], 50, 20);
}

}  // namespace fleet_elastic_test
}  // namespace reeve::models
