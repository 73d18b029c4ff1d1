// The bill of a reserved pool, and its lines of idle time.
#include <algorithm>
#include <utility>

#include "host/check.hpp"
#include "models/fleet/billing.hpp"
#include "models/invoice.hpp"

namespace reeve::models {

void Billing::bill_reserved(policy::PoolId id, Charge allocated_time, std::vector<Charge> held_in) {
  const Pool& machines = core_.world.pools[id.index];
  const Duration length = paid_until(machines, core_.world, core_.now - core_.world.start);
  const Duration paid = time_within(machines.windows, length);
  const Charge idle_time = Charge{machines.capacity} * paid.count() - allocated_time;
  // What was paid up front is spread over its term, whether or not the machines are there.
  const Charge between = charge(upfront_price(machines), machines.capacity, length - paid);
  const Charge bill = charge(machines.price, machines.capacity, paid) + between;
  core_.record.ledger.bill(bill);
  core_.record.pool_rows[id.index].billed = bill;
  core_.record.billed_time[id.index] = Charge{machines.capacity} * paid.count();
  const Charge idle = Charge{machines.price.nanos} * idle_time;
  core_.record.ledger.attribute(Use::idle_reserved, idle + between, false);
  core_.record.use_time[static_cast<std::size_t>(Use::idle_reserved)] += idle_time;
  core_.record.gpu_time[static_cast<std::size_t>(Use::idle_reserved)] += idle_time * gpus_of(id);
  if (core_.keep.ledger) list_idle(id, idle, allocated_time, std::move(held_in));
}

/// Lines of unused time: one per window, one more for the part of it after the run, and for time
/// paid up front one for each gap between windows.
void Billing::list_idle(policy::PoolId id, Charge idle, Charge allocated_time,
                        std::vector<Charge> held) {
  const Pool& machines = core_.world.pools[id.index];
  const Duration ran = core_.now - core_.world.start;
  const Duration length = paid_until(machines, core_.world, ran);
  std::vector<TimeSpan> windows;
  for (const TimeSpan& window : machines.windows) {
    if (window.first < length) windows.emplace_back(window.first, std::min(window.second, length));
  }
  if (machines.windows.empty()) windows.emplace_back(Duration{0}, length);
  held.resize(windows.size());
  if (machines.windows.empty()) held.front() = allocated_time;
  const auto add = [&](Duration from, Duration until, Charge amount, std::uint32_t instances) {
    if (until <= from) return;
    core_.record.ledger_lines.push_back({{},
                                         0,
                                         id,
                                         Use::idle_reserved,
                                         core_.world.start + from,
                                         core_.world.start + until,
                                         amount,
                                         instances,
                                         until - from});
  };
  const policy::UsdPerHour upfront = upfront_price(machines);
  Duration since{0};
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto& [from, until] = windows[i];
    if (upfront.nanos > 0) add(since, from, charge(upfront, machines.capacity, from - since), 0);
    const Duration over = std::clamp(ran, from, until);
    const Charge unused = charge(machines.price, machines.capacity, over - from) -
                          Charge{machines.price.nanos} * held[i];
    const Charge after = charge(machines.price, machines.capacity, until - over);
    add(from, over, unused, machines.capacity);
    add(over, until, after, machines.capacity);
    idle -= unused + after;
    since = until;
  }
  if (upfront.nanos > 0) add(since, length, charge(upfront, machines.capacity, length - since), 0);
  REEVE_CHECK(idle == 0, "idle time of", machines.name, "is in no window");
}

}  // namespace reeve::models
