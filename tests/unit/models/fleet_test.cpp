// The life of attempts: statuses, machines, trouble, limits, money, and the end of the run.
#include "models/fleet/fleet.hpp"

#include <gtest/gtest.h>

#include "sim/draws.hpp"
#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_test {

using host::ReplyKind;
using policy::CloneJob;
using policy::LimitRuntime;
using policy::Primary;
using policy::StartJob;
using policy::StopJob;

using Kinds = std::vector<ReplyKind>;

TEST(Fleet, AQuietLifeGoesThroughEveryStatus) {
  FleetRig rig;
  const auto job = rig.job(3600s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, uploading 3780, completed 3790");
  EXPECT_EQ(rig.billed(), "37.30");  // provisioning is free
  EXPECT_EQ(rig.usd(Use::productive), "36.00");
  EXPECT_EQ(rig.usd(Use::startup), "1.20");
  EXPECT_EQ(rig.usd(Use::checkpoint), "0.10");  // the upload
  EXPECT_EQ(rig.row(job).status, Primary::completed);
  EXPECT_EQ(rig.row(job).end, rig_start + 3790s);
}

TEST(Fleet, WaitingEndsWithTheFirstMachinesNotAfterTheirBilledStartUp) {
  FleetRig rig;
  const auto first = rig.job(3600s, 3);
  const auto queued = rig.job(100s, 3, 10s);
  rig.run();
  EXPECT_EQ(rig.row(first).first_start, rig_start + 60s) << "provisioning is waiting";
  EXPECT_EQ(rig.row(queued).first_start, rig.row(first).end + 60s);
  EXPECT_EQ(rig.row(queued).end, rig.row(queued).first_start + 120s + 100s + 10s);
}

TEST(Fleet, AnIdealPlatformOnlyTrains) {
  FleetRig rig;
  rig.world.platform = {};
  const auto job = rig.job(3600s);
  rig.run();
  EXPECT_EQ(rig.timeline(job), "training 0, completed 3600");
  EXPECT_EQ(rig.billed(), "36.00");
}

TEST(Fleet, TheFirstStartMayTakeAnotherTimeThanARestart) {
  FleetRig rig;
  rig.world.platform.first_startup = 20s;
  const auto job = rig.job(1000s);
  rig.fault(FaultKind::interruption, 500s, 100s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 80, interrupted 580, starting 680, "
            "downloading 740, training 860, uploading 1860, completed 1870");
}

TEST(Fleet, WorkStartsFirstInFirstOutWithinItsPool) {
  FleetRig rig;
  const auto first = rig.job(3600s, 3);
  const auto second = rig.job(100s, 3, 10s);
  const auto small = rig.job(100s, 1, 20s);
  rig.run();
  EXPECT_EQ(rig.row(first).end, rig_start + 3790s);
  EXPECT_EQ(rig.timeline(second).substr(0, 30), "pending 10, starting 3790, dow");
  EXPECT_EQ(rig.timeline(small).substr(0, 30), "pending 20, starting 3790, dow")
      << "it fits, but does not overtake";
}

TEST(Fleet, PoolsDoNotWaitForEachOther) {
  FleetRig rig;
  rig.world.directory.pools.push_back({.name = "q"});
  rig.world.pools.push_back(rig.world.pools[0]);
  rig.world.profiles.push_back({});
  rig.profile(1).pool = {1};
  rig.job(3600s, 4);
  rig.job(3600s, 4);
  const auto elsewhere = rig.job(100s, 4, 0s, 1);
  rig.run();
  EXPECT_EQ(rig.timeline(elsewhere).substr(0, 10), "starting 0");
}

TEST(Fleet, WhenTheHeadOfTheLineLeavesTheNextOneStarts) {
  FleetRig rig;
  rig.job(3600s, 3);
  const auto head = rig.job(100s, 3, 10s);
  const auto next = rig.job(100s, 1, 20s);
  rig.call(100s, StopJob{head, 1});
  rig.run();
  EXPECT_EQ(rig.timeline(head), "pending 10, stopped 100");
  EXPECT_EQ(rig.timeline(next).substr(0, 24), "pending 20, starting 100");
  EXPECT_EQ(rig.answers.at(0).kind, ReplyKind::done);
}

TEST(Fleet, AJobStartedOutOfTurnLeavesTheLine) {
  FleetRig rig;
  rig.job(3600s, 3);
  rig.job(100s, 3, 10s);
  const auto small = rig.job(100s, 1, 20s);
  rig.call(50s, StartJob{small, 1});
  rig.run();
  EXPECT_EQ(rig.timeline(small),
            "pending 20, starting 50, downloading 110, training 230, uploading 330, completed 340");
  EXPECT_EQ(rig.record.attempts.size(), 3u) << "it ran once";
}

TEST(Fleet, QueuedWorkIsCountedAsRunnableWhileItWaits) {
  FleetRig rig;
  rig.job(3600s, 3);
  const auto waiting = rig.job(100s, 3, 10s);
  rig.call(100s, StopJob{waiting, 1});
  rig.run();
  std::map<Duration, std::uint32_t> runnable;
  for (const auto& row : rig.record.utilization) runnable[row.at - rig_start] = row.runnable;
  EXPECT_EQ(runnable.at(10s), 3u);
  EXPECT_EQ(runnable.at(100s), 0u);
}

TEST(Fleet, HeldWorkWaitsForAStart) {
  FleetRig rig;
  rig.admission = Admission::held;
  const auto big = rig.job(1000s, 3);
  const auto other = rig.job(1000s, 3);
  rig.call(10s, StartJob{big, 1});
  rig.call(20s, StartJob{big, 1});    // again: nothing changes
  rig.call(30s, StartJob{other, 1});  // does not fit
  rig.call(40s, StartJob{big, 2});    // no such attempt
  rig.call(50s, StopJob{other, 1});   // in the queue
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::done, ReplyKind::done, ReplyKind::rejected,
                                ReplyKind::rejected, ReplyKind::done}));
  EXPECT_EQ(rig.timeline(big).substr(0, 27), "starting 10, downloading 70");
  EXPECT_EQ(rig.timeline(other), "stopped 50");
  EXPECT_EQ(rig.row(other).end, rig_start + 50s);
}

// ---- stops and limits

TEST(Fleet, AStopGivesGraceThenUploadsThenEnds) {
  FleetRig rig;
  const auto job = rig.job(3600s);
  rig.call(1000s, StopJob{job, 1});
  rig.call(1010s, StopJob{job, 1});  // draining already
  rig.call(1035s, StopJob{job, 1});  // uploading already
  rig.call(2000s, StopJob{job, 1});  // over already
  rig.call(2000s, StopJob{job, 2});  // never existed
  rig.run();
  EXPECT_EQ(
      rig.timeline(job),
      "starting 0, downloading 60, training 180, stopping 1000, uploading 1030, stopped 1040");
  EXPECT_EQ(rig.usd(Use::lost_work), "8.20");
  EXPECT_EQ(rig.usd(Use::drain), "0.40");
  EXPECT_EQ(rig.billed(), "9.80");
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::done, ReplyKind::done, ReplyKind::done, ReplyKind::done,
                                ReplyKind::rejected}));
}

TEST(Fleet, AStopBeforeTheContainerRunsEndsAtOnce) {
  for (const auto& [at, expected, billed] :
       {std::tuple{30s, "starting 0, stopping 30, stopped 30", "0.00"},
        std::tuple{100s, "starting 0, downloading 60, stopping 100, stopped 100", "0.40"}}) {
    FleetRig rig;
    const auto job = rig.job(3600s);
    rig.call(at, StopJob{job, 1});
    rig.run();
    EXPECT_EQ(rig.timeline(job), expected);
    EXPECT_EQ(rig.billed(), billed);
    EXPECT_EQ(rig.record.allocated_time.at(0), Charge{Duration{at}.count()});
  }
}

TEST(Fleet, CheckpointsDecideWhatAStopSaves) {
  for (const auto& [sync, saved] :
       {std::pair{Sync::during, 600s}, {Sync::at_end, 600s}, {Sync::none, 0s}}) {
    FleetRig rig;
    rig.profile().checkpoint = {600s, 20s, sync};
    const auto job = rig.job(3600s);
    rig.call(1000s, StopJob{job, 1});  // 820 s in: 600 of work, 20 of writing, 200 of work
    rig.run();
    EXPECT_EQ(rig.row(job).progress, saved);
    EXPECT_EQ(rig.usd(Use::checkpoint), "0.20");
  }
}

TEST(Fleet, ADisorderlyEndSavesOnlyWhatWasSyncedOnTheWay) {
  for (const auto& [sync, saved] :
       {std::pair{Sync::during, 600s}, {Sync::at_end, 0s}, {Sync::none, 0s}}) {
    FleetRig rig;
    rig.profile().checkpoint = {600s, 20s, sync};
    rig.fault(FaultKind::failure, 620s).failure = policy::FailureClass::out_of_memory;
    const auto job = rig.job(3600s);
    rig.run();
    EXPECT_EQ(rig.timeline(job), "starting 0, downloading 60, training 180, failed 800");
    EXPECT_EQ(rig.row(job).progress, saved) << "a checkpoint done at the fault's instant counts";
    EXPECT_EQ(rig.row(job).failure, policy::FailureClass::out_of_memory);
  }
}

TEST(Fleet, MaxRuntimeEndsExactlyThereWhateverTheAttemptDoes) {
  FleetRig training;
  training.profile().max_runtime = 1000s;  // counted from 60: billing
  auto job = training.job(3600s);
  training.run();
  EXPECT_EQ(training.timeline(job),
            "starting 0, downloading 60, training 180, stopping 1060, uploading 1090, "
            "max_runtime_exceeded 1100");
  FleetRig stalled;
  stalled.profile().max_runtime = 1000s;
  stalled.fault(FaultKind::stall, 100s);
  job = stalled.job(3600s);
  stalled.run();
  EXPECT_EQ(stalled.timeline(job), training.timeline(job));
  EXPECT_EQ(stalled.usd(Use::stalled), "7.80");
  FleetRig starting;
  starting.profile().max_runtime = 100s;
  job = starting.job(3600s);
  starting.run();
  EXPECT_EQ(starting.timeline(job), "starting 0, downloading 60, max_runtime_exceeded 160");
  EXPECT_EQ(starting.billed(), "1.00");
}

TEST(Fleet, MaxRuntimeMayCountFromTheFirstTrainingOnly) {
  FleetRig rig;
  rig.world.platform.runtime_includes_startup = false;
  rig.profile().max_runtime = 1500s;
  rig.fault(FaultKind::interruption, 1000s, 5000s);
  const auto job = rig.job(3600s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, interrupted 1180, starting 6180, "
            "downloading 6240, training 6360, stopping 6860, uploading 6890, "
            "max_runtime_exceeded 6900");
}

TEST(Fleet, WorkThatIsDoneAtTheLimitIsDone) {
  FleetRig rig;
  rig.profile().max_runtime = 3720s;
  const auto job = rig.job(3600s);
  rig.run();
  EXPECT_EQ(rig.row(job).status, Primary::completed);
}

TEST(Fleet, MaxRuntimeDoesNotRunWhileThePlatformHasTheMachines) {
  for (const auto& [limit, ends] : {std::pair{4840s, "uploading 9960, completed 9970"},
                                    {4000s,
                                     "stopping 9120, uploading 9150, "
                                     "max_runtime_exceeded 9160"}}) {
    FleetRig rig;
    rig.profile().max_runtime = limit;
    rig.fault(FaultKind::interruption, 1000s, 5000s);
    const auto job = rig.job(3600s);
    rig.run();  // runs 60..1180 and from 6240
    EXPECT_EQ(rig.timeline(job),
              std::string{"starting 0, downloading 60, training 180, interrupted 1180, "
                          "starting 6180, downloading 6240, training 6360, "} +
                  ends);
  }
}

TEST(Fleet, ALimitShortensARunAndNeverLengthensIt) {
  FleetRig rig;
  rig.profile().max_runtime = 2000s;
  const auto job = rig.job(3600s);
  rig.call(500s, LimitRuntime{job, 1, 1000s});
  rig.call(600s, LimitRuntime{job, 1, 9000s});
  rig.call(700s, LimitRuntime{job, 2, 10s});   // no such attempt
  rig.call(2000s, LimitRuntime{job, 1, 10s});  // over
  rig.run();
  EXPECT_EQ(rig.timeline(job).substr(42, 14), "stopping 1060,");
  EXPECT_EQ(rig.kinds(),
            Kinds({ReplyKind::done, ReplyKind::done, ReplyKind::rejected, ReplyKind::rejected}));
}

TEST(Fleet, ALimitThatHasPassedEndsTheAttemptNow) {
  FleetRig rig;
  const auto job = rig.job(3600s);
  rig.call(500s, LimitRuntime{job, 1, 100s});
  rig.run();
  EXPECT_EQ(rig.timeline(job).substr(42, 14), "stopping 500, ");
}

TEST(Fleet, ALimitOnAWaitingAttemptHoldsOnceItRuns) {
  FleetRig rig;
  rig.job(1000s, 4);
  const auto waiting = rig.job(3600s, 4);
  rig.call(100s, LimitRuntime{waiting, 1, 500s});
  rig.run();
  EXPECT_EQ(rig.timeline(waiting),
            "pending 0, starting 1190, downloading 1250, training 1370, stopping 1750, "
            "uploading 1780, max_runtime_exceeded 1790");
}

TEST(Fleet, ALimitSetWhileInterruptedHoldsAfterwards) {
  FleetRig rig;
  rig.fault(FaultKind::interruption, 1000s, 5000s);
  const auto job = rig.job(3600s);
  rig.call(2000s, LimitRuntime{job, 1, 1500s});  // 1120 s have run
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, interrupted 1180, starting 6180, "
            "downloading 6240, training 6360, stopping 6620, uploading 6650, "
            "max_runtime_exceeded 6660");
}

// ---- clones

TEST(Fleet, ACloneNeedsAnEndAndHappensOnce) {
  FleetRig rig;
  const auto job = rig.job(3600s);
  rig.call(500s, CloneJob{job, 2});  // still running
  rig.call(1000s, StopJob{job, 1});
  rig.call(1020s, CloneJob{job, 2});  // still stopping
  const auto clone = rig.call(1100s, CloneJob{job, 2});
  rig.retry(1101s, clone, 2);
  rig.call(9000s, CloneJob{job, 4});  // 3 never was
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::rejected, ReplyKind::done, ReplyKind::rejected,
                                ReplyKind::done, ReplyKind::done, ReplyKind::rejected}));
  EXPECT_EQ(rig.record.attempts_made, 2u);
  EXPECT_EQ(rig.timeline(job, 2),
            "starting 1100, downloading 1160, training 1280, uploading 4880, completed 4890");
  EXPECT_EQ(rig.record.attempts.at(1).origin, policy::Origin::rule);
}

TEST(Fleet, NoCloneComesBeforeTheJob) {
  FleetRig rig;
  const auto job = rig.job(100s, 1, 1000s);
  rig.call(10s, CloneJob{job, 1});
  rig.call(20s, CloneJob{job, 2});
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::rejected, ReplyKind::rejected}));
  EXPECT_EQ(rig.timeline(job).substr(0, 13), "starting 1000");
  EXPECT_EQ(rig.record.attempts_made, 1u);
}

TEST(Fleet, ACloneResumesFromTheCheckpointOrThrowsItAway) {
  for (const auto& [from, done, lost] :
       {std::tuple{policy::ResumeFrom::last_checkpoint, 4280, "2.20"},
        {policy::ResumeFrom::scratch, 4880, "8.20"}}) {
    FleetRig rig;
    rig.profile().checkpoint = {600s, 0s, Sync::during};
    const auto job = rig.job(3600s);
    rig.call(1000s, StopJob{job, 1});
    rig.call(1100s, CloneJob{job, 2, from});
    rig.run();
    EXPECT_EQ(rig.row(job).end, rig_start + std::chrono::seconds{done + 10});
    EXPECT_EQ(rig.usd(Use::lost_work), lost);
    EXPECT_EQ(rig.usd(Use::productive), "36.00") << "work is productive once";
  }
}

TEST(Fleet, AResultThatWasDeliveredIsNotLostByDoingItAgain) {
  FleetRig rig;
  rig.profile().checkpoint = {600s, 0s, Sync::during};
  const auto job = rig.job(1000s);
  rig.call(2000s, CloneJob{job, 2, policy::ResumeFrom::scratch});
  rig.call(2000s + 180s + 700s, StopJob{job, 2});  // 600 s are saved
  rig.call(4000s, CloneJob{job, 3, policy::ResumeFrom::scratch});
  rig.run();
  EXPECT_EQ(rig.usd(Use::productive), "20.00");
  EXPECT_EQ(rig.usd(Use::lost_work), "7.00");
}

TEST(Fleet, AnUploadThatWasStoppedDeliversNothing) {
  FleetRig rig;
  rig.profile().checkpoint = {600s, 0s, Sync::during};
  const auto job = rig.job(1000s, 2);
  rig.call(1185s, StopJob{job, 1});  // uploads from 1180 to 1190
  rig.call(2000s, CloneJob{job, 2, policy::ResumeFrom::scratch});
  rig.run();
  EXPECT_EQ(rig.usd(Use::productive), "20.00") << "2 x 1,000 s are productive once";
  EXPECT_EQ(rig.usd(Use::lost_work), "20.00");
}

TEST(Fleet, ACloneThatGoesOnFromAStoppedUploadKeepsTheWork) {
  FleetRig rig;
  rig.profile().checkpoint = {600s, 0s, Sync::during};
  const auto job = rig.job(1000s, 2);
  rig.call(1185s, StopJob{job, 1});
  rig.call(2000s, CloneJob{job, 2, policy::ResumeFrom::last_checkpoint});
  rig.call(5000s, CloneJob{job, 3, policy::ResumeFrom::scratch});
  rig.run();
  EXPECT_EQ(rig.usd(Use::productive), "40.00") << "delivered by 2, done again by 3";
  EXPECT_EQ(rig.usd(Use::lost_work), "0.00");
}

TEST(Fleet, ACloneMayLoseItsTags) {
  FleetRig rig;
  rig.world.directory.tag_sets.push_back({{"team", "vision"}});
  rig.profile().tags = {1};
  const auto job = rig.job(3600s);
  rig.call(1000s, StopJob{job, 1});
  rig.call(1100s, CloneJob{job, 2, policy::ResumeFrom::last_checkpoint, false});
  rig.run();
  std::vector<std::uint32_t> tags;
  for (const auto& news : rig.seen) {
    const auto* submitted = std::get_if<policy::JobSubmitted>(&news.what.fact);
    if (submitted != nullptr) tags.push_back(submitted->description.tags.index);
  }
  EXPECT_EQ(tags, std::vector<std::uint32_t>({1, 0}));
}

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

// ---- the end of the run

TEST(Fleet, TheHorizonClosesTheBooksOfWhateverIsGoingOn) {
  struct Case {
    Duration horizon;
    Use use;
    const char* usd;
    const char* billed;
  };
  for (const Case& at :
       {Case{30s, Use::startup, "0.00", "0.00"}, Case{100s, Use::startup, "0.40", "0.40"},
        Case{1000s, Use::productive, "8.20", "9.40"},
        Case{3785s, Use::checkpoint, "0.05", "37.25"}}) {
    FleetRig rig;
    const auto job = rig.job(3600s);
    rig.run(at.horizon);
    EXPECT_EQ(rig.usd(at.use), at.usd);
    EXPECT_EQ(rig.billed(), at.billed);
    EXPECT_EQ(rig.row(job).status, Primary::in_progress);
    EXPECT_EQ(rig.row(job).end, policy::never);
    ASSERT_EQ(rig.record.attempts.size(), 1u);
    EXPECT_EQ(rig.record.attempts[0].reason, EndReason::horizon);
    EXPECT_EQ(rig.record.attempts[0].end, rig_start + at.horizon);
  }
}

TEST(Fleet, TheHorizonMayFallIntoAStallADrainOrAnInterruption) {
  FleetRig stalled;
  stalled.fault(FaultKind::stall, 600s);
  stalled.job(3600s);
  stalled.run(1000s);
  EXPECT_EQ(stalled.usd(Use::stalled), "2.20");
  EXPECT_EQ(stalled.record.stalls.at(0).ended, policy::never);
  FleetRig away;
  away.fault(FaultKind::interruption, 600s, 900s);
  away.job(3600s);
  away.run(1000s);
  EXPECT_EQ(away.billed(), "7.20");
  for (const auto& [horizon, seconds] : {std::pair{1010s, "0.10"}, {1035s, "0.35"}}) {
    FleetRig draining;
    auto job = draining.job(3600s);
    draining.call(1000s, StopJob{job, 1});
    draining.run(horizon);
    EXPECT_EQ(draining.usd(Use::drain), seconds);
    EXPECT_EQ(draining.row(job).status, Primary::stopping);
    FleetRig wrongly;
    job = wrongly.job(3600s);
    wrongly.call(1000s, StopJob{job, 1, policy::StopCause::standing_still});
    wrongly.run(horizon);
    EXPECT_EQ(wrongly.usd(Use::drain), "0.00") << "a wrong stop's drain is the wrong stop's";
    EXPECT_EQ(wrongly.usd(Use::checkpoint), "0.00");
  }
}

TEST(Fleet, WhatWaitsAtTheHorizonCostNothing) {
  FleetRig rig;
  rig.job(3600s, 4);
  const auto waiting = rig.job(3600s, 4);
  rig.run(1000s);
  EXPECT_EQ(rig.row(waiting).status, Primary::in_progress);
  EXPECT_TRUE(rig.row(waiting).billed == 0);
  EXPECT_EQ(rig.row(waiting).first_start, policy::never);
}

TEST(Fleet, AWorldWithoutHorizonEndsWithTheLastThingThatHappenedToAJob) {
  FleetRig quiet;
  quiet.job(3600s);
  quiet.call(9000s, policy::Notify{{0}, 1});
  quiet.run();
  EXPECT_EQ(quiet.record.end, rig_start + 3790s);
  FleetRig stuck;  // nothing ends it
  stuck.fault(FaultKind::stall, 600s);
  stuck.job(3600s);
  stuck.run();
  EXPECT_EQ(stuck.record.end, rig_start + 780s);
  EXPECT_EQ(stuck.usd(Use::productive), "6.00");
}

TEST(Fleet, ARunThatWasCutShortEndsWhereItWas) {
  FleetRig rig;
  rig.job(3600s);
  rig.run(1000s, true);
  EXPECT_TRUE(rig.record.partial);
  EXPECT_EQ(rig.record.end, rig_start + 1000s);
  EXPECT_EQ(rig.billed(), "9.40");
}

// The kill switch is all that happens in 500 days.
TEST(Fleet, ARunIsCutOffOnlyWhereAnAttemptIsLeft) {
  const auto run_of = [](bool fails, Admission admission) {
    FleetRig rig;
    rig.admission = admission;
    rig.world.kill_switch.engaged = {{12'000h, 12'001h}};
    if (fails) rig.fault(FaultKind::failure, 100s);
    rig.job(1000s);
    rig.run();
    return rig.record;
  };
  EXPECT_FALSE(run_of(false, Admission::direct).cut_off) << "it is done";
  const Record failed = run_of(true, Admission::direct);
  EXPECT_EQ(failed.job_rows[0].status, Primary::failed);
  EXPECT_FALSE(failed.cut_off) << "no rule would have tried again";
  EXPECT_TRUE(run_of(false, Admission::held).cut_off) << "no rule has started it";
}

// Each attempt fails after 100 s of training; a further one is submitted each 100 days.  The first
// ended on day 0, so what is due on day 400 is not simulated.
TEST(Fleet, FurtherAttemptsBringNoJobCloserToItsEnd) {
  FleetRig rig;
  rig.fault(FaultKind::failure, 100s).recovers_on_restart = false;
  const auto job = rig.job(1000s);
  for (policy::AttemptNumber attempt = 2; attempt < 10; ++attempt) {
    rig.call((attempt - 1) * 2400h, CloneJob{job, attempt});
  }
  rig.run();
  EXPECT_EQ(rig.row(job).attempts, 4u);
  EXPECT_TRUE(rig.record.cut_off);
}

// Without a checkpoint nothing is kept of 300 days, but the second attempt trains when a year is
// over, and comes to its end.
TEST(Fleet, AnAttemptThatTrainsIsNotCutOff) {
  FleetRig rig;
  rig.fault(FaultKind::failure, 200 * 24h).attempt = 1;
  const auto job = rig.job(300 * 24h);
  rig.call(300 * 24h, CloneJob{job, 2});
  rig.run();
  EXPECT_EQ(rig.row(job).status, Primary::completed);
  EXPECT_FALSE(rig.record.cut_off);
}

TEST(Fleet, ARunIsCutOffWhereAJobIsStillToBeSubmitted) {
  FleetRig rig;
  rig.job(1000s);
  const auto late = rig.job(1000s, 1, 12'000h);
  rig.run();
  EXPECT_EQ(rig.row(late).attempts, 0u);
  EXPECT_TRUE(rig.record.cut_off);
}

// ---- reserved machines

TEST(Fleet, WhatIsHeldAcrossTwoWindowsIsUsedInBoth) {
  FleetRig rig;
  rig.world.platform = {};
  rig.world.pools[0].market = Market::reserved;
  rig.world.pools[0].windows = {{0s, 1000s}, {1000s, 3000s}, {5000s, 6000s}};
  rig.job(2500s, 3);
  rig.run(4000s);
  std::vector<std::int64_t> idle;  // in cents
  for (const LedgerLine& line : rig.record.ledger_lines) {
    if (line.use == Use::idle_reserved) idle.push_back(to_usd(line.amount).micros() / 10'000);
  }
  // One machine for 1000 s; then 4 for 2000 s, of which 3 work for 1500 s.
  EXPECT_EQ(idle, std::vector<std::int64_t>({1000, 3500}));
}

TEST(Fleet, ReservedMachinesArePaidForAroundTheClock) {
  FleetRig rig;
  rig.world.pools[0].market = Market::reserved;
  rig.fault(FaultKind::interruption, 1000s, 600s);
  const auto job = rig.job(3600s, 3);
  rig.run(10'000s);
  EXPECT_EQ(rig.billed(), "400.00");
  EXPECT_EQ(rig.row(job).end, rig_start + 5570s);
  // Granted 0..1180 and 1780..5570: 4970 s of 3 machines, of which 180 + 180 s started up.
  EXPECT_EQ(rig.usd(Use::startup), "10.80");
  EXPECT_EQ(rig.usd(Use::idle_reserved), "250.90");
  const AttemptRow& attempt = rig.record.attempts.at(0);
  EXPECT_EQ(attempt.billed_from, rig_start) << "they are paid for while they are prepared";
  EXPECT_EQ(attempt.billed, 4970s);
}

TEST(Fleet, AReservedAttemptStoppedBeforeItStartedWasBilledAllTheSame) {
  FleetRig rig;
  rig.world.pools[0].market = Market::reserved;
  const auto job = rig.job(3600s);
  rig.call(30s, StopJob{job, 1});
  rig.run(100s);
  EXPECT_EQ(rig.record.attempts.at(0).billed_from, rig_start);
  EXPECT_EQ(rig.record.attempts.at(0).billed, 30s);
}

TEST(Fleet, AnAttemptThatWasNeverBilledSaysSo) {
  FleetRig rig;
  const auto job = rig.job(3600s);
  rig.call(30s, StopJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.record.attempts.at(0).billed_from, policy::never);
}

// ---- any life at all

TEST(Fleet, NoRandomLifeLeavesTheTableOfTransitions) {
  std::uint64_t attempts = 0;
  std::set<std::string> met;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::uint32_t nth = 0;
    const auto pick = [&](std::uint32_t below) {
      return static_cast<std::uint32_t>(
          sim::random_bits({seed, 0, sim::Cause::scenario_fuzz, 1, ++nth}) % below);
    };
    const auto seconds = [&](std::uint32_t below) { return std::chrono::seconds{pick(below)}; };
    FleetRig rig;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    rig.world.seed = seed;
    rig.admission = pick(4) == 0 ? Admission::held : Admission::direct;
    if (pick(3) == 0) rig.world.pools[0].market = Market::reserved;
    Platform& platform = rig.world.platform;
    for (Duration* time : {&platform.provisioning, &platform.startup, &platform.stop_grace,
                           &platform.max_runtime_grace, &platform.upload, &platform.api.latency,
                           &platform.events.delay, &platform.events.jitter}) {
      *time = pick(3) == 0 ? 0s : seconds(200);
    }
    platform.events.duplicates = 0.3;
    platform.events.duplicate_within = 100s;
    platform.api.throttled = platform.api.rejected = platform.api.lost_reply = 0.1;
    rig.profile().owner = "ann";
    rig.profile().checkpoint = {seconds(400), seconds(40), static_cast<Sync>(pick(3))};
    if (pick(2) == 0) rig.profile().max_runtime = seconds(3000);
    for (std::uint32_t fault = pick(5); fault > 0; --fault) {
      rig.fault(static_cast<FaultKind>(pick(5)), seconds(1500),
                pick(3) == 0 ? Duration::max() : Duration{seconds(500)})
          .recovers_on_restart = pick(2) == 0;
    }
    rig.world.humans = {{"ann", {{0s, seconds(5000)}}, OnReturn::resubmit_unfinished, {}}};
    if (pick(2) == 0) rig.world.humans[0].reacts_within = seconds(300) + 1s;
    for (std::uint32_t job = 0; job < 5; ++job)
      rig.job(1s + seconds(3000), 1 + pick(4), seconds(2000));
    for (int call = 0; call < 60; ++call) {
      const policy::JobId job{pick(5)};
      const auto attempt = static_cast<policy::AttemptNumber>(1 + pick(3));
      switch (pick(5)) {
        case 0:
          rig.call(seconds(9000), StopJob{job, attempt, static_cast<policy::StopCause>(pick(2))});
          break;
        case 1:
          rig.call(seconds(9000), CloneJob{job, attempt, static_cast<policy::ResumeFrom>(pick(2))});
          break;
        case 2:
          rig.call(seconds(9000), LimitRuntime{job, attempt, seconds(3000)});
          break;
        default:
          rig.call(seconds(9000), StartJob{job, attempt});
      }
    }
    rig.run(10'000s);
    attempts += rig.record.attempts_made;
    for (const EventRow& event : rig.record.events) met.insert(word(event.secondary));
    if (HasFailure()) return;
  }
  EXPECT_GT(attempts, 2'000u);
  EXPECT_EQ(met.size(), 11u) << "a status was never seen: the walk is too tame";
}

}  // namespace fleet_test
}  // namespace reeve::models
