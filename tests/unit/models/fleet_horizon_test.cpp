// The end of a run, and what reserved machines cost.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"
#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_horizon_test {

using policy::CloneJob;
using policy::LimitRuntime;
using policy::Primary;
using policy::StartJob;
using policy::StopJob;

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

}  // namespace fleet_horizon_test
}  // namespace reeve::models
