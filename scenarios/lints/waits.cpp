#include "scenarios/lints/waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/quotas.hpp"
#include "scenarios/lints/handlers.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/restarts.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/resolved/undisturbed.hpp"

namespace reeve::scenarios {
namespace {

/// Whether a rule keeps jobs in line, or gives their clones more time than they had.
bool prolongs(const PolicySpec& policy) {
  return std::any_of(policy.seats.begin(), policy.seats.end(), [](const SeatSpec& seat) {
    const auto* longer = value_of<Duration>(seat, known::override_max_runtime);
    return seat.kind->schedules || seat.kind->places ||
           (longer != nullptr && *longer > Duration{0});
  });
}

}  // namespace

bool may_reach_max_wait(const models::World& world, const PolicySpec& policy,
                        const models::JobProfile& profile) {
  const models::Pool& pool = world.pools[profile.pool.index];
  if (models::is_unmanaged(world.platform.model) || !is_steady(world, pool)) return true;
  if (!starts_once(profile) || !has_room_for_all(world, pool) || prolongs(policy)) return true;
  const models::Platform& platform = world.platform;
  const Duration startup = std::max(platform.startup, platform.first_startup.value_or(Duration{0}));
  // MaxRuntime may count from Training on, where the start-up is over.
  const Duration first = platform.provisioning + startup + profile.checkpoint.restore;
  return profile.max_runtime == Duration::max() || profile.max_wait - profile.max_runtime < first;
}

namespace {

/// Whether a rule leaves alone, of what may end early, who gets no machines in time.
bool leaves_waiting(const SeatSpec& seat) {
  if (does_nothing(seat)) return false;
  const bool leaves_spot = has(seat, known::after_max_wait) && seat.mode != host::Mode::off;
  return leaves_spot || resumes_failed(seat);
}

/// Whether a rule does something for such a job that got no machines in time.
bool handles_waiting(const SeatSpec& seat, const models::JobProfile& profile) {
  // Its `timeouts` are about who asks for machines later.
  const auto* after = value_of<bool>(seat, known::after_max_wait);
  if ((after != nullptr && *after) || clones_after(seat, timed_out)) return true;
  // It has not run at all, unless the wait counts.
  const auto* least = value_of<Duration>(seat, known::min_runtime);
  const Duration ran = says(seat, known::since, "creation") ? profile.max_wait : Duration{0};
  return lists(seat, known::when, "max_wait_time_exceeded") && (least == nullptr || *least <= ran);
}

/// D17: who gets no machines in time has not failed, and no rule of the policy starts it again.
void check_waits_handled(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                         const OptionPlaces& places, Findings& findings) {
  const models::World& world = resolved.world();
  const auto& seats = policy.seats;
  const auto is_left = [&](const models::JobProfile& profile) {
    const bool waits = pool_under(resolved, policy, profile).market == policy::Market::spot &&
                       policy::later(world.start, profile.max_wait) < world.end &&  // not `never`
                       may_reach_max_wait(world, policy, profile);
    const auto leaves = [&](const SeatSpec& other) {
      return leaves_waiting(other) && !handles_waiting(other, profile) &&
             may_hold(other, profile, policy, world);
    };
    const auto handles = [&](const SeatSpec& other) {
      return (other.mode == host::Mode::enforce || &other == &seat) &&
             handles_waiting(other, profile) && may_hold(other, profile, policy, world);
    };
    if (!waits || std::any_of(seats.begin(), seats.end(), handles)) return false;
    const auto first = std::find_if(seats.begin(), seats.end(), leaves);
    return first != seats.end() && &*first == &seat;  // told once
  };
  if (std::none_of(world.profiles.begin(), world.profiles.end(), is_left)) return;
  const Node rule = places.seat.find("rule").value_or(places.seat);
  std::string help{
      "add \"max_wait_time_exceeded\" to \"when\" and set \"min_runtime\": \"0s\" (the job has not "
      "run), or use `spot_fallback` with \"after_max_wait\""};
  if (has(seat, known::after_max_wait)) help = "\"after_max_wait\": true";
  if (stated(seat) != nullptr) {
    help = R"({ "field": "status", "op": "==", "value": "MaxWaitTimeExceeded" })";
    help += R"(, and no "training_time" for those: they have not run)";
  }
  findings.warning(
      places.find(has(seat, known::after_max_wait) ? known::after_max_wait : known::when)
          .value_or(rule),
      "W0450", "a job that gets no instances within MaxWaitTime is not resumed",
      "such an attempt has ended but has not failed", std::move(help));
}

/// Whether jobs of a queue may have to wait: for machines, or as something limits them.
bool may_wait(const models::World& world, const models::JobProfile& profile) {
  const models::Pool& pool = world.pools[profile.pool.index];
  return !has_room_for_all(world, pool) || !is_steady(world, pool) || !starts_once(profile) ||
         models::any_has_quota(world) || !world.platform.quotas.empty() ||
         !world.directory.environments.empty();
}

/// D17 likewise, where a queue ends what waits too long: it fails for capacity, and has not run,
/// unless the wait counts.
void check_limited_waits(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                         const OptionPlaces& places, Findings& findings) {
  const models::World& world = resolved.world();
  constexpr Duration enough = Duration::max();
  if (!restarts_taken(seat, enough, enough)) return;
  const auto is_left = [&](const models::JobProfile& profile) {
    const auto queue = world.directory.terms[profile.terms].queue;
    if (!queue || !may_wait(world, profile) || !may_hold(seat, profile, policy, world))
      return false;
    const Duration limit = world.directory.queues[queue->index].runnable_limit;
    if (limit == Duration::max()) return false;
    return std::none_of(policy.seats.begin(), policy.seats.end(), [&](const SeatSpec& other) {
      const bool acts = other.mode == host::Mode::enforce || &other == &seat;
      return acts && may_hold(other, profile, policy, world) &&
             restarts_taken(other, limit, Duration{0});
    });
  };
  if (std::none_of(world.profiles.begin(), world.profiles.end(), is_left)) return;
  findings.warning(place_of_least(seat, places), "W0450",
                   "a job that reaches its queue's runnable limit is not resumed",
                   fmt::format("it fails for capacity and has not run; {}", asked_of(seat)),
                   asks_less(seat));
}

}  // namespace

std::span<const Lint> wait_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0450", "a timed-out job that no rule resumes (defect D17)",
        "A Spot attempt that gets no instances within its MaxWaitTime ends without failing. A rule "
        "that resumes failed jobs leaves it. Likewise, a job that reaches the \"runnable_limit\" "
        "of its queue fails for capacity without having run. reeve does not warn if no job can "
        "wait that long: Spot has room for all without interruptions, and \"max_runtime\" ends "
        "sooner.",
        "\"max_wait\": \"2h\" and { \"rule\": \"resume\", \"when\": [\"failed\"] }",
        "\"when\": [\"failed\", \"max_wait_time_exceeded\"] and \"min_runtime\": \"0s\", because "
        "the attempt never ran"},
       check_waits_handled,
       RunIf::handler_runs},
      {also("W0450"), check_limited_waits, RunIf::handler_runs},
  });
  return rows;
}

}  // namespace reeve::scenarios
