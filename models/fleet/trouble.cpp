// Stalls, losses of metrics and interruptions of attempts.
#include <algorithm>
#include <limits>

#include "models/fault_plan.hpp"
#include "models/fleet/fleet.hpp"

namespace reeve::models {

using policy::Instant;
using policy::Primary;
using policy::Secondary;

namespace {
/// Saturates, so that the row of a job stays small.
void count(std::uint16_t& times) {
  if (times < std::numeric_limits<std::uint16_t>::max()) ++times;
}
}  // namespace

void Fleet::meet_fault(Running& run) {
  const std::uint32_t index = run.faults.meet();
  const Fault& fault = run.faults[index];
  switch (fault.kind) {
    case FaultKind::failure:
      return fail(run, fault.failure, fault.diagnosis);
    case FaultKind::hardware:
      return repair(run, &fault);
    case FaultKind::interruption:
      pools_.take_away(run.pool, run.instances);  // kept for the attempt
      interrupt(run, static_cast<std::int32_t>(index));
      return;
    case FaultKind::node_lost:
      return lose_nodes(run, index);
    case FaultKind::metrics_lost:
    case FaultKind::stall:
    case FaultKind::spin_hang:
      return begin_trouble(run, index);
  }
}

/// A stall, or a loss of metrics.
void Fleet::begin_trouble(Running& run, std::uint32_t index) {
  const Fault& fault = run.faults[index];
  run.troubles.push_back({index, policy::later(core_.now, fault.lasts)});
  if (fault.kind != FaultKind::metrics_lost && run.stage != Stage::stalled) {
    pause_training(run, core_.now);
    pools_.make_progress(run, false);
    stand_still(run, index);
  }
  read_level(run, true);
  schedule(run);
}

void Fleet::stand_still(Running& run, std::uint32_t fault) {
  run.stage = Stage::stalled;
  run.stage_since = core_.now;
  if (run.launch) run.launch->save_due = policy::never;
  set_watchdog(run, fault);
  if (core_.profile(run.job).elastic) pools_.note_size(run);
  run.open_stall = static_cast<std::uint32_t>(core_.record.stalls.size());
  if (prices_.may_be_free(run.pool)) run.launch->stalls.push_back(run.open_stall);
  const bool has_tags = core_.truth[run.job.index].keeps_tags;
  core_.record.stalls.push_back({run.job, run.number, core_.now, policy::never, policy::never,
                                 run.faults[fault].kind, run.faults[fault].cause, run.pool,
                                 has_tags ? core_.profile(run.job).tags : policy::TagSetId{}});
}

bool Fleet::stands_still_by(const Running& run, const Trouble& trouble) {
  return run.faults[trouble.fault].kind != FaultKind::metrics_lost;
}

bool Fleet::still_stands(const Running& run, Instant now) {
  return std::any_of(run.troubles.begin(), run.troubles.end(), [&](const Trouble& trouble) {
    return trouble.until > now && stands_still_by(run, trouble);
  });
}

/// Of each launch it draws for each fault: two numbers of 32 bits name no more than one of the
/// three, so the launch gives them a seed.
void Fleet::set_watchdog(Running& run, std::uint32_t fault) const {
  const std::optional<Watchdog>& dog = core_.profile(run.job).watchdog;
  run.watchdog = policy::never;
  if (!dog) return;
  if (dog->miss_probability > 0) {
    const std::uint64_t seed =
        sim::random_bits({core_.world.seed, core_.replication, sim::Cause::watchdog_launch,
                          run.job.index, launch_of(run)});
    const double drawn =
        sim::uniform({seed, core_.replication, sim::Cause::watchdog, run.job.index, fault});
    if (drawn <= dog->miss_probability) return;
  }
  run.watchdog = policy::later(core_.now, dog->timeout);
}

/// A stall lasts until the last of the stalls that overlap ends.
void Fleet::recover(Running& run) {
  std::erase_if(run.troubles, [&](const Trouble& trouble) { return trouble.until <= core_.now; });
  if (std::any_of(run.troubles.begin(), run.troubles.end(),
                  [&](const Trouble& trouble) { return stands_still_by(run, trouble); })) {
    read_level(run, true);
    return schedule(run);
  }
  billing_.spend(run, Use::stalled, run.stage_since, core_.now);
  note_upload(run);
  core_.record.stalls[run.open_stall].cost =
      prices_.cost_of(run.holding(), run.stage_since, core_.now);
  core_.record.stalls[run.open_stall].ended = core_.now;
  run.open_stall = no_row;
  run.stage = Stage::training;
  run.stage_since = core_.now;
  pools_.make_progress(run, true);
  if (reports_.has(run)) reports_.schedule(run);
  read_level(run, true);
  schedule(run);
  if (!core_.profile(run.job).elastic) return;
  pools_.note_size(run);
  grow_gangs(run.pool);
}

/// `fault`: the plan index of what took the machines; -1: their pool did.  Whether the attempt
/// waits for others.
bool Fleet::interrupt(Running& run, std::int32_t fault) {
  close_run(run, false, saved_in_time(run), false);
  if (run.runtime.paused == policy::never) run.runtime.paused = core_.now;  // or it stands already
  run.runtime.at = policy::never;
  count(run.restarts.interruptions);
  count(core_.truth[run.job.index].interruptions);
  count(core_.record.job_rows[run.job.index].interruptions);
  ++core_.record.interruptions;
  ++core_.record.pool_rows[run.pool.index].interruptions;
  billing_.settle(run, Ending::reclaimed);
  run.stage = Stage::away;
  run.stage_since = core_.now;
  run.fault = fault;
  std::erase_if(run.troubles,  // other machines do not stand still
                [&](const Trouble& trouble) { return stands_still_by(run, trouble); });
  read_level(run, false);
  if (ends_on_loss(run)) {
    release_machines(run);
    const bool of_market = core_.world.pools[run.pool.index].market == Market::spot;
    end_attempt(run, Primary::failed, Secondary::failed,
                of_market ? policy::FailureClass::capacity : policy::FailureClass::infrastructure,
                EndReason::capacity);
    return false;
  }
  jobs_.begin_requeue_wait(run.job);
  enter(run.job, Primary::in_progress, Secondary::interrupted);
  release_machines(run);
  schedule(run);
  return true;
}

}  // namespace reeve::models
