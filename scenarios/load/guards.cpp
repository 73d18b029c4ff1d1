// Guards and the tags that they, and the scopes of rules, mean.
#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <set>

#include "policies/weekly_options.hpp"
#include "scenarios/load/loading.hpp"

namespace reeve::scenarios {
namespace {

policy::WeeklyHours weekly(const OfficeHoursInput& input) {
  std::bitset<7> days;
  for (const std::size_t which : input.days) days.set(which);
  return policy::WeeklyHours::between(days, input.from, input.to, input.utc_offset_h);
}

/// What rules are called in any policy.
std::set<std::string_view> labels(const Loading& loading) {
  std::set<std::string_view> all;
  for (const PolicySpec& policy : loading.scenario.policies) {
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
void check_closing(Loading& loading) {
  const auto& guard = loading.scenario.guards.office_hours;
  if (!guard) return;
  for (const PolicySpec& policy : loading.scenario.policies) {
    for (const SeatSpec& seat : policy.seats) {
      if (seat.kind->name != "office_hours" || seat.mode == host::Mode::off) continue;
      if (seat.options.text("action") == "notify") continue;
      const bool warns = seat.options.text("action") == "warn_then_stop";
      const auto after = warns ? seat.options.duration("warn_for") : policy::Duration{0};
      const policy::WeeklyHours hours = policies::weekly_hours(seat.options);
      if (!never_lets_stop(*guard, hours, after, loading.world().start)) continue;
      const Node guards = *loading.input.guards.written;
      loading.warning(guards.find("office_hours").value_or(guards), "W0540",
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

void load_exemption(Loading& loading, const ExemptionInput& input,
                    const std::set<std::string_view>& rules) {
  const Node written = *input.written;
  const auto tag = written.find("tag");
  const auto until = written.find("until");
  if (!tag || !until) return;  // reported
  // What cannot be read, and is reported, has left the instant as it was.
  const bool is_read = input.until != policy::Instant{};
  if (is_read && input.until <= loading.world().start) {
    loading.warning(*until, "W0521", "the exemption ends before the clock starts",
                    "it exempts nothing");
  }
  if (const auto owner = written.find("owner"); owner && is_blank_text(input.owner)) {
    loading.error(*owner, "E0229", "an exemption without an owner", "an owner is required",
                  "add the name of a person or a team");
  }
  const auto list = written.find("rules");
  for (std::size_t i = 0; list && i < input.rules.size() && i < list->size(); ++i) {
    if (rules.contains(input.rules[i]) || loading.findings.errors() > 0) continue;
    loading.error((*list)[i], "E0248",
                  fmt::format("no policy has a rule {}", in_quotes(input.rules[i])),
                  "the exemption has no effect", rule_meant(input.rules[i], rules));
  }
  loading.scenario.guards.exemptions.push_back(
      {tag_pattern(loading, input.tag, *tag), input.rules, input.until});
}

void load_canary(Loading& loading, const CanaryInput& input) {
  const Node written = *input.written;
  if (input.first && input.percent) {
    loading.error(*written.find("pct"), "E0283",
                  "\"first\" and \"pct\" both set the number of jobs", "choose one");
    return;
  }
  if (!input.first && !input.percent) {
    if (written.find("first") || written.find("pct")) return;  // reported already
    loading.error(written, "E0283", "the canary has no number of jobs",
                  "neither \"first\" nor \"pct\"", "add \"first\": 1");
    return;
  }
  loading.scenario.guards.canary = {input.first.value_or(0), input.percent.value_or(0),
                                    input.watch};
  const models::World& world = loading.world();
  const auto watch = written.find("watch");
  if (!watch || world.end == policy::never || input.watch < world.end - world.start) return;
  loading.warning(*watch, "W0558", "the canary is watched until the run ends",
                  "no rule ever acts on further jobs",
                  "use less than the \"horizon\" of the clock");
}

/// A dry start that the clock does not outlast.
void check_dry_start(Loading& loading, const Node& written, Duration lasts) {
  const models::World& world = loading.world();
  const auto dry_start = written.find("dry_start");
  if (!dry_start || world.end == policy::never || lasts < world.end - world.start) return;
  loading.warning(*dry_start, "W0574", "the dry start lasts until the run ends",
                  "no rule ever changes a job", "use less than the \"horizon\" of the clock");
}

}  // namespace

host::TagPattern tag_pattern(Loading& loading, const std::string& text, const Node& node) {
  const std::string key = text.substr(0, text.find('='));
  host::TagPattern pattern{text};
  if (key.empty()) {
    loading.error(node, "E0229", "a tag needs a key", "\"key\" or \"key=value\"");
    return pattern;
  }
  // Broken jobs may hide theirs, and those of a trace are none of the set.
  if (loading.findings.errors() > 0) return pattern;
  std::vector<std::string> known;
  for (const auto& tags : loading.world().directory.tag_sets) {
    for (const policy::Tag& tag : tags) {
      if (tag.first == key && (text.size() == key.size() || text == key + "=" + tag.second)) {
        return pattern;
      }
      known.push_back(text.size() == key.size() ? tag.first : tag.first + "=" + tag.second);
    }
  }
  const std::vector<std::string_view> names{known.begin(), known.end()};
  loading.warning(node, "W0520", fmt::format("no job has the tag {}", in_quotes(text)),
                  "it matches no job", did_you_mean(text, names));
  return pattern;
}

void load_guards(Loading& loading) {
  const GuardsInput& input = loading.input.guards;
  GuardSpec& guards = loading.scenario.guards;
  guards.stops_per_hour = input.stops_per_hour;
  guards.stops_pct_per_hour = input.stops_pct_per_hour;
  guards.actions_per_hour = input.actions_per_hour;
  guards.actions_per_rule_per_day = input.actions_per_rule_per_day;
  guards.protected_tags = input.protected_tags;
  guards.dry_start = input.dry_start;
  if (input.office_hours) guards.office_hours = weekly(*input.office_hours);
  if (input.canary) load_canary(loading, *input.canary);
  if (!input.written) return;
  check_dry_start(loading, *input.written, input.dry_start);
  if (const auto tags = input.written->find("protected_tags")) {
    for (std::size_t i = 0; i < guards.protected_tags.size() && i < tags->size(); ++i) {
      tag_pattern(loading, guards.protected_tags[i], (*tags)[i]);
    }
  }
  const std::set<std::string_view> rules = labels(loading);
  for (const ExemptionInput& exemption : input.exempt) load_exemption(loading, exemption, rules);
  check_closing(loading);
}

}  // namespace reeve::scenarios
