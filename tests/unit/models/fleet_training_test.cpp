// How attempts train: checkpoints that upload, speeds of types, of stragglers and of loaders.
#include <gtest/gtest.h>

#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace {

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

}  // namespace
}  // namespace reeve::models
