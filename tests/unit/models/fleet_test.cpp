// The life of attempts: statuses, machines, limits, and copies.
#include "models/fleet/fleet.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace fleet_test
}  // namespace reeve::models
