// Elastic gangs: each change of their size is a new rendezvous of all hosts.
#include <algorithm>
#include <numeric>
#include <reeve/policy/clone_fields.hpp>
#include <utility>

#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;

bool Fleet::goes_on_without(const Running& run, std::uint32_t lost) const {
  const bool runs =
      run.stage == Stage::startup || run.stage == Stage::training || run.stage == Stage::stalled;
  return runs && market_.could_go_on(run, lost, run.instances);
}

/// Spot takes so many of its machines, those that came last; or all, if it does not go on without.
void Fleet::lose_some(Running& run, std::uint32_t lost) {
  if (!goes_on_without(run, lost)) return lose_machines(run);
  Launch& launch = *run.launch;
  pools_.note_loss(run, lost);
  std::vector<std::uint32_t> hosts(lost);
  std::iota(hosts.begin(), hosts.end(), run.instances - lost + 1);
  shrink(run, hosts, Ending::reclaimed);
  if (launch.loss > core_.now) return;
  market_.come_to_next_loss(run);
}

/// `hosts` are gone, in ascending order; the others are numbered anew.
void Fleet::shrink(Running& run, const std::vector<std::uint32_t>& hosts, Ending ending) {
  const auto lost = static_cast<std::uint32_t>(hosts.size());
  const Duration busy = halt(run);
  Launch& launch = *run.launch;
  for (std::size_t left = hosts.size(); left-- > 0;) {
    const auto place = static_cast<std::ptrdiff_t>(hosts[left]) - 1;
    if (!launch.straggles.empty()) launch.straggles.erase(launch.straggles.begin() + place);
    if (launch.nodes.empty()) continue;
    std::vector<std::uint32_t> given{launch.nodes[hosts[left] - 1]};
    launch.nodes.erase(launch.nodes.begin() + place);
    pools_.give_nodes_back(run.pool, given);
  }
  core_.record.node_losses += lost;
  leave_nodes(run, lost, ending);
  events_.tell({core_.now, policy::NodesLost{run.job, run.number, lost, run.instances}});
  meet_anew(run, busy);
  pools_.note_size(run);
}

/// Work stops; how long the start-up that it was in would have taken yet.
Duration Fleet::halt(Running& run) {
  const bool starting = run.stage == Stage::startup;
  const Duration busy = starting ? run.startup - (core_.now - run.stage_since) : Duration{0};
  const JobProfile& kind = core_.profile(run.job);
  const bool can_save =
      kind.checkpoint.sync != Sync::none &&
      !policy::has_lost(core_.truth[run.job.index].loses, policy::CloneLoss::checkpoint);
  if (starting) {
    billing_.spend(run, Use::startup, run.stage_since, core_.now);
  } else {
    const bool saved = saved_in_time(run);
    run.launch->keeps = kind.elastic->keeps_work && can_save && !saved;
    close_run(run, false, saved, false);
    run.launch->keeps = false;
  }
  std::erase_if(run.troubles,  // processes that begin again do not stand still
                [&](const Trouble& trouble) { return stands_still_by(run, trouble); });
  return busy;
}

/// All start again, from the last checkpoint unless they kept what they had.  It is start-up, and
/// billed.
void Fleet::meet_anew(Running& run, Duration busy) {
  const Elastic& of = *core_.profile(run.job).elastic;
  const bool starts = run.stage == Stage::startup;
  const bool pauses = starts && run.launch->resizing;
  const auto cause = sim::Cause::resize;
  const Duration pause = draw(of.resize, core_.uniform(cause, run.job.index, launch_of(run)));
  if (!pauses) ++core_.record.resizes;  // else the pause takes longer
  if (!pauses || run.stage_since < core_.now) ++run.restarts.changes;
  run.launch->resizing = true;
  run.stage = Stage::startup;
  run.stage_since = core_.now;
  run.startup = std::max(busy, of.keeps_work ? pause : with_restore(run, pause));
  speeds_.set_pace(run);
  read_level(run, false);
  core_.last_work = core_.now;
  const bool ideal =
      core_.world.platform.model == PlatformModel::ideal;  // nothing tells a start there
  if (ideal ? !pauses : !starts) {
    enter(run.job, policy::Primary::in_progress, policy::Secondary::downloading);
  }
  schedule(run);
}

/// Pending attempts of the pool go first; an attempt with a known loss does not grow.
bool Fleet::may_grow(const Running& run) const {
  const PoolTruth& pool = pools_[run.pool];
  return pool.returning.empty() && pool.waiting.empty() && !run.launch->foreseen &&
         room_to_grow(run) > 0;
}

/// Who starts up has its machines to come, and grows when it has met.
bool Fleet::grows_at_once(const Running& run) {
  return run.stage == Stage::training || (run.stage == Stage::startup && run.launch->resizing);
}

std::uint32_t Fleet::room_to_grow(const Running& run) const {
  const std::uint32_t lacks = core_.spec(run.job).instances - run.instances;
  const std::uint32_t free = pools_.free_to_stay(run.pool);
  if (run.launch->zones.empty()) return std::min(lacks, free);
  const std::vector<std::uint32_t> zones = pools_.free_in_zones(run.pool);
  const bool anywhere = core_.profile(run.job).placement == Placement::any;
  std::uint32_t room = 0;
  for (std::size_t zone = 0; zone < zones.size(); ++zone) {
    if (anywhere || run.launch->zones[zone] > 0) room += zones[zone];
  }
  return std::min({lacks, free, room});
}

/// Those that join are there at once, and begin with the others.
void Fleet::grow(Running& run) {
  const std::uint32_t joining = room_to_grow(run);
  const Duration busy = halt(run);
  const std::uint32_t before = run.instances;
  run.instances += joining;
  run.launch->joined.push_back({joining, core_.now});
  pools_.join_zones(run, joining);
  pools_.allocate(run.pool, joining);
  shares_.hold(run.job, run.pool, joining);
  market_.count_held(run);
  pools_.take_nodes(run, std::exchange(warm_nodes_, {}));
  meet_anew(run, busy);
  speeds_.draw_stragglers(run, before);
  speeds_.set_pace(run);
  pools_.note_size(run);
  if (core_.world.pools[run.pool.index].market == Market::spot) market_.expect_loss(run);
}

/// Each takes what it lacks, the one that lacks it longest first.
void Fleet::grow_gangs(policy::PoolId id) {
  if (!pools_[id].returning.empty() || !pools_[id].waiting.empty()) return;
  const std::map<std::uint64_t, policy::JobId>& small = pools_[id].small;
  auto next = small.begin();
  while (next != small.end() && pools_.free_to_stay(id) > 0) {
    const auto [key, job] = *next;
    Running& run = core_.running[core_.truth[job.index].running];
    if (grows_at_once(run) && may_grow(run)) grow(run);
    next = small.upper_bound(key);
  }
}

}  // namespace reeve::models
