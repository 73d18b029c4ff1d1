// Policies: each rule with its options, from its own keys and the preset it uses.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "policies/registry.hpp"
#include "scenarios/load/keys/condition.hpp"
#include "scenarios/load/keys/rule_options.hpp"
#include "scenarios/load/resolved/attempt_status.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"
#include "scenarios/load/rules/builtin_presets.hpp"
#include "scenarios/load/rules/steps.hpp"

namespace reeve::scenarios {
namespace {

using policy::OptionSpec;
using policy::PolicyKind;

class Policies {
 public:
  explicit Policies(Loading& loading) : loading_{loading} {}

  void load() {
    for (const auto& [name, seats] : loading_.input.policies) load_policy(name, seats);
    const auto written = loading_.input.written->find("policies");
    if (written && written->is_object() && written->size() == 0) {
      loading_.error(*written, "E0205", "\"policies\" is empty", "needs at least 1",
                     R"(the smallest: "policies": { "none": [] })");
    }
    const bool none = !written;
    if (none) {
      loading_.scenario.policies.push_back({"none", {}});
      loading_.written_policies.emplace_back();
    }
    if (none && has_ticks(loading_.world())) {
      check_tick_policy(loading_.scenario.policies.back(), *loading_.input.written,
                        loading_.findings);
    }
    for (const auto& [name, preset] : loading_.input.presets) {
      check_own_name(name, *preset.written);
      if (used_.contains(name) || loading_.findings.errors() > 0) continue;
      loading_.findings.add(at_key(*preset.written, "W0401",
                                   fmt::format("no rule uses the preset {}", in_quotes(name)),
                                   "never used", Severity::warning));
    }
  }

 private:
  /// A preset of the file wins over the built-in one of its name, for each kind of rule.
  void check_own_name(const std::string& name, const Node& written) {
    if (summary_of_preset(name).empty()) return;
    loading_.findings.add(
        at_key(written, "W0407",
               fmt::format("your preset hides the built-in preset {}", in_quotes(name)),
               "every \"use\" of this name means this preset", Severity::warning)
            .with_help("use another name, unless this is intended"));
  }

  void load_policy(const std::string& name, const std::vector<SeatInput>& seats) {
    PolicySpec policy;
    policy.name = name;
    const Node written = *loading_.input.written->find("policies")->find(name);
    if (name != "*") {
      check_file_name(name, "the name of a policy", written, loading_.findings);
    } else {
      loading_.findings.add(at_key(written, "E0229",
                                   fmt::format("{} is not a valid policy name", in_quotes(name)),
                                   "\"*\" stands for every policy in `expect`"));
    }
    loading_.written_policies.emplace_back();
    if (seats.size() > most_rules) {
      loading_.error(*seats[most_rules].written, "E0284",
                     fmt::format("policy {} has {} rules", in_quotes(name), seats.size()),
                     fmt::format("the limit is {}", most_rules));
      loading_.scenario.policies.push_back(std::move(policy));  // one for each written policy
      return;
    }
    for (const SeatInput& seat : seats) {
      const std::size_t first = loading_.findings.count();
      load_seat(policy, seat);
      tell_at_use({*seat.written, seat.options, {}}, seat.use, first, loading_.findings);
    }
    check_references(policy, written, seats);
    for (const SeatInput& seat : seats) check_condition(seat, seats);
    if (has_ticks(loading_.world())) check_tick_policy(policy, written, loading_.findings);
    loading_.written_policies.back().whole = policy.seats.size() == seats.size();
    loading_.scenario.policies.push_back(std::move(policy));
  }

  void load_seat(PolicySpec& policy, const SeatInput& input) {
    const PolicyKind* kind = policies::find_kind(input.rule);
    if (kind == nullptr) return;
    const OptionPlaces places{*input.written, input.options, preset_of(input)};
    const auto options = read_options(*kind, places, loading_.findings);
    SeatSpec seat;
    seat.label = input.name.value_or(input.rule);
    seat.kind = kind;
    seat.priority = input.priority;
    seat.mode = input.mode;
    seat.scope = scope_of(seat, input);
    check_place_in(policy, seat, input);
    if (!options) return;
    seat.options = *options;
    report_doubt(*kind, *options, loading_.world().directory, places, loading_.findings);
    check_tick_rule(loading_, seat, places, loading_.findings);
    check_alarm(seat, places);
    check_fleets(seat, places);
    check_tag_key(seat, places);
    policy.seats.push_back(std::move(seat));
    loading_.written_policies.back().seats.push_back({places, input.use});
  }

  std::optional<Node> preset_of(const SeatInput& input) {
    if (!input.use) return std::nullopt;
    std::vector<std::string_view> names;
    for (const auto& [name, preset] : loading_.input.presets) {
      names.push_back(name);
      if (name != *input.use) continue;
      used_.insert(name);
      return preset.written;
    }
    if (const auto builtin = builtin_preset(*input.use, input.rule)) return builtin;
    for (const std::string_view name : builtin_presets()) {
      names.push_back(name);
      if (name != *input.use) continue;
      loading_.error(*input.written->find("use"), "E0214",
                     fmt::format("preset {} has no options for {}", in_quotes(name), input.rule),
                     "the articles do not contain this rule");
      return std::nullopt;
    }
    loading_.error(*input.written->find("use"), "E0214",
                   fmt::format("unknown preset {}", in_quotes(*input.use)), "not one of `rules`",
                   did_you_mean(*input.use, names));
    return std::nullopt;
  }

  host::Scope scope_of(const SeatSpec& seat, const SeatInput& input) {
    const auto written = input.written->find("scope");
    if (!written || !written->is_object()) return {};
    // `alternatives` must know who else holds, or was sent for, the machines that it sees.
    const bool lists = moves_pending(*seat.kind);
    if (seat.kind->schedules || seat.kind->places || seat.kind->moves || lists) {
      loading_.error(*written, "E0249",
                     fmt::format("{} applies to all jobs: it has no scope", in_quotes(seat.label)),
                     "it must see all pending jobs and all allocations");
      return {};
    }
    std::vector<host::TagPattern> tags;
    std::vector<policy::PoolId> fleets;
    const auto tag_list = written->find("tags");
    for (std::size_t i = 0; i < input.scope.tags.size() && i < tag_list->size(); ++i) {
      tags.push_back(tag_pattern(loading_, input.scope.tags[i], (*tag_list)[i], loading_.findings));
    }
    const auto fleet_list = written->find("fleets");
    for (std::size_t i = 0; i < input.scope.fleets.size() && i < fleet_list->size(); ++i) {
      const auto fleet =
          fleet_named(loading_, input.scope.fleets[i], (*fleet_list)[i], loading_.findings);
      if (fleet) fleets.push_back(*fleet);
    }
    return {std::move(tags), std::move(fleets)};
  }

  static bool enforced(const SeatSpec& seat) { return seat.mode == host::Mode::enforce; }

  void check_place_in(const PolicySpec& policy, const SeatSpec& seat, const SeatInput& input) {
    for (const SeatSpec& other : policy.seats) {
      const bool both_on = other.mode != host::Mode::off && seat.mode != host::Mode::off;
      if (other.kind->schedules && seat.kind->schedules && both_on) {
        loading_.error(*input.written->find("rule"), "E0215",
                       fmt::format("policy {} has a second scheduler", in_quotes(policy.name)),
                       "only one rule can order the queue");
      } else if (other.kind->moves && seat.kind->moves && enforced(other) && enforced(seat)) {
        loading_.error(
            *input.written->find("rule"), "E0215",
            fmt::format("policy {} has a second rule that moves jobs", in_quotes(policy.name)),
            "only one rule can choose where they run");
      } else if (other.label == seat.label) {
        loading_.error(input.written->find("name").value_or(*input.written->find("rule")), "E0216",
                       fmt::format("policy {} has a second rule with the name {}",
                                   in_quotes(policy.name), in_quotes(seat.label)),
                       "rule names must be unique in a policy",
                       fmt::format("add \"name\": \"{}-2\"", seat.label));
      }
    }
  }

  /// Whether the kind and the name of each written rule are known.
  bool knows_rules(const Node& written, const std::vector<SeatInput>& seats) const {
    if (seats.size() != written.size()) return false;
    return std::none_of(seats.begin(), seats.end(), [&](const SeatInput& seat) {
      return loading_.findings.refused(seat.written->find("name"));
    });
  }

  /// `stopped_by:RULE` must name a rule of the same policy.  A rule that was not read may be meant.
  void check_references(const PolicySpec& policy, const Node& written,
                        const std::vector<SeatInput>& seats) {
    static constexpr std::string_view prefix = "stopped_by:";
    if (!knows_rules(written, seats)) return;
    for (const SeatInput& input : seats) {
      const OptionPlaces places{*input.written, input.options,
                                input.use ? preset_of(input) : std::nullopt};
      const policy::PolicyKind* kind = policies::find_kind(input.rule);
      const bool reports = kind != nullptr && has_option(*kind, known::events);
      const auto when = places.find(reports ? known::events : known::when);
      if (!when || !when->is_array()) continue;
      for (const Node end : when->as_array()) {
        if (!end.is_text() || !end.as_text().starts_with(prefix)) continue;
        const std::string_view rule = end.as_text().substr(prefix.size());
        std::vector<std::string_view> names;
        for (const SeatInput& other : seats) {
          names.push_back(other.rule);
          if (other.name) names.push_back(*other.name);
        }
        if (std::find(names.begin(), names.end(), rule) != names.end()) continue;
        loading_.warning(
            end, "W0408",
            fmt::format("policy {} has no rule {}", in_quotes(policy.name), in_quotes(rule)),
            "this end never occurs", suggestion(rule, names));
      }
    }
  }

  /// What a condition compares with a name must be there to be found.
  void check_condition(const SeatInput& input, const std::vector<SeatInput>& seats) {
    const PolicyKind* kind = policies::find_kind(input.rule);
    if (kind == nullptr || loading_.findings.errors() > 0) return;
    const OptionPlaces places{*input.written, input.options, preset_of(input)};
    for (const OptionSpec& spec : kind->options) {
      const auto when = places.find(spec.name);
      if (spec.type != policy::OptionType::condition || !when) continue;
      for (const Node test : tests_in(*when)) check_names(test, input, seats);
    }
  }

  void check_names(const Node& test, const SeatInput& input, const std::vector<SeatInput>& seats) {
    const auto field = policy::condition_field_named(test.find("field")->as_text());
    const auto value = test.find("value");
    if (!field || !value || test.find("op")->as_text() == "matches") return;
    std::vector<std::string_view> names;
    std::vector<std::string_view> others;  // what a rule itself stops it is not told of as meant
    std::string_view none;
    const auto add = [&](const SeatInput& seat, std::string_view name) {
      names.push_back(name);
      if (&seat != &input) others.push_back(name);
    };
    if (*field == policy::ConditionField::stopped_by_name) {
      for (const SeatInput& seat : seats) add(seat, seat.name ? *seat.name : seat.rule);
      none = "no rule of this policy has this name";
    } else if (*field == policy::ConditionField::stopped_by) {
      for (const SeatInput& seat : seats) add(seat, seat.rule);
      none = "no rule of this policy has this kind";
    } else if (*field == policy::ConditionField::fleet) {
      for (const policy::PoolFacts& pool : pools()) names.push_back(pool.name);
      none = "no fleet of this name";
    } else if (*field == policy::ConditionField::instance_type) {
      for (const policy::PoolFacts& pool : pools()) {
        names.push_back(loading_.world().directory.types[pool.type.index].name);
      }
      none = "no fleet has instances of this type";
    } else {
      return;
    }
    const bool of_rules = none.find("rule") != std::string_view::npos;
    const auto check = [&](const Node& name) {
      if (std::find(names.begin(), names.end(), name.as_text()) != names.end()) return;
      loading_.warning(name, "W0530", fmt::format("{} matches nothing", in_quotes(name.as_text())),
                       std::string{none}, did_you_mean(name.as_text(), of_rules ? others : names));
    };
    if (value->is_text()) return check(*value);
    for (const Node one : value->as_array()) check(one);
  }

  const std::vector<policy::PoolFacts>& pools() const { return loading_.world().directory.pools; }

  static std::string suggestion(std::string_view rule, std::span<const std::string_view> names) {
    if (const auto meant = nearest_of(rule, names)) {
      return fmt::format("did you mean \"stopped_by:{}\"?", *meant);
    }
    std::vector<std::string_view> kinds;
    for (const policy::PolicyKind& kind : policies::kinds()) kinds.push_back(kind.name);
    const auto kind = nearest_of(rule, kinds);
    return kind ? fmt::format("the rule {} exists, but this policy does not use it",
                              in_quotes(*kind))
                : std::string{};
  }

  /// Fleets that a rule moves attempts to must be some of the file.
  void check_fleets(const SeatSpec& seat, const OptionPlaces& places) {
    if (has_option(*seat.kind, known::override_fleet)) {
      const std::string& fleet = seat.options.text(known::override_fleet);
      if (!fleet.empty())
        fleet_named(loading_, fleet, places.find(known::override_fleet).value_or(places.seat),
                    loading_.findings);
    }
    if (!has_option(*seat.kind, known::fleets)) return;
    for (const auto& [fleet, place] : named_fleets(seat.options.texts(known::fleets), places)) {
      fleet_named(loading_, fleet, place, loading_.findings);
    }
  }

  /// Samples that neither divide nor fill minutes fit no window of an alarm.
  void check_alarm(const SeatSpec& seat, const OptionPlaces& places) {
    if (!puts_alarm(seat)) return;
    const models::Metrics& metrics = loading_.world().platform.metrics;
    constexpr Duration minute = std::chrono::minutes{1};
    if (metrics.period % minute == Duration{0} || minute % metrics.period == Duration{0}) return;
    loading_.error(places.find(of_alarm(seat, known::period)).value_or(places.seat), "E0218",
                   fmt::format("no alarm can read a metric every {}", show(metrics.period)),
                   "samples must divide or fill minutes",
                   "change platform.metrics.period, for example to \"1m\" or \"5m\"");
  }

  /// A rule that counts by a tag that no job has counts nothing.
  void check_tag_key(const SeatSpec& seat, const OptionPlaces& places) {
    if (!has_option(*seat.kind, known::tag) || seat.options.text(known::tag).empty()) return;
    tag_pattern(loading_, seat.options.text(known::tag),
                places.find(known::tag).value_or(places.seat), loading_.findings);
  }

  Loading& loading_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace

void load_policies(Loading& loading) {
  Policies{loading}.load();
}

}  // namespace reeve::scenarios
