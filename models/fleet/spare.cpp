// Machines that outlive the attempt they were launched for: what they cost, and who gives them
// back.
#include <algorithm>
#include <map>
#include <string_view>

#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;

Use Fleet::use_of(Spare::Kind kind) {
  switch (kind) {
    case Spare::Kind::orphan:
      return Use::orphan;
    case Spare::Kind::held:
      return Use::drain;
    case Spare::Kind::warm:
      return Use::idle_reserved;
  }
  return Use::orphan;
}

/// A script that is over shuts its machines down, unless they are to be looked at; it may fail to.
/// Whoever stops an attempt from outside gives its machines back.
std::optional<Fleet::Spare::Kind> Fleet::outlives(const Running& run, policy::Primary primary,
                                                  EndReason reason,
                                                  policy::FailureClass failure) const {
  const bool runs = run.stage != Stage::away && run.bill.from != policy::never;
  if (pools_[run.pool.index].outages > 0) return std::nullopt;  // they are gone
  if (run.launch && in_lost_zone(run.pool, run.launch->zones)) return std::nullopt;
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

/// Owners are told apart by profile; equal names have equal numbers.
void Fleet::number_owners() {
  std::map<std::string_view, std::uint32_t> numbers;
  for (const JobProfile& kind : core_.world.profiles) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    owners_.push_back(numbers.emplace(kind.owner, next).first->second);
  }
}

void Fleet::add_spare(std::uint32_t id, Spare spare) {
  const std::uint32_t warm = spare.kind == Spare::Kind::warm ? spare.of.instances : 0;
  spares_in_.emplace(spare.of.pool, warm, id);
  if (warm > 0) {
    warm_of_.emplace(spare.of.pool, warm, owner_of(spare.of.job), id);
  }
  spares_of_.emplace(spare.of.job, id);
  spares_.emplace(id, std::move(spare));
}

Fleet::Spare Fleet::remove_spare(std::uint32_t id) {
  Spare spare = std::move(spares_.extract(id).mapped());
  const std::uint32_t warm = spare.kind == Spare::Kind::warm ? spare.of.instances : 0;
  spares_in_.erase({spare.of.pool, warm, id});
  if (warm > 0) warm_of_.erase({spare.of.pool, warm, owner_of(spare.of.job), id});
  spares_of_.erase({spare.of.job, id});
  return spare;
}

/// Who ends one may end others with it: these are looked up again.
std::vector<std::uint32_t> Fleet::spares_in(policy::PoolId pool) const {
  std::vector<std::uint32_t> ids;
  for (auto spare = spares_in_.lower_bound({pool, 0, 0}); spare != spares_in_.end(); ++spare) {
    if (std::get<0>(*spare) != pool) break;
    ids.push_back(std::get<2>(*spare));
  }
  return ids;
}

/// The oldest warm pool that fits: as many machines of the same fleet, of the same owner.  AWS
/// compares roles, networks and volumes, which stand for the owner here.
std::optional<std::uint32_t> Fleet::warm_for(policy::JobId job, policy::PoolId pool) const {
  if (warm_of_.empty()) return std::nullopt;
  const std::uint32_t wanted = core_.spec(job).instances;
  const std::uint32_t owner = owner_of(job);
  const auto spare = warm_of_.lower_bound({pool, wanted, owner, 0});
  if (spare == warm_of_.end()) return std::nullopt;
  const auto& [in, instances, of, id] = *spare;
  const bool fits = in == pool && instances == wanted && of == owner;
  return fits ? std::optional{id} : std::nullopt;
}

/// The machines are free, for the job to take at this very instant.
bool Fleet::take_warm(policy::JobId job) {
  if (spares_.empty()) [[likely]]
    return false;
  const auto found = warm_for(job, core_.truth[job.index].pool);
  if (!found) return false;
  Spare spare = remove_spare(*found);
  warm_nodes_ = std::move(spare.nodes);
  billing_.pay_for(spare.of, use_of(spare.kind), spare.since, core_.now);
  count_warm(spare.of, false);
  give_zones_back(spare.of.pool, spare.zones);
  allocate(spare.of.pool, -std::int64_t{spare.of.instances});
  return true;
}

/// The attempt is over and its machines stay.  `launched`: when billing of them began.
void Fleet::keep_spare(Running& run, Spare::Kind kind, Instant launched, Instant until) {
  const std::uint32_t id = next_spare_++;
  Spare spare{kind, run.holding(), launched, core_.now, until, policy::never, {}, {}};
  const double untagged = core_.world.platform.unmanaged.untagged_instances;
  if (kind == Spare::Kind::orphan && untagged > 0) {
    const auto cause = sim::Cause::job_tag_missing;
    spare.mapped = core_.uniform(cause, run.job.index, run.number) > untagged;
  }
  if (kind == Spare::Kind::warm) count_warm(spare.of, true);
  if (run.launch) {
    spare.zones = std::move(run.launch->zones);
    spare.nodes = std::move(run.launch->nodes);
  }
  for (const std::uint32_t machine : spare.nodes) {
    pools_[run.pool.index].nodes->keepers[machine] = {Keeper::Kind::spare, id};
  }
  pools_[run.pool.index].holders.erase(run.held_as);
  shares_.hold(run.job, run.pool, -std::int64_t{run.instances});
  count_held(run);
  if (core_.profile(run.job).elastic) pools_[run.pool.index].small.erase(run.launch->small_as);
  const auto& reclaim = core_.world.pools[run.pool.index].reclaim;
  if (reclaim) spare.loss = policy::later(run.launched, reclaim->every);
  core_.push(std::min(spare.until, spare.loss), sim::Phase::world, EventKind::spare_due, id, 0);
  count_left(spare, true);
  add_spare(id, std::move(spare));
}

/// Who looks at the list of machines sees those whose script is over, if a tag says whose they are.
void Fleet::count_left(const Spare& spare, bool more) {
  if (spare.kind != Spare::Kind::orphan || !spare.mapped) return;
  const auto left = left_of_.try_emplace({spare.of.job, spare.of.attempt}, 0).first;
  left->second = more ? left->second + spare.of.instances : left->second - spare.of.instances;
  events_.tell_now({core_.now, policy::MachinesLeft{spare.of.job, spare.of.attempt, left->second}});
  if (left->second == 0) left_of_.erase(left);
}

/// Who ended what is over, and for how long it was billed, is as of any other launch; only that the
/// first hour may be free is not asked of what a job has left behind.
void Fleet::end_spare(std::uint32_t id, Ending ending) {
  Spare spare = remove_spare(id);
  const Use use = use_of(spare.kind);
  if (spare.kind == Spare::Kind::warm) count_warm(spare.of, false);
  const Pool& pool = core_.world.pools[spare.of.pool.index];
  BillingRules rules = core_.world.platform.billing;
  rules.first_hour_free = false;
  const LaunchBill due = bill_of(rules, core_.now - spare.launched, ending);
  const Instant billed_until = policy::is_reserved(pool.market)
                                   ? core_.now
                                   : std::max(core_.now, spare.launched + due.billed);
  billing_.pay_for(spare.of, use, spare.since, billed_until);
  give_zones_back(spare.of.pool, spare.zones);
  give_nodes_back(spare.of.pool, spare.nodes);
  allocate(spare.of.pool, -std::int64_t{spare.of.instances});
  if (ending == Ending::horizon) return;
  core_.last_work = core_.now;
  count_left(spare, false);
  serve_waiting(spare.of.pool);
}

/// They are given back, or Spot takes them.
void Fleet::spare_is_due(std::uint32_t id) {
  const auto known = spares_.find(id);
  if (known == spares_.end()) return;
  const Spare& spare = known->second;
  if (spare.until <= core_.now) return end_spare(id, Ending::by_user);
  const policy::PoolId pool = spare.of.pool;
  const std::uint32_t instances = spare.of.instances;
  take_away(pool, instances);
  core_.push(policy::later(core_.now, core_.world.pools[pool.index].reclaim->away),
             sim::Phase::world, EventKind::machines_return, pool.index, instances);
  turn_ = {};
  turn_.lost = instances;
  note_offer(pool);
  end_spare(id, Ending::reclaimed);
}

/// A part of it, with a number of its own: what a script has left behind is no gang any more.
std::uint32_t Fleet::split_spare(std::uint32_t id, std::vector<std::uint32_t> nodes,
                                 std::uint32_t instances) {
  Spare& spare = spares_.at(id);
  Spare part = spare;
  part.of.instances = instances;
  part.nodes = std::move(nodes);
  spare.of.instances -= instances;
  std::erase_if(spare.nodes, [&](std::uint32_t machine) {
    return std::find(part.nodes.begin(), part.nodes.end(), machine) != part.nodes.end();
  });
  for (std::size_t zone = 0; zone < spare.zones.size(); ++zone) {
    part.zones[zone] = std::min(instances, spare.zones[zone]);
    spare.zones[zone] -= part.zones[zone];
    instances -= part.zones[zone];
  }
  const std::uint32_t number = next_spare_++;
  for (const std::uint32_t machine : part.nodes) {
    pools_[part.of.pool.index].nodes->keepers[machine] = {Keeper::Kind::spare, number};
  }
  if (part.loss != policy::never || part.until != policy::never) {
    core_.push(std::min(part.until, part.loss), sim::Phase::world, EventKind::spare_due, number, 0);
  }
  add_spare(number, std::move(part));
  return number;
}

/// Where a market has fewer than are held, what nobody works on goes first, and no more of it than
/// it takes.
void Fleet::reclaim_spares(policy::PoolId id) {
  const PoolTruth& pool = pools_[id.index];
  auto next = spares_in_.lower_bound({id, 0, 0});
  while (next != spares_in_.end() && pool.allocated > pool.offered) {
    const auto key = *next;
    if (std::get<0>(key) != id) return;
    std::uint32_t spare = std::get<2>(key);
    const auto kept = spares_.find(spare);
    const std::uint32_t need = pool.allocated - pool.offered;
    const std::vector<std::uint32_t>& nodes = kept->second.nodes;
    if (need < kept->second.of.instances && kept->second.kind != Spare::Kind::warm) {
      const auto left = nodes.size() - std::min<std::size_t>(nodes.size(), need);
      spare = split_spare(spare, {nodes.begin() + static_cast<std::ptrdiff_t>(left), nodes.end()},
                          need);
    }
    turn_.lost += spares_.at(spare).of.instances;
    end_spare(spare, Ending::reclaimed);
    next = spares_in_.upper_bound(key);
  }
}

/// They are gone with their zone.
void Fleet::end_spares(policy::PoolId pool) {
  for (const std::uint32_t id : spares_in(pool)) {
    const auto kept = spares_.find(id);
    if (kept == spares_.end()) continue;
    const bool gone = pools_[pool.index].outages > 0 || in_lost_zone(pool, kept->second.zones);
    if (!gone) continue;
    turn_.lost += kept->second.of.instances;
    end_spare(id, Ending::reclaimed);
  }
}

/// Gives back what a job left running, as far as it can be told whose it is, but not what waits for
/// its next attempt.
void Fleet::terminate_spares(policy::JobId job, policy::AttemptNumber attempt) {
  std::vector<std::uint32_t> ids;
  for (auto of = spares_of_.lower_bound({job, 0}); of != spares_of_.end(); ++of) {
    if (of->first != job) break;
    ids.push_back(of->second);
  }
  for (const std::uint32_t id : ids) {
    const auto kept = spares_.find(id);
    if (kept == spares_.end() || kept->second.kind == Spare::Kind::warm) continue;
    if (!kept->second.mapped) continue;
    if (attempt == 0 || kept->second.of.attempt == attempt) end_spare(id, Ending::by_user);
  }
}

void Fleet::close_spares() {
  while (!spares_.empty()) {
    const auto [id, spare] = *spares_.begin();
    if (spare.kind == Spare::Kind::orphan) core_.record.orphan_instances += spare.of.instances;
    if (!spare.mapped) core_.record.unmapped_instances += spare.of.instances;
    end_spare(id, Ending::horizon);
  }
}

}  // namespace reeve::models
