#include "models/fleet/gang_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
std::uint32_t GangSpeeds::of_spread(const Running& run) const {
  const Pool& pool = core_.world.pools[run.pool.index];
  if (pool.zones.empty()) return full_speed;
  std::size_t used = 0;
  for (const std::uint32_t here : run.launch->zones) used += here > 0 ? 1 : 0;
  return used > 1 ? pool.spread_ppm : full_speed;
}

void GangSpeeds::set_pace(Running& run) {
  const JobProfile& kind = core_.profile(run.job);
  const Throughput* of = kind.throughput.get();
  const Pool& pool = core_.world.pools[run.pool.index];
  const std::uint32_t wanted = core_.spec(run.job).instances;
  run.speed_ppm = full_speed;
  if (of == nullptr && run.instances == wanted && pool.zones.empty()) [[likely]]
    return;
  Pace& pace = run.launch->pace;
  pace = {};
  std::uint32_t own = of_spread(run);
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

void GangSpeeds::draw_stragglers(Running& run, std::uint32_t from) const {
  const Throughput* of = core_.profile(run.job).throughput.get();
  if (of == nullptr || !of->stragglers) return;
  std::vector<bool>& straggles = run.launch->straggles;
  straggles.resize(from);
  while (straggles.size() < run.instances) {
    straggles.push_back(is_straggler(run, static_cast<std::uint32_t>(straggles.size() + 1)));
  }
}

void GangSpeeds::swap_host(Running& run, std::size_t place) const {
  std::vector<bool>& straggles = run.launch->straggles;
  if (place >= straggles.size()) return;
  straggles[place] = is_straggler(run, static_cast<std::uint32_t>(place + 1));
}

/// A new machine at that place.  Each launch of each attempt has draws of its own, by host: two
/// numbers of 32 bits name no more than one of the three, so the launch gives them a seed.
bool GangSpeeds::is_straggler(const Running& run, std::uint32_t host) const {
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
std::uint32_t GangSpeeds::slow_hosts(const Running& run) {
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

bool GangSpeeds::is_slow(const Pace& pace, std::uint32_t host) const {
  const std::vector<std::uint32_t>& slow = slow_sets_[pace.slow];
  return std::find(slow.begin(), slow.end(), host) != slow.end();
}

}  // namespace reeve::models
