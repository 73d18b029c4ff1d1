// Lints for alarms and machines that are left behind.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/lints/run_times.hpp"
#include "scenarios/lints/waits.hpp"
#include "scenarios/lints/written_keys.hpp"

namespace reeve::scenarios {
namespace {

/// Whether the platform may end an attempt under the policy for how long it ran.
bool may_exceed_runtime(const Resolved& resolved, const PolicySpec& policy) {
  const models::World& world = resolved.world();
  if (models::is_unmanaged(world.platform.model)) return false;
  const Duration clock = world.end == policy::never ? Duration::max() : world.end - world.start;
  const Duration by_rules = limit_by_rules(policy);
  const models::Platform& platform = world.platform;
  const Duration starts = std::max(platform.startup, platform.first_startup.value_or(Duration{0}));
  const std::vector<Duration> longest = longest_training(resolved);
  for (std::size_t id = 0; id < world.profiles.size(); ++id) {
    const models::JobProfile& profile = world.profiles[id];
    const Duration limit = std::min(profile.max_runtime, by_rules);
    const Duration before =
        platform.runtime_includes_startup ? starts + profile.checkpoint.restore : Duration{0};
    if (limit < clock && longest[id] >= limit - std::min(limit, before)) return true;
  }
  return world.profiles.empty();
}

/// Whether an attempt under the policy may end so; the other ends always may come.
bool may_end_as(const Resolved& resolved, const PolicySpec& policy, std::string_view end) {
  if (end == "MaxRuntimeExceeded") return may_exceed_runtime(resolved, policy);
  if (end != "MaxWaitTimeExceeded") return true;
  const models::World& world = resolved.world();
  const Duration clock = world.end == policy::never ? Duration::max() : world.end - world.start;
  const bool told_so = world.platform.pending_ends_as == policy::Secondary::max_wait_time_exceeded;
  const auto& profiles = world.profiles;
  return profiles.empty() ||
         std::any_of(profiles.begin(), profiles.end(), [&](const models::JobProfile& profile) {
           return (profile.max_wait < clock && may_reach_max_wait(world, policy, profile)) ||
                  (told_so && profile.max_pending < clock);
         });
}

/// Whether a rule deletes what alarms are left behind, before the clock ends.
bool sweeps_alarms(const models::World& world, const SeatSpec& seat) {
  const Duration clock = world.end == policy::never ? Duration::max() : world.end - world.start;
  const auto* alarms = value_of<bool>(seat, known::alarms);
  const bool sweeps = alarms != nullptr && *alarms && seat.mode == host::Mode::enforce;
  if (!sweeps || seat.options.duration(known::every) > clock) return false;
  const auto* idle = value_of<Duration>(seat, known::idle);
  return idle == nullptr || *idle < clock;  // what is left is swept only when it lay for so long
}

/// Whether rules of which that is so are told of all jobs that `of` is told of; null: of all.
template <class Is>
bool reach_all(const models::World& world, const PolicySpec& policy, const SeatSpec* of,
               const Is& is) {
  const auto& seats = policy.seats;
  const auto reaches = [&](const models::JobProfile& profile) {
    if (of != nullptr && !may_hold(*of, profile, policy, world)) return true;
    return std::any_of(seats.begin(), seats.end(), [&](const SeatSpec& seat) {
      return is(seat) && may_hold(seat, profile, policy, world);
    });
  };
  const auto& profiles = world.profiles;
  return std::any_of(seats.begin(), seats.end(), is) &&
         std::all_of(profiles.begin(), profiles.end(), reaches);
}

/// An end that does not delete the alarm leaves it behind for ever (D7, F38).
void check_disarming(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                     const OptionPlaces& places, Findings& findings) {
  const bool nested = has(seat, known::alarm_metric);
  const std::string_view option = nested ? "alarm.disarm_on" : "disarm_on";
  const bool asked = !nested || policy::asks_for(seat.options.condition(known::when),
                                                 policy::ConditionField::alarm);
  if (!has(seat, option) || !asked || seat.mode == host::Mode::shadow) return;
  const models::World& world = resolved.world();
  const auto sweeps = [&](const SeatSpec& other) { return sweeps_alarms(world, other); };
  if (reach_all(world, policy, &seat, sweeps)) return;
  std::vector<std::string_view> left_out;
  for (const std::string_view end :
       {"Completed", "Failed", "Stopped", "MaxRuntimeExceeded", "MaxWaitTimeExceeded"}) {
    const bool removed = lists(seat, option, end);
    if (!removed && may_end_as(resolved, policy, end)) left_out.push_back(end);
  }
  if (left_out.empty()) return;
  Diagnostic finding = at(places.find(option).value_or(places.seat), "W0413",
                          fmt::format("the alarm is not deleted on {}", fmt::join(left_out, ", ")),
                          "it outlives the job", Severity::warning);
  const double monthly = static_cast<double>(resolved.input.prices.alarm_per_month.micros()) / 1e6;
  findings.add(std::move(finding).with_note(
      fmt::format("each such job leaves an orphaned alarm (${:.2f} a month)", monthly)));
}

/// Whether in every policy that has rules one sweeps up machines that are left running.
bool all_sweep_machines(const Resolved& resolved) {
  bool governed = false;
  for (const PolicySpec& policy : resolved.scenario.policies) {
    if (policy.seats.empty()) continue;
    governed = true;
    const auto sweeps = [](const SeatSpec& seat) {
      const auto* instances = value_of<bool>(seat, known::instances);
      return has(seat, known::gangs) && instances != nullptr && *instances &&
             seat.mode == host::Mode::enforce;
    };
    if (!reach_all(resolved.world(), policy, nullptr, sweeps)) return false;
  }
  return governed;
}

void check_self_destruct(const Resolved& resolved, Findings& findings) {
  if (!models::is_unmanaged(resolved.world().platform.model)) return;
  if (resolved.input.platform.unmanaged.self_destruct_fails < 1) return;
  if (all_sweep_machines(resolved)) return;
  findings.warning(at_platform(resolved.input, "self_destruct_fails"), "W0452",
                   "no instance shuts itself down", "each job leaves orphaned instances",
                   "fix \"--zone=zone=...\" in the command, and add the rule orphan_sweep");
}

}  // namespace

std::span<const Lint> orphan_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0413", "an orphaned alarm",
        "`disarm_on` lacks a status in which jobs end. Each such job leaves an orphaned alarm, "
        "which costs $0.10 a month and is one of the account's 5,000 alarms.",
        "\"disarm_on\": [\"Completed\", \"Failed\"]",
        "\"disarm_on\": [\"Completed\", \"Failed\", \"Stopped\", \"MaxRuntimeExceeded\", "
        "\"MaxWaitTimeExceeded\"]"},
       check_disarming,
       RunIf::handler_runs},
      {{"W0452", "instances that never terminate themselves (defect D19)",
        "--zone=zone=us-east1-d names no zone: the command fails, and the instances keep running.",
        "\"self_destruct_fails\": 1", "0, once the command is correct"},
       check_self_destruct},
  });
  return rows;
}

}  // namespace reeve::scenarios
