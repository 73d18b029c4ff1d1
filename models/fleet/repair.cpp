// Retries of the platform and repairs of clusters.
#include <algorithm>
#include <cmath>
#include <reeve/policy/clone_fields.hpp>

#include "models/failure_reason.hpp"
#include "models/fault_plan.hpp"
#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::FailureClass;
using policy::Instant;
using policy::Primary;
using policy::Secondary;

/// What an attempt has lost goes back to its last checkpoint; it keeps its number.
void Fleet::begin_again(Running& run) {
  close_run(run, false, false, false);
  billing_.settle(run, Ending::by_user);
  std::erase_if(run.troubles,
                [&](const Trouble& trouble) { return stands_still_by(run, trouble); });
  read_level(run, false);
}

/// RetryStrategy: after an InternalServerError the attempt goes back to Starting, on new machines.
/// The clock of MaxRuntime runs on: it bounds all retries together.
bool Fleet::retry(Running& run, FailureClass failure) {
  const std::uint16_t loses = core_.truth[run.job.index].loses;
  if (!is_internal_error(failure) || run.restarts.retries >= core_.profile(run.job).retries ||
      policy::has_lost(loses, policy::CloneLoss::retry_strategy)) {
    return false;
  }
  ++run.restarts.retries;
  ++core_.record.retries;
  run.retried = true;
  begin_again(run);
  await_machines(run);
  return true;
}

/// Other machines at once, or as soon as its pool has as many.
void Fleet::await_machines(Running& run) {
  const policy::PoolId pool = run.pool;
  jobs_.begin_requeue_wait(run.job);
  release_machines(run);
  const bool fit = pools_.fits(pool, run.job);
  if (fit && !promises_.must_wait(run.job, launch_of(run))) return relaunch(run);
  run.stage = Stage::away;
  run.stage_since = core_.now;
  run.fault = -1;
  if (!fit) pools_[pool].returning.push_back(run.job);
  enter_wait(run.job);
  schedule(run);
  serve_waiting(pool);
}

/// The index of its broken host, from 0: a random draw, because the fault does not state it.
std::size_t Fleet::broken_host(const Running& run) const {
  const auto cause = sim::Cause::broken_host;
  const double place = run.instances * core_.uniform(cause, run.job.index, launch_of(run));
  return static_cast<std::size_t>(std::ceil(place)) - 1;
}

/// A broken host is rebooted or replaced before anything is told to have failed; nothing of that is
/// billed.
void Fleet::repair(Running& run, const Fault* broken) {
  const ClusterRepair& plan = core_.world.platform.cluster_repair;
  if (run.restarts.repairs >= plan.max) return fail(run, FailureClass::hardware);
  const auto cause = sim::Cause::cluster_repair;
  const double fate =
      core_.uniform(cause, run.job.index, std::uint32_t{run.number} << 16 | run.restarts.repairs);
  ++run.restarts.repairs;
  ++core_.record.repairs;
  begin_again(run);
  if (run.launch) {
    if (broken != nullptr && fate <= plan.replace_share) speeds_.swap_host(run, broken_host(run));
    speeds_.set_pace(run);
  }
  run.stage = Stage::provisioning;
  run.stage_since = core_.now;
  run.provisioning = fate <= plan.replace_share ? plan.replace : plan.reboot;
  run.startup = with_restore(run, startup_of_launch(run));
  if (policy::is_reserved(core_.world.pools[run.pool.index].market)) run.bill.from = core_.now;
  enter(run.job, Primary::in_progress, Secondary::starting);
  run.provisioning.count() == 0 ? begin_startup(run) : schedule(run);
}

}  // namespace reeve::models
