// Alarms on the fleet's metrics: created, changed, deleted, left behind, paid for.
#include <gtest/gtest.h>

#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_metrics_test {

using policy::AlarmRule;
using policy::AlarmState;
using policy::DeleteAlarm;
using policy::PutAlarm;
using policy::StopJob;

AlarmRule idle_rule() {
  AlarmRule rule;
  rule.period = 1min;
  rule.threshold = 1;
  return rule;
}

std::vector<AlarmState> states(const FleetRig& rig) {
  std::vector<AlarmState> all;
  for (const auto& news : rig.seen) {
    const auto* change = std::get_if<policy::AlarmChanged>(&news.what.fact);
    if (change != nullptr) all.push_back(change->state);
  }
  return all;
}

TEST(FleetMetrics, AStallTurnsTheAlarmOnAndARecoveryTurnsItOff) {
  FleetRig rig;
  rig.world.platform.alarm_delivery = 7s;
  rig.fault(FaultKind::stall, 1200s, 900s);
  const auto job = rig.job(3600s);
  rig.call(200s, PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.run();
  EXPECT_EQ(states(rig), std::vector<AlarmState>({AlarmState::ok, AlarmState::alarm, AlarmState::ok,
                                                  AlarmState::insufficient_data}));
  const Instant onset = rig_start + 1380s;
  const AlarmRow& row = rig.record.alarms.at(0);
  EXPECT_GE(row.fired, onset + 3min);
  EXPECT_LE(row.fired, onset + 4min);
  EXPECT_EQ(rig.record.stalls.at(0).detected, row.fired);
  for (const auto& news : rig.seen) {
    if (std::holds_alternative<policy::AlarmChanged>(news.what.fact)) {
      EXPECT_EQ(news.delivered, news.what.happened_at + 7s);
    }
  }
}

TEST(FleetMetrics, ALossOfMetricsLastsThoughALaterShorterOneEnds) {
  FleetRig rig;
  rig.fault(FaultKind::metrics_lost, 600s, 2400s).hosts = {1};
  rig.fault(FaultKind::metrics_lost, 900s, 300s).hosts = {2};
  const auto job = rig.job(3600s, 2);
  rig.call(200s, PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.run();
  std::vector<Duration> back;
  for (const auto& news : rig.seen) {
    const auto* change = std::get_if<policy::AlarmChanged>(&news.what.fact);
    if (change != nullptr && change->state == AlarmState::ok) {
      back.push_back(news.what.happened_at - rig_start);
    }
  }
  ASSERT_EQ(back.size(), 2U);
  EXPECT_GE(back[1], 180s + 600s + 2400s);
}

TEST(FleetMetrics, ASpinHangLooksLikeWork) {
  FleetRig rig;
  rig.fault(FaultKind::spin_hang, 1200s);
  const auto job = rig.job(3600s);
  rig.call(200s, PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.run(10'000s);
  EXPECT_EQ(rig.record.alarms.at(0).fired, policy::never);
}

TEST(FleetMetrics, OnlyTheHostsOfAFaultReadDifferently) {
  FleetRig rig;
  rig.fault(FaultKind::stall, 1200s).hosts = {2};
  const auto job = rig.job(3600s, 2);
  for (std::uint16_t host = 1; host <= 3; ++host) {
    rig.call(200s, PutAlarm{{job, host, 0}, 1, idle_rule()});
  }
  rig.run(5'000s);
  EXPECT_EQ(rig.record.alarms.at(0).state, AlarmState::ok);
  EXPECT_EQ(rig.record.alarms.at(1).state, AlarmState::alarm);
  EXPECT_EQ(rig.record.alarms.at(2).state, AlarmState::insufficient_data) << "no such host";
}

TEST(FleetMetrics, LostMetricsAreMissingUntilTheyAreBack) {
  FleetRig rig;
  AlarmRule rule = idle_rule();
  rig.fault(FaultKind::metrics_lost, 1200s, 1200s);
  const auto job = rig.job(3600s);
  rig.call(200s, PutAlarm{{job, 1, 0}, 1, rule});
  rig.run(3'000s);
  EXPECT_EQ(states(rig), std::vector<AlarmState>(
                             {AlarmState::ok, AlarmState::insufficient_data, AlarmState::ok}));
}

TEST(FleetMetrics, AnAlarmSeesWhatWasThereBeforeIt) {
  FleetRig rig;
  rig.fault(FaultKind::stall, 1200s);
  const auto job = rig.job(3600s);
  rig.call(3000s, PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.run(5'000s);
  EXPECT_LE(rig.record.alarms.at(0).fired, rig_start + 3060s);
}

TEST(FleetMetrics, PuttingAnAlarmAgainChangesItAndKeepsItsState) {
  FleetRig rig;
  rig.fault(FaultKind::stall, 1200s);
  const auto job = rig.job(3600s);
  rig.call(200s, PutAlarm{{job, 1, 0}, 1, idle_rule()});
  AlarmRule never_idle = idle_rule();
  never_idle.threshold = -1;
  rig.call(3000s, PutAlarm{{job, 1, 0}, 1, never_idle});
  rig.run(5'000s);
  ASSERT_EQ(rig.record.alarms.size(), 1u);
  EXPECT_EQ(rig.record.alarms[0].rule, never_idle);
  EXPECT_EQ(states(rig),
            std::vector<AlarmState>({AlarmState::ok, AlarmState::alarm, AlarmState::ok}));
}

// What a law that changes all the time says is forgotten once no alarm looks at them.  Five
// minutes of minutes look back for 7, one of five minutes for 15; the metric is lost for 12.
TEST(FleetMetrics, AnAlarmThatLooksBackFurtherThanBeforeSeesWhatWasForgotten) {
  FleetRig rig;
  Utilization levels;
  levels.law = {{{0, 50}, {1, 60}}, 200ms};
  rig.profile().utilization = std::make_shared<const Utilization>(levels);
  rig.fault(FaultKind::metrics_lost, 3000s, 5000s);
  const auto job = rig.job(10'000s);
  AlarmRule minutes = idle_rule();
  minutes.evaluation_periods = minutes.datapoints_to_alarm = 5;
  AlarmRule five = idle_rule();
  five.period = 5min;
  five.evaluation_periods = five.datapoints_to_alarm = 1;
  rig.call(300s, PutAlarm{{job, 1, 0}, 1, minutes});
  rig.call(3180s + 12min, PutAlarm{{job, 1, 0}, 1, five});
  rig.run(5'000s);
  EXPECT_EQ(states(rig), std::vector<AlarmState>({AlarmState::ok, AlarmState::insufficient_data,
                                                  AlarmState::ok, AlarmState::insufficient_data}));
}

TEST(FleetMetrics, ADeletedAlarmIsSilentAndANewOneStartsAfresh) {
  FleetRig rig;
  rig.fault(FaultKind::stall, 1200s);
  const auto job = rig.job(3600s);
  rig.call(200s, PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.call(1000s, DeleteAlarm{{job, 1, 0}, 1});
  rig.call(1001s, DeleteAlarm{{job, 1, 0}, 1});
  rig.call(1002s, DeleteAlarm{{job, 2, 0}, 1});
  rig.call(3000s, PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.run(5'000s);
  ASSERT_EQ(rig.record.alarms.size(), 2u);
  EXPECT_EQ(rig.record.alarms[0].deleted, rig_start + 1000s);
  EXPECT_EQ(rig.record.alarms[0].fired, policy::never);
  EXPECT_EQ(rig.record.alarms[1].state, AlarmState::alarm);
  EXPECT_EQ(states(rig), std::vector<AlarmState>({AlarmState::ok, AlarmState::alarm}));
}

TEST(FleetMetrics, AnAlarmIsAnOrphanOnceItsAttemptIsOver) {
  FleetRig rig;
  const auto running = rig.job(9000s);
  const auto over = rig.job(100s);
  const auto tidy = rig.job(100s);
  const auto cloned = rig.job(9000s);
  for (const auto job : {running, over, tidy, cloned}) {
    rig.call(200s, PutAlarm{{job, 1, 0}, 1, idle_rule()});
  }
  rig.call(1000s, DeleteAlarm{{tidy, 1, 0}, 1});
  rig.call(1000s, StopJob{cloned, 1});
  rig.call(1100s, policy::CloneJob{cloned, 2});
  rig.call(1200s, PutAlarm{{cloned, 1, 0}, 2, idle_rule()});
  rig.run(2'000s);
  std::vector<bool> orphans;
  for (const AlarmRow& row : rig.record.alarms) orphans.push_back(row.orphan);
  EXPECT_EQ(orphans, std::vector<bool>({false, true, false, true, false}));
}

TEST(FleetMetrics, AlarmsArePaidForWhileTheyExist) {
  FleetRig rig;
  rig.world.platform.metrics.alarm_per_month = policy::Usd::from_micros(720'000'000);  // $1/h
  const auto job = rig.job(100s);
  rig.call(200s, PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.call(3800s, DeleteAlarm{{job, 1, 0}, 1});
  rig.call(200s, PutAlarm{{job, 2, 0}, 1, idle_rule()});
  rig.run(7'400s);
  EXPECT_EQ(to_usd(rig.record.ledger.guardrail()), policy::Usd::from_micros(3'000'000));
}

TEST(FleetMetrics, AlarmsOfFirstAttemptsAreToldApart) {
  FleetRig rig;
  rig.world.platform.metrics.alarm_per_month = policy::Usd::from_micros(720'000'000);  // $1/h
  const auto job = rig.job(20'000s);
  rig.call(200s, PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.call(1000s, StopJob{job, 1});
  rig.call(3800s, DeleteAlarm{{job, 1, 0}, 1});
  rig.call(3800s, policy::CloneJob{job, 2});
  rig.call(3900s, PutAlarm{{job, 1, 0}, 2, idle_rule()});
  rig.run(7'500s);
  EXPECT_EQ(to_usd(rig.record.ledger.guardrail()), policy::Usd::from_micros(2'000'000));
  EXPECT_EQ(to_usd(rig.record.ledger.first_attempt_guardrail()),
            policy::Usd::from_micros(1'000'000));
  EXPECT_GT(rig.record.first_attempt_deliveries, 0u);
  EXPECT_GT(rig.record.deliveries, rig.record.first_attempt_deliveries);
}

TEST(FleetMetrics, AnAlarmThatCameAfterTheLastWorkCostsNothing) {
  FleetRig rig;
  rig.world.platform.metrics.alarm_per_month = policy::Usd::from_micros(720'000'000);
  const auto job = rig.job(100s);
  rig.call(3'000s, PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.call(9'000s, DeleteAlarm{{job, 1, 0}, 1});
  rig.call(9'000s, PutAlarm{{job, 2, 0}, 1, idle_rule()});
  rig.run();
  EXPECT_EQ(rig.record.end, rig_start + 290s);
  EXPECT_TRUE(rig.record.ledger.guardrail() == 0);
}

TEST(FleetMetrics, AHostBeyond65535IsNotAnother) {
  FleetRig rig;
  rig.world.pools[0].capacity = 70'000;
  rig.fault(FaultKind::stall, 1200s).hosts = {1, 65'538};
  const auto job = rig.job(3600s, 70'000);
  for (const std::uint32_t host : {1u, 2u, 65'537u, 65'538u}) {
    rig.call(200s, PutAlarm{{job, host, 0}, 1, idle_rule()});
  }
  rig.run(5'000s);
  ASSERT_EQ(rig.record.alarms.size(), 4u);
  EXPECT_EQ(rig.record.alarms[0].state, AlarmState::alarm);
  EXPECT_EQ(rig.record.alarms[1].state, AlarmState::ok);
  EXPECT_EQ(rig.record.alarms[2].state, AlarmState::ok);
  EXPECT_EQ(rig.record.alarms[3].state, AlarmState::alarm);
}

}  // namespace fleet_metrics_test
}  // namespace reeve::models
