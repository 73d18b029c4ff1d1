// Instances that attempts get, give back and lose to the market.
#include <algorithm>
#include <utility>

#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;
using policy::Primary;
using policy::Secondary;

/// An interrupted attempt gets instances again as soon as enough are available; then, by direct
/// admission, the head of the queue.
void Fleet::serve_waiting(policy::PoolId id) {
  PoolTruth& pool = pools_[id];
  while (!pool.returning.empty()) {
    const policy::JobId first = pool.returning.front();
    if (!pools_.fits(id, first)) return;
    pool.returning.pop_front();
    Running& run = core_.running[core_.truth[first.index].running];
    if (!promises_.must_wait(first, launch_of(run))) relaunch(run);
  }
  while (!pool.waiting.empty()) {
    const policy::JobId head = pool.waiting.front();
    const bool warm = take_warm(head);
    if (!warm && !pools_.fits(id, head)) return;
    pool.waiting.pop_front();
    if (warm || !promises_.must_wait(head, first_launch(head))) grant(head, warm);
  }
  if (!pool.small.empty()) [[unlikely]]
    grow_gangs(id);
}

/// The attempt gets machines of its pool.
void Fleet::hold_machines(Running& run) {
  const Pool& pool = core_.world.pools[run.pool.index];
  promises_.drop(run.job);
  run.stage_since = core_.now;
  run.instances = core_.spec(run.job).instances;
  run.provisioning = Duration{0};
  run.startup = with_restore(run, core_.world.platform.warm_startup);
  if (!run.warm) {
    run.instances = std::min(run.instances, pools_.room_for(run.pool, run.job));
    run.startup = with_restore(run, startup_of_launch(run));
    run.provisioning = core_.world.platform.provisioning;
  }
  run.launched = policy::later(core_.now, run.provisioning);
  pools_.allocate(run.pool, run.instances);
  shares_.hold(run.job, run.pool, run.instances);
  if (PoolTruth& held = pools_[run.pool]; held.market) {
    run.held_as = held.launches++;
    held.holders.emplace(run.held_as, core_.slot_of(run));
  }
  run.launch = nullptr;
  if (!pool.windows.empty()) market_.expect_block_end(run);
  if (!keeps_launch(run)) return;
  run.launch = std::make_unique<Launch>();
  ++run.launch_stamp;
  pools_.take_zones(run);
  pools_.take_nodes(run, std::exchange(warm_nodes_, {}));
  speeds_.draw_stragglers(run, 0);
  speeds_.set_pace(run);
  pools_.note_size(run);
  market_.expect_loss(run);
  market_.expect_false_signal(run);
}

std::uint32_t Fleet::first_launch(policy::JobId job) const {
  return std::uint32_t{core_.truth[job.index].attempts} << 16;
}

void Fleet::release_machines(Running& run) {
  if (core_.profile(run.job).elastic) pools_[run.pool].small.erase(run.launch->small_as);
  if (run.launch) {
    if (run.launch->futile != policy::never) {
      core_.record.futile.push_back({run.job, run.number, core_.now, false});
    }
    pools_.give_zones_back(run.pool, run.launch->zones);
    pools_.give_nodes_back(run.pool, run.launch->nodes);
  }
  pools_[run.pool].holders.erase(run.held_as);
  pools_.allocate(run.pool, -std::int64_t{run.instances});
  shares_.hold(run.job, run.pool, -std::int64_t{run.instances});
  market_.count_held(run);
}

/// Instances that the platform took stay away for their time, whichever attempt waited for them.
void Fleet::leave_pool(Running& run, bool held_machines) {
  if (held_machines) {
    release_machines(run);
  } else if (run.fault >= 0) {
    const Duration away = run.faults[static_cast<std::size_t>(run.fault)].lasts;
    core_.push(policy::later(run.stage_since, away), sim::Phase::world, EventKind::machines_return,
               run.pool.index, run.instances);
  } else {
    std::erase(pools_[run.pool].returning, run.job);
    promises_.drop(run.job);
  }
}

void Fleet::launch_is_due(Slot slot, std::uint64_t stamp) {
  Running& run = core_.running[slot];
  if (run.launch_stamp == stamp && market_.launch_due(run)) reclaim(run);
}

/// The attempt waits for other machines of its pool; those it had are away for a while.
void Fleet::reclaim(Running& run) {
  const policy::JobId job = run.job;
  const policy::PoolId pool = run.pool;
  const std::uint32_t instances = run.instances;
  pools_.begin_turn();
  pools_.take_away(pool, instances);
  core_.push(policy::later(core_.now, core_.world.pools[pool.index].reclaim->away),
             sim::Phase::world, EventKind::machines_return, pool.index, instances);
  if (run.stage > Stage::away) {
    lose_machines(run);
  } else {
    pools_.note_loss(run, run.instances);
    if (interrupt(run, -1)) pools_[pool].returning.push_back(job);
  }
  pools_.note_offer(pool);
  serve_waiting(pool);
}

void Fleet::return_machines(policy::PoolId pool, std::uint32_t instances) {
  pools_.take_away(pool, -std::int64_t{instances});
  pools_.begin_turn();
  pools_.note_offer(pool);
  serve_waiting(pool);
}

void Fleet::turn_market(policy::PoolId id) {
  market_.turn(id);
  const PoolTruth& pool = pools_[id];
  if (pool.outages == 0)
    events_.tell_now({core_.now, policy::CapacityChanged{id, pools_.on_offer(id)}});
  pools_.begin_turn();
  // On demand only who asks is turned away: what is held stays until it is given back.
  if (pool.ahead) {
    for (const Slot slot : market_.take_foreseen(id)) {
      Running& run = core_.running[slot];
      lose_some(run, run.launch->losing == 0 ? run.instances : run.launch->losing);
    }
  }
  if (core_.world.pools[id.index].market != Market::on_demand && pool.allocated > pool.offered) {
    reclaim_spares(id);
    for (const Loser& loser :
         market_.victims(id, std::int64_t{pool.allocated} - pool.offered, Instant::min())) {
      lose_some(core_.running[loser.slot], loser.instances);
    }
  }
  pools_.note_offer(id);
  serve_waiting(id);
}

/// Spot interrupts; where a reservation ends the attempt is stopped.  One that is ending is over.
void Fleet::lose_machines(Running& run) {
  pools_.note_loss(run, run.instances);
  if (run.launch) run.launch->loss = core_.now;
  if (run.stage > Stage::away) {
    billing_.spend(run, use_of_ending(run), run.stage_since, core_.now);
    return finish_ending(run);
  }
  if (policy::is_reserved(core_.world.pools[run.pool.index].market)) {
    close_run(run, true, false, false);
    read_level(run, false);
    enter(run.job, Primary::stopping, Secondary::stopping);
    return end_attempt(run, Primary::stopped, Secondary::stopped, policy::FailureClass::none,
                       EndReason::capacity);
  }
  const policy::JobId job = run.job;
  const policy::PoolId pool = run.pool;
  if (interrupt(run, -1)) pools_[pool].returning.push_back(job);
}

}  // namespace reeve::models
