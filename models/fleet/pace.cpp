// How fast the machines of a launch are: their type, their zones, their loaders, the slowest host.
#include <algorithm>
#include <cmath>
#include <utility>

#include "models/fleet/fleet.hpp"
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

/// Fewer machines than wanted do their part of the work, or less.
std::uint32_t speed_of_some(std::uint32_t paced, std::uint32_t some, std::uint32_t wanted,
                            const Elastic* elastic) {
  if (some == wanted) return paced;
  if (elastic == nullptr || elastic->scaling == 1) {
    const std::uint64_t speed = std::uint64_t{paced} * some / wanted;
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, speed));
  }
  const double part = std::pow(static_cast<double>(some) / wanted, elastic->scaling);
  return std::max(1U, static_cast<std::uint32_t>(paced * part));
}

}  // namespace

/// Work is stated for all instances in one zone; half of them take twice the time.
std::uint32_t Fleet::gang_speed(const Running& run) const {
  const Pool& pool = core_.world.pools[run.pool.index];
  if (pool.zones.empty()) return full_speed;
  std::size_t used = 0;
  for (const std::uint32_t here : run.launch->zones) used += here > 0 ? 1 : 0;
  return used > 1 ? pool.spread_ppm : full_speed;
}

/// One place for all that makes machines slow: hosts compute at the speed of their type, a spread
/// gang slower, a straggler slower still; they all go at the pace of the slowest, and no faster
/// than it is fed; fewer machines than wanted do less.
void Fleet::set_pace(Running& run) {
  const JobProfile& kind = core_.profile(run.job);
  const Throughput* of = kind.throughput.get();
  const Pool& pool = core_.world.pools[run.pool.index];
  const std::uint32_t wanted = core_.spec(run.job).instances;
  run.speed_ppm = full_speed;
  if (of == nullptr && run.instances == wanted && pool.zones.empty()) [[likely]]
    return;
  Pace& pace = run.launch->pace;
  pace = {};
  std::uint32_t own = gang_speed(run);
  std::uint32_t slowest = own;
  if (of != nullptr) {
    if (!of->of_types.empty()) slowest = own = times(own, of->of_types[pool.type.index]);
    if (of->stragglers) pace.slow = slow_hosts(run);
    if (pace.slow > 0) slowest = times(own, of->stragglers->speed_ppm);
  }
  const std::uint32_t most = of != nullptr ? of->fed.value_or(own) : own;
  const std::uint32_t paced = std::min(slowest, most);
  pace.fed = pace.busy_slow = share(paced, slowest);
  pace.even = share(paced, std::min(own, most));
  pace.busy = share(paced, own);
  run.speed_ppm = speed_of_some(paced, run.instances, wanted, kind.elastic.get());
}

/// Other machines, another draw: hosts from place `from` on are new to the job.
void Fleet::draw_stragglers(Running& run, std::uint32_t from) const {
  const Throughput* of = core_.profile(run.job).throughput.get();
  if (of == nullptr || !of->stragglers) return;
  std::vector<bool>& straggles = run.launch->straggles;
  straggles.resize(from);
  while (straggles.size() < run.instances) {
    straggles.push_back(is_straggler(run, static_cast<std::uint32_t>(straggles.size() + 1)));
  }
}

/// Another machine in the place of one; the others are what they were.
void Fleet::swap_host(Running& run, std::size_t place) const {
  std::vector<bool>& straggles = run.launch->straggles;
  if (place >= straggles.size()) return;
  straggles[place] = is_straggler(run, static_cast<std::uint32_t>(place + 1));
}

/// A new machine at that place.  Each launch of each attempt has draws of its own, by host: two
/// numbers of 32 bits name no more than one of the three, so the launch gives them a seed.
bool Fleet::is_straggler(const Running& run, std::uint32_t host) const {
  const Stragglers& law = *core_.profile(run.job).throughput->stragglers;
  const bool first = run.number == 1 && run.restarts.all() == 0;
  if (first && std::find(law.hosts.begin(), law.hosts.end(), host) != law.hosts.end()) return true;
  if (law.probability <= 0) return false;
  const std::uint64_t seed =
      sim::random_bits({core_.world.seed, core_.replication, sim::Cause::straggler_launch,
                        run.job.index, launch_of(run)});
  return sim::uniform({seed, core_.replication, sim::Cause::straggler, run.job.index, host}) <=
         law.probability;
}

/// The place in `slow_sets_` of those that are stragglers; they are few, so sets are shared.
std::uint32_t Fleet::slow_hosts(const Running& run) {
  std::vector<std::uint32_t> slow;
  std::uint32_t host = 0;
  for (const bool straggles : run.launch->straggles) {
    ++host;
    if (straggles) slow.push_back(host);
  }
  if (slow.empty()) return 0;
  const auto place = static_cast<std::uint32_t>(slow_sets_.size());
  const auto [known, is_new] = slow_set_of_.try_emplace(slow, place);
  if (is_new) slow_sets_.push_back(std::move(slow));
  return known->second;
}

/// What so much time at work would have cost less without what held it up: in the bill, and in the
/// uses of that time.
void Fleet::note_overlays(Running& run, Duration work, Instant from, policy::UsdPerHour price) {
  const Pace& pace = run.launch->pace;
  const bool held_up = std::min(pace.fed, pace.even) < full_speed;
  if (!held_up || run.bill.from == policy::never) return;
  const bool may_be_waived = may_be_free(run.pool);
  const Charge amount = charge(price, may_be_waived ? 1 : run.instances, work);
  const Charge starved = amount * (full_speed - pace.fed) / full_speed;
  const Charge straggled = amount * (full_speed - pace.even) / full_speed;
  if (may_be_waived)
    return run.launch->held_up.push_back({run.instances, from, starved, straggled});
  core_.record.starved += starved;
  core_.record.straggled += straggled;
}

/// Of machines that leave: what is free saves nobody anything.
void Fleet::settle_overlays(Launch& launch, const Joined& part, bool free) {
  for (HeldUp& work : launch.held_up) {
    if (work.from < part.from) continue;  // before they came
    work.instances -= part.instances;
    if (free) continue;
    core_.record.starved += part.instances * work.starved;
    core_.record.straggled += part.instances * work.straggled;
  }
  std::erase_if(launch.held_up, [](const HeldUp& work) { return work.instances == 0; });
}

}  // namespace reeve::models
