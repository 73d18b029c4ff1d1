#include "models/node_clock.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

#include "host/check.hpp"

namespace reeve::models {
namespace {

/// No machine breaks more often: what breaks all the time would fill a run with its faults.
constexpr Duration shortest_up = std::chrono::seconds{1};
constexpr double thousand_days_ns = 8.64e16;
/// Of the addresses of machines: pools are so far apart.
constexpr std::uint32_t pool_bits = 20;

}  // namespace

NodeClock::NodeClock(const World& world, std::uint32_t replication, policy::PoolId pool)
    : world_{&world}, replication_{replication}, pool_{pool} {
  const std::uint32_t capacity = world.pools[pool.index].capacity;
  machines_.resize(capacity);
  up_ = capacity;
  for (std::uint32_t machine = 0; machine < capacity; ++machine) {
    expect(machine, up_time(machine));
  }
}

Duration NodeClock::next_at() const {
  const Duration drawn = due_.empty() ? Duration::max() : due_.top().first;
  return explicit_first() ? faults().stated[next_stated_].at : drawn;
}

/// Of what is written down, and drawn at the same instant, the former comes first.
bool NodeClock::explicit_first() const {
  if (next_stated_ >= faults().stated.size()) return false;
  return due_.empty() || faults().stated[next_stated_].at <= due_.top().first;
}

NodeClock::Change NodeClock::advance() {
  using Kind = Change::Kind;
  const Duration at = next_at();
  REEVE_CHECK(at != Duration::max(), "machines that never break were asked for their next fault",
              pool_.index, 0);
  Change change;
  if (explicit_first()) {
    const StatedNodeFault& stated = faults().stated[next_stated_++];
    Machine& machine = machines_[stated.machine];
    if (machine.up) {
      break_machine(stated.machine, at, stated.lasts);
      change.machines = {stated.machine};
    } else {
      expect(stated.machine, std::max(machine.due, later(at, stated.lasts)));
    }
    forget_stale();
    return change;
  }
  const std::uint32_t number = due_.top().second;
  Machine& machine = machines_[number];
  if (!machine.up) {
    machine.up = true;
    ++up_;
    expect(number, later(at, up_time(number)));
    change = {Kind::returns, {number}};
  } else if (uniform_draw(sim::Cause::node_hang, number, machine.faults) <= faults().hangs) {
    ++machine.faults;
    expect(number, later(at, up_time(number)));
    change = {Kind::hangs, {number}};
  } else {
    change.machines = hit_with(number);
    const double uniform = uniform_draw(sim::Cause::node_repair, number, machine.faults);
    const Duration lasts = draw(faults().repair, uniform);
    for (const std::uint32_t hit : change.machines) break_machine(hit, at, lasts);
  }
  forget_stale();
  return change;
}

/// It is away for so long; if that is no time at all another one stands in its place.
void NodeClock::break_machine(std::uint32_t number, Duration at, Duration lasts) {
  Machine& machine = machines_[number];
  ++machine.faults;
  ++machine.broken;
  if (lasts == Duration{0}) return expect(number, later(at, up_time(number)));
  machine.up = false;
  --up_;
  expect(number, later(at, lasts));
}

/// The machine, and now and then all that stand with it and are up.
std::vector<std::uint32_t> NodeClock::hit_with(std::uint32_t number) const {
  const NodeFaults& plan = faults();
  const bool alone = plan.rack <= 1 || uniform_draw(sim::Cause::node_rack, number,
                                                    machines_[number].faults) > plan.whole;
  if (alone) return {number};
  std::vector<std::uint32_t> all;
  const std::uint32_t first = number / plan.rack * plan.rack;
  for (std::uint32_t other = first; other < machines_.size() && other - first < plan.rack;
       ++other) {
    if (machines_[other].up) all.push_back(other);
  }
  return all;
}

/// From now to its next fault, if nothing else breaks it.  A lemon fails that much more often, and
/// the others less, so that the rate is that of all machines.
Duration NodeClock::up_time(std::uint32_t number) const {
  const NodeFaults& plan = faults();
  if (plan.per_1000_node_days <= 0) return Duration::max();
  const Machine& machine = machines_[number];
  const std::uint32_t which = plan.replaced ? machine.broken : 0;
  const bool lemon = plan.lemon_share > 0 &&
                     uniform_draw(sim::Cause::node_lemon, number, which) <= plan.lemon_share;
  const double sound = plan.per_1000_node_days / (1 + plan.lemon_share * (plan.lemon_factor - 1));
  const double mean = thousand_days_ns / (lemon ? sound * plan.lemon_factor : sound);
  const double uniform = uniform_draw(sim::Cause::node_fault, number, machine.faults);
  return std::max(sim::nearest(sim::exponential(mean, uniform)), shortest_up);
}

void NodeClock::expect(std::uint32_t machine, Duration at) {
  machines_[machine].due = at;
  if (at != Duration::max()) due_.push({at, machine});
}

/// What a machine was due for before something else happened to it.
void NodeClock::forget_stale() {
  while (!due_.empty() && machines_[due_.top().second].due != due_.top().first) due_.pop();
}

double NodeClock::uniform_draw(sim::Cause cause, std::uint32_t machine, std::uint32_t nth) const {
  return sim::uniform({world_->seed, replication_, cause, pool_.index << pool_bits | machine, nth});
}

}  // namespace reeve::models
