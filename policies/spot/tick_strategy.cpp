#include "tick_strategy.hpp"

#include <algorithm>
#include <optional>

#include "job_events.hpp"

namespace reeve::policies {

using namespace policy;

namespace {

/// Where a job has its Spot machines: a type may be had in several zones.
std::optional<PoolId> spot_of(const JobDescription& description, const Directory& directory) {
  if (directory.pools[description.pool.index].market == Market::spot) return description.pool;
  return directory.pool_of(description.type, Market::spot);
}

}  // namespace

Duration up_to_ticks(Duration time, Duration tick) {
  const Duration beyond = time % tick;
  return beyond == Duration{0} ? time : time + (tick - beyond);
}

OptionSpec tick_option() {
  return {.name = "tick",
          .type = OptionType::duration,
          .unit = "",
          .default_json = "",
          .min = 1,
          .choices = {},
          .help = "decision interval; must equal platform.tick"};
}

OptionSpec restart_overhead_option() {
  return {.name = "restart_overhead",
          .type = OptionType::duration,
          .unit = "",
          .default_json = "",
          .min = 0,
          .choices = {},
          .help = "duration of a restart; must equal platform.restart_overhead"};
}

void TickStrategy::decide(const Step& step, Decisions& out) {
  for (const Observation& seen : step.observed) {
    if (const auto* report = std::get_if<ProgressReported>(&seen.fact)) {
      if (jobs_[report->job].decided_at != step.now) look_at(report->job, step, out);
      continue;
    }
    const ActionSettled* mine = own_settlement(seen, step.seat, VerbKind::move_job);
    if (mine == nullptr || mine->refusal != Refusal::platform) continue;
    // Others have what is on offer: for this job Spot is down, whatever was told.
    Row& row = jobs_[mine->job];
    if (row.decided_at != step.now || row.full_at == step.now) continue;
    row.full_at = step.now;
    look_at(mine->job, step, out);
  }
}

void TickStrategy::look_at(JobId job, const Step& step, Decisions& out) {
  const bool known = job.index < step.fleet.job_count() && step.fleet.is_described(job);
  if (!known) return;  // its submission is still on its way
  const JobStatus& status = step.fleet.status(job);
  const JobProgress progress = step.fleet.progress(job);
  if (progress.attempt != status.attempt) return;
  if (is_terminal(status.primary)) return;
  const JobDescription& description = step.fleet.description(job);
  const Directory& directory = step.fleet.directory();
  const std::optional<PoolId> spot = spot_of(description, directory);
  const std::optional<PoolId> on_demand = directory.pool_of(description.type, Market::on_demand);
  Row& row = jobs_[job];
  row.decided_at = step.now;
  Moment moment;
  moment.work = description.expected_work;
  moment.left = std::max(Duration{0}, description.expected_work - progress.done);
  moment.elapsed = step.now - description.submitted_at;
  moment.deadline = description.deadline;
  moment.overhead_left = progress.overhead_left;
  moment.spot_up =
      spot && row.full_at != step.now && step.fleet.capacity(*spot) >= description.instances;
  if (progress.holds_machines) {
    moment.held = spot && progress.pool == *spot ? Hold::spot : Hold::on_demand;
  }
  const Choice choice = choose(moment);
  if (choice.hold == moment.held) return;
  if (choice.hold == Hold::nothing) {
    return out.propose(MoveJob{job, status.attempt, false, description.pool}, choice.reason);
  }
  const std::optional<PoolId> there = choice.hold == Hold::spot ? spot : on_demand;
  if (there) out.propose(MoveJob{job, status.attempt, true, *there}, choice.reason);
}

}  // namespace reeve::policies
