// Alarms and what they look at, without a fleet: metrics of one attempt that is put in place.
#include "models/fleet/alarm_states.hpp"

#include "fleet_rig.hpp"

namespace reeve::models {
namespace alarm_states_test {

struct AlarmRig : FleetRig {
  AlarmRig() {
    profile().util_running = 90;
    profile().util_stalled = 1;
    world.platform.metrics.gpu_sum = false;
    core.running.push_back({});
    core.truth[0].running = 0;
    core.truth[0].attempts = 1;
  }
  Running& attempt() { return core.running[0]; }
  void put(const policy::AlarmRule& rule) { alarms.put({{id, 1, 0}, 1, rule}); }
  void measure(Stage stage, bool running = true) {
    attempt().stage = stage;
    metrics.begin_level(attempt(), running);
    alarms.follow(attempt());
  }
  void run_until(Instant until) {
    while (!core.queue.empty() && core.queue.top().at_ns <= until.time_since_epoch().count()) {
      const sim::Event event = core.queue.pop();
      core.now = Instant{Duration{event.at_ns}};
      alarms.evaluate(event.subject, event.stamp);
    }
    core.now = until;
  }
  std::vector<policy::AlarmState> told() {
    host::Intake intake;
    events.hand_over(intake);
    std::vector<policy::AlarmState> states;
    for (const policy::Observation& seen : intake.observations) {
      states.push_back(std::get<policy::AlarmChanged>(seen.fact).state);
    }
    return states;
  }

  policy::JobId id = job(1h);
  FleetCore core{world, 0, Admission::direct, {}};
  EventDelivery events{core, [](const policy::JobChanged&) { return ""; }};
  Prices prices{world};
  GangSpeeds speeds{core};
  HostMetrics metrics{core, prices, speeds};
  AlarmStates alarms{core, events, metrics};
};

constexpr policy::AlarmRule below_half{
    .period = 1min, .evaluation_periods = 2, .datapoints_to_alarm = 2, .threshold = 50};

TEST(AlarmStates, AnAlarmFiresOnceItsDatapointsAreBelowTheThreshold) {
  AlarmRig rig;
  rig.measure(Stage::training);
  rig.put(below_half);
  rig.run_until(rig_start + 5min);
  EXPECT_EQ(rig.told(), std::vector{policy::AlarmState::ok});
  Fault stall;
  stall.kind = FaultKind::stall;
  rig.attempt().troubles.push_back({rig.attempt().faults.add(stall), policy::never});
  rig.measure(Stage::stalled);
  rig.run_until(rig_start + 10min);
  EXPECT_EQ(rig.told(), std::vector{policy::AlarmState::alarm});
  EXPECT_EQ(rig.core.record.alarms[0].fired, rig_start + 7min);
}

TEST(AlarmStates, ADeletedAlarmIsEvaluatedNoMore) {
  AlarmRig rig;
  rig.measure(Stage::training);
  rig.put(below_half);
  rig.alarms.erase({{rig.id, 1, 0}, 1});
  rig.run_until(rig_start + 1h);
  EXPECT_TRUE(rig.told().empty());
  EXPECT_EQ(rig.core.record.alarms[0].deleted, rig_start);
}

TEST(AlarmStates, AnAccountHasALimitOfAlarms) {
  AlarmRig rig;
  rig.world.platform.metrics.alarm_limit = 1;
  const policy::PutAlarm second{{rig.id, 2, 0}, 1, below_half};
  EXPECT_FALSE(rig.alarms.over_limit(second));
  rig.put(below_half);
  EXPECT_TRUE(rig.alarms.over_limit(second));
  EXPECT_FALSE(rig.alarms.over_limit({{rig.id, 1, 0}, 1, below_half})) << "an update";
}

TEST(HostMetrics, AStragglerKeepsTheOthersWaiting) {
  AlarmRig rig;
  rig.attempt().instances = rig.core.record.jobs.specs[0].instances = 2;
  rig.attempt().launch = std::make_unique<Launch>();
  rig.attempt().launch->straggles = {true, false};
  auto throughput = std::make_shared<Throughput>();
  throughput->stragglers = Stragglers{0, {}, full_speed / 2};
  rig.profile().throughput = throughput;
  rig.speeds.set_pace(rig.attempt());
  EXPECT_EQ(rig.attempt().speed_ppm, full_speed / 2);
  EXPECT_TRUE(rig.speeds.is_slow(rig.attempt().launch->pace, 1));
  EXPECT_FALSE(rig.speeds.is_slow(rig.attempt().launch->pace, 2));
  rig.measure(Stage::training);
  for (const std::uint32_t host : {1u, 2u}) {
    MetricSeries series;
    const Level& level = rig.attempt().levels.back();
    rig.metrics.tell_series(rig.attempt(), level, host, {rig_start, policy::never}, 1, series);
    EXPECT_EQ(series.segment_value(0), host == 1 ? 90.0 : 45.0) << host;
  }
}

}  // namespace alarm_states_test
}  // namespace reeve::models
