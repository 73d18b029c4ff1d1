// Lints for stops: what is stopped and not resumed, and what waits for stops that never come.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/restarts.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/keys/condition.hpp"

namespace reeve::scenarios {
namespace {

/// Whether a rule stops jobs of the profile, for standing still, that may be worth going on with.
bool stops_stalls(const SeatSpec& seat, const models::JobProfile& profile) {
  if (seat.mode != host::Mode::enforce) return false;
  if (const auto* gangs = value_of<bool>(seat, known::gangs)) {
    return *gangs && may_have(profile, {models::FaultKind::node_lost});
  }
  if (stated(seat) != nullptr) {
    const bool accuses = says(seat, known::accuses, "standing_still");
    return says(seat, known::does, "stop") && (accuses || looks_for_idle(seat));
  }
  if (!seat.kind->finds_stalls || !runs_defect(seat)) return false;
  const auto* stop = value_of<bool>(seat, known::action_stop);
  return stop != nullptr ? *stop : !says(seat, known::action, "notify");
}

/// D16: what a rule stops, no rule beside it resumes, though one resumes what failed.
void check_stops_resumed(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                         const OptionPlaces& places, Findings& findings) {
  if (!resumes_failed(seat) || !runs_defect(seat)) return;
  const models::World& world = resolved.world();
  for (const SeatSpec& other : policy.seats) {
    const auto is_left = [&](const models::JobProfile& profile) {
      const auto resumes = [&](const SeatSpec& any) {
        return (any.mode == host::Mode::enforce || &any == &seat) && resumes_stopped(any, other) &&
               may_hold(any, profile, policy, world);
      };
      return stops_stalls(other, profile) && may_hold(other, profile, policy, world) &&
             may_hold(seat, profile, policy, world) &&
             std::none_of(policy.seats.begin(), policy.seats.end(), resumes);
    };
    if (std::none_of(world.profiles.begin(), world.profiles.end(), is_left)) continue;
    const std::string help =
        stated(seat) == nullptr
            ? fmt::format("add \"stopped_by:{}\" to \"when\"",
                          stated(other) == nullptr ? other.kind->name : other.label)
            : fmt::format("{{ \"field\": \"stopped_by_name\", \"op\": \"==\", \"value\": \"{}\" }}",
                          other.label);
    findings.warning(places.find(known::when).value_or(places.seat), "W0449",
                     fmt::format("jobs that {} stops are not resumed", in_quotes(other.label)),
                     "a stopped job has not failed: it waits for an operator", help);
  }
}

/// How long after its beginning a stall is stopped at the latest, as far as the rule's alarm,
/// or what it listens for, says; nothing of a rule that has neither.
std::optional<Duration> stopped_within(const SeatSpec& seat) {
  const auto* period = value_of<Duration>(seat, of_alarm(seat, known::period));
  const auto* misses = value_of<std::int64_t>(seat, known::misses);
  if (period != nullptr && misses != nullptr) return (*misses + 1) * *period;
  const auto* points = value_of<std::vector<std::int64_t>>(seat, of_alarm(seat, known::datapoints));
  if (points == nullptr || period == nullptr || points->size() != 2) return std::nullopt;
  return (points->back() + 1) * *period;
}

/// After how much training a stall may begin, at the earliest, that the rule notices and that
/// lasts for longer than that; nothing: none does.
std::optional<Duration> earliest_stall(const models::World& world, const SeatSpec& seat,
                                       const models::JobProfile& profile, Duration lasting) {
  using models::FaultKind;
  const bool counts_steps = seat.kind->reads_reports && says(seat, known::signal, "steps");
  const auto stands = [&](FaultKind kind) {
    const bool without_steps = kind == FaultKind::spin_hang || kind == FaultKind::node_lost;
    return kind == FaultKind::stall || (counts_steps && without_steps);
  };
  std::optional<Duration> earliest;
  const auto begins = [&](Duration at) { earliest = earliest ? std::min(*earliest, at) : at; };
  for (const models::Fault& fault : profile.faults) {
    if (stands(fault.kind) && fault.lasts > lasting) begins(fault.at);
  }
  for (const models::DrawnFault& fault : profile.drawn_faults) {
    if (!stands(fault.kind) || fault.probability <= 0) continue;
    if (fault.lasts && models::longest_of(*fault.lasts) <= lasting) continue;
    const bool has_least =
        fault.after.shape == models::Shape::fixed || fault.after.shape == models::Shape::uniform;
    begins(has_least ? fault.after.scale : Duration{0});
  }
  if (may_hang(world.pools[profile.pool.index])) begins(Duration{0});
  return earliest;
}

/// D16 likewise: a rule resumes what that one stops, but not so early in its run.
void check_min_runtime(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                       const OptionPlaces& places, Findings& findings) {
  if (!runs_defect(seat)) return;
  const models::World& world = resolved.world();
  for (const SeatSpec& other : policy.seats) {
    const auto within = stopped_within(other);
    if (!within || !resumes_stopped(seat, other, Duration::max())) continue;
    for (const models::JobProfile& profile : world.profiles) {
      const auto onset = earliest_stall(world, other, profile, *within);
      if (!onset || !stops_stalls(other, profile)) continue;
      if (!may_hold(other, profile, policy, world) || !may_hold(seat, profile, policy, world)) {
        continue;
      }
      // A rule beside it that looks less at how long it ran resumes what this one does not.
      const auto resumes = [&](const SeatSpec& any) {
        return (any.mode == host::Mode::enforce || &any == &seat) &&
               resumes_stopped(any, other, *onset + *within) &&
               may_hold(any, profile, policy, world);
      };
      if (std::any_of(policy.seats.begin(), policy.seats.end(), resumes)) continue;
      findings.warning(
          place_of_least(seat, places), "W0449",
          fmt::format("jobs that {} stops early in a run are not resumed", in_quotes(other.label)),
          fmt::format("a job {} from {} of training on; {}",
                      profile.faults.empty() ? "may stall" : "stalls", show(*onset),
                      asked_of(seat)),
          asks_less(seat));
      break;
    }
  }
}

/// Why a rule never ends an attempt as stopped by it; empty: it may.
struct NoStop {
  std::string_view why;
  std::string_view help = {};
};

NoStop never_stops(const SeatSpec& seat) {
  if (seat.mode == host::Mode::off) return {"it is off"};
  if (seat.mode == host::Mode::shadow) return {"in shadow it does nothing"};
  if (seat.mode == host::Mode::warn) return {"in warn it only notifies"};
  if (seat.kind->never_stops) return {"rules of this kind never stop a job"};
  if (says(seat, known::action, "notify")) return {"it only notifies"};
  const auto* stops = value_of<bool>(seat, known::action_stop);
  if (stops != nullptr && !*stops) return {"it only notifies"};
  if (has(seat, known::does) && !says(seat, known::does, "stop")) return {"it stops no job"};
  const auto* after = value_of<Duration>(seat, known::stop_after);
  if (after != nullptr && *after == Duration{0}) {
    return {"it only notifies", "set \"stop_after\": \"4h\", or another delay"};
  }
  const auto* gangs = value_of<bool>(seat, known::gangs);
  if (gangs != nullptr && !*gangs) return {"it stops no job", "\"gangs\": true"};
  if (says(seat, known::enforce_by, "platform")) {
    return {"the platform enforces its limit and ends jobs as MaxRuntimeExceeded",
            "use \"max_runtime_exceeded\", or \"enforce_by\": \"clock\""};
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

void name_end(const Node& place, std::string_view name, const NoStop& reason, Findings& findings) {
  if (reason.why.empty()) return;
  findings.warning(place, "W0567",
                   fmt::format("{} never stops a job: this end never occurs", in_quotes(name)),
                   std::string{reason.why}, std::string{reason.help});
}

/// Ends of a condition.
void check_stated_ends(const PolicySpec& policy, const Node& when, Findings& findings) {
  for (const Node test : tests_in(when)) {
    const auto field = policy::condition_field_named(test.find("field")->as_text());
    const bool by_kind = field == policy::ConditionField::stopped_by;
    const bool by_label = field == policy::ConditionField::stopped_by_name;
    const auto value = test.find("value");
    const std::string_view op = test.find("op")->as_text();
    if ((!by_kind && !by_label) || !value || (op != "==" && op != "in")) continue;
    const auto check = [&](const Node& name) {
      name_end(name, name.as_text(), none_stops(policy, name.as_text(), by_kind, by_label),
               findings);
    };
    if (value->is_text()) {
      check(*value);
      continue;
    }
    for (const Node name : value->as_array()) check(name);
  }
}

/// Ends that are waited for, of rules that never bring them about.
void check_chain_ends(const Resolved& /*resolved*/, const PolicySpec& policy, const SeatSpec& seat,
                      const OptionPlaces& places, Findings& findings) {
  const auto when = places.find(known::when);
  if (!when) return;
  if (value_of<policy::Condition>(seat, known::when) != nullptr) {
    return check_stated_ends(policy, *when, findings);
  }
  static constexpr std::string_view prefix = "stopped_by:";
  if (!has(seat, known::max_resumes) || !when->is_array()) return;
  for (const Node end : when->as_array()) {
    if (!end.is_text() || !end.as_text().starts_with(prefix)) continue;
    const std::string_view name = end.as_text().substr(prefix.size());
    name_end(end, name, none_stops(policy, name, true, true), findings);
  }
}

}  // namespace

std::span<const Lint> stop_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0449", "a stopped job that no rule resumes (defect D16)",
        "A job that a rule stops is Stopped, not Failed. A rule that resumes failed jobs leaves it "
        "to its owner. The same happens if `when` includes such stops, but the attempt ran for "
        "less than `min_runtime`.",
        "{ \"rule\": \"stalled_gpu\" }, { \"rule\": \"resume\", \"when\": [\"failed\"] }",
        "\"when\": [\"failed\", \"stopped_by:stalled_gpu\"]"},
       check_stops_resumed,
       RunIf::handler_runs},
      {also("W0449"), check_min_runtime, RunIf::handler_runs},
      {{"W0567", "a stop that its rule never makes",
        "The rule stops no job: it is off, in shadow or warn, or it only notifies or restarts "
        "jobs. Or the platform enforces its limit (such an end is MaxRuntimeExceeded). A rule that "
        "waits for this stop never acts.",
        "{ \"rule\": \"max_runtime\", \"limit\": \"30m\" }, { \"rule\": \"resume\", \"when\": "
        "[\"stopped_by:max_runtime\"] }",
        "\"when\": [\"max_runtime_exceeded\"]"},
       check_chain_ends},
  });
  return rows;
}

}  // namespace reeve::scenarios
