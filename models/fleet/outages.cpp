// Outages of pools and zones.
#include <algorithm>

#include "models/fleet/fleet.hpp"

namespace reeve::models {

using policy::Instant;

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
  fail(run, policy::FailureClass::infrastructure);
}

}  // namespace reeve::models
