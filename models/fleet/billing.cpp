#include "models/fleet/billing.hpp"

#include <algorithm>
#include <utility>

namespace reeve::models {

using policy::Instant;

/// At its price, and `extra`.  The pool pays for reserved machines, not who holds them.
void Billing::bill(const Holding& machines, Instant from, Instant until, Charge extra) {
  const Pool& pool = core_.world.pools[machines.pool.index];
  const Duration held = until - from;
  const Charge billed = prices_.cost_of(machines, from, until) + extra;
  core_.record.job_rows[machines.job.index].billed += billed;
  if (UntaggedRow* row = untagged(machines.job, machines.attempt)) row->billed += billed;
  if (machines.attempt == 1) core_.record.ledger.bill_first_attempt(billed);
  if (policy::is_reserved(pool.market)) return;
  core_.record.ledger.bill(billed);
  core_.record.pool_rows[machines.pool.index].billed += billed;
  core_.record.billed_time[machines.pool.index] += Charge{machines.instances} * held.count();
}

void Billing::pay_for(const Holding& machines, Use use, Instant from, Instant until) {
  if (from >= until) return;
  bill(machines, from, until);
  prices_.each(machines.pool, from, until, [&](const Stretch& stretch, policy::UsdPerHour price) {
    attribute(machines, use, stretch.until - stretch.from, stretch, price);
  });
}

void Billing::settle_part(Running& run, const Joined& part, Ending ending) {
  if (run.bill.from == policy::never) return;
  const Holding machines{run.job, run.number, run.pool, part.instances};
  const LaunchBill due = bill_of(prices_.rules_of(run.pool), core_.now - part.from, ending);
  if (due.free) return waive(run, part);
  settle_uses(run, part);
  bill(machines, part.from, core_.now);
  pay_for(machines, Use::drain, core_.now, part.from + due.billed);
}

/// What is left of the launch are the machines it began with.
void Billing::settle_joined(Running& run, Ending ending) {
  for (const Joined& part : std::exchange(run.launch->joined, {})) {
    settle_part(run, part, ending);
  }
}

void Billing::settle(Running& run, Ending ending) {
  if (run.bill.from == policy::never) return;
  const std::uint32_t instances = run.instances;
  if (run.launch) {
    for (const Joined& part : run.launch->joined) run.instances -= part.instances;
    settle_joined(run, ending);
  }
  const Duration held = core_.now - run.bill.from;
  const LaunchBill due = bill_of(prices_.rules_of(run.pool), held, ending);
  if (due.free) {
    waive(run, {run.instances, run.bill.from});
  } else {
    const Charge exact = prices_.cost_of(run.holding(), run.bill.from, core_.now);
    run.bill.charged += exact;
    const Charge extra = up_to_whole_seconds(run, exact);
    settle_uses(run, {run.instances, run.bill.from}, extra);
    bill(run.holding(), run.bill.from, core_.now, extra);
    pay_for(run.holding(), Use::drain, core_.now, run.bill.from + due.billed);
    run.bill.held += due.billed;
  }
  run.instances = instances;
  run.bill.from = policy::never;
}

/// What the launch, which cost `exact`, is billed beyond that: the attempt's seconds are rounded as
/// a whole.
Charge Billing::up_to_whole_seconds(Running& run, Charge exact) const {
  if (!prices_.bills_whole_seconds(run.pool)) return 0;
  const policy::TypeId type = core_.world.pools[run.pool.index].type;
  const Charge all =
      charge(core_.world.directory.types[type.index].price, run.instances, billable(run));
  const Charge due = all - run.bill.scaled;
  run.bill.scaled = all;
  return due - exact;
}

/// Spot took them back in their first hour: whatever they did costs nothing.
void Billing::waive(Running& run, const Joined& part) {
  for (Unsettled& done : run.launch->unsettled) {
    if (done.stretch.from < part.from) continue;
    done.instances -= part.instances;
    core_.record.waived += charge(done.price, part.instances, done.held);
    if (!core_.keep.ledger) continue;
    core_.record.ledger_lines.push_back({run.job, run.number, run.pool, done.use, done.stretch.from,
                                         done.stretch.until, 0, part.instances, done.held});
  }
  std::erase_if(run.launch->unsettled, [](const Unsettled& done) { return done.instances == 0; });
  settle_overlays(*run.launch, part, true);
  waive_stalls(run, part);
  if (!core_.keep.gpu_minima.empty()) metrics_.waive_gaps(run, part);
}

/// The costs of stalls and of late stops follow the bill: the part that is not billed costs
/// nothing.
void Billing::waive_stalls(const Running& run, const Joined& part) {
  const Holding machines{run.job, run.number, run.pool, part.instances};
  for (const std::uint32_t row : run.launch->stalls) {
    StallRow& stall = core_.record.stalls[row];
    if (stall.onset < part.from || stall.cost == 0) continue;
    stall.cost -= prices_.cost_of(machines, stall.onset, std::min(stall.ended, core_.now));
  }
  if (run.launch->stop == no_row) return;
  StopRow& stop = core_.record.stops[run.launch->stop];
  if (stop.onset == policy::never || stop.onset < part.from) return;
  const Instant stopped = run.stage == Stage::draining ? run.stage_since : core_.now;
  if (stop.stalled > 0) stop.stalled -= prices_.cost_of(machines, stop.onset, stopped);
  const Instant late = policy::later(stop.onset, core_.world.late_after);
  if (late < stopped) stop.late -= prices_.cost_of(machines, late, stopped);
}

Duration Billing::billable(const Running& run) const {
  const Pool& pool = core_.world.pools[run.pool.index];
  const policy::UsdPerHour on_demand = core_.world.directory.types[pool.type.index].price;
  if (pool.market != Market::spot || core_.unmanaged() || on_demand.nanos == 0)
    return run.bill.held;
  const Charge second = charge(on_demand, run.instances, std::chrono::seconds{1});
  const auto seconds = static_cast<std::int64_t>((run.bill.charged + second / 2) / second);
  return std::chrono::seconds{seconds};
}

}  // namespace reeve::models
