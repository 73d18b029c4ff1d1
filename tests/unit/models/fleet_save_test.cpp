// What training scripts save when a rule asks for it, and when they are stopped.
#include "fleet_rig.hpp"

namespace reeve::models {
namespace fleet_save_test {

using host::ReplyKind;
using policy::SaveCheckpoint;
using policy::StopCause;
using policy::StopJob;
using Kinds = std::vector<ReplyKind>;

/// No start-up: what is trained begins at 0 s; 60 s of grace, no upload; a cent a second.
struct SaveRig : FleetRig {
  SaveRig() {
    Platform& platform = world.platform;
    platform.provisioning = platform.startup = platform.upload = 0s;
    platform.stop_grace = 60s;
  }
  Checkpoint& plan() { return profile().checkpoint; }
  /// `job` fails after so much training.
  void fails(Duration at) { fault(FaultKind::failure, at); }
};

TEST(Save, WhatWasDoneWhenTheSaveIsOverIsKept) {
  SaveRig rig;
  rig.plan().on_request = 90s;
  rig.fails(1000s);
  const auto job = rig.job(1h);
  rig.call(800s, SaveCheckpoint{job, 1});
  rig.run();
  EXPECT_EQ(rig.row(job).progress, 890s);
  EXPECT_EQ(rig.usd(Use::productive), "8.90");
  EXPECT_EQ(rig.usd(Use::lost_work), "1.10");
  EXPECT_EQ(rig.kinds(), Kinds{ReplyKind::done});
}

TEST(Save, OneThatEndsWithTheMachinesIsOverAndOneThatWouldEndLaterIsNot) {
  for (const Duration asked : {910s, 911s}) {
    SaveRig rig;
    rig.plan().on_request = 90s;
    rig.fails(1000s);
    const auto job = rig.job(1h);
    rig.call(asked, SaveCheckpoint{job, 1});
    rig.run();
    EXPECT_EQ(rig.row(job).progress, asked == 910s ? 1000s : 0s);
  }
}

TEST(Save, CheckpointsCountAnewFromWhatWasSaved) {
  SaveRig rig;
  rig.plan() = {.every = 600s};
  rig.plan().on_request = 50s;
  rig.fails(1000s);
  const auto job = rig.job(1h);
  rig.call(300s, SaveCheckpoint{job, 1});  // saved at 350 s, so the next is due at 950 s
  rig.run();
  EXPECT_EQ(rig.row(job).progress, 950s);
}

TEST(Save, WhoIsAtItGoesOnAndWhoCannotRefuses) {
  SaveRig rig;
  rig.plan().on_request = 90s;
  rig.fails(1000s);
  const auto job = rig.job(1h);
  rig.call(800s, SaveCheckpoint{job, 1});
  rig.call(850s, SaveCheckpoint{job, 1});
  rig.call(860s, SaveCheckpoint{job, 2});   // no such attempt
  rig.call(2000s, SaveCheckpoint{job, 1});  // it is over
  rig.run();
  EXPECT_EQ(rig.row(job).progress, 890s);
  EXPECT_EQ(rig.kinds(),
            (Kinds{ReplyKind::done, ReplyKind::done, ReplyKind::rejected, ReplyKind::rejected}));
}

TEST(Save, AScriptThatDoesNotListenOrStandsStillOrKeepsNothingRefuses) {
  for (const int why : {0, 1, 2, 3}) {
    SaveRig rig;
    if (why > 0) rig.plan().on_request = 90s;
    if (why == 1) rig.fault(FaultKind::stall, 400s, 1h);
    if (why == 2) rig.plan().sync = Sync::none;
    if (why == 3) rig.world.platform.startup = 700s;
    const auto job = rig.job(1h);
    rig.call(500s, SaveCheckpoint{job, 1});
    rig.run();
    EXPECT_EQ(rig.kinds(), Kinds{ReplyKind::rejected}) << why;
  }
}

TEST(Save, AStallInterruptsIt) {
  SaveRig rig;
  rig.plan().on_request = 90s;
  rig.fault(FaultKind::stall, 850s, 100s);
  rig.fails(1000s);
  const auto job = rig.job(1h);
  rig.call(800s, SaveCheckpoint{job, 1});
  rig.run();
  EXPECT_EQ(rig.row(job).progress, 0s);
}

TEST(Save, ItTakesWhatItTakesOnSlowMachinesToo) {
  SaveRig rig;
  rig.plan().on_request = 100s;
  rig.profile().throughput = std::make_shared<const Throughput>(Throughput{{500'000}, {}, {}});
  rig.exact_lines = false;
  rig.fails(1000s);
  const auto job = rig.job(1h);
  rig.call(700s, SaveCheckpoint{job, 1});  // over at 800 s, with 400 s of work
  rig.run();
  EXPECT_EQ(rig.row(job).progress, 400s);
  EXPECT_EQ(rig.usd(Use::productive), "8.00");
}

TEST(Save, TheWorkGoesOnToItsEnd) {
  SaveRig rig;
  rig.plan() = {.every = 600s, .cost = 10s};
  rig.plan().on_request = 90s;
  const auto job = rig.job(1000s);
  rig.call(500s, SaveCheckpoint{job, 1});  // over at 590 s: 410 s are left, and no pause
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 0, training 0, uploading 1000, completed 1000");
  EXPECT_EQ(rig.usd(Use::checkpoint), "0.00");
}

TEST(Save, AStopLeavesTimeForItOrNot) {
  for (const Duration save : {60s, 61s}) {
    SaveRig rig;
    rig.plan().on_stop = save;
    const auto job = rig.job(1h);
    rig.call(1000s, StopJob{job, 1});
    rig.run();
    EXPECT_EQ(rig.row(job).progress, save == 60s ? 1000s : 0s);
    EXPECT_EQ(rig.usd(Use::productive), save == 60s ? "10.00" : "0.00");
    EXPECT_EQ(rig.usd(Use::lost_work), save == 60s ? "0.00" : "10.00");
    EXPECT_EQ(rig.usd(Use::drain), "0.60");
  }
}

TEST(Save, AWrongStopCostsOnlyItsGraceIfAllIsSaved) {
  for (const bool saves : {true, false}) {
    SaveRig rig;
    if (saves) rig.plan().on_stop = 30s;
    const auto job = rig.job(1h);
    rig.call(1000s, StopJob{job, 1, StopCause::standing_still});
    rig.run();
    EXPECT_EQ(rig.usd(Use::false_stop), saves ? "0.60" : "10.60");
    EXPECT_EQ(rig.usd(Use::productive), saves ? "10.00" : "0.00");
  }
}

TEST(Save, WhatSpotTakesDuringTheGraceIsSavedIfThatWasOver) {
  for (const Duration taken : {1029s, 1030s}) {
    SaveRig rig;
    rig.world.pools[0].market = Market::spot;
    rig.world.directory.pools[0].market = Market::spot;
    rig.world.pools[0].replay = Replay{{{0s, 4}, {taken, 0}, {5000s, 4}}};
    rig.plan().on_stop = 30s;
    const auto job = rig.job(1h);
    rig.call(1000s, StopJob{job, 1});
    rig.run();
    EXPECT_EQ(rig.row(job).progress, taken == 1030s ? 1000s : 0s);
  }
}

TEST(Save, ALaunchThatIsFreeKeepsWhatWasSaved) {
  SaveRig rig;
  rig.world.platform.model = PlatformModel::ec2;
  rig.world.platform.billing = {60s, true};
  rig.world.pools[0].market = Market::spot;
  rig.world.directory.pools[0].market = Market::spot;
  rig.world.platform.unmanaged.spot_request = SpotRequest::one_time;
  rig.world.pools[0].reclaim = Reclaim{1000s, 1h};
  rig.plan().on_request = 90s;
  const auto job = rig.job(20h);
  rig.call(800s, SaveCheckpoint{job, 1});
  rig.run();
  EXPECT_EQ(rig.row(job).progress, 890s);
  EXPECT_EQ(rig.billed(), "0.00");
}

}  // namespace fleet_save_test
}  // namespace reeve::models
