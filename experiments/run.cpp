#include "experiments/run.hpp"

#include <algorithm>
#include <utility>

#include "experiments/counterfactual.hpp"
#include "experiments/decision_log.hpp"
#include "experiments/measures.hpp"
#include "host/canary.hpp"
#include "host/check.hpp"
#include "host/host.hpp"
#include "host/target.hpp"
#include "models/fleet/simulation.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::experiments {
namespace {

std::vector<host::Seat> make_seats(const scenarios::PolicySpec& policy,
                                   const std::optional<Instead>& instead) {
  std::vector<host::Seat> seats;
  for (const scenarios::SeatSpec& seat : policy.seats) {
    std::unique_ptr<policy::Policy> rule = seat.kind->make(seat.options);
    if (instead && instead->rule == seat.label) rule = acting_instead(std::move(rule), *instead);
    seats.push_back({seat.label, std::string{seat.kind->name}, seat.priority, seat.mode,
                     std::move(rule), seat.scope, scenarios::reads_reports(seat),
                     seat.kind->minds_alarms});
  }
  return seats;
}

/// In the order of the host: by priority, higher first.
std::vector<const scenarios::SeatSpec*> in_order(const scenarios::PolicySpec& policy) {
  std::vector<const scenarios::SeatSpec*> specs;
  for (const scenarios::SeatSpec& seat : policy.seats) specs.push_back(&seat);
  std::stable_sort(specs.begin(), specs.end(),
                   [](const auto* a, const auto* b) { return a->priority > b->priority; });
  return specs;
}

std::vector<SeatedRule> seated(const scenarios::PolicySpec& policy) {
  std::vector<SeatedRule> rules;
  std::uint32_t minima = 0;
  for (const scenarios::SeatSpec* seat : in_order(policy)) {
    rules.push_back({seat->label, seat->kind, seat->mode, seat->scope, std::nullopt});
    if (scenarios::least_gpu_use(*seat)) rules.back().minimum = minima++;
  }
  return rules;
}

/// What the world keeps, and what rules of that policy ask it to look at besides.
models::Keep keep_for(const scenarios::PolicySpec& policy, models::Keep keep) {
  for (const scenarios::SeatSpec* seat : in_order(policy)) {
    if (const auto least = scenarios::least_gpu_use(*seat)) keep.gpu_minima.push_back(*least);
  }
  return keep;
}

/// Those that look at the job and the time come before those that count: what one of the latter
/// refuses may be asked for again when it has room, and then nothing else stands in the way.
host::Guards make_guards(const scenarios::GuardSpec& spec, policy::Instant start,
                         const RunOptions& options) {
  host::Guards guards;
  guards.push_back(std::make_unique<host::KillSwitch>());
  if (!spec.protected_tags.empty()) {
    guards.push_back(std::make_unique<host::ProtectedTags>(spec.protected_tags));
  }
  if (!spec.exemptions.empty()) {
    guards.push_back(std::make_unique<host::Exemptions>(spec.exemptions));
  }
  if (spec.dry_start > policy::Duration{0}) {
    guards.push_back(std::make_unique<host::DryStart>(policy::later(start, spec.dry_start)));
  }
  if (spec.office_hours) {
    guards.push_back(std::make_unique<host::OfficeHours>(*spec.office_hours));
  }
  if (options.confirmed) guards.push_back(std::make_unique<host::ConfirmFirst>(options.confirmed));
  if (spec.canary) {
    std::optional<host::Canary::Place> kept;
    if (const auto& instead = options.instead)
      kept = {instead->rule, host::target(instead->decision).job, instead->at};
    guards.push_back(std::make_unique<host::Canary>(*spec.canary, std::move(kept)));
  }
  if (spec.stops_per_hour) guards.push_back(host::stops_per_hour(*spec.stops_per_hour));
  if (spec.stops_pct_per_hour) {
    guards.push_back(std::make_unique<host::StopsPctPerHour>(*spec.stops_pct_per_hour));
  }
  if (spec.actions_per_hour) guards.push_back(host::actions_per_hour(*spec.actions_per_hour));
  if (spec.actions_per_rule_per_day) {
    guards.push_back(host::actions_per_rule_per_day(*spec.actions_per_rule_per_day));
  }
  return guards;
}

/// What so many calls cost.  Who seats no rule has nothing that events could call.
models::Charge price_of_calls(const scenarios::CallPrices& prices,
                              const scenarios::PolicySpec& policy, std::uint64_t deliveries,
                              std::uint64_t notifications) {
  // Usd per million -> nano-dollars per hour x nanoseconds
  const auto cost = [](policy::Usd per_million, std::uint64_t calls) {
    return models::Charge{per_million.micros()} * 3'600'000'000 *
           static_cast<models::Charge>(calls);
  };
  const std::uint64_t invocations = policy.seats.empty() ? 0 : deliveries;
  return cost(prices.lambda_per_million, invocations) + cost(prices.sns_per_million, notifications);
}

/// A rule that has no seat now counts for guards of all seats together.
void recall(const std::vector<EarlierAction>& earlier, const std::vector<host::Seat>& seats,
            const host::Guards& guards) {
  if (earlier.empty()) return;
  std::vector<std::pair<std::int32_t, std::string>> in_order;  // as the host orders its seats
  for (const host::Seat& seat : seats) in_order.emplace_back(seat.priority, seat.name);
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const EarlierAction& action : earlier) {
    const auto found = std::find_if(in_order.begin(), in_order.end(),
                                    [&](const auto& seat) { return seat.second == action.rule; });
    std::optional<policy::SeatId> seat;
    if (found != in_order.end()) seat = {static_cast<std::uint32_t>(found - in_order.begin())};
    for (const auto& guard : guards) guard->recall(seat, action.verb, action.at);
  }
}

}  // namespace

models::Admission admission(const scenarios::PolicySpec& policy) {
  const auto enforces = [&](bool policy::PolicyKind::*ability) {
    return std::any_of(policy.seats.begin(), policy.seats.end(), [&](const auto& seat) {
      return seat.kind->*ability && seat.mode == host::Mode::enforce;
    });
  };
  const bool places = enforces(&policy::PolicyKind::places);
  if (enforces(&policy::PolicyKind::schedules)) {
    return places ? models::Admission::placed_then_held : models::Admission::held;
  }
  return places ? models::Admission::placed : models::Admission::direct;
}

bool needs_reports(const scenarios::PolicySpec& policy) {
  return std::any_of(policy.seats.begin(), policy.seats.end(), [](const auto& seat) {
    return scenarios::reads_reports(seat) || scenarios::is_judged_by_reports(seat);
  });
}

std::unique_ptr<host::Host> make_host(const scenarios::Scenario& scenario,
                                      const scenarios::PolicySpec& policy, host::Journal& journal,
                                      const RunOptions& options) {
  const models::World& world = scenario.world;
  const std::size_t jobs = world.jobs.specs.size() + (world.drawn ? world.drawn->jobs : 0);
  host::Guards guards = make_guards(scenario.guards, world.start, options);
  if (options.undone.value != 0) {
    guards.push_back(std::make_unique<host::Undone>(options.undone));
  }
  if (!options.stops_left_out.empty()) {
    guards.push_back(std::make_unique<host::StopsLeftOut>(options.stops_left_out));
  }
  std::vector<host::Seat> seats = make_seats(policy, options.instead);
  recall(options.earlier, seats, guards);
  return std::make_unique<host::Host>(std::move(seats), host::Belief{world.directory, jobs},
                                      options.retry, std::move(guards), journal);
}

RunResult run(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
              std::uint32_t replication, const RunOptions& options) {
  host::check_place() = {.step = 0, .seed = scenario.world.seed, .replication = replication};
  host::Journal journal;
  if (options.journal != nullptr) journal.write_text_to(*options.journal);
  DecisionLog log;
  if (options.decisions) journal.set_listener(&log);
  const auto fleet = models::simulate(scenario.world, replication, admission(policy),
                                      keep_for(policy, options.keep), needs_reports(policy));
  const auto host = make_host(scenario, policy, journal, options);
  // Before its first step the host has no clock yet.
  const auto now = [&] { return std::max(host->now(), scenario.world.start); };
  const auto interrupted = [&] {
    if (options.progress != nullptr) {
      options.progress->clock_ns.store(now().time_since_epoch().count(), std::memory_order_relaxed);
      options.progress->events.store(fleet->events_handled(), std::memory_order_relaxed);
    }
    return options.interrupted != nullptr && *options.interrupted;
  };
  host::run(*host, *fleet, *fleet, scenario.world.end, interrupted);
  if (options.ends_early != nullptr && interrupted()) options.ends_early();
  journal.flush_text();
  RunResult result;
  result.policy = policy.name;
  result.replication = replication;
  result.record = fleet->finish(now(), interrupted());
  models::Record& record = result.record;
  record.ledger.guardrail(
      price_of_calls(scenario.calls, policy, record.deliveries, record.notifications),
      price_of_calls(scenario.calls, policy, record.first_attempt_deliveries,
                     record.first_attempt_notifications));
  result.digest = journal.digest().hex();
  result.decisions = log.take();
  result.seats = seated(policy);
  for (const host::Muted& muted : host->muted()) {
    result.muted.push_back({host->seats()[muted.seat.index].name, muted.at, muted.why});
  }
  if (options.counterfactuals) price_stops(scenario, policy, options, result);
  if (options.measures) result.measures = measures(scenario, result);
  return result;
}

}  // namespace reeve::experiments
