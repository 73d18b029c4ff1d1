// Lints for clones that lack settings of their job.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/restarts.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/keys/condition.hpp"
#include "scenarios/load/resolved/attempt_status.hpp"

namespace reeve::scenarios {
namespace {

/// What a clone is created without, and cannot run without (D12).
void check_lost_fields(const Resolved& /*resolved*/, const SeatSpec& seat,
                       const OptionPlaces& places, Findings& findings) {
  for (const std::string_view field : {"InputDataConfig", "VpcConfig"}) {
    if (!lists(seat, known::loses, field)) continue;
    return findings.warning(places.find(known::loses).value_or(places.seat), "W0457",
                            fmt::format("a clone without its {} fails after it starts", field),
                            "its startup is billed", "copy it");
  }
}

/// What a clone runs without, but was created with to be looked at (F50).
void check_lost_settings(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                         Findings& findings) {
  std::vector<std::string_view> lost;
  for (const std::string_view field :
       {"Environment", "ExperimentConfig", "DebugHookConfig", "ProfilerConfig"}) {
    if (lists(seat, known::loses, field)) lost.push_back(field);
  }
  const models::World& world = resolved.world();
  const bool retried = std::any_of(
      world.profiles.begin(), world.profiles.end(), [&](const models::JobProfile& profile) {
        return profile.retries > 0 && may_hold(seat, profile, {}, world);
      });
  if (retried && lists(seat, known::loses, "RetryStrategy")) lost.push_back("RetryStrategy");
  if (lost.empty()) return;
  findings.warning(places.find(known::loses).value_or(places.seat), "W0458",
                   fmt::format("a clone loses its {}", fmt::join(lost, ", ")),
                   "it runs, but differs from what was submitted",
                   "copy the fields that are still used");
}

/// How jobs of a profile stand as they start, with the tags that they have, or with none.
bool is_stopped_at_start(const SeatSpec& rule, const TagsOf& tags, bool surely) {
  const auto* when = value_of<policy::Condition>(rule, known::when);
  if (when == nullptr || !says(rule, known::does, "stop")) return false;
  using policy::Secondary;
  for (const Secondary status :
       {Secondary::starting, Secondary::downloading, Secondary::training}) {
    const AttemptStatus starts{.secondary = status, .tags = &tags};
    const auto holds = holds_of(*when, starts);
    if (holds == true || (!surely && !holds)) return true;
  }
  return false;
}

/// Whether the rule stops attempts without tags, and lets jobs of the profile alone.
bool stops_tagless(const SeatSpec& rule, const models::World& world,
                   const models::JobProfile& profile) {
  const auto tag = [&](std::string_view key) { return world.directory.tag(profile.tags, key); };
  if (has(rule, known::keys)) {
    const std::vector<std::string>& keys = rule.options.texts(known::keys);
    return !keys.empty() && !says(rule, known::action, "notify") &&
           std::all_of(keys.begin(), keys.end(), [&](const auto& key) { return tag(key); });
  }
  const TagsOf none = [](std::string_view) { return std::optional<std::string_view>{}; };
  return is_stopped_at_start(rule, none, true) && !is_stopped_at_start(rule, tag, false);
}

/// D12: a clone without the tags that its first attempt was let alone for.
void check_lost_tags(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                     const OptionPlaces& places, Findings& findings) {
  const auto* keeps = value_of<bool>(seat, known::keep_tags);
  const auto* loses = value_of<std::vector<std::string>>(seat, known::loses);
  const bool dropped = keeps != nullptr && !*keeps;
  const bool lost =
      loses != nullptr && std::find(loses->begin(), loses->end(), "Tags") != loses->end();
  if (!dropped && !lost) return;
  const models::World& world = resolved.world();
  for (const SeatSpec& other : policy.seats) {
    if (other.mode != host::Mode::enforce) continue;
    const auto stops = [&](const models::JobProfile& profile) {
      models::JobProfile clone = profile;
      clone.tags = {};  // which no scope of tags holds
      return may_hold(seat, profile, policy, world) && may_hold(other, clone, policy, world) &&
             stops_tagless(other, world, profile);
    };
    if (std::none_of(world.profiles.begin(), world.profiles.end(), stops)) continue;
    return findings.warning(
        places.find(dropped ? known::keep_tags : known::loses).value_or(places.seat), "W0457",
        fmt::format("a clone without its tags is stopped by {}", in_quotes(other.label)),
        "its startup is billed", dropped ? "\"keep_tags\": true" : "copy them");
  }
}

}  // namespace

std::span<const Lint> lost_setting_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0457", "a clone that cannot run (defect D12)",
        "A clone has only the fields that are copied. Without its data or its network, it fails "
        "after startup. Without its tags, a rule that requires them stops it.",
        "\"loses\": [\"InputDataConfig\"]", "no such field in \"loses\""},
       check_lost_fields,
       RunIf::handler_runs},
      {also("W0457"), check_lost_tags},
      {{"W0458", "a clone without its settings (defect D12)",
        "A clone has only the fields that are copied. It runs without its environment, debugger "
        "and profiler. Without ExperimentConfig it belongs to no experiment. Without RetryStrategy "
        "nothing restarts it after an infrastructure failure.",
        "\"loses\": [\"ExperimentConfig\"]", "no such field in \"loses\""},
       check_lost_settings,
       RunIf::handler_runs},
  });
  return rows;
}

}  // namespace reeve::scenarios
