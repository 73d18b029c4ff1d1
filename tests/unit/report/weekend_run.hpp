// The stalled weekend under the alarm, as the simulator would leave it: by hand, for the tests.
#pragma once

#include <string>
#include <vector>

#include "report/run_rows.hpp"

namespace reeve::report {

/// World, record and decisions of one run; `rows()` borrows from it.
struct WeekendRun {
  RunInfo info;
  models::World world;
  models::Record record;
  std::vector<DecisionRow> decisions;

  RunRows rows() const { return {info, world, record, decisions}; }

  void bill(models::Use use, policy::Duration from, policy::Duration until,
            std::uint32_t instances = 8) {
    const models::Charge time = models::Charge{instances} * (until - from).count();
    const models::Charge amount = time * world.pools[0].price.nanos;
    record.ledger.bill(amount);
    record.ledger.attribute(use, amount, true);
    record.ledger_lines.push_back({.job = {0},
                                   .attempt = 1,
                                   .pool = {0},
                                   .use = use,
                                   .from = world.start + from,
                                   .until = world.start + until,
                                   .amount = amount,
                                   .instances = instances,
                                   .held = until - from});
    record.job_rows[0].billed += amount;
    if (models::is_waste(use)) record.job_rows[0].wasted += amount;
  }
};

inline void add_world(WeekendRun& run) {
  using namespace std::chrono_literals;
  run.info = {"stalled-weekend", "gpu-alarm", 0, 1, "4be1c90a", "0.1.0", "inline", {"stalled_gpu"}};
  models::World& world = run.world;
  world.start = std::chrono::sys_days{std::chrono::year{2026} / 5 / 22} + 22h;
  world.directory.types = {{"ml.demo.8gpu", 8, {30'000'000'000}}};
  world.directory.pools = {{.name = "weekend"}};
  world.pools = {{"weekend", {0}, policy::Market::on_demand, 8, {30'000'000'000}}};
  world.platform.model = models::PlatformModel::sagemaker_training;
  models::JobProfile profile;
  profile.tags = world.directory.intern({{"project", "search"}, {"note", "say \"hi\", now"}});
  profile.owner = "johndoe";
  world.profiles = {profile};
}

inline void add_job(WeekendRun& run) {
  using namespace std::chrono_literals;
  const models::World& world = run.world;
  models::Record& record = run.record;
  record.start = world.start;
  record.end = world.start + 168h;
  record.jobs.names = {"big-train"};
  models::JobSpec spec;
  spec.submit = world.start;
  spec.work = 72h;
  spec.instances = 8;
  record.jobs.specs = {spec};
  models::JobRow job;
  job.first_start = world.start;
  job.end = world.start + 4682s;
  job.progress = 1h;
  job.attempts = 1;
  job.status = policy::Primary::stopped;
  job.ended_as = policy::Secondary::stopped;
  record.job_rows = {job};
  run.bill(models::Use::productive, 0s, 1h);
  run.bill(models::Use::stalled, 1h, 4562s);
  run.bill(models::Use::drain, 4562s, 4682s);
}

inline void add_history(WeekendRun& run) {
  using namespace std::chrono_literals;
  const models::World& world = run.world;
  models::Record& record = run.record;
  record.attempts = {{.job = {0},
                      .requested = world.start,
                      .billed_from = world.start,
                      .end = world.start + 4682s,
                      .reason = models::EndReason::stopped,
                      .billed = 4682s,
                      .billable = 4682s}};
  record.utilization = {{world.start, {0}, 0, 0, 8, 8},
                        {world.start, {0}, 8, 8, 0, 8},
                        {world.start + 1h, {0}, 8, 0, 0, 8},
                        {world.start + 4682s, {0}, 0, 0, 0, 8}};
  record.events = {
      {world.start, world.start, {0}, 1, policy::Primary::in_progress, policy::Secondary::training},
      {world.start,
       world.start + 500ms,
       {0},
       1,
       policy::Primary::in_progress,
       policy::Secondary::training,
       policy::FailureClass::none,
       true},
      {world.start + 4682s,
       policy::never,
       {0},
       1,
       policy::Primary::stopped,
       policy::Secondary::stopped}};
  models::AlarmRow alarm;
  alarm.id.job = {0};
  alarm.created = world.start;
  alarm.deleted = world.start + 4683s;
  alarm.fired = world.start + 4560s;
  alarm.state = policy::AlarmState::alarm;
  record.alarms = {alarm};
  record.stalls = {{.job = {0},
                    .onset = world.start + 1h,
                    .detected = world.start + 4560s,
                    .ended = world.start + 4682s,
                    .kind = models::FaultKind::stall,
                    .cause = {}}};
  record.peak_instances = 8;
  record.peak_allocated = record.peak_used = {8, 8};
  record.pool_rows = {{.there_time = models::Charge{8} * policy::Duration{4682s}.count()}};
  record.allocated_time = {models::Charge{8} * policy::Duration{4682s}.count()};
  record.used_time = {models::Charge{8} * policy::Duration{1h}.count()};
}

inline void add_decisions(WeekendRun& run) {
  using namespace std::chrono_literals;
  const models::World& world = run.world;
  DecisionRow stop;
  stop.id = 7;
  stop.at = world.start + 4560s;
  stop.settled_at = world.start + 4562s;
  stop.rule = "stalled_gpu";
  stop.mode = "enforce";
  stop.verdict = "accepted";
  stop.action = "stop_job";
  stop.reason = "GPUs idle";
  stop.outcome = "done";
  stop.tries = 1;
  stop.threshold = 1;
  DecisionRow refused = stop;
  refused.id = 8;
  refused.verdict = "refused";
  refused.why = "moot";
  refused.settled_at = policy::never;
  refused.outcome.clear();
  refused.tries = 0;
  refused.threshold.reset();
  run.decisions = {stop, refused};
}

inline WeekendRun weekend_run() {
  WeekendRun run;
  add_world(run);
  add_job(run);
  add_history(run);
  add_decisions(run);
  return run;
}

}  // namespace reeve::report
