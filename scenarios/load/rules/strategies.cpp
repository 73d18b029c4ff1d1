// The rules of the tick world: strategies that move jobs, and those alone.
#include <fmt/format.h>

#include <algorithm>

#include "policies/registry.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"
#include "scenarios/load/rules/steps.hpp"

namespace reeve::scenarios {
namespace {

std::string strategies() {
  std::string names;
  for (const policy::PolicyKind& kind : policies::kinds()) {
    if (kind.moves) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", kind.name);
  }
  return names;
}

/// What the rule believes of the platform must be so.
void check_same(const SeatSpec& seat, const OptionPlaces& places, std::string_view option,
                Duration of_platform, Findings& findings) {
  const Duration believed = seat.options.duration(option);
  if (believed == of_platform) return;
  findings.error(places.find(option).value_or(places.seat), "E0219",
                 fmt::format("{} of {} differs from the platform's value, {}", in_quotes(option),
                             seat.kind->name, show(of_platform)),
                 "the rule would use another value");
}

/// A rule that weighs restarts against a deadline needs one.
void check_deadlines(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                     Findings& findings) {
  const models::World& world = resolved.world();
  std::optional<std::string> without;
  for (std::uint32_t job = 0; job < world.jobs.specs.size() && !without; ++job) {
    const models::JobProfile& profile = world.profiles[world.jobs.specs[job].profile];
    if (profile.deadline == Duration::max()) without = world.jobs.name({job});
  }
  if (world.drawn && world.profiles[world.drawn->profile].deadline == Duration::max()) {
    without = world.jobs.drawn_prefix + "1";
  }
  if (!without) return;
  findings.error(
      *places.seat.find("rule"), "E0202",
      fmt::format("{} needs a deadline, but job {} has none", seat.kind->name, in_quotes(*without)),
      "it would never leave Spot", "add \"deadline\" to the job");
}

void check_options(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                   Findings& findings) {
  const models::Ticks& ticks = resolved.world().ticks;
  if (ticks.tick == Duration{0} || !has_option(*seat.kind, known::restart_overhead)) return;
  check_same(seat, places, "tick", ticks.tick, findings);
  check_same(seat, places, known::restart_overhead, ticks.restart_overhead, findings);
  check_deadlines(resolved, seat, places, findings);
  const bool extra = has_option(*seat.kind, known::upstream_extra_tick) &&
                     seat.options.flag(known::upstream_extra_tick);
  if (!extra || ticks.asks_when_done) return;
  findings.error(places.find(known::upstream_extra_tick).value_or(places.seat), "E0228",
                 "\"upstream_extra_tick\" has no meaning here",
                 "the platform does not ask when the work is done",
                 "set \"asks_when_done\": true on the platform");
}

}  // namespace

void check_tick_rule(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                     Findings& findings) {
  if (seat.mode == host::Mode::off) return;
  const bool moves = seat.kind->moves;
  const Node rule = *places.seat.find("rule");
  if (has_ticks(resolved.world()) && !moves) {
    findings.error(rule, "E0239",
                   fmt::format("{} has no meaning in the tick world", seat.kind->name),
                   "rules there only move jobs", "one of " + strategies());
  } else if (!has_ticks(resolved.world()) && moves) {
    findings.error(
        rule, "E0243",
        fmt::format("{} moves running jobs, which only the tick world supports", seat.kind->name),
        "elsewhere a job stays in the fleet that it was submitted to",
        "use `spot_fallback`, which stops and clones, or \"model\": \"ticks\", in which jobs move");
  } else if (moves) {
    check_options(resolved, seat, places, findings);
  }
}

void check_tick_policy(const PolicySpec& policy, const Node& node, Findings& findings) {
  const bool moves = std::any_of(policy.seats.begin(), policy.seats.end(), [](const auto& seat) {
    return seat.kind->moves && seat.mode == host::Mode::enforce;
  });
  if (moves || findings.errors() > 0) return;
  Diagnostic finding =
      node.is_array()
          ? at_key(node, "E0239",
                   fmt::format("no rule of policy {} gets instances", in_quotes(policy.name)),
                   "jobs would wait forever")
          : at(node, "E0239", "a tick world needs a policy", "jobs would wait forever");
  finding.help = "add an enforced rule: " + strategies();
  findings.add(std::move(finding));
}

}  // namespace reeve::scenarios
