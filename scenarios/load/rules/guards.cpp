// Guards and the tags that they, and the scopes of rules, mean.
#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <reeve/policy/known_options.hpp>
#include <set>

#include "policies/weekly_options.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"
#include "scenarios/load/rules/steps.hpp"

namespace reeve::scenarios {
namespace {

policy::WeeklyHours weekly(const OfficeHoursInput& input) {
  std::bitset<7> days;
  for (const std::size_t which : input.days) days.set(which);
  return policy::WeeklyHours::between(days, input.from, input.to, input.utc_offset_h);
}

/// What rules are called in any policy.
std::set<std::string_view> labels(const Scenario& scenario) {
  std::set<std::string_view> all;
  for (const PolicySpec& policy : scenario.policies) {
    for (const SeatSpec& seat : policy.seats) all.insert(seat.label);
  }
  return all;
}

bool is_blank_text(std::string_view text) {
  return text.find_first_not_of(" \t\n\r") == std::string_view::npos;
}

/// The name nearest to it, or else some of those that there are.
std::string rule_meant(std::string_view text, const std::set<std::string_view>& rules) {
  const std::vector<std::string_view> names{rules.begin(), rules.end()};
  if (names.empty()) return "no policy has any rule";
  std::string help = did_you_mean(text, names);
  if (!help.empty()) return help;
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < names.size() && i < shown; ++i) {
    help += fmt::format("{}{}", help.empty() ? "one of " : ", ", in_quotes(names[i]));
  }
  return names.size() > shown ? help + ", ..." : help;
}

/// Whether the guard is closed whenever the rule stops jobs, so long after its hours.
bool never_lets_stop(const policy::WeeklyHours& guard, const policy::WeeklyHours& rule,
                     policy::Duration after, policy::Instant from) {
  for (int shift = 0; shift < 8; ++shift) {
    const policy::Instant opens = rule.opens(from);
    const policy::Instant closes = opens == policy::never ? opens : rule.open_until(opens);
    if (closes == policy::never) return shift > 0;
    const policy::Instant stops = policy::later(closes, after);
    if (guard.open(stops)) return false;
    from = closes;
  }
  return true;
}

/// A rule that stops jobs when its hours end is refused by a guard that is closed then.
void check_closing(const Resolved& resolved, const policy::WeeklyHours& guard, Findings& findings) {
  for (const PolicySpec& policy : resolved.scenario.policies) {
    for (const SeatSpec& seat : policy.seats) {
      if (!seat.kind->keeps_hours || seat.mode == host::Mode::off) continue;
      const bool acts = has_option(*seat.kind, policy::known::action);
      const std::string action = acts ? seat.options.text(policy::known::action) : "stop";
      if (action == "notify") continue;
      const bool warns =
          action == "warn_then_stop" && has_option(*seat.kind, policy::known::warn_for);
      const auto after =
          warns ? seat.options.duration(policy::known::warn_for) : policy::Duration{0};
      const policy::WeeklyHours hours = policies::weekly_hours(seat.options);
      if (!never_lets_stop(guard, hours, after, resolved.world().start)) continue;
      const Node guards = *resolved.input.guards.written;
      findings.warning(guards.find("office_hours").value_or(guards), "W0540",
                       fmt::format("rule {} of policy {} stops jobs when the guard is closed",
                                   in_quotes(seat.label), in_quotes(policy.name)),
                       "its stops wait until these hours begin",
                       after > policy::Duration{0}
                           ? "set the guard's \"to\" later than the rule's \"to\" plus \"warn_for\""
                           : "set the guard's \"to\" later than the rule's \"to\"");
      return;
    }
  }
}

host::Exemptions::Exemption resolve_exemption(const Resolved& resolved, const ExemptionInput& input,
                                              const std::set<std::string_view>& rules,
                                              Findings& findings) {
  const Node written = *input.written;
  const Node tag = *written.find("tag");
  const Node until = *written.find("until");
  // What cannot be read, and is reported, has left the instant as it was.
  const bool is_read = input.until != policy::Instant{};
  if (is_read && input.until <= resolved.world().start) {
    findings.warning(until, "W0521", "the exemption ends before the clock starts",
                     "it exempts nothing");
  }
  if (const auto owner = written.find("owner"); owner && is_blank_text(input.owner)) {
    findings.error(*owner, "E0229", "an exemption without an owner", "an owner is required",
                   "add the name of a person or a team");
  }
  const auto list = written.find("rules");
  for (std::size_t i = 0; list && i < input.rules.size() && i < list->size(); ++i) {
    if (rules.contains(input.rules[i]) || findings.errors() > 0) continue;
    findings.error((*list)[i], "E0248",
                   fmt::format("no policy has a rule {}", in_quotes(input.rules[i])),
                   "the exemption has no effect", rule_meant(input.rules[i], rules));
  }
  return {tag_pattern(resolved, input.tag, tag, findings), input.rules, input.until};
}

std::optional<host::Canary::Terms> resolve_canary(const models::World& world,
                                                  const CanaryInput& input, Findings& findings) {
  const Node written = *input.written;
  if (input.first && input.percent) {
    findings.error(*written.find("pct"), "E0283",
                   "\"first\" and \"pct\" both set the number of jobs", "choose one");
    return std::nullopt;
  }
  if (!input.first && !input.percent) {
    if (written.find("first") || written.find("pct")) return std::nullopt;  // reported
    findings.error(written, "E0283", "the canary has no number of jobs",
                   "neither \"first\" nor \"pct\"", "add \"first\": 1");
    return std::nullopt;
  }
  const host::Canary::Terms terms{input.first.value_or(0), input.percent.value_or(0), input.watch};
  const auto watch = written.find("watch");
  if (!watch || world.end == policy::never || input.watch < world.end - world.start) return terms;
  findings.warning(*watch, "W0558", "the canary is watched until the run ends",
                   "no rule ever acts on further jobs",
                   "use less than the \"horizon\" of the clock");
  return terms;
}

/// A dry start that the clock does not outlast.
void check_dry_start(const models::World& world, const Node& written, Duration lasts,
                     Findings& findings) {
  const auto dry_start = written.find("dry_start");
  if (!dry_start || world.end == policy::never || lasts < world.end - world.start) return;
  findings.warning(*dry_start, "W0574", "the dry start lasts until the run ends",
                   "no rule ever changes a job", "use less than the \"horizon\" of the clock");
}

}  // namespace

GuardSpec resolve_guards(const Resolved& resolved, Findings& findings) {
  const GuardsInput& input = resolved.input.guards;
  GuardSpec guards;
  guards.stops_per_hour = input.stops_per_hour;
  guards.stops_pct_per_hour = input.stops_pct_per_hour;
  guards.actions_per_hour = input.actions_per_hour;
  guards.actions_per_rule_per_day = input.actions_per_rule_per_day;
  guards.protected_tags = input.protected_tags;
  guards.dry_start = input.dry_start;
  if (input.office_hours) guards.office_hours = weekly(*input.office_hours);
  if (input.canary) guards.canary = resolve_canary(resolved.world(), *input.canary, findings);
  if (!input.written) return guards;
  check_dry_start(resolved.world(), *input.written, input.dry_start, findings);
  if (const auto tags = input.written->find("protected_tags")) {
    for (std::size_t i = 0; i < guards.protected_tags.size() && i < tags->size(); ++i) {
      tag_pattern(resolved, guards.protected_tags[i], (*tags)[i], findings);
    }
  }
  const std::set<std::string_view> rules = labels(resolved.scenario);
  for (const ExemptionInput& each : input.exempt) {
    if (!each.written->find("tag") || !each.written->find("until")) continue;  // reported
    guards.exemptions.push_back(resolve_exemption(resolved, each, rules, findings));
  }
  if (guards.office_hours) check_closing(resolved, *guards.office_hours, findings);
  return guards;
}

}  // namespace reeve::scenarios
