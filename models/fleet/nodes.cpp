// Gangs that lose some of their instances for good.
#include <algorithm>
#include <numeric>
#include <reeve/policy/failure_reason.hpp>
#include <utility>

#include "models/failure_reason.hpp"
#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::FailureClass;
using policy::Instant;

/// Whether more is to be known of machines there than when they were had.
bool Fleet::keeps_launch(const Running& run) const {
  const policy::PoolId id = run.pool;
  const Pool& pool = core_.world.pools[id.index];
  const JobProfile& kind = core_.profile(run.job);
  const bool told = pool.market == Market::spot && market_.foresight() > Duration{0};
  const bool trains_so = kind.throughput != nullptr || kind.checkpoint.upload > Duration{0} ||
                         kind.checkpoint.on_request || kind.checkpoint.on_stop ||
                         kind.elastic != nullptr;
  return core_.unmanaged() || told || trains_so || reports_.has(run) || prices_.may_be_free(id) ||
         prices_.bills_whole_seconds(id) || !pool.zones.empty() || pool.node_faults;
}

/// Managed Spot waits for other machines; so does a persistent request.
bool Fleet::ends_on_loss(const Running& run) const {
  if (!core_.unmanaged()) return false;
  return core_.world.pools[run.pool.index].market != Market::spot ||
         core_.world.platform.unmanaged.spot_request == SpotRequest::one_time;
}

/// Those of the fault that it has.
std::vector<std::uint32_t> Fleet::hosts_of(const Running& run, const Fault& fault) {
  std::vector<std::uint32_t> hosts{fault.hosts.begin(), fault.hosts.end()};
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  std::erase_if(hosts, [&](std::uint32_t host) { return host > run.instances; });
  return hosts;
}

/// Some of a gang's machines are gone for good.  What was not saved is lost with them; the others
/// hold on, and wait in a collective for what does not come.
void Fleet::lose_nodes(Running& run, std::uint32_t fault) {
  std::vector<std::uint32_t>& gone = run.launch->lost;
  const std::vector<std::uint32_t> named = hosts_of(run, run.faults[fault]);
  if (goes_on_without(run, static_cast<std::uint32_t>(named.size()))) {
    const policy::PoolId pool = run.pool;
    shrink(run, named, Ending::by_user);
    return serve_waiting(pool);
  }
  const std::uint32_t before = run.instances;
  const std::size_t hosts = before + gone.size();
  for (const std::uint32_t host : run.faults[fault].hosts) {
    const bool again = std::find(gone.begin(), gone.end(), host) != gone.end();
    if (!again && host <= hosts) {
      if (!run.launch->nodes.empty()) pools_.drop_node(run, host);
      gone.push_back(host);
      --run.instances;
    }
  }
  const std::uint32_t lost = before - std::exchange(run.instances, before);
  if (lost == 0) return schedule(run);
  core_.record.node_losses += lost;
  if (lost == before) {
    run.launch->loss = core_.now;
    return fail(run, FailureClass::infrastructure);
  }
  close_run(run, false, false, false);
  leave_nodes(run, lost, Ending::by_user);
  run.troubles.push_back({fault, policy::never});
  stand_still(run, fault);
  read_level(run, true);
  schedule(run);
  events_.tell({core_.now, policy::NodesLost{run.job, run.number, lost, run.instances}});
  serve_waiting(run.pool);
}

/// Their part of the launch is over, and is billed like a launch of their own; those that came last
/// leave first.
void Fleet::leave_nodes(Running& run, std::uint32_t lost, Ending ending) {
  std::vector<Joined>& joined = run.launch->joined;
  std::uint32_t leave = lost;
  while (leave > 0) {
    const bool first = joined.empty();
    const std::uint32_t some = first ? leave : std::min(leave, joined.back().instances);
    billing_.settle_part(run, {some, first ? run.bill.from : joined.back().from}, ending);
    leave -= some;
    if (first) continue;
    joined.back().instances -= some;
    if (joined.back().instances == 0) joined.pop_back();
  }
  run.instances -= lost;
  std::uint32_t left = lost;
  for (std::size_t zone = 0; zone < run.launch->zones.size(); ++zone) {
    const std::uint32_t here = std::min(left, run.launch->zones[zone]);
    run.launch->zones[zone] -= here;
    pools_[run.pool].zones[zone] += here;
    left -= here;
  }
  pools_.allocate(run.pool, -std::int64_t{lost});
  shares_.hold(run.job, run.pool, -std::int64_t{lost});
  market_.count_held(run);
}

}  // namespace reeve::models
