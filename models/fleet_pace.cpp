// How fast the machines of a launch are: their type, their zones, their loaders, the slowest host.
#include <algorithm>

#include "models/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

namespace {

std::uint32_t times(std::uint64_t speed_ppm, std::uint32_t factor_ppm) {
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, speed_ppm * factor_ppm / full_speed));
}

std::uint32_t share(std::uint64_t part, std::uint32_t whole) {
  return static_cast<std::uint32_t>(part * full_speed / whole);
}

}  // namespace

/// Work is stated for all instances in one zone; half of them take twice the time.
std::uint32_t Fleet::gang_speed(const Running& run) const {
  const Pool& pool = world_.pools[run.pool.index];
  if (pool.zones.empty()) return full_speed;
  std::size_t used = 0;
  for (const std::uint32_t here : run.launch->zones) used += here > 0 ? 1 : 0;
  return used > 1 ? pool.spread_ppm : full_speed;
}

/// One place for all that makes machines slow: hosts compute at the speed of their type, a spread
/// gang slower, a straggler slower still; they all go at the pace of the slowest, and no faster
/// than it is fed; fewer machines than wanted do less.
void Fleet::set_pace(Running& run) const {
  const Throughput* of = profile(run.job).throughput.get();
  const Pool& pool = world_.pools[run.pool.index];
  const std::uint64_t wanted = spec(run.job).instances;
  run.speed_ppm = full_speed;
  if (of == nullptr && run.instances == wanted && pool.zones.empty()) [[likely]]
    return;
  Pace& pace = run.launch->pace;
  std::uint32_t own = gang_speed(run);
  std::uint32_t slowest = own;
  if (of != nullptr) {
    if (!of->of_types.empty()) slowest = own = times(own, of->of_types[pool.type.index]);
    const std::uint32_t launch = 1U + run.interruptions + run.retries + run.repairs;
    if (of->stragglers && has_straggler(run, launch)) {
      pace.launch = launch;
      slowest = times(own, of->stragglers->speed_ppm);
    }
  }
  const std::uint32_t most = of != nullptr ? of->fed.value_or(own) : own;
  const std::uint32_t paced = std::min(slowest, most);
  pace.fed = pace.busy_slow = share(paced, slowest);
  pace.even = share(paced, std::min(own, most));
  pace.busy = share(paced, own);
  const std::uint64_t speed = std::uint64_t{paced} * run.instances / wanted;
  run.speed_ppm = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, speed));
}

/// Other machines, another draw.
bool Fleet::straggles(const Running& run, std::uint32_t launch, std::uint32_t host) const {
  const Stragglers& law = *profile(run.job).throughput->stragglers;
  const bool first = run.number == 1 && launch == 1;
  if (first && std::find(law.hosts.begin(), law.hosts.end(), host) != law.hosts.end()) return true;
  if (law.probability <= 0) return false;
  const std::uint32_t place = (run.number & 0xffu) << 24 | (launch & 0xffu) << 16;
  const auto cause = static_cast<std::uint32_t>(sim::Cause::straggler);
  return luck(cause, run.job.index, place | (host & 0xffffu)) <= law.probability;
}

bool Fleet::has_straggler(const Running& run, std::uint32_t launch) const {
  for (std::uint32_t host = 1; host <= run.instances; ++host) {
    if (straggles(run, launch, host)) return true;
  }
  return false;
}

/// What so much time at work would have cost less without what held it up: in the bill, and in the
/// uses of that time.
void Fleet::note_overlays(Running& run, Duration work, policy::UsdPerHour price) {
  const Pace& pace = run.launch->pace;
  const bool held_up = std::min(pace.fed, pace.even) < full_speed;
  if (!held_up || run.billed_from == policy::never) return;
  const Charge amount = charge(price, run.instances, work);
  const bool may_be_waived = may_be_free(run.pool);
  (may_be_waived ? run.launch->starved : record_.starved) +=
      amount * (full_speed - pace.fed) / full_speed;
  (may_be_waived ? run.launch->straggled : record_.straggled) +=
      amount * (full_speed - pace.even) / full_speed;
}

}  // namespace reeve::models
