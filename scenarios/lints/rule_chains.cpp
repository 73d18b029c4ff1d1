// Lints for a rule that its own policy leaves nothing to do, or undoes the work of.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "scenarios/load/condition.hpp"
#include "scenarios/load/loading.hpp"
#include "scenarios/load/seat_needs.hpp"
#include "scenarios/load/standing.hpp"
#include "scenarios/load/undisturbed.hpp"

namespace reeve::scenarios {
namespace {

/// Kinds of rules may mean different things by one name.
template <class T>
const T* option_value(const SeatSpec& seat, std::string_view option) {
  return has_option(*seat.kind, option) ? std::get_if<T>(&seat.options.value(option)) : nullptr;
}

bool says_so(const SeatSpec& seat, std::string_view option, std::string_view word) {
  const auto* text = option_value<std::string>(seat, option);
  return text != nullptr && *text == word;
}

/// How jobs of a profile stand as they start, with the tags that they have, or with none.
bool is_stopped_at_start(const SeatSpec& rule, const TagsOf& tags, bool surely) {
  const auto* when = option_value<policy::Condition>(rule, "when");
  if (when == nullptr || !says_so(rule, "do", "stop")) return false;
  using policy::Secondary;
  for (const Secondary status :
       {Secondary::starting, Secondary::downloading, Secondary::training}) {
    const Standing starts{.secondary = status, .tags = &tags};
    const auto holds = holds_of(*when, starts);
    if (holds == true || (!surely && !holds)) return true;
  }
  return false;
}

/// Whether the rule stops attempts without tags, and lets jobs of the profile alone.
bool stops_tagless(const SeatSpec& rule, const models::World& world,
                   const models::JobProfile& profile) {
  const auto tag = [&](std::string_view key) { return world.directory.tag(profile.tags, key); };
  if (rule.kind->name == "required_tags") {
    const std::vector<std::string>& keys = rule.options.texts("keys");
    return !keys.empty() && !says_so(rule, "action", "notify") &&
           std::all_of(keys.begin(), keys.end(), [&](const auto& key) { return tag(key); });
  }
  const TagsOf none = [](std::string_view) { return std::optional<std::string_view>{}; };
  return is_stopped_at_start(rule, none, true) && !is_stopped_at_start(rule, tag, false);
}

/// D12: a clone without the tags that its first attempt was let alone for.
void check_lost_tags(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                     const OptionPlaces& places) {
  const auto* keeps = option_value<bool>(seat, "keep_tags");
  const auto* loses = option_value<std::vector<std::string>>(seat, "loses");
  const bool dropped = keeps != nullptr && !*keeps;
  const bool lost =
      loses != nullptr && std::find(loses->begin(), loses->end(), "Tags") != loses->end();
  if (!dropped && !lost) return;
  const models::World& world = loading.world();
  for (const SeatSpec& other : policy.seats) {
    if (other.mode != host::Mode::enforce) continue;
    const auto stops = [&](const models::JobProfile& profile) {
      models::JobProfile clone = profile;
      clone.tags = {};  // which no scope of tags holds
      return may_hold(seat, profile, policy, world) && may_hold(other, clone, policy, world) &&
             stops_tagless(other, world, profile);
    };
    if (std::none_of(world.profiles.begin(), world.profiles.end(), stops)) continue;
    return loading.warning(
        places.find(dropped ? "keep_tags" : "loses").value_or(places.seat), "W0457",
        fmt::format("a clone without its tags is stopped by {}", in_quotes(other.label)),
        "its start-up is paid for", dropped ? "\"keep_tags\": true" : "copy them");
  }
}

/// Why a rule never ends an attempt as stopped by it; empty: it may.
struct NoStop {
  std::string_view why;
  std::string_view help = {};
};

NoStop never_stops(const SeatSpec& seat) {
  const std::string_view kind = seat.kind->name;
  if (seat.mode == host::Mode::off) return {"it is off"};
  if (seat.mode == host::Mode::shadow) return {"in shadow it does nothing"};
  if (seat.mode == host::Mode::warn) return {"in warn it only tells people"};
  static constexpr std::array<std::string_view, 7> others{
      "resume", "relaunch", "schedule", "market", "save_on_notice", "idle_capacity", "long_wait"};
  if (std::find(others.begin(), others.end(), kind) != others.end()) {
    return {"rules of that kind stop no job"};
  }
  if (says_so(seat, "action", "notify")) return {"it only tells people"};
  if (kind == "stalled_gpu" && !seat.options.flag("action.stop")) return {"it only tells people"};
  if (kind == "rule" && !says_so(seat, "do", "stop")) return {"it stops no job"};
  const auto* after = option_value<Duration>(seat, "stop_after");
  if (after != nullptr && *after == Duration{0}) {
    return {"it only tells people", "\"stop_after\": \"4h\", or how long it is to wait then"};
  }
  const auto* gangs = option_value<bool>(seat, "gangs");
  if (gangs != nullptr && !*gangs) return {"it stops no job", "\"gangs\": true"};
  if (kind == "max_runtime" && says_so(seat, "enforce_by", "platform")) {
    return {"the platform keeps its limit, and ends them as MaxRuntimeExceeded",
            "\"max_runtime_exceeded\", or \"enforce_by\": \"clock\""};
  }
  return {};
}

/// Of rules of that name, or kind: why none of them stops a job; empty: one may, or there is none.
NoStop none_stops(const PolicySpec& policy, std::string_view name, bool by_kind, bool by_label) {
  NoStop first;
  for (const SeatSpec& seat : policy.seats) {
    if (!(by_kind && seat.kind->name == name) && !(by_label && seat.label == name)) continue;
    const NoStop reason = never_stops(seat);
    if (reason.why.empty()) return {};
    if (first.why.empty()) first = reason;
  }
  return first;
}

void name_end(Loading& loading, const Node& place, std::string_view name, const NoStop& reason) {
  if (reason.why.empty()) return;
  loading.warning(place, "W0567",
                  fmt::format("{} never stops a job: this end can never come", in_quotes(name)),
                  std::string{reason.why}, std::string{reason.help});
}

/// Ends of a condition.
void check_stated_ends(Loading& loading, const PolicySpec& policy, const Node& when) {
  for (const Node test : tests_in(when)) {
    const auto field = policy::condition_field_named(test.find("field")->as_text());
    const bool by_kind = field == policy::ConditionField::stopped_by;
    const bool by_label = field == policy::ConditionField::stopped_by_name;
    const auto value = test.find("value");
    const std::string_view op = test.find("op")->as_text();
    if ((!by_kind && !by_label) || !value || (op != "==" && op != "in")) continue;
    const auto check = [&](const Node& name) {
      name_end(loading, name, name.as_text(),
               none_stops(policy, name.as_text(), by_kind, by_label));
    };
    if (value->is_text()) {
      check(*value);
      continue;
    }
    for (const Node name : value->as_array()) check(name);
  }
}

/// Ends that are waited for, of rules that never bring them about.
void check_chain_ends(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                      const OptionPlaces& places) {
  const auto when = places.find("when");
  if (!when) return;
  if (option_value<policy::Condition>(seat, "when") != nullptr) {
    return check_stated_ends(loading, policy, *when);
  }
  static constexpr std::string_view prefix = "stopped_by:";
  if (seat.kind->name != "resume" || !when->is_array()) return;
  for (const Node end : when->as_array()) {
    if (!end.is_text() || !end.as_text().starts_with(prefix)) continue;
    const std::string_view name = end.as_text().substr(prefix.size());
    name_end(loading, end, name, none_stops(policy, name, true, true));
  }
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
    const auto* further = option_value<Duration>(other, "override.max_runtime");
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
void check_cap(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
               const OptionPlaces& places) {
  const models::World& world = loading.world();
  if (seat.kind->name != "max_runtime" || has_ticks(loading)) return;
  const Duration limit = seat.options.duration("limit");
  const Duration longest = longest_allowed(world, policy, seat);
  if (longest == Duration{0} || longest > limit) return;
  if (says_so(seat, "enforce_by", "clock")) {
    // It is told of an end when all is saved, and the news has come.
    const models::Platform& platform = world.platform;
    const Duration after = std::max(platform.stop_grace, platform.max_runtime_grace) +
                           platform.upload + platform.events.delay + platform.events.jitter;
    if (!limits_are_kept(world) || after >= limit - longest) return;
  }
  loading.warning(places.find("limit").value_or(places.seat), "W0565",
                  fmt::format("no job may run for longer than {} anyhow", show(longest)),
                  "the rule never does anything",
                  "a \"limit\" that is less than the \"max_runtime\" of jobs");
}

/// Jobs wait to be started, or placed, only where a rule in enforce is there to do it.
void check_admission(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                     const OptionPlaces& places) {
  if (!seat.kind->schedules && !seat.kind->places) return;
  if (seat.mode == host::Mode::enforce || has_ticks(loading)) return;
  const auto holds_jobs = [](const SeatSpec& other) {
    const bool holds = other.kind->schedules || other.kind->places;
    return holds && other.mode == host::Mode::enforce;
  };
  if (std::any_of(policy.seats.begin(), policy.seats.end(), holds_jobs)) return;
  const bool warns = seat.mode == host::Mode::warn;
  loading.warning(places.seat.find("mode").value_or(places.seat), "W0568",
                  fmt::format("{} decides nothing in {}: no job waits for it",
                              in_quotes(seat.label), warns ? "warn" : "shadow"),
                  "jobs are submitted at once, as without it",
                  seat.kind->places ? "in enforce, or beside { \"rule\": \"schedule\" } in enforce"
                                    : "compare it in enforce with another policy");
}

}  // namespace

void check_company(Loading& loading, const PolicySpec& policy, const SeatSpec& seat,
                   const OptionPlaces& places) {
  if (seat.mode == host::Mode::off) return;
  check_lost_tags(loading, policy, seat, places);
  check_chain_ends(loading, policy, seat, places);
  check_admission(loading, policy, seat, places);
  check_cap(loading, policy, seat, places);
}

}  // namespace reeve::scenarios
