// Nodes that break or hang, and the attempts and spares on them.
#include <algorithm>
#include <utility>

#include "models/fleet/fleet.hpp"

namespace reeve::models {

using policy::FailureClass;
using policy::Instant;

/// What breaks just then had done all else of the instant.
void Fleet::expect_node_turn(policy::PoolId id) {
  const Instant at = policy::later(core_.world.start, pools_[id].nodes->clock.next_at());
  if (at == policy::never) return;
  ++core_.turns_pending;
  core_.push(at, sim::Phase::telemetry, EventKind::nodes_turn, id.index, 0);
}

/// All that break together have broken before anybody is given another machine.
void Fleet::turn_nodes(policy::PoolId id) {
  using Turn = NodeClock::Change::Kind;
  Nodes& nodes = *pools_[id].nodes;
  --core_.turns_pending;
  pools_.pass_time(id);
  const std::uint32_t before = pools_.on_offer(id);
  std::vector<NodeClock::Change> changes;
  do {
    changes.push_back(nodes.clock.advance());
  } while (policy::later(core_.world.start, nodes.clock.next_at()) == core_.now);
  expect_node_turn(id);
  for (const NodeClock::Change& change : changes) {
    for (const std::uint32_t machine : change.machines) {
      if (change.kind == Turn::returns) nodes.free.insert(machine);
      if (!nodes.clock.is_up(machine)) nodes.free.erase(machine);
    }
  }
  if (pools_.on_offer(id) != before) {
    events_.tell_now({core_.now, policy::CapacityChanged{id, pools_.on_offer(id)}});
    pools_.begin_turn();
    pools_.note_offer(id);
  }
  for (const NodeClock::Change& change : changes) {
    if (change.kind != Turn::returns) hit_keepers(id, change);
  }
  serve_waiting(id);
}

/// What becomes of attempts and orphaned instances on machines that broke or hang.
void Fleet::hit_keepers(policy::PoolId id, const NodeClock::Change& change) {
  PoolRow& row = core_.record.pool_rows[id.index];
  std::vector<Slot> hit;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> spares;  // id and machine
  for (const std::uint32_t machine : change.machines) {
    const Keeper keeper = pools_[id].nodes->keepers[machine];
    ++row.node_faults;
    const bool known = std::find(hit.begin(), hit.end(), keeper.id) != hit.end();
    if (keeper.kind == Keeper::Kind::attempt && !known) hit.push_back(keeper.id);
    if (keeper.kind == Keeper::Kind::spare) spares.emplace_back(keeper.id, machine);
  }
  if (change.kind == NodeClock::Change::Kind::hangs) {
    for (const Slot slot : hit) hang(core_.running[slot], change.machines.front());
    return;
  }
  for (const auto& [spare, machine] : spares) break_spare(spare, machine);
  row.node_hits += hit.size();
  if (!hit.empty() || !spares.empty()) core_.last_work = core_.now;
  for (const Slot slot : hit) break_nodes(core_.running[slot], change.machines);
}

/// SageMaker repairs the cluster; a gang of one's own waits for the machine that is gone; else the
/// attempt fails.  One that is ending is over.
void Fleet::break_nodes(Running& run, const std::vector<std::uint32_t>& machines) {
  std::vector<std::uint32_t> broken;
  std::copy_if(machines.begin(), machines.end(), std::back_inserter(broken), [&](auto machine) {
    const std::vector<std::uint32_t>& its = run.launch->nodes;
    return std::find(its.begin(), its.end(), machine) != its.end();
  });
  if (run.stage > Stage::away) {
    run.launch->loss = core_.now;
    billing_.spend(run, use_of_ending(run), run.stage_since, core_.now);
    return finish_ending(run);
  }
  if (run.stage == Stage::provisioning && swap_nodes(run)) return speeds_.set_pace(run);
  if (core_.world.platform.model == PlatformModel::sagemaker_training) return repair_on(run);
  const bool works = run.stage == Stage::training || run.stage == Stage::stalled;
  const bool goes_on = goes_on_without(run, static_cast<std::uint32_t>(broken.size()));
  if (goes_on || (core_.unmanaged() && works && broken.size() < run.instances)) {
    Fault fault{.kind = FaultKind::node_lost, .hosts = {}, .cause = "node"};
    for (const std::uint32_t machine : broken) fault.hosts.push_back(pools_.host_of(run, machine));
    return lose_nodes(run, run.faults.add(std::move(fault)));
  }
  run.launch->loss = core_.now;
  fail(run, FailureClass::hardware);
}

/// A repair on other machines, or none until there are as many as it takes.
void Fleet::repair_on(Running& run) {
  if (run.restarts.repairs < core_.world.platform.cluster_repair.max && !swap_nodes(run)) {
    ++run.restarts.repairs;
    ++core_.record.repairs;
    begin_again(run);
    return await_machines(run);
  }
  repair(run);
}

/// Others in the place of those that are away; false if there are too few, and nothing has changed.
bool Fleet::swap_nodes(Running& run) {
  PoolTruth& pool = pools_[run.pool];
  Nodes& nodes = *pool.nodes;
  const std::vector<std::uint32_t>& held = run.launch->nodes;
  const auto away = static_cast<std::uint32_t>(
      std::count_if(held.begin(), held.end(),
                    [&](std::uint32_t machine) { return !nodes.clock.is_up(machine); }));
  pool.allocated -= away;  // for this calculation: no attempt holds broken instances
  const bool enough = pools_.free_instances(run.pool) >= away;
  pool.allocated += away;
  if (!enough) return false;
  if (away > 0) ++run.restarts.changes;
  for (std::uint32_t& machine : run.launch->nodes) {
    if (nodes.clock.is_up(machine)) continue;
    speeds_.swap_host(run, static_cast<std::size_t>(&machine - run.launch->nodes.data()));
    nodes.keepers[machine] = {};
    machine = *nodes.free.begin();
    nodes.free.erase(nodes.free.begin());
    nodes.keepers[machine] = {Keeper::Kind::attempt, core_.slot_of(run)};
  }
  return true;
}

/// No event is sent: the host hangs and the others wait for it.  An attempt that does not train yet
/// is not affected.
void Fleet::hang(Running& run, std::uint32_t machine) {
  if (run.stage != Stage::training && run.stage != Stage::stalled) return;
  ++core_.record.pool_rows[run.pool.index].node_hits;
  core_.last_work = core_.now;
  begin_trouble(run, run.faults.add({.kind = FaultKind::stall,
                                     .hosts = {pools_.host_of(run, machine)},
                                     .cause = "node"}));
}

/// A warm pool that lacks an instance ends.  Of orphaned or debugging instances the others stay.
void Fleet::break_spare(std::uint32_t id, std::uint32_t machine) {
  const Spare* const spare = spares_.find(id);
  if (spare == nullptr) return;
  if (spare->kind == Spare::Kind::warm || spare->of.instances == 1) {
    return end_spare(id, Ending::by_user);
  }
  end_spare(split_spare(id, {machine}, 1), Ending::by_user);
}

}  // namespace reeve::models
