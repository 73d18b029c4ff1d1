#include "scenarios/load/resolved/resolved.hpp"

#include <algorithm>
#include <reeve/policy/known_options.hpp>

#include "models/progress.hpp"
#include "policies/registry.hpp"

namespace reeve::scenarios {
namespace {

/// `gavel` is the one algorithm that chooses machines, too.  Options are not read yet.
bool chooses_machines(const ScenarioInput& input, const SeatInput& seat) {
  const auto is_it = [](const Node& algorithm) {
    return algorithm.is_text() && algorithm.as_text() == "gavel";
  };
  for (const Node& option : seat.options) {
    if (option.key() == policy::known::algorithm) return is_it(option);
  }
  for (const auto& [name, preset] : input.presets) {
    const auto algorithm = preset.written->find(policy::known::algorithm);
    if (seat.use == name && algorithm) return is_it(*algorithm);
  }
  return false;
}

}  // namespace

Node Place::of(std::string_view key) const {
  if (const auto found = here.find(key)) return *found;
  if (under) {
    if (const auto found = under->find(key)) return *found;
  }
  return here;
}

std::optional<Node> Place::find(std::string_view outer, std::string_view key) const {
  for (const std::optional<Node>& object : {std::optional{here}, under}) {
    const auto inner = object ? object->find(outer) : std::nullopt;
    const auto found = inner ? inner->find(key) : std::nullopt;
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<Node> written_priority(const ScenarioInput& input) {
  const Node root = *input.written;
  for (const std::string_view key : {"job_defaults", "workload"}) {
    const auto shared = root.find(key);
    if (!shared || !shared->is_object()) continue;
    if (const auto priority = shared->find("priority")) return priority;
  }
  if (!input.jobs.written) return std::nullopt;
  for (const Node job : input.jobs.written->as_array()) {
    if (!job.is_object()) continue;
    if (const auto priority = job.find("priority")) return priority;
  }
  return std::nullopt;
}

bool has_ticks(const models::World& world) {
  return world.platform.model == models::PlatformModel::ticks;
}

std::vector<Duration> longest_works(const models::World& world) {
  std::vector<Duration> works(world.profiles.size());
  for (const models::JobSpec& job : world.jobs.specs) {
    works[job.profile] = std::max(works[job.profile], job.work);
  }
  if (!world.drawn) return works;
  const Duration most = models::longest_of(world.drawn->work);
  for (const std::uint32_t drawn : {world.drawn->profile, world.drawn->untagged_profile}) {
    works[drawn] = std::max(works[drawn], most);
  }
  return works;
}

std::uint32_t largest_job(const Resolved& resolved) {
  const std::vector<std::uint32_t>& sizes = resolved.largest;
  return sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
}

Duration training_time(const models::World& world, const models::JobProfile& profile,
                       Duration work) {
  const policy::TypeId type = world.pools[profile.pool.index].type;
  const std::uint32_t speed = models::speed_on(profile.throughput.get(), type);
  return models::time_to_finish(profile.checkpoint, work, speed);
}

bool rules_move(const ScenarioInput& input) {
  for (const auto& [name, seats] : input.policies) {
    for (const SeatInput& seat : seats) {
      const policy::PolicyKind* kind = policies::find_kind(seat.rule);
      if (kind == nullptr || seat.mode != host::Mode::enforce) continue;
      const bool reaches =
          kind->schedules ? chooses_machines(input, seat) : kind->reaches != nullptr;
      if (kind->moves || kind->places || reaches) return true;
    }
  }
  return false;
}

std::uint32_t fastest(const Resolved& resolved, const models::JobProfile& profile) {
  const models::World& world = resolved.world();
  const auto speed_in = [&](const models::Pool& pool) {
    return models::speed_on(profile.throughput.get(), pool.type);
  };
  std::uint32_t speed = speed_in(world.pools[profile.pool.index]);
  if (profile.throughput == nullptr || !rules_move(resolved.input)) return speed;
  for (const models::Pool& pool : world.pools) speed = std::max(speed, speed_in(pool));
  return speed;
}

}  // namespace reeve::scenarios
