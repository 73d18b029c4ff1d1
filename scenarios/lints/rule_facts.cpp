#include "scenarios/lints/rule_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::scenarios {

bool says(const SeatSpec& seat, std::string_view option, std::string_view word) {
  const auto* text = value_of<std::string>(seat, option);
  return text != nullptr && *text == word;
}

bool lists(const SeatSpec& seat, std::string_view option, std::string_view text) {
  const auto* texts = value_of<std::vector<std::string>>(seat, option);
  return texts != nullptr && std::find(texts->begin(), texts->end(), text) != texts->end();
}

const policy::Condition* stated(const SeatSpec& seat) {
  return value_of<policy::Condition>(seat, known::when);
}

bool looks_for_idle(const SeatSpec& seat) {
  if (!is_stated(*seat.kind)) return true;
  const std::string compare = of_alarm(seat, known::compare);
  return acts_on_alarms(seat) && (says(seat, compare, "<") || says(seat, compare, "<="));
}

std::partial_ordering against_threshold(const models::World& world, const SeatSpec& seat,
                                        const models::JobProfile& profile, double level) {
  const double threshold = seat.options.number(of_alarm(seat, known::threshold));
  const bool per_gpu = says(seat, of_alarm(seat, known::scale), "per_gpu");
  const policy::TypeId type = world.pools[profile.pool.index].type;
  const std::uint32_t gpus =
      world.platform.metrics.gpu_sum ? world.directory.types[type.index].gpus : 1;
  return level * gpus <=> threshold * (per_gpu ? gpus : 1);
}

bool breaches(const models::World& world, const SeatSpec& seat, const models::JobProfile& profile,
              double level) {
  const auto order = against_threshold(world, seat, profile, level);
  const std::string compare = of_alarm(seat, known::compare);
  if (order == 0) return says(seat, compare, "<=") || says(seat, compare, ">=");
  const bool above = says(seat, compare, ">") || says(seat, compare, ">=");
  return above ? order > 0 : order < 0;
}

bool hears_reports(const models::World& world, const PolicySpec& policy,
                   const models::JobProfile& profile) {
  if (profile.reports == nullptr || !profile.reports->steps) return false;
  return std::any_of(policy.seats.begin(), policy.seats.end(), [&](const SeatSpec& seat) {
    const bool hears = seat.kind->finds_stalls && seat.kind->reads_reports;
    return hears && says(seat, known::signal, "steps") && seat.mode == host::Mode::enforce &&
           may_hold(seat, profile, policy, world);
  });
}

bool may_hang(const models::Pool& pool) {
  return pool.node_faults && pool.node_faults->hangs > 0 &&
         pool.node_faults->per_1000_node_days > 0;
}

std::uint32_t hosts_of(const Resolved& resolved, const models::JobProfile& profile) {
  const auto id = static_cast<std::size_t>(&profile - resolved.world().profiles.data());
  return id < resolved.largest.size() ? resolved.largest[id] : 1;
}

bool may_have(const models::JobProfile& profile, std::initializer_list<models::FaultKind> kinds) {
  const auto is_one = [&](const auto& fault) {
    return std::find(kinds.begin(), kinds.end(), fault.kind) != kinds.end();
  };
  return std::any_of(profile.faults.begin(), profile.faults.end(), is_one) ||
         std::any_of(profile.drawn_faults.begin(), profile.drawn_faults.end(), is_one);
}

bool has_room_for_all(const models::World& world, const models::Pool& pool) {
  if (world.drawn) return false;
  std::uint64_t instances = 0;
  for (const models::JobSpec& job : world.jobs.specs) instances += job.instances;
  return instances <= pool.capacity;
}

const models::Pool& pool_under(const Resolved& resolved, const PolicySpec& policy,
                               const models::JobProfile& profile) {
  const models::World& world = resolved.world();
  const policy::TypeId type = world.pools[profile.pool.index].type;
  for (const SeatSpec& seat : policy.seats) {
    const bool puts_all = seat.kind->places && seat.kind->owns_use;  // `market`
    if (!puts_all || seat.mode != host::Mode::enforce) continue;
    for (const policy::PoolId id : seat.kind->reaches(seat.options, world.directory, type)) {
      const models::Pool& pool = world.pools[id.index];
      if (hosts_of(resolved, profile) <= pool.capacity) return pool;
    }
  }
  return world.pools[profile.pool.index];
}

}  // namespace reeve::scenarios
