// Watchdogs, outages, alarms and faults that come again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_outages_test {

using host::ReplyKind;
using policy::FailureClass;
using policy::Primary;
using policy::Secondary;
using policy::StopJob;

// ---- watchdog ---------------------------------------------------------------------------------

TEST(FleetManaged, TheApplicationsWatchdogEndsWhatStandsStillForSoLong) {
  for (const FaultKind kind : {FaultKind::stall, FaultKind::spin_hang}) {
    FleetRig rig;
    rig.profile().watchdog = Watchdog{1800s, 0, FailureClass::unknown};
    rig.fault(kind, 600s);
    const auto job = rig.job(3600s);
    rig.run();
    EXPECT_EQ(rig.row(job).status, Primary::failed);
    EXPECT_EQ(rig.row(job).end, rig_start + 180s + 600s + 1800s);
    EXPECT_EQ(rig.usd(Use::stalled), "18.00");
  }
}

TEST(FleetManaged, TheWatchdogLeavesAloneWhatRecoversInTime) {
  FleetRig rig;
  rig.profile().watchdog = Watchdog{1800s, 0, FailureClass::unknown};
  rig.fault(FaultKind::stall, 600s, 1800s);
  rig.fault(FaultKind::metrics_lost, 700s);
  const auto job = rig.job(3600s);
  rig.run();
  EXPECT_EQ(rig.row(job).status, Primary::completed) << "it is back when the time is over";
}

TEST(FleetManaged, AWatchdogMissesAsManyStandstillsAsItIsSaidTo) {
  FleetRig rig;
  rig.world.pools[0].capacity = 400;
  rig.profile().watchdog = Watchdog{1800s, 0.25, FailureClass::unknown};
  rig.profile().max_runtime = 3000s;
  rig.fault(FaultKind::stall, 600s);
  for (int nth = 0; nth < 400; ++nth) rig.job(9000s);
  rig.run();
  int missed = 0;
  for (const JobRow& row : rig.record.job_rows) missed += row.status == Primary::stopped ? 1 : 0;
  EXPECT_NEAR(missed, 100, 30);
}

// ---- a zone is gone ---------------------------------------------------------------------------

TEST(FleetManaged, AnOutageFailsWhatRunsAndNobodyStartsUntilItIsOver) {
  FleetRig rig;
  rig.world.outages = {{500s, 2000s, {{0}}, {}}};
  const auto job = rig.job(1000s);
  const auto later = rig.job(1000s, 1, 600s);
  rig.run();
  EXPECT_EQ(rig.timeline(job), "starting 0, downloading 60, training 180, failed 500");
  EXPECT_EQ(rig.row(job).failure, FailureClass::infrastructure);
  EXPECT_EQ(rig.timeline(later).substr(0, 27), "pending 600, starting 2000,");
  std::vector<std::uint32_t> offers;
  for (const auto& news : rig.seen) {
    const auto* change = std::get_if<policy::CapacityChanged>(&news.what.fact);
    if (change != nullptr) offers.push_back(change->instances);
  }
  EXPECT_EQ(offers, std::vector<std::uint32_t>({4, 0, 4}));
}

TEST(FleetManaged, AnOutageInterruptsSpotAndWhatIsRetriedWaits) {
  FleetRig rig;
  rig.world.pools[0].market = Market::spot;
  rig.world.outages = {{500s, 2000s, {{0}}, {}}};
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job).substr(28, 46), "training 180, interrupted 500, starting 2000, ");

  FleetRig retried;
  retried.profile().retries = 1;
  retried.world.outages = {{500s, 2000s, {{0}}, {}}};
  const auto other = retried.job(1000s);
  retried.run();
  EXPECT_EQ(retried.timeline(other),
            "starting 0, downloading 60, training 180, pending 500, starting 2000, downloading "
            "2060, training 2180, uploading 3180, completed 3190");
}

TEST(FleetManaged, ReservedMachinesArePaidForDuringAnOutage) {
  FleetRig rig;
  rig.world.pools[0].market = Market::reserved;
  rig.world.outages = {{500s, 2000s, {{0}}, {}}};
  rig.job(1000s, 4);
  rig.run(3600s);
  EXPECT_EQ(rig.billed(), "144.00");
  EXPECT_EQ(rig.usd(Use::idle_reserved), "124.00");
}

// ---- the link from alarms ---------------------------------------------------------------------

policy::AlarmRule idle_rule() {
  policy::AlarmRule rule;
  rule.period = 1min;
  rule.threshold = 1;
  return rule;
}

std::size_t told(const FleetRig& rig, policy::AlarmState state) {
  return static_cast<std::size_t>(
      std::count_if(rig.seen.begin(), rig.seen.end(), [&](const FleetRig::Seen& news) {
        const auto* change = std::get_if<policy::AlarmChanged>(&news.what.fact);
        return change != nullptr && change->state == state;
      }));
}

TEST(FleetManaged, AnAlarmWhoseLinkIsDownFiresAndIsNotHeard) {
  FleetRig rig;
  rig.world.platform.alarm_link.down = {{1000s, 100'000s}};
  rig.profile().max_runtime = 20'000s;
  rig.fault(FaultKind::stall, 1200s);
  const auto job = rig.job(30'000s);
  rig.call(200s, policy::PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.run();
  EXPECT_EQ(told(rig, policy::AlarmState::alarm), 0u);
  const AlarmRow& row = rig.record.alarms.at(0);
  EXPECT_NE(row.fired, policy::never);
  EXPECT_EQ(row.unheard, row.fired);
}

TEST(FleetManaged, AnAlarmThatSomebodyActedOnWasHeard) {
  FleetRig rig;
  rig.profile().max_runtime = 20'000s;
  rig.fault(FaultKind::stall, 1200s);
  const auto job = rig.job(30'000s);
  rig.call(200s, policy::PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.call(9000s, policy::Notify{job, 1});
  rig.run();
  EXPECT_EQ(told(rig, policy::AlarmState::alarm), 1u);
  EXPECT_EQ(rig.record.alarms.at(0).unheard, policy::never);
}

TEST(FleetManaged, AnAlarmIsHeardByARuleWhoseCallFails) {
  FleetRig rig;
  rig.profile().max_runtime = 20'000s;
  rig.fault(FaultKind::stall, 1200s);
  const auto job = rig.job(30'000s);
  rig.world.platform.api.scripted = {
      {ScriptedApiFault::Kind::throttled, policy::VerbKind::stop_job, {}, 1}};
  rig.call(200s, policy::PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.call(4000s, policy::StopJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.kinds().back(), host::ReplyKind::throttled);
  EXPECT_NE(rig.record.alarms.at(0).fired, policy::never);
  EXPECT_EQ(rig.record.alarms.at(0).unheard, policy::never);
}

TEST(FleetManaged, AnAlarmThatIsOverWithinAnHourNeedsNobody) {
  for (const bool longer : {false, true}) {
    FleetRig rig;
    rig.fault(FaultKind::stall, 1200s, longer ? 4500s : 3000s);
    const auto job = rig.job(9'000s);
    rig.call(200s, policy::PutAlarm{{job, 1, 0}, 1, idle_rule()});
    rig.run();
    EXPECT_EQ(rig.record.alarms.at(0).unheard != policy::never, longer);
  }
}

TEST(FleetManaged, ALinkMayLoseSomeOfTheNews) {
  FleetRig rig;
  rig.world.pools[0].capacity = 200;
  rig.world.platform.alarm_link.lost = 0.3;
  rig.fault(FaultKind::stall, 1200s, 1200s);
  for (int nth = 0; nth < 200; ++nth) {
    const auto job = rig.job(3600s);
    rig.call(200s, policy::PutAlarm{{job, 1, 0}, 1, idle_rule()});
  }
  rig.run();
  EXPECT_NEAR(static_cast<double>(told(rig, policy::AlarmState::alarm)), 140, 25);
}

/// An InternalServerError after 100 s of training, and three retries.
FleetRig broken_service(bool recovers) {
  FleetRig rig;
  Fault& fault = rig.fault(FaultKind::failure, 100s);
  fault.failure = policy::FailureClass::infrastructure;
  fault.recovers_on_restart = recovers;
  rig.profile().retries = 2;
  return rig;
}

TEST(FleetManaged, ARetryMeetsAgainWhatNoRestartMends) {
  FleetRig rig = broken_service(false);
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, starting 280, downloading 340, "
            "training 460, starting 560, downloading 620, training 740, failed 840");
}

TEST(FleetManaged, ARetryDoesNotMeetWhatARestartMends) {
  FleetRig rig = broken_service(true);
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, starting 280, downloading 340, "
            "training 460, uploading 1460, completed 1470");
}

TEST(FleetManaged, WhatComesAtATimeOfTheAttemptComesThenWhateverIsRetried) {
  FleetRig rig = broken_service(false);
  rig.profile().retries = 1;
  rig.fault(FaultKind::stall, 330s, 50s);  // at 510 s: nothing runs then
  rig.fault(FaultKind::stall, 500s, 50s);  // at 680 s, in the second run
  rig.profile().faults.front().at = 200s;
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, starting 380, downloading 440, "
            "training 560, failed 760");
  EXPECT_EQ(rig.usd(Use::stalled), "0.50");
}

TEST(FleetManaged, ADrawnFaultThatRepeatsIsMetAgainByARetry) {
  for (const bool repeats : {true, false}) {
    FleetRig rig;
    rig.profile().retries = 2;
    DrawnFault drawn{FaultKind::failure, 1, {Shape::fixed, 100s}, {}, {}, repeats};
    drawn.classes = {{policy::FailureClass::infrastructure, 1}};
    rig.profile().drawn_faults.push_back(drawn);
    const auto job = rig.job(1000s);
    rig.run();
    const auto ends = repeats ? policy::Primary::failed : policy::Primary::completed;
    EXPECT_EQ(rig.row(job).status, ends);
  }
}

/// How long launches of a gang looked for their master; the first was retried.
std::vector<Duration> rendezvous_of_launches() {
  FleetRig rig = broken_service(false);
  Platform& platform = rig.world.platform;
  platform.model = PlatformModel::ec2;
  platform.unmanaged.rendezvous =
      Rendezvous{.poll = 1s, .tags_after = DurationLaw{Shape::uniform, 0s, 0, 10'000s}};
  rig.job(1000s, 2);
  rig.run();
  std::vector<Duration> looked;
  Instant since = policy::never;
  for (const EventRow& event : rig.record.events) {
    if (event.secondary == policy::Secondary::downloading) since = event.at;
    if (event.secondary == policy::Secondary::training) looked.push_back(event.at - since);
  }
  return looked;
}

TEST(FleetManaged, EachLaunchOfAnAttemptLooksForItsMasterAnew) {
  const std::vector<Duration> looked = rendezvous_of_launches();
  ASSERT_EQ(looked.size(), 3u);
  EXPECT_NE(looked[0], looked[1]);
  EXPECT_NE(looked[1], looked[2]);
}

TEST(FleetManaged, AStallThatComesAgainIsSeenOrMissedByLuckOfItsOwn) {
  FleetRig rig;
  rig.world.pools[0].capacity = 200;
  rig.world.pools[0].market = Market::spot;
  rig.world.pools[0].reclaim = Reclaim{1000s, 10s};
  rig.fault(FaultKind::stall, 100s, 50s).recovers_on_restart = false;
  rig.profile().watchdog = Watchdog{10s, 0.5};
  for (int nth = 0; nth < 200; ++nth) rig.job(100h);
  rig.run(4'000s);  // of four launches each, with three stalls whose end comes before
  int alive = 0;
  for (const JobRow& row : rig.record.job_rows) alive += row.status != policy::Primary::failed;
  EXPECT_NEAR(alive, 200 / 16, 10) << "half of them fail in each launch";
}

}  // namespace fleet_outages_test
}  // namespace reeve::models
