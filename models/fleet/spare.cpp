// When instances outlive their attempt, and when they are given back or taken.
#include <algorithm>

#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;

/// A script that has ended shuts its instances down, unless they are kept for debugging; this may
/// fail.  A stop from outside returns the instances of the attempt.
std::optional<Spare::Kind> Fleet::outlives(const Running& run, policy::Primary primary,
                                           EndReason reason, policy::FailureClass failure) const {
  const bool runs = run.stage != Stage::away && run.bill.from != policy::never;
  if (pools_[run.pool].outages > 0) return std::nullopt;  // they are gone
  if (run.launch && pools_.in_lost_zone(run.pool, run.launch->zones)) return std::nullopt;
  if (runs && stays_warm(run, reason, failure)) return Spare::Kind::warm;
  if (!core_.unmanaged() || !runs || run.launch->loss <= core_.now) return std::nullopt;
  const Unmanaged& own = core_.world.platform.unmanaged;
  if (primary == policy::Primary::failed && own.debug_hold > Duration{0}) return Spare::Kind::held;
  const bool by_script = reason == EndReason::completed || reason == EndReason::failed ||
                         reason == EndReason::max_runtime;
  const auto cause = sim::Cause::self_destruct;
  if (by_script && core_.uniform(cause, run.job.index, run.number) <= own.self_destruct_fails) {
    return Spare::Kind::orphan;
  }
  return std::nullopt;
}

/// SageMaker keeps the cluster of a job that was completed or stopped, or that failed by its own
/// doing; not that of another failure, nor machines of Spot.  What a queue takes away it takes for
/// others, who could not have it.
bool Fleet::stays_warm(const Running& run, EndReason reason, policy::FailureClass failure) const {
  using policy::FailureClass;
  if (core_.profile(run.job).keep_alive == Duration{0}) return false;
  if (reason == EndReason::capacity || reason == EndReason::preempted) return false;
  if (core_.world.pools[run.pool.index].market == Market::spot) return false;
  if (run.launch && run.launch->loss <= core_.now) return false;  // a machine broke while it ended
  return failure == FailureClass::none || failure == FailureClass::code ||
         failure == FailureClass::configuration || failure == FailureClass::data ||
         failure == FailureClass::out_of_memory;
}

/// The attempt is over and its machines stay.  `launched`: when billing of them began.
void Fleet::keep_spare(Running& run, Spare::Kind kind, Instant launched, Instant until) {
  const std::uint32_t id = spares_.next_id();
  Spare spare{kind, run.holding(), launched, core_.now, until, policy::never, {}, {}};
  const double untagged = core_.world.platform.unmanaged.untagged_instances;
  if (kind == Spare::Kind::orphan && untagged > 0) {
    const auto cause = sim::Cause::job_tag_missing;
    spare.mapped = core_.uniform(cause, run.job.index, run.number) > untagged;
  }
  if (kind == Spare::Kind::warm) quotas_.count_warm(spare.of, true);
  if (run.launch) {
    spare.zones = std::move(run.launch->zones);
    spare.nodes = std::move(run.launch->nodes);
  }
  for (const std::uint32_t machine : spare.nodes) {
    pools_[run.pool].nodes->keepers[machine] = {Keeper::Kind::spare, id};
  }
  pools_[run.pool].holders.erase(run.held_as);
  shares_.hold(run.job, run.pool, -std::int64_t{run.instances});
  market_.count_held(run);
  if (core_.profile(run.job).elastic) pools_[run.pool].small.erase(run.launch->small_as);
  const auto& reclaim = core_.world.pools[run.pool.index].reclaim;
  if (reclaim) spare.loss = policy::later(run.launched, reclaim->every);
  core_.push(std::min(spare.until, spare.loss), sim::Phase::world, EventKind::spare_due, id, 0);
  spares_.tell_left(spare, true);
  spares_.add(id, std::move(spare));
}

/// Who ended what is over, and for how long it was billed, is as of any other launch; only that the
/// first hour may be free is not asked of what a job has left behind.
void Fleet::end_spare(std::uint32_t id, Ending ending) {
  Spare spare = spares_.remove(id);
  const Use use = use_of(spare.kind);
  if (spare.kind == Spare::Kind::warm) quotas_.count_warm(spare.of, false);
  const Pool& pool = core_.world.pools[spare.of.pool.index];
  BillingRules rules = core_.world.platform.billing;
  rules.first_hour_free = false;
  const LaunchBill due = bill_of(rules, core_.now - spare.launched, ending);
  const Instant billed_until = policy::is_reserved(pool.market)
                                   ? core_.now
                                   : std::max(core_.now, spare.launched + due.billed);
  billing_.pay_for(spare.of, use, spare.since, billed_until);
  pools_.give_zones_back(spare.of.pool, spare.zones);
  pools_.give_nodes_back(spare.of.pool, spare.nodes);
  pools_.allocate(spare.of.pool, -std::int64_t{spare.of.instances});
  if (ending == Ending::horizon) return;
  core_.last_work = core_.now;
  spares_.tell_left(spare, false);
  serve_waiting(spare.of.pool);
}

/// They are given back, or Spot takes them.
void Fleet::spare_is_due(std::uint32_t id) {
  const Spare* const known = spares_.find(id);
  if (known == nullptr) return;
  const Spare& spare = *known;
  if (spare.until <= core_.now) return end_spare(id, Ending::by_user);
  const policy::PoolId pool = spare.of.pool;
  const std::uint32_t instances = spare.of.instances;
  pools_.take_away(pool, instances);
  core_.push(policy::later(core_.now, core_.world.pools[pool.index].reclaim->away),
             sim::Phase::world, EventKind::machines_return, pool.index, instances);
  pools_.begin_turn();
  pools_.note_lost(instances);
  pools_.note_offer(pool);
  end_spare(id, Ending::reclaimed);
}

/// The instances are free, for the job to take at this very instant.
bool Fleet::take_warm(policy::JobId job) {
  if (spares_.empty()) [[likely]]
    return false;
  const auto found = spares_.warm_for(job, core_.truth[job.index].pool);
  if (!found) return false;
  Spare spare = spares_.remove(*found);
  warm_nodes_ = std::move(spare.nodes);
  billing_.pay_for(spare.of, use_of(spare.kind), spare.since, core_.now);
  quotas_.count_warm(spare.of, false);
  pools_.give_zones_back(spare.of.pool, spare.zones);
  pools_.allocate(spare.of.pool, -std::int64_t{spare.of.instances});
  return true;
}

/// A part of it, with a number of its own: what a script has left behind is no gang any more.
std::uint32_t Fleet::split_spare(std::uint32_t id, std::vector<std::uint32_t> nodes,
                                 std::uint32_t instances) {
  const std::uint32_t number = spares_.split(id, std::move(nodes), instances);
  const Spare& part = *spares_.find(number);
  for (const std::uint32_t machine : part.nodes) {
    pools_[part.of.pool].nodes->keepers[machine] = {Keeper::Kind::spare, number};
  }
  if (part.loss != policy::never || part.until != policy::never) {
    core_.push(std::min(part.until, part.loss), sim::Phase::world, EventKind::spare_due, number, 0);
  }
  return number;
}

/// If a market has fewer instances than are held, spares go first, and no more than it takes.
void Fleet::reclaim_spares(policy::PoolId id) {
  const PoolTruth& pool = pools_[id];
  auto next = spares_.next_in(id, std::nullopt);
  while (next && pool.allocated > pool.offered) {
    std::uint32_t taken = next->id;
    const Spare& spare = *spares_.find(taken);
    const std::uint32_t need = pool.allocated - pool.offered;
    const std::vector<std::uint32_t>& nodes = spare.nodes;
    if (need < spare.of.instances && spare.kind != Spare::Kind::warm) {
      const auto left = nodes.size() - std::min<std::size_t>(nodes.size(), need);
      taken = split_spare(taken, {nodes.begin() + static_cast<std::ptrdiff_t>(left), nodes.end()},
                          need);
    }
    pools_.note_lost(spares_.find(taken)->of.instances);
    end_spare(taken, Ending::reclaimed);
    next = spares_.next_in(id, next);
  }
}

/// They are gone with their zone.
void Fleet::end_spares(policy::PoolId pool) {
  for (const std::uint32_t id : spares_.in(pool)) {
    const Spare* const spare = spares_.find(id);
    if (spare == nullptr) continue;
    const bool gone = pools_[pool].outages > 0 || pools_.in_lost_zone(pool, spare->zones);
    if (!gone) continue;
    pools_.note_lost(spare->of.instances);
    end_spare(id, Ending::reclaimed);
  }
}

/// Gives back what a job left running, as far as it can be told whose it is, but not what waits for
/// its next attempt.
void Fleet::terminate_spares(policy::JobId job, policy::AttemptNumber attempt) {
  for (const std::uint32_t id : spares_.of(job)) {
    const Spare* const spare = spares_.find(id);
    if (spare == nullptr || spare->kind == Spare::Kind::warm || !spare->mapped) continue;
    if (attempt == 0 || spare->of.attempt == attempt) end_spare(id, Ending::by_user);
  }
}

void Fleet::close_spares() {
  while (!spares_.empty()) {
    const std::uint32_t id = spares_.first();
    const Spare& spare = *spares_.find(id);
    if (spare.kind == Spare::Kind::orphan) core_.record.orphan_instances += spare.of.instances;
    if (!spare.mapped) core_.record.unmapped_instances += spare.of.instances;
    end_spare(id, Ending::horizon);
  }
}

}  // namespace reeve::models
