// Lints for rules that count how long attempts run.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/lints/run_times.hpp"
#include "scenarios/load/resolved/undisturbed.hpp"

namespace reeve::scenarios {
namespace {

/// Whether a rule that resumes may count a run time of so long; how long an attempt waits for its
/// machines has no bound.
bool may_count(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
               Duration length) {
  const models::World& world = resolved.world();
  if (world.end != policy::never && world.end - world.start < length) return false;
  const bool waits = says(seat, known::since, "creation");
  const Duration of_clones = seat.options.duration(known::override_max_runtime);
  const Duration by_rules = limit_by_rules(policy);
  const std::vector<Duration> longest = longest_training(resolved);
  for (std::size_t id = 0; id < world.profiles.size(); ++id) {
    if (!may_hold(seat, world.profiles[id], policy, world)) continue;
    const Duration limit = std::min(std::max(world.profiles[id].max_runtime, of_clones), by_rules);
    if (limit >= length && (waits || longest[id] >= length)) return true;
  }
  return world.profiles.empty();
}

/// Whole days count for nothing (D9); a rule that asks for no run time does not care.
void check_days(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                const OptionPlaces& places, Findings& findings) {
  if (!says(seat, known::measure, "seconds_field")) return;
  const Duration asked = seat.options.duration(known::min_runtime);
  constexpr Duration day = std::chrono::hours{24};
  if (asked <= Duration{0} || !may_count(resolved, policy, seat, day)) return;
  findings.warning(places.find(known::measure).value_or(places.seat), "W0439",
                   "whole days of run time are ignored",
                   asked < day
                       ? fmt::format("from 24 h to {} h, and likewise each day, no job is resumed",
                                     24 + std::chrono::duration<double>(asked).count() / 3600)
                       : std::string{"no job is ever resumed"},
                   "\"measure\": \"total\"");
}

/// The longest that any attempt may run that the rule is told of, first or further, by what was
/// asked of the platform; Duration::max(): for ever.
Duration longest_allowed(const models::World& world, const PolicySpec& policy,
                         const SeatSpec& seat) {
  Duration longest{0};
  for (const models::JobProfile& profile : world.profiles) {
    if (may_hold(seat, profile, policy, world)) longest = std::max(longest, profile.max_runtime);
  }
  for (const SeatSpec& other : policy.seats) {
    const auto* further = value_of<Duration>(other, known::override_max_runtime);
    if (further != nullptr) longest = std::max(longest, *further);
  }
  return longest;
}

/// Whether nothing stops the clock of any attempt's MaxRuntime, and the end that it brings is told.
bool limits_are_kept(const models::World& world) {
  const models::Platform& platform = world.platform;
  if (platform.events.lost > 0 || platform.late_upload.probability > 0) return false;
  return std::all_of(world.profiles.begin(), world.profiles.end(), starts_once) &&
         std::all_of(world.pools.begin(), world.pools.end(),
                     [&](const models::Pool& pool) { return is_steady(world, pool); });
}

/// A cap on run times that the platform's own limits are below, for each job.
void check_cap(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
               const OptionPlaces& places, Findings& findings) {
  const models::World& world = resolved.world();
  if (!has(seat, known::enforce_by) || has_ticks(resolved.world())) return;
  const Duration limit = seat.options.duration(known::limit);
  const Duration longest = longest_allowed(world, policy, seat);
  if (longest == Duration{0} || longest > limit) return;
  if (says(seat, known::enforce_by, "clock")) {
    // A rule observes an end when all is saved and the event has arrived.
    const models::Platform& platform = world.platform;
    const Duration after = std::max(platform.stop_grace, platform.max_runtime_grace) +
                           platform.upload + platform.events.delay + platform.events.jitter;
    if (!limits_are_kept(world) || after >= limit - longest) return;
  }
  findings.warning(places.find(known::limit).value_or(places.seat), "W0565",
                   fmt::format("all jobs are already limited to {}", show(longest)),
                   "the rule never does anything",
                   "use a \"limit\" below the \"max_runtime\" of the jobs");
}

}  // namespace

std::span<const Lint> run_time_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0439", "run time without whole days (defect D9)",
        "timedelta.seconds omits whole days: 25 hours count as one.",
        "\"measure\": \"seconds_field\"", "\"measure\": \"total\""},
       check_days,
       RunIf::handler_runs},
      {also("W0565"), check_cap},
  });
  return rows;
}

}  // namespace reeve::scenarios
