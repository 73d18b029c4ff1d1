// Interruptions, stalls and other trouble of attempts.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "models/fleet/fleet.hpp"
#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_trouble_test {

using policy::CloneJob;
using policy::Primary;
using policy::StopJob;

TEST(Fleet, AnAttemptThatWaitsHasNotEnded) {
  FleetRig rig;
  const auto job = rig.job(3600s, 4);
  rig.fault(FaultKind::failure, 100s).failure = policy::FailureClass::code;
  rig.world.profiles.push_back({});
  rig.job(9000s, 4, 10s, 1);  // has the machines next
  rig.call(300s, CloneJob{job, 2});
  rig.run(2000s);
  EXPECT_EQ(rig.row(job).status, Primary::in_progress);
  EXPECT_EQ(rig.row(job).ended_as, policy::Secondary::pending);
  EXPECT_EQ(rig.row(job).failure, policy::FailureClass::none);
  EXPECT_EQ(rig.row(job).end, policy::never);
  FleetRig held;
  held.admission = Admission::held;
  const auto other = held.job(3600s);
  held.call(10s, StopJob{other, 1});
  held.call(20s, CloneJob{other, 2});
  held.run(2000s);
  EXPECT_EQ(held.row(other).status, Primary::queued);
  EXPECT_EQ(held.row(other).ended_as, policy::Secondary::queued);
  EXPECT_EQ(held.row(other).end, policy::never);
}

// ---- trouble

TEST(Fleet, AnInterruptedAttemptComesBackAndRedoesWhatItLost) {
  FleetRig rig;
  rig.profile().checkpoint = {600s, 0s, Sync::during};
  rig.fault(FaultKind::interruption, 1000s, 600s);
  const auto job = rig.job(3600s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, interrupted 1180, starting 1780, "
            "downloading 1840, training 1960, uploading 4960, completed 4970");
  EXPECT_EQ(rig.usd(Use::lost_work), "4.00");
  EXPECT_EQ(rig.usd(Use::startup), "2.40");
  EXPECT_EQ(rig.billed(), "42.50") << "36 of work, 4 redone, 2.4 of startup, 0.1 of upload";
  EXPECT_EQ(rig.row(job).interruptions, 1u);
  EXPECT_EQ(rig.record.attempts.size(), 1u);
}

TEST(Fleet, NobodyElseGetsTheMachinesOfAnInterruptedAttempt) {
  FleetRig rig;
  rig.fault(FaultKind::interruption, 1000s, 600s);
  rig.world.profiles.push_back({});
  const auto taken = rig.job(3600s, 3);
  const auto waiting = rig.job(100s, 3, 10s, 1);
  const auto fits = rig.job(100s, 1, 1200s, 1);
  rig.run();
  EXPECT_EQ(rig.row(taken).status, Primary::completed);
  EXPECT_GT(rig.row(waiting).first_start, rig.row(taken).end);
  EXPECT_GT(rig.row(fits).first_start, rig.row(taken).end) << "first in, first out";
}

TEST(Fleet, MachinesAreAwayForTheirTimeThoughTheInterruptedAttemptIsStopped) {
  FleetRig rig;
  rig.fault(FaultKind::interruption, 1000s, 9000s);
  rig.world.profiles.push_back({});
  const auto taken = rig.job(3600s, 3);
  const auto waiting = rig.job(100s, 4, 10s, 1);
  rig.call(2000s, StopJob{taken, 1});
  rig.run();
  EXPECT_EQ(rig.timeline(taken),
            "starting 0, downloading 60, training 180, interrupted 1180, stopping 2000, "
            "stopped 2000");
  EXPECT_EQ(rig.timeline(waiting).substr(0, 27), "pending 10, starting 10180,");
}

TEST(Fleet, AStallCostsMoneyAndTimeUntilItRecovers) {
  FleetRig rig;
  rig.fault(FaultKind::stall, 600s, 300s);
  rig.fault(FaultKind::spin_hang, 700s, 100s);  // it stands still already
  const auto job = rig.job(3600s);
  rig.run();
  EXPECT_EQ(rig.row(job).end, rig_start + 4090s);
  EXPECT_EQ(rig.usd(Use::stalled), "3.00");
  ASSERT_EQ(rig.record.stalls.size(), 1u);
  EXPECT_EQ(rig.record.stalls[0].onset, rig_start + 780s);
  EXPECT_EQ(rig.record.stalls[0].ended, rig_start + 1080s);
}

TEST(Fleet, AStallMetWhileStandingStillExtendsTheStandstill) {
  for (const auto& [first, second] : {std::pair{600s, 900s}, {1100s, 900s}, {1100s, 100s}}) {
    FleetRig rig;
    rig.fault(FaultKind::stall, 1000s, first);
    rig.fault(FaultKind::spin_hang, 1200s, second);
    const auto job = rig.job(3600s);
    const Record& record = rig.run();
    ASSERT_EQ(record.stalls.size(), 1U);
    EXPECT_EQ(record.stalls[0].ended - record.stalls[0].onset, std::max(first, 200s + second));
    EXPECT_EQ(rig.row(job).status, policy::Primary::completed);
  }
}

TEST(Fleet, APermanentStallIsNotSwallowedByAShortOne) {
  FleetRig rig;
  rig.fault(FaultKind::stall, 1000s, 600s);
  rig.fault(FaultKind::stall, 1200s);
  const auto job = rig.job(3600s);
  rig.run(100'000s);
  EXPECT_EQ(rig.record.stalls.at(0).ended, policy::never);
  EXPECT_EQ(rig.row(job).status, policy::Primary::in_progress);
}

TEST(Fleet, AStopDuringTheUploadOfDoneWorkEndsAsStoppedAndLosesNothing) {
  FleetRig rig;
  const auto job = rig.job(3600s);
  rig.call(3785s, policy::StopJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, uploading 3780, uploading 3785, "
            "stopped 3790");
  EXPECT_EQ(rig.row(job).status, policy::Primary::stopped);
  EXPECT_EQ(rig.row(job).progress, 3600s);
  EXPECT_EQ(rig.record.attempts.at(0).reason, EndReason::stopped);
  EXPECT_EQ(rig.usd(Use::productive), "36.00");
  EXPECT_EQ(rig.usd(Use::checkpoint), "0.10");
  EXPECT_EQ(rig.usd(Use::drain), "0.00");
}

TEST(Fleet, AStalledAttemptMeetsItsOtherTroubleToo) {
  FleetRig failing;
  failing.fault(FaultKind::stall, 600s);
  failing.fault(FaultKind::failure, 1000s);
  auto job = failing.job(3600s);
  failing.run();
  EXPECT_EQ(failing.timeline(job), "starting 0, downloading 60, training 180, failed 1180");
  EXPECT_EQ(failing.usd(Use::stalled), "4.00");
  FleetRig taken;
  taken.fault(FaultKind::stall, 600s);
  taken.fault(FaultKind::interruption, 1000s, 60s);
  job = taken.job(3600s);
  taken.run();
  EXPECT_EQ(taken.row(job).status, Primary::completed) << "the restart cured the stall";
}

TEST(Fleet, TroubleOfATimeAtWhichNothingRanDoesNotHappen) {
  FleetRig rig;
  rig.fault(FaultKind::interruption, 500s, 1000s);
  rig.fault(FaultKind::failure, 800s);  // falls into the interruption
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.row(job).status, Primary::completed);
}

TEST(Fleet, AStopForStandingStillIsJudgedByTheTruth) {
  FleetRig right;
  right.fault(FaultKind::stall, 600s);
  auto job = right.job(3600s);
  right.call(1000s, StopJob{job, 1, policy::StopCause::standing_still});
  right.run();
  EXPECT_EQ(right.record.false_stops, 0u);
  EXPECT_EQ(right.usd(Use::drain), "0.40");
  EXPECT_EQ(right.record.stalls.at(0).detected, rig_start + 1000s);
  FleetRig wrong;
  job = wrong.job(3600s);
  wrong.call(1000s, StopJob{job, 1, policy::StopCause::standing_still});
  wrong.run();
  EXPECT_EQ(wrong.record.false_stops, 1u);
  EXPECT_EQ(wrong.usd(Use::false_stop), "8.60") << "the drain and the work that it destroyed";
  EXPECT_EQ(wrong.usd(Use::drain), "0.00");
}

}  // namespace fleet_trouble_test
}  // namespace reeve::models
