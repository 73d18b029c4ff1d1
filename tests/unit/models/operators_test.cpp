// Operators, arrivals and training reports alone.
#include "models/fleet/operators.hpp"

#include "fleet_rig.hpp"
#include "models/fleet/arrival_order.hpp"
#include "models/fleet/training_reports.hpp"

namespace reeve::models {
namespace operators_test {

TEST(Operators, AMessageIsReadAfterTheAbsence) {
  FleetRig rig;
  rig.profile().owner = "ana";
  const policy::JobId job = rig.job(1h);
  Human ana;
  ana.owner = "ana";
  ana.away = {{1h, 3h}};
  ana.reads_within = 10min;
  rig.world.humans = {ana};
  FleetCore core{rig.world, 0, Admission::direct, {}};
  Operators operators{core};
  const Human* human = operators.of(job);
  ASSERT_NE(human, nullptr);
  EXPECT_EQ(operators.jobs_of(*human), std::vector{job});
  EXPECT_FALSE(operators.is_away(*human));
  EXPECT_TRUE(operators.is_away(*human, rig_start + 2h));
  EXPECT_EQ(operators.reads_at(*human, rig_start), rig_start + 10min);
  EXPECT_EQ(operators.reads_at(*human, rig_start + 55min), rig_start + 3h + 10min);
}

TEST(Operators, AnOperatorWhoReturnsResubmitsUnlessTheJobIsDone) {
  FleetRig rig;
  rig.profile().owner = "ana";
  const policy::JobId job = rig.job(1h);
  Human ana;
  ana.owner = "ana";
  ana.away = {{1h, 3h}};
  ana.on_return = OnReturn::resubmit_unfinished;
  rig.world.humans = {ana};
  FleetCore core{rig.world, 0, Admission::direct, {}};
  core.record.job_rows[job.index].end = rig_start + 2h;
  const Operators operators{core};
  EXPECT_TRUE(operators.will_resubmit(rig_start + 2h));
  EXPECT_FALSE(operators.will_resubmit(rig_start + 4h));
  core.record.job_rows[job.index].status = policy::Primary::completed;
  EXPECT_FALSE(operators.will_resubmit(rig_start + 2h));
}

TEST(ArrivalOrder, GoesByTimeOfSubmissionThenById) {
  FleetRig rig;
  rig.job(1h, 1, 20s);
  rig.job(1h, 1, 10s);
  rig.job(1h, 1, 20s);
  ArrivalOrder order{rig.world.jobs.specs};
  EXPECT_EQ(order.next_at(), rig_start + 10s);
  std::string taken;
  while (!order.empty()) taken += std::to_string(order.take().index);
  EXPECT_EQ(taken, "102");
  EXPECT_EQ(order.next_at(), policy::never);
}

TEST(TrainingReports, AReportStatesTheWorkThatIsDone) {
  FleetRig rig;
  const policy::JobId job = rig.job(1h);
  auto reports = std::make_shared<Reports>();
  reports->every = 5min;
  reports->steps = true;
  rig.profile().reports = reports;
  FleetCore core{rig.world, 0, Admission::direct, {}};
  EventDelivery events{core, [](const policy::JobChanged&) { return ""; }};
  TrainingReports training{core, events, true};
  core.running.push_back({});
  Running& run = core.running[0];
  run.job = job;
  run.stage = Stage::training;
  run.stage_since = core.now;
  run.launch = std::make_unique<Launch>();
  ASSERT_TRUE(training.has(run));
  training.schedule(run);
  const sim::Event event = core.queue.pop();
  core.now = Instant{Duration{event.at_ns}};
  EXPECT_EQ(core.now, rig_start + 5min);
  training.report(event.subject, event.stamp);
  training.report(event.subject, event.stamp);  // stale
  host::Intake intake;
  events.hand_over(intake);
  ASSERT_EQ(intake.observations.size(), 1u);
  const auto& seen = std::get<policy::TrainingReported>(intake.observations[0].fact);
  EXPECT_EQ(seen.job, job);
  EXPECT_EQ(seen.done, 5min);
}

}  // namespace operators_test
}  // namespace reeve::models
