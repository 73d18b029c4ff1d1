// How attempts train: checkpoints that upload, speeds of types, of stragglers and of loaders.
#include <gtest/gtest.h>

#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_training_test {

using policy::StopJob;

/// Every 600 s of work a checkpoint of 20 s that counts 100 s later; reading it back takes 40 s.
void upload(FleetRig& rig) {
  rig.profile().checkpoint = {600s, 20s, Sync::during, std::nullopt, 100s, 40s};
}

TEST(Training, AFaultDuringAnUploadFallsBackToTheCheckpointBefore) {
  for (const auto& [at, kept] :
       {std::pair{719s, 0s}, {720s, 600s}, {1339s, 600s}, {1340s, 1200s}}) {
    FleetRig rig;
    upload(rig);
    rig.fault(FaultKind::failure, at);
    const auto job = rig.job(1h);
    rig.run();
    EXPECT_EQ(rig.row(job).progress, kept) << at.count();
  }
}

TEST(Training, AStopInGoodOrderLetsTheUploadEnd) {
  FleetRig rig;
  upload(rig);
  const auto job = rig.job(1h);
  rig.call(180s + 625s, StopJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.row(job).progress, 600s);
}

TEST(Training, AnUploadGoesOnWhileTheWorkStandsStill) {
  for (const auto& [lasts, kept] : {std::pair{89s, 0s}, {90s, 600s}}) {
    FleetRig rig;
    upload(rig);
    rig.fault(FaultKind::stall, 630s, lasts);  // 10 s after it was written
    rig.fault(FaultKind::failure, 630s + lasts + 1s);
    const auto job = rig.job(1h);
    rig.run();
    EXPECT_EQ(rig.row(job).progress, kept) << lasts.count();
  }
}

TEST(Training, AWatchdogEndsAStallAfterTheUploadIsAway) {
  FleetRig rig;
  upload(rig);
  rig.fault(FaultKind::stall, 630s);
  rig.profile().watchdog = Watchdog{90s, 0, policy::FailureClass::code};
  const auto job = rig.job(1h);
  rig.run();
  EXPECT_EQ(rig.row(job).progress, 600s);
}

TEST(Training, OnlyAStartFromACheckpointReadsIt) {
  FleetRig rig;
  upload(rig);
  rig.fault(FaultKind::interruption, 100s, 0s);
  rig.fault(FaultKind::interruption, 2000s, 0s);
  const auto job = rig.job(1h);
  rig.run();
  EXPECT_EQ(rig.usd(Use::startup), "4.00") << "120 s, 120 s, 120 + 40 s";
  EXPECT_EQ(rig.row(job).status, policy::Primary::completed);
}

void train_at(FleetRig& rig, Throughput of) {
  rig.profile().throughput = std::make_shared<const Throughput>(std::move(of));
}

TEST(Training, ASlowerTypeTakesLongerAndItsCheckpointsLieFurtherApart) {
  FleetRig rig;
  train_at(rig, {{400'000}, {}, {}});
  rig.profile().checkpoint = {600s, 20s, Sync::during};
  rig.fault(FaultKind::failure, 1520s);
  const auto job = rig.job(1h);
  rig.run();
  EXPECT_EQ(rig.row(job).progress, 600s) << "600 s of work in 1,500 s, and 20 s for the checkpoint";
  EXPECT_EQ(rig.usd(Use::productive), "15.00");
  EXPECT_EQ(rig.usd(Use::checkpoint), "0.20");
}

TEST(Training, AFasterTypeIsHeldUpByItsLoaders) {
  FleetRig rig;
  train_at(rig, {{4'000'000}, 2'000'000, {}});
  const auto job = rig.job(1h);
  rig.run();
  EXPECT_EQ(rig.row(job).end - rig_start, 180s + 30min + 10s);
  EXPECT_EQ(to_usd(rig.record.starved), policy::Usd::from_micros(9'000'000)) << "half of $18";
}

TEST(Training, AGangGoesAtThePaceOfItsSlowest) {
  FleetRig rig;
  train_at(rig, {{}, {}, Stragglers{0, {2}, 500'000}});
  const auto job = rig.job(30min, 3);
  const auto alone = rig.job(30min, 1);
  rig.run();
  EXPECT_EQ(rig.row(job).end - rig_start, 180s + 1h + 10s);
  EXPECT_EQ(rig.row(alone).end - rig_start, 180s + 30min + 10s) << "it has no second host";
  EXPECT_EQ(to_usd(rig.record.straggled), policy::Usd::from_micros(54'000'000)) << "half of $108";
}

TEST(Training, WhatLoadersHoldUpNoStragglerHoldsUp) {
  FleetRig rig;
  train_at(rig, {{}, 400'000, Stragglers{0, {1}, 500'000}});
  rig.job(30min);
  rig.run();
  EXPECT_EQ(to_usd(rig.record.straggled), policy::Usd{}) << "fed at 0.4 it goes no faster without";
  EXPECT_EQ(to_usd(rig.record.starved), policy::Usd::from_micros(9'000'000))
      << "$45, of which the straggler's 0.5 would save a fifth";
}

TEST(Training, AFreeFirstHourWastesNothing) {
  FleetRig rig;
  rig.world.platform.model = PlatformModel::ec2;
  rig.world.platform.billing = {60s, true};
  rig.world.pools[0].market = Market::spot;
  rig.world.pools[0].reclaim = Reclaim{50min, 1h};
  train_at(rig, {{}, 500'000, {}});
  rig.job(20h);
  rig.run();
  EXPECT_EQ(rig.billed(), "0.00");
  EXPECT_TRUE(rig.record.starved == 0);
}

/// How many of so many launches of four machines were slow.
int slow_launches(double probability, std::uint64_t seed) {
  FleetRig rig;
  rig.world.seed = seed;
  rig.world.pools[0].reclaim = Reclaim{120s + 100s, 0s};
  rig.world.pools[0].market = Market::spot;
  rig.profile().checkpoint = {1s, 0s, Sync::during};
  train_at(rig, {{}, {}, Stragglers{probability, {}, 500'000}});
  rig.job(10h, 4);
  rig.run(50'000s);
  int slow = 0;
  Duration before{0};
  for (const LedgerLine& line : rig.record.ledger_lines) {
    if (line.use != Use::productive) continue;
    before += line.until - line.from;
  }
  const Duration lost = before - rig.row({0}).progress;  // 50 s of each slow launch
  slow = static_cast<int>(lost / 50s);
  return slow;
}

TEST(Training, EachLaunchDrawsItsStragglersAnew) {
  EXPECT_EQ(slow_launches(0, 1), 0);
  const int launches = 50'000 / 280;
  EXPECT_EQ(slow_launches(1, 1), launches);
  int slow = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) slow += slow_launches(0.1, seed);
  // One of four with probability 1 - 0.9^4 = 0.3439: of 1,780 launches 612, give or take 20.
  EXPECT_NEAR(slow, 612, 60);
}

TEST(Training, LuckDoesNotComeAgainAfterManyLaunches) {
  FleetRig rig;
  rig.world.pools[0].reclaim = Reclaim{120s + 100s, 0s};
  rig.world.pools[0].market = Market::spot;
  rig.profile().checkpoint = {10s, 1s, Sync::during};
  train_at(rig, {{}, {}, Stragglers{0.5, {}, 500'000}});
  rig.job(1000h);
  rig.run(280s * 600);
  std::vector<Charge> saves;  // who is slow has fewer to write in its 100 s
  for (const LedgerLine& line : rig.record.ledger_lines) {
    if (line.use == Use::checkpoint) saves.push_back(line.amount);
  }
  ASSERT_GT(saves.size(), 512u);
  int same = 0;
  for (std::size_t nth = 0; nth < 256; ++nth) same += saves[nth] == saves[nth + 256] ? 1 : 0;
  EXPECT_LT(same, 180) << "128 of 256, give or take 8";
}

/// Every 600 s; the loss falls from 8 to 2, half of what is left with each 600 s of work.
struct ReportRig : FleetRig {
  ReportRig() {
    reports = true;
    of.every = 600s;
    of.loss = LossCurve{8, 2, 600s};
    world.platform.provisioning = world.platform.startup = 0s;
  }
  void go() {
    profile().reports = std::make_shared<const Reports>(of);
    run();
  }
  /// "when done loss, ..." in seconds.
  std::string told() const {
    std::string text;
    for (const Seen& news : seen) {
      const auto* report = std::get_if<policy::TrainingReported>(&news.what.fact);
      if (report == nullptr) continue;
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", (news.delivered - rig_start) / 1s,
                          report->done / 1s, report->loss);
    }
    return text;
  }
  Reports of;
};

TEST(Reports, TheLossIsAFunctionOfTheWork) {
  ReportRig rig;
  rig.of.delay = 30s;
  rig.of.loss->plateau_at = 1200s;
  rig.of.loss->nan_at = 2400s;
  rig.job(3000s);
  rig.go();
  EXPECT_EQ(rig.told(), "630 600 5, 1230 1200 3.5, 1830 1800 3.5, 2430 2400 nan");
}

TEST(Reports, SlowMachinesReportAsOftenAndLearnLess) {
  ReportRig rig;
  rig.profile().throughput = std::make_shared<const Throughput>(Throughput{{500'000}, {}, {}});
  rig.job(900s);
  rig.go();
  EXPECT_EQ(rig.told(), "600 300 6.242640687119286, 1200 600 5");
}

TEST(Reports, WhoStandsStillWritesNothing) {
  for (const FaultKind kind : {FaultKind::stall, FaultKind::spin_hang}) {
    ReportRig rig;
    rig.fault(kind, 900s, 1000s);
    rig.job(1800s);
    rig.go();
    EXPECT_EQ(rig.told(), "600 600 5, 2500 1500 3.0606601717798214");
  }
}

TEST(Reports, LostMetricsLoseThem) {
  ReportRig rig;
  rig.fault(FaultKind::metrics_lost, 500s, 200s);
  rig.job(1300s);
  rig.go();
  EXPECT_EQ(rig.told(), "1200 1200 3.5");
}

TEST(Reports, WhatWasLostIsReportedAgain) {
  ReportRig rig;
  rig.profile().checkpoint = {500s, 0s, Sync::during};
  rig.fault(FaultKind::interruption, 900s, 0s);
  rig.job(1300s);
  rig.go();
  EXPECT_EQ(rig.told(), "600 600 5, 1500 1100 3.6836930724640595") << "500 s were saved";
}

TEST(Reports, NobodyIsToldWhoDoesNotAsk) {
  ReportRig rig;
  rig.reports = false;
  rig.job(3000s);
  rig.go();
  EXPECT_EQ(rig.told(), "");
}

}  // namespace fleet_training_test
}  // namespace reeve::models
