// Guards and the tags that they, and the scopes of rules, mean.
#include <fmt/format.h>

#include <bitset>
#include <set>

#include "scenarios/loading.hpp"

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

void load_exemption(Loading& loading, const ExemptionInput& input,
                    const std::set<std::string_view>& rules) {
  const Node written = *input.written;
  const auto tag = written.find("tag");
  const auto until = written.find("until");
  if (!tag || !until) return;  // reported
  if (input.until <= loading.world().start) {
    loading.warning(*until, "W0521", "the exemption is over before the clock starts",
                    "nothing is exempt by it");
  }
  const auto list = written.find("rules");
  for (std::size_t i = 0; list && i < input.rules.size() && i < list->size(); ++i) {
    if (rules.contains(input.rules[i]) || loading.findings.errors() > 0) continue;
    const std::vector<std::string_view> names{rules.begin(), rules.end()};
    loading.error((*list)[i], "E0248",
                  fmt::format("no policy has a rule {}", in_quotes(input.rules[i])),
                  "it exempts from nothing", did_you_mean(input.rules[i], names));
  }
  loading.scenario.guards.exemptions.push_back(
      {tag_pattern(loading, input.tag, *tag), input.rules, input.until});
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
                  "it means no job", did_you_mean(text, names));
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
  if (!input.written) return;
  if (const auto tags = input.written->find("protected_tags")) {
    for (std::size_t i = 0; i < guards.protected_tags.size() && i < tags->size(); ++i) {
      tag_pattern(loading, guards.protected_tags[i], (*tags)[i]);
    }
  }
  const std::set<std::string_view> rules = labels(loading);
  for (const ExemptionInput& exemption : input.exempt) load_exemption(loading, exemption, rules);
}

}  // namespace reeve::scenarios
