#include "scenarios/lints/run_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/resolved/losses.hpp"

namespace reeve::scenarios {
namespace {

/// Takes out the faults that end by themselves, and says how much longer they make an attempt at
/// most: one that was interrupted may do all its work anew.
Duration without_short_faults(const models::Platform& platform, Duration work,
                              models::JobProfile& profile) {
  using models::FaultKind;
  Duration longer{0};
  const auto passes = [&](const models::Fault& fault) {
    const bool interrupts = fault.kind == FaultKind::interruption;
    if (fault.lasts == Duration::max() || (fault.kind != FaultKind::stall && !interrupts)) {
      return false;
    }
    longer += fault.lasts;
    if (interrupts) longer += work + platform.startup + profile.checkpoint.restore;
    return true;
  };
  std::erase_if(profile.faults, passes);
  return longer;
}

}  // namespace

std::vector<Duration> longest_training(const Resolved& resolved) {
  const models::World& world = resolved.world();
  std::vector<Duration> all = longest_works(world);
  const bool moves = rules_move(resolved.input);
  // What ends meanwhile does so a little later.
  const models::Platform& platform = world.platform;
  const Duration last = platform.upload + std::max(platform.stop_grace, platform.max_runtime_grace);
  models::Fault after_all;
  after_all.at = Duration::max();
  for (std::size_t id = 0; id < all.size(); ++id) {
    const Duration work = std::exchange(all[id], Duration::max());
    models::JobProfile there = world.profiles[id];
    const bool late = has_ticks(resolved.world()) || !world.shocks.empty() ||
                      platform.late_upload.probability > 0;
    if (late || work == Duration::max()) continue;
    const Duration longer =
        without_short_faults(platform, training_time(world, there, work), there);
    if (may_be_held_up(resolved, there, after_all, work)) continue;
    Duration longest = training_time(world, there, work);
    for (std::uint32_t pool = 0; moves && pool < world.pools.size(); ++pool) {
      there.pool = {pool};
      longest = std::max(longest, training_time(world, there, work));
    }
    all[id] = longest + longer + last;
  }
  return all;
}

Duration limit_by_rules(const PolicySpec& policy) {
  Duration least = Duration::max();
  for (const SeatSpec& seat : policy.seats) {
    if (seat.mode != host::Mode::enforce) continue;
    const auto* further = value_of<Duration>(seat, known::override_max_runtime);
    if (further != nullptr && *further > Duration{0}) least = std::min(least, *further);
    if (says(seat, known::enforce_by, "platform") || says(seat, known::does, "limit_runtime")) {
      least = std::min(least, seat.options.duration(known::limit));
    }
  }
  return least;
}

}  // namespace reeve::scenarios
