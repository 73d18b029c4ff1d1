// Gangs that go on with what is left of them, and grow again: each time all stop and meet anew.
#include <algorithm>
#include <numeric>
#include <reeve/policy/clone_fields.hpp>

#include "models/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;

/// Whether as many are left as it takes.
bool Fleet::could_go_on(const Running& run, std::uint32_t lost) const {
  const Elastic* of = profile(run.job).elastic.get();
  return of != nullptr && lost > 0 && lost < run.instances && run.instances - lost >= of->min;
}

bool Fleet::goes_on_without(const Running& run, std::uint32_t lost) const {
  const bool runs =
      run.stage == Stage::startup || run.stage == Stage::training || run.stage == Stage::stalled;
  return runs && could_go_on(run, lost);
}

/// Spot takes so many of its machines, those that came last; or all, if it does not go on without.
void Fleet::lose_some(Running& run, std::uint32_t lost) {
  if (!goes_on_without(run, lost)) return lose_machines(run);
  turn_.lost += lost;
  Launch& launch = *run.launch;
  if (launch.noticed != policy::never) {
    turn_.notice = std::max(turn_.notice.value_or(Duration{0}), now_ - launch.noticed);
  }
  std::vector<std::uint32_t> hosts(lost);
  std::iota(hosts.begin(), hosts.end(), run.instances - lost + 1);
  shrink(run, hosts, Ending::reclaimed);
  if (launch.loss > now_) return;
  launch.loss = launch.noticed = policy::never;
  launch.foreseen = false;
  launch.losing = 0;
  ++run.launch_stamp;
  expect_loss(run);
}

/// `hosts` are gone, in ascending order; the others are numbered anew.
void Fleet::shrink(Running& run, const std::vector<std::uint32_t>& hosts, Ending ending) {
  const auto lost = static_cast<std::uint32_t>(hosts.size());
  const Duration busy = halt(run);
  Launch& launch = *run.launch;
  for (std::size_t left = hosts.size(); left-- > 0;) {
    const auto place = static_cast<std::ptrdiff_t>(hosts[left]) - 1;
    if (!launch.draws.empty()) launch.draws.erase(launch.draws.begin() + place);
    if (launch.nodes.empty()) continue;
    std::vector<std::uint32_t> given{launch.nodes[hosts[left] - 1]};
    launch.nodes.erase(launch.nodes.begin() + place);
    give_nodes_back(run.pool, given);
  }
  record_.node_losses += lost;
  leave_nodes(run, lost, ending);
  tell_late({now_, policy::NodesLost{run.job, run.number, lost, run.instances}});
  note_size(run);
  meet_anew(run, busy);
}

/// Work stops; how long the start-up that it was in would have taken yet.
Duration Fleet::halt(Running& run) {
  const bool starting = run.stage == Stage::startup;
  const Duration busy = starting ? run.startup - (now_ - run.stage_since) : Duration{0};
  const JobProfile& kind = profile(run.job);
  const bool can_save =
      kind.checkpoint.sync != Sync::none &&
      !policy::has_lost(truth_[run.job.index].loses, policy::CloneLoss::checkpoint);
  const bool keeps = (kind.elastic->keeps_work && can_save) || saved_in_time(run);
  close_run(run, false, keeps, false);
  std::erase_if(run.troubles,  // processes that begin again do not stand still
                [&](const Trouble& trouble) { return stands_still_by(run, trouble); });
  return busy;
}

/// All start again, from the last checkpoint unless they kept what they had.  It is start-up, and
/// billed.
void Fleet::meet_anew(Running& run, Duration busy) {
  const Elastic& of = *profile(run.job).elastic;
  const bool met_already = run.stage == Stage::startup;
  const auto cause = static_cast<std::uint32_t>(sim::Cause::resize);
  const Duration pause = draw(of.resize, luck(cause, run.job.index, launch_of(run)));
  const bool again = met_already && run.launch->resizing && run.stage_since == now_;
  if (!again) {
    ++run.changes;
    ++record_.resizes;
  }
  run.launch->resizing = true;
  run.stage = Stage::startup;
  run.stage_since = now_;
  run.startup = std::max(busy, of.keeps_work ? pause : with_restore(run, pause));
  set_pace(run);
  read_level(run, false);
  last_work_ = now_;
  if (!met_already && world_.platform.model != PlatformModel::ideal) {
    enter(run.job, policy::Primary::in_progress, policy::Secondary::downloading);
  }
  schedule(run);
}

/// Whoever waits for machines of the pool comes first; so does what is known to go.
bool Fleet::may_grow(const Running& run) const {
  const PoolTruth& pool = pools_[run.pool.index];
  const bool meets = run.stage == Stage::startup && run.launch->resizing;
  return (meets || run.stage == Stage::training) && pool.returning.empty() &&
         pool.waiting.empty() && !run.launch->foreseen && room_to_grow(run) > 0;
}

std::uint32_t Fleet::room_to_grow(const Running& run) const {
  const std::uint32_t lacks = spec(run.job).instances - run.instances;
  const std::uint32_t free = free_machines(run.pool);
  if (run.launch->zones.empty()) return std::min(lacks, free);
  const std::vector<std::uint32_t> zones = free_in_zones(run.pool);
  const bool anywhere = profile(run.job).placement == Placement::any;
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
  run.launch->joined.push_back({joining, now_});
  join_zones(run, joining);
  allocate(run.pool, joining);
  take_nodes(run);
  meet_anew(run, busy);
  draw_stragglers(run, before);
  set_pace(run);
  note_size(run);
  if (world_.pools[run.pool.index].market == Market::spot) expect_loss(run);
}

/// Each takes what it lacks, the one that lacks it longest first.
void Fleet::grow_gangs(policy::PoolId id) {
  if (pools_[id.index].small.empty() || free_machines(id) == 0) return;
  const std::deque<policy::JobId> gangs = pools_[id.index].small;
  for (const policy::JobId job : gangs) {
    const Slot slot = truth_[job.index].running;
    if (slot != no_slot && may_grow(running_[slot])) grow(running_[slot]);
  }
}

/// Where others of the gang are, as far as there is room.
void Fleet::join_zones(Running& run, std::uint32_t joining) {
  std::vector<std::uint32_t>& taken = run.launch->zones;
  if (taken.empty()) return;
  const std::vector<std::uint32_t> free = free_in_zones(run.pool);
  const bool anywhere = profile(run.job).placement == Placement::any;
  for (const bool known : {true, false}) {
    for (std::size_t zone = 0; zone < free.size(); ++zone) {
      if ((taken[zone] > 0) != known || (!known && !anywhere)) continue;
      const std::uint32_t here = std::min(joining, free[zone]);
      taken[zone] += here;
      pools_[run.pool.index].zones[zone] -= here;
      joining -= here;
    }
  }
}

void Fleet::note_size(const Running& run) {
  if (!profile(run.job).elastic) return;
  std::deque<policy::JobId>& small = pools_[run.pool.index].small;
  const auto known = std::find(small.begin(), small.end(), run.job);
  const bool lacks = run.instances < spec(run.job).instances;
  if (lacks && known == small.end()) small.push_back(run.job);
  if (!lacks && known != small.end()) small.erase(known);
}

}  // namespace reeve::models
