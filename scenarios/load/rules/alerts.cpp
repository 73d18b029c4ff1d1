// Alerts: rules that tell people of something, seated last in every policy.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "host/check.hpp"
#include "policies/registry.hpp"
#include "scenarios/load/rules/steps.hpp"

namespace reeve::scenarios {
namespace {

using policy::AlertKey;
using policy::OptionValue;
using policy::PolicyKind;

/// The word of each `watch`.
struct WatchName {
  Watched watched;
  std::string_view name;
};
constexpr std::array<WatchName, 3> watch_names{{{Watched::job_wait, "job_wait"},
                                                {Watched::allocated_pct, "allocated_pct"},
                                                {Watched::failures, "failures"}}};

bool has_key(const PolicyKind& kind, std::string_view name) {
  return std::any_of(kind.alert_keys.begin(), kind.alert_keys.end(),
                     [&](const AlertKey& key) { return key.name == name; });
}

/// The rule that an alert adds: each `watch` is of one kind.
const PolicyKind& kind_of(Watched watched) {
  const auto name = std::find_if(watch_names.begin(), watch_names.end(),
                                 [&](const WatchName& each) { return each.watched == watched; });
  const auto kinds = policies::kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const PolicyKind& each) {
    return !each.is_plugin && each.alert == name->name;
  });
  REEVE_CHECK(kind != kinds.end(), "no rule of the alert", name->name);
  return *kind;
}

/// Whether the option has no default.
bool is_required(const PolicyKind& kind, std::string_view option) {
  return std::any_of(kind.options.begin(), kind.options.end(), [&](const policy::OptionSpec& spec) {
    return spec.name == option && spec.default_json.empty();
  });
}

OptionValue alert_value(const AlertInput& input, std::string_view key) {
  if (key == "above") return input.above;
  if (key == "below") return input.below;
  if (key == "for") return input.lasts;
  if (key == "fleet") return input.fleet;
  return key == "failures" ? input.failures : input.last;
}

/// After all rules of a policy, whose priorities are larger.
constexpr std::int32_t last_of_all = -2'000'000;

class Alerts {
 public:
  explicit Alerts(Loading& loading) : loading_{loading} {}

  void load(const AlertInput& input) {
    if (!input.watch) return;  // reported already
    const PolicyKind& kind = kind_of(*input.watch);
    const std::size_t before = loading_.findings.errors();
    check_name(input);
    check_keys(input, kind);
    if (has_ticks(loading_.world())) {
      loading_.error(*input.written, "E0239", "an alert has no meaning in the tick world",
                     "rules there only move jobs");
    }
    if (loading_.findings.errors() > before) return;
    SeatSpec seat;
    seat.label = input.name;
    seat.kind = &kind;
    seat.priority = last_of_all;
    seat.scope = scope_of(input);
    seat.options = options_of(input, kind);
    if (loading_.findings.errors() > before) return;
    for (PolicySpec& policy : loading_.scenario.policies) policy.seats.push_back(seat);
  }

 private:
  /// Alerts are rules, whose names are unique in a policy.
  void check_name(const AlertInput& input) {
    for (const PolicySpec& policy : loading_.scenario.policies) {
      const bool taken =
          std::any_of(policy.seats.begin(), policy.seats.end(),
                      [&](const SeatSpec& seat) { return seat.label == input.name; });
      if (!taken) continue;
      loading_.error(*input.written->find("name"), "E0216",
                     fmt::format("policy {} has a second rule with the name {}",
                                 in_quotes(policy.name), in_quotes(input.name)),
                     "alerts are rules of every policy");
      return;
    }
  }

  void check_keys(const AlertInput& input, const PolicyKind& kind) {
    std::string known;
    for (const AlertKey& key : kind.alert_keys) {
      known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", key.name);
      if (!is_required(kind, key.option) || input.written->find(key.name)) continue;
      loading_.error(*input.written, "E0202",
                     fmt::format("an alert lacks the key \"{}\"", key.name),
                     fmt::format("{} needs it", kind.alert));
    }
    for (const Node member : input.written->as_object()) {
      const bool of_all = member.key() == "name" || member.key() == "watch";
      const bool of_others = std::any_of(
          watch_names.begin(), watch_names.end(),
          [&](const WatchName& other) { return has_key(kind_of(other.watched), member.key()); });
      if (of_all || has_key(kind, member.key()) || !of_others) continue;
      loading_.findings.add(
          at_key(member, "E0273",
                 fmt::format("\"{}\" is not a key of {}", member.key(), kind.alert),
                 "it belongs to another watch")
              .with_help(fmt::format("{} has {}", kind.alert, known)));
    }
    const auto runnable = input.written->find("while_runnable");
    if (!runnable || input.while_runnable || !has_key(kind, "while_runnable")) return;
    loading_.error(*runnable, "E0273", "idle instances are reported only while jobs are pending",
                   "only true is allowed", "leave it out");
  }

  /// Each tag stands for the jobs that have it, as in the scope of a rule.
  host::Scope scope_of(const AlertInput& input) {
    std::vector<host::TagPattern> tags;
    const auto written = input.written->find("tags");
    for (const auto& [key, value] : input.tags) {
      const Node node = *written->find(key);
      if (key.find('=') != std::string::npos) {
        loading_.findings.add(at_key(node, "E0273", "the key of an alert's tag contains \"=\"",
                                     "key and value cannot be separated"));
        continue;
      }
      tags.push_back(
          tag_pattern(loading_, fmt::format("{}={}", key, value), node, loading_.findings));
    }
    if (tags.empty()) return {};
    return {std::move(tags), {}};
  }

  policy::Options options_of(const AlertInput& input, const PolicyKind& kind) {
    std::vector<std::pair<std::string_view, OptionValue>> given;
    for (const AlertKey& key : kind.alert_keys) {
      if (key.option.empty() || !input.written->find(key.name)) continue;
      given.emplace_back(key.option, alert_value(input, key.name));
    }
    if (const auto fleet = input.written->find("fleet")) {
      fleet_named(loading_, input.fleet, *fleet, loading_.findings);
    }
    policy::Options options = complete_options(kind, given);
    if (kind.check == nullptr) return options;
    const policy::OptionProblem problem = kind.check(options);
    if (problem.message.empty()) return options;
    const auto keys = kind.alert_keys;
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const AlertKey& key) {
      return key.option == problem.option && input.written->find(key.name);
    });
    const Node node = found == keys.end() ? *input.written : *input.written->find(found->name);
    loading_.error(node, "E0273", fmt::format("\"{}\" {}", problem.option, problem.message),
                   fmt::format("of {}", kind.alert), problem.help);
    return options;
  }

  Loading& loading_;
};

}  // namespace

void load_alerts(Loading& loading) {
  std::size_t rules = 0;
  for (const auto& [name, seats] : loading.input.policies) rules = std::max(rules, seats.size());
  const std::size_t left = most_rules - std::min(rules, most_rules);
  if (loading.input.alerts.size() > left) {
    loading.error(*loading.input.alerts[left].written, "E0284",
                  fmt::format("{} alerts are too many", loading.input.alerts.size()),
                  fmt::format("alerts and rules of a policy are at most {} together", most_rules));
    return;
  }
  Alerts alerts{loading};
  for (const AlertInput& input : loading.input.alerts) alerts.load(input);
}

}  // namespace reeve::scenarios
