// What the platform and the application do about trouble, and what trouble of a whole zone does.
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
  if (fit && !must_wait(run.job, launch_of(run))) return relaunch(run);
  run.stage = Stage::away;
  run.stage_since = core_.now;
  run.fault = -1;
  if (!fit) pools_[pool].returning.push_back(run.job);
  enter(run.job, Primary::in_progress, Secondary::pending);
  schedule(run);
  serve_waiting(pool);
}

/// Which of its hosts it is, from 0: nobody says so.
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
    const double luck =
        sim::uniform({seed, core_.replication, sim::Cause::watchdog, run.job.index, fault});
    if (luck <= dog->miss_probability) return;
  }
  run.watchdog = policy::later(core_.now, dog->timeout);
}

bool Fleet::still_stands(const Running& run, Instant now) {
  return std::any_of(run.troubles.begin(), run.troubles.end(), [&](const Trouble& trouble) {
    return trouble.until > now && stands_still_by(run, trouble);
  });
}

/// What a clone that left out fields fails for, once it would train.
std::optional<FailureClass> Fleet::missing_at_start(const Running& run) const {
  const std::uint16_t loses = core_.truth[run.job.index].loses;
  if (policy::has_lost(loses, policy::CloneLoss::vpc)) return FailureClass::configuration;
  if (policy::has_lost(loses, policy::CloneLoss::input_data)) return FailureClass::data;
  return std::nullopt;
}

/// How long it uploads after its stop: now and then very long.
Duration Fleet::upload_after_stop(const Running& run) const {
  const LateUpload& late = core_.world.platform.late_upload;
  if (late.probability > 0 && run.ends_as == Secondary::stopped) {
    const auto cause = sim::Cause::late_upload;
    const std::uint32_t nth = 2 * std::uint32_t{run.number};
    if (core_.uniform(cause, run.job.index, nth) <= late.probability) {
      return draw(late.lasts, core_.uniform(cause, run.job.index, nth + 1));
    }
  }
  return core_.world.platform.upload;
}

/// What its pools have is gone until the outage is over; reserved machines are paid all the same.
void Fleet::turn_outage(const Outage& outage, bool begins) {
  for (const policy::PoolId id : outage.pools) {
    PoolTruth& pool = pools_[id];
    const std::uint32_t before = pools_.on_offer(id);
    pools_.pass_time(id);
    pool.outages += begins ? 1 : -1u;
    if (pools_.on_offer(id) != before)
      events_.tell_now({core_.now, policy::CapacityChanged{id, pools_.on_offer(id)}});
  }
  for (const policy::PoolId id : outage.pools) {
    if (!begins) {
      pools_.note_offer(id);
      serve_waiting(id);
      continue;
    }
    pools_.begin_turn();
    end_spares(id);
    for (Slot slot = 0; slot < core_.running.size(); ++slot) {
      const Running& run = core_.running[slot];
      if (run.job.index == no_slot || run.pool != id || run.stage == Stage::away) continue;
      lose_to_outage(core_.running[slot]);
    }
    pools_.note_offer(id);
  }
  for (const Outage::Part& part : outage.parts) turn_part(part, begins);
}

/// One zone of a spread fleet: who has a machine there loses all, and may go on in the others.
void Fleet::turn_part(const Outage::Part& part, bool begins) {
  const policy::PoolId id = part.pool;
  PoolTruth& pool = pools_[id];
  const std::uint32_t before = pools_.on_offer(id);
  pools_.pass_time(id);
  pool.zones_out[part.zone] += begins ? 1 : -1u;
  pool.gone = 0;
  for (std::size_t zone = 0; zone < pool.zones_out.size(); ++zone) {
    if (pool.zones_out[zone] > 0) pool.gone += core_.world.pools[id.index].zones[zone].instances;
  }
  if (pools_.on_offer(id) != before)
    events_.tell_now({core_.now, policy::CapacityChanged{id, pools_.on_offer(id)}});
  pools_.begin_turn();
  if (begins) end_spares(id);
  for (Slot slot = 0; begins && slot < core_.running.size(); ++slot) {
    const Running& run = core_.running[slot];
    if (run.job.index == no_slot || run.pool != id || run.stage == Stage::away) continue;
    if (pools_.in_lost_zone(id, run.launch->zones)) lose_to_outage(core_.running[slot]);
  }
  pools_.note_offer(id);
  serve_waiting(id);
}

/// Spot interrupts; on demand the attempt fails.  One that is ending is over.
void Fleet::lose_to_outage(Running& run) {
  if (run.stage > Stage::away || core_.world.pools[run.pool.index].market == Market::spot) {
    return lose_machines(run);
  }
  fail(run, FailureClass::infrastructure);
}

}  // namespace reeve::models
