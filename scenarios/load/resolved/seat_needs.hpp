// What a rule asks of the world because of its options.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <reeve/policy/known_options.hpp>
#include <string>

#include "scenarios/load/keys/scenario.hpp"

namespace reeve::scenarios {

namespace known = policy::known;

inline bool has_option(const policy::PolicyKind& kind, std::string_view name) {
  return std::any_of(kind.options.begin(), kind.options.end(),
                     [&](const policy::OptionSpec& row) { return row.name == name; });
}

/// The rule has the option, with the type that the name stands for.
inline bool has_option(const policy::PolicyKind& kind, const policy::KnownOption& known) {
  return std::any_of(kind.options.begin(), kind.options.end(), [&](const policy::OptionSpec& row) {
    return row.name == known.name && known.may_have(row.type);
  });
}

/// Of the rule that starts pending jobs in the order of a known algorithm.  The algorithms of a
/// plug-in are its own.
inline bool is_scheduler(const policy::PolicyKind& kind) {
  return kind.schedules && !kind.is_plugin;
}

/// Of rules that move pending jobs to other fleets.
inline bool moves_pending(const policy::PolicyKind& kind) {
  return has_option(kind, known::fleets) && has_option(kind, known::after);
}

/// A rule that the scenario states: its alarm, if its condition requests one, is nested.
inline bool is_stated(const policy::PolicyKind& kind) {
  return !kind.is_plugin && has_option(kind, known::alarm_metric) && has_option(kind, known::when);
}

/// The option of an alarm, by the name that this kind of rule has for it.
inline std::string of_alarm(const SeatSpec& seat, std::string_view name) {
  return fmt::format("{}{}", is_stated(*seat.kind) ? "alarm." : "", name);
}

/// Of rules that learn what they act on from alarms which they put.
inline bool acts_on_alarms(const policy::PolicyKind& kind) {
  return has_option(kind, known::hosts) && has_option(kind, known::arm_delay);
}

inline bool acts_on_alarms(const SeatSpec& seat) {
  if (!is_stated(*seat.kind)) return acts_on_alarms(*seat.kind);
  return policy::asks_for(seat.options.condition(known::when), policy::ConditionField::alarm);
}

/// Whether the rule puts alarms on GPU use.
inline bool puts_alarm(const SeatSpec& seat) {
  if (is_stated(*seat.kind)) return acts_on_alarms(seat);
  return has_option(*seat.kind, known::metric) && has_option(*seat.kind, known::period) &&
         has_option(*seat.kind, known::threshold) && has_option(*seat.kind, known::scale);
}

/// Of rules that measure how much of what is billed lasts: told by reports of training.
inline bool measures_progress(const SeatSpec& seat) {
  constexpr auto option = known::min_progress;
  return has_option(*seat.kind, option) && seat.options.number(option) > 0;
}

/// Of a rule that leaves Spot: whether it also counts jobs that waited for Spot without effect.
inline bool minds_waits(const SeatSpec& seat) {
  return seat.options.flag(known::after_max_wait) || seat.options.integer(known::timeouts) > 0;
}

/// The GPU use that the rule requests, in percent; none: it requests none.
inline std::optional<double> least_gpu_use(const SeatSpec& seat) {
  constexpr auto option = known::min_pct;
  if (seat.mode == host::Mode::off || !has_option(*seat.kind, option)) return std::nullopt;
  if (!has_option(*seat.kind, known::stop_after) || seat.options.number(option) <= 0)
    return std::nullopt;
  return seat.options.number(option);
}

/// Of rules that tell jobs to save before a loss.
inline bool asks_to_save(const SeatSpec& seat) {
  const bool asks = has_option(*seat.kind, known::lead) && has_option(*seat.kind, known::block_end);
  return asks && seat.mode != host::Mode::off;
}

/// Of a stated rule that asks jobs to save.
inline bool states_save(const SeatSpec& seat) {
  const bool has_deed = has_option(*seat.kind, known::does) && has_option(*seat.kind, known::when);
  return has_deed && seat.options.text(known::does) == "save" && seat.mode != host::Mode::off;
}

/// Whether the rule receives the reports of training scripts.
inline bool reads_reports(const SeatSpec& seat) {
  if (seat.mode == host::Mode::off) return false;
  return seat.kind->reads_reports || measures_progress(seat);
}

/// Whether its stops are judged by what training scripts report.
inline bool is_judged_by_reports(const SeatSpec& seat) {
  if (seat.mode == host::Mode::off) return false;
  if (seat.kind->reads_reports) return true;
  constexpr auto option = known::accuses;
  return has_option(*seat.kind, option) && seat.options.text(option) == "learning_nothing";
}

/// Whether the rule may observe an attempt of such a job: in its own fleet, or in one that a
/// rule of the policy sends it to.
inline bool may_hold(const SeatSpec& seat, const models::JobProfile& profile,
                     const PolicySpec& policy, const models::World& world) {
  if (seat.scope.is_all()) return true;
  const auto holds = [&](policy::PoolId pool) {
    const host::Whereabouts there{profile.tags, pool};
    return seat.scope.holds(there, world.directory) != false;
  };
  if (holds(profile.pool)) return true;
  const policy::TypeId type = world.pools[profile.pool.index].type;
  return std::any_of(policy.seats.begin(), policy.seats.end(), [&](const SeatSpec& other) {
    if (other.kind->reaches == nullptr || other.mode != host::Mode::enforce) return false;
    const auto pools = other.kind->reaches(other.options, world.directory, type);
    return std::any_of(pools.begin(), pools.end(), holds);
  });
}

}  // namespace reeve::scenarios
