// Lints for rules whose destination fleets are too small, or do not exist.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "scenarios/lints/lint.hpp"
#include "scenarios/load/keys/condition.hpp"
#include "scenarios/load/resolved/attempt_status.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"
#include "scenarios/load/resolved/share_reach.hpp"

namespace reeve::scenarios {
namespace {

/// Whether the rule may ever move such a job: it observes the job, and its conditions can hold.
bool may_send(const Resolved& resolved, const SeatSpec& seat, const models::JobProfile& profile) {
  const models::World& world = resolved.world();
  if (!may_hold(seat, profile, {}, world)) return false;
  const policy::PoolFacts& pool = world.directory.pools[profile.pool.index];
  if (has_option(*seat.kind, known::interruptions_above))
    return pool.market == policy::Market::spot;
  if (!has_option(*seat.kind, known::when)) return true;
  if (is_stated(*seat.kind)) {
    const auto known = [&](const policy::Condition& test) -> std::optional<bool> {
      const auto market = policy::market_names[static_cast<std::size_t>(pool.market)];
      if (test.field == policy::ConditionField::market) return holds_of_text(test, market);
      if (test.field == policy::ConditionField::fleet) return holds_of_text(test, pool.name);
      return std::nullopt;
    };
    return holds_where(seat.options.condition(known::when), known) != false;
  }
  const std::vector<std::string>& ends = seat.options.texts(known::when);
  const bool waits_alone = std::all_of(ends.begin(), ends.end(), [](const std::string& end) {
    return end == "max_wait_time_exceeded";
  });
  return !waits_alone || profile.max_wait != policy::Duration::max();
}

void too_small(const Resolved& resolved, policy::PoolId pool, std::uint32_t needed,
               const Node& place, Findings& findings) {
  const models::World& world = resolved.world();
  findings.warning(place, "W0428",
                   fmt::format("fleet {} has {}; the largest job needs {}",
                               in_quotes(world.directory.pools[pool.index].name),
                               counted(world.pools[pool.index].capacity, "instance"), needed),
                   "jobs that do not fit there continue where they ran");
}

/// The instances of the largest job that the rule may move.
std::uint32_t largest_sent(const Resolved& resolved, const SeatSpec& seat) {
  const auto& profiles = resolved.world().profiles;
  if (resolved.largest.size() < profiles.size()) return largest_job(resolved);
  std::uint32_t largest = 0;
  for (std::size_t id = 0; id < profiles.size(); ++id) {
    if (may_send(resolved, seat, profiles[id])) largest = std::max(largest, resolved.largest[id]);
  }
  return largest;
}

/// A rule moves jobs by market or type, but no destination fleet is large enough for some job.
void check_room(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                Findings& findings) {
  if (seat.kind->reaches == nullptr || seat.kind->schedules || seat.mode == host::Mode::off) return;
  std::optional<Node> place;
  for (const std::string_view option :
       {known::override_market, known::override_instance_type, known::market, known::use}) {
    if (!place) place = places.find(option);
  }
  const bool by_default = has_option(*seat.kind, known::interruptions_above);
  if (!place && !by_default) return;
  const models::World& world = resolved.world();
  for (std::size_t id = 0; id < world.profiles.size() && id < resolved.largest.size(); ++id) {
    const models::JobProfile& profile = world.profiles[id];
    const policy::TypeId type = world.pools[profile.pool.index].type;
    const auto pools = seat.kind->reaches(seat.options, world.directory, type);
    const auto fits = [&](policy::PoolId pool) {
      return resolved.largest[id] <= world.pools[pool.index].capacity;
    };
    if (pools.empty() || std::any_of(pools.begin(), pools.end(), fits)) continue;
    if (!may_send(resolved, seat, profile)) continue;
    return too_small(resolved, pools.front(), resolved.largest[id],
                     place.value_or(places.seat.find("rule").value_or(places.seat)), findings);
  }
}

/// False, after a finding, if no fleet in the rule's market suits any job.
bool reaches_any(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                 Findings& findings) {
  const bool overrides = has_option(*seat.kind, known::override_market) &&
                         seat.options.text(known::override_market) != "as_before";
  const bool by_market =
      has_option(*seat.kind, known::market) || has_option(*seat.kind, known::use) || overrides;
  if (seat.kind->reaches == nullptr || !by_market) return true;
  const models::World& world = resolved.world();
  for (const models::JobProfile& profile : world.profiles) {
    const policy::TypeId type = world.pools[profile.pool.index].type;
    if (!seat.kind->reaches(seat.options, world.directory, type).empty()) return true;
  }
  if (world.profiles.empty()) return true;
  if (overrides) {
    const bool told = has_option(*seat.kind, known::override_instance_type) &&
                      !seat.options.text(known::override_instance_type).empty();
    if (told) return true;  // `doubt` of the rule reports it
    findings.warning(places.find(known::override_market).value_or(places.seat), "W0500",
                     "no fleet in the override's market has the jobs' instance types",
                     "the override has no effect", "a clone runs where the previous attempt ran");
    return true;
  }
  findings.warning(
      places.find(known::use).value_or(places.find(known::market).value_or(places.seat)), "W0476",
      fmt::format("{} has no effect here", in_quotes(seat.label)),
      "no fleet in that market has the jobs' instance types");
  return false;
}

/// Whether a Spot request ends with its first interruption.
bool one_time_spot(const models::World& world) {
  if (!models::is_unmanaged(world.platform.model)) return false;
  if (world.platform.unmanaged.spot_request != models::SpotRequest::one_time) return false;
  return std::any_of(world.pools.begin(), world.pools.end(),
                     [](const models::Pool& pool) { return pool.market == policy::Market::spot; });
}

/// Whether an attempt may fail for lack of capacity.
bool may_lack_machines(const models::World& world) {
  const auto& queues = world.directory.queues;
  const auto ends_waits = [](const policy::QueueFacts& queue) {
    return queue.runnable_limit != Duration::max();
  };
  if (std::any_of(queues.begin(), queues.end(), ends_waits)) return true;
  if (!models::is_unmanaged(world.platform.model)) return false;
  return !world.platform.unmanaged.waits_for_capacity || one_time_spot(world);
}

bool any_stated_lack(const models::World& world) {
  constexpr auto lack = policy::FailureClass::capacity;
  const auto stated = [](const models::Fault& fault) { return fault.failure == lack; };
  const auto drawn = [](const models::DrawnFault& fault) {
    return std::any_of(fault.classes.begin(), fault.classes.end(),
                       [](const auto& of) { return of.first == lack; });
  };
  const auto& profiles = world.profiles;
  return std::any_of(profiles.begin(), profiles.end(), [&](const models::JobProfile& profile) {
    return std::any_of(profile.faults.begin(), profile.faults.end(), stated) ||
           std::any_of(profile.drawn_faults.begin(), profile.drawn_faults.end(), drawn);
  });
}

void no_effect_of(const SeatSpec& seat, const Node& place, std::string why, std::string help,
                  Findings& findings) {
  findings.warning(place, "W0476", fmt::format("{} has no effect here", in_quotes(seat.label)),
                   std::move(why), std::move(help));
}

/// Only training reports say how much of the work is durable.
void check_progress(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                    Findings& findings) {
  const auto& profiles = resolved.world().profiles;
  if (!measures_progress(seat) || profiles.empty()) return;
  if (std::any_of(profiles.begin(), profiles.end(),
                  [](const models::JobProfile& profile) { return profile.reports != nullptr; })) {
    return;
  }
  findings.warning(places.find(known::min_progress).value_or(places.seat), "W0467",
                   "no job reports its training, so lasting progress is unknown",
                   "this test never moves a job off Spot",
                   "add \"reports\": { \"every\": \"1m\" } to jobs on Spot");
}

/// A job sets its own `max_wait`.
void check_time_outs(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                     Findings& findings) {
  const models::World& world = resolved.world();
  constexpr auto of_wait = policy::Secondary::max_wait_time_exceeded;
  const bool told_so = world.platform.pending_ends_as == of_wait;
  const auto waits = [&](const models::JobProfile& profile) {
    return profile.max_wait != policy::Duration::max() ||
           (told_so && profile.max_pending != policy::Duration::max());
  };
  const auto& profiles = world.profiles;
  if (!minds_waits(seat) || profiles.empty()) return;
  if (std::any_of(profiles.begin(), profiles.end(), waits)) return;
  for (const std::string_view option : {known::timeouts, known::after_max_wait}) {
    const auto written = places.find(option);
    if (!written) continue;
    findings.warning(*written, "W0476", fmt::format("{} has no effect here", in_quotes(option)),
                     "no job has a \"max_wait\"");
  }
}

/// A one-time request ends with its first interruption, so no attempt continues after one.
void check_fallback(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                    Findings& findings) {
  const bool counts = has_option(*seat.kind, known::interruptions_above);
  if (!counts || seat.mode == host::Mode::off) return;
  check_progress(resolved, seat, places, findings);
  check_time_outs(resolved, seat, places, findings);
  if (!one_time_spot(resolved.world()) || minds_waits(seat)) return;
  no_effect_of(seat, places.seat.find("rule").value_or(places.seat),
               "requests are one-time: an interrupted attempt fails with class capacity",
               "use `relaunch`, `alternatives`, or `resume` with \"when\": [\"failed:capacity\"] "
               "and \"override\": { \"fleet\": ... }",
               findings);
}

/// A fleet by name that is too small for a job.
void check_named(const Resolved& resolved, const SeatSpec& seat, const std::string& fleet,
                 const Node& place, Findings& findings) {
  const auto pool = resolved.world().directory.pool_named(fleet);
  if (!pool) return;  // reported already
  const std::uint32_t largest = largest_sent(resolved, seat);
  if (largest > resolved.world().pools[pool->index].capacity) {
    too_small(resolved, *pool, largest, place, findings);
  }
}

void check_all_named(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                     Findings& findings) {
  if (has_option(*seat.kind, known::override_fleet) &&
      !seat.options.text(known::override_fleet).empty()) {
    check_named(resolved, seat, seat.options.text(known::override_fleet),
                places.find(known::override_fleet).value_or(places.seat), findings);
  }
  if (!has_option(*seat.kind, known::fleets)) return;
  const std::vector<std::string>& fleets = seat.options.texts(known::fleets);
  for (const auto& [fleet, place] : named_fleets(fleets, places)) {
    check_named(resolved, seat, fleet, place, findings);
  }
}

/// The fleets to which a rule moves jobs by market, type or name.
void check_destinations(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                        Findings& findings) {
  check_all_named(resolved, seat, places, findings);
  if (!reaches_any(resolved, seat, places, findings)) return;
  check_room(resolved, seat, places, findings);
  check_fallback(resolved, seat, places, findings);
}

/// Whether the job states its speed on both types.
bool compares_types(const WrittenJob& job, const std::string& from, const std::string& to) {
  const Node speeds = job.place.of("throughput");
  return speeds.key() == "throughput" && speeds.find(from) && speeds.find(to);
}

/// If the work of a job is in proportion to its GPUs; `own` is not 0.
double speed_at(std::uint32_t gpus, std::uint32_t own) {
  return static_cast<double>(gpus) / own;
}

/// A rule may move a job to instances with another number of GPUs, and the job states no speeds.
void check_gpus(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                Findings& findings) {
  if (seat.kind->reaches == nullptr || seat.mode == host::Mode::off) return;
  const models::World& world = resolved.world();
  for (const WrittenJob& job : resolved.written_jobs) {
    const models::JobProfile& profile = resolved.profile_of(job);
    const policy::TypeId own = world.pools[profile.pool.index].type;
    const policy::InstanceType& from = world.directory.types[own.index];
    if (!may_send(resolved, seat, profile)) continue;
    for (const policy::PoolId pool : seat.kind->reaches(seat.options, world.directory, own)) {
      const policy::TypeId there = world.pools[pool.index].type;
      const policy::InstanceType& to = world.directory.types[there.index];
      if (to.gpus == from.gpus || compares_types(job, from.name, to.name)) continue;
      const bool both = to.gpus > 0 && from.gpus > 0;
      const std::string_view name = world.directory.pools[pool.index].name;
      findings.warning(
          places.find(known::fleets).value_or(places.seat.find("rule").value_or(places.seat)),
          "W0606",
          fmt::format("fleet {} has {} per instance; the jobs' own fleet {} has {}",
                      in_quotes(name), counted(to.gpus, "GPU"),
                      in_quotes(world.directory.pools[profile.pool.index].name), from.gpus),
          "a job that moves there keeps its number of instances and its speed",
          both ? fmt::format("state both speeds: \"throughput\": {{ {}: 1, {}: {:.3g} }}",
                             in_quotes(from.name), in_quotes(to.name), speed_at(to.gpus, from.gpus))
               : "state the speeds of both types in \"throughput\"");
      return;
    }
  }
}

/// A rule that waits longer than the clock, or lists only the jobs' own fleets.  It moves jobs that
/// failed for lack of capacity at once.
void check_alternatives(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                        Findings& findings) {
  const bool lists = moves_pending(*seat.kind);
  const models::World& world = resolved.world();
  if (!lists || may_lack_machines(world) || any_stated_lack(world)) return;
  if (world.end != policy::never &&
      seat.options.duration(known::after) >= world.end - world.start) {
    no_effect_of(seat, places.find(known::after).value_or(places.seat),
                 fmt::format("the clock ends after {}", show(world.end - world.start)), {},
                 findings);
  }
  for (const models::JobProfile& profile : world.profiles) {
    for (const std::string& name : seat.options.texts(known::fleets)) {
      if (world.directory.pool_named(name) != profile.pool) return;
    }
  }
  if (world.profiles.empty()) return;
  no_effect_of(seat, places.find(known::fleets).value_or(places.seat),
               "all jobs already wait for this fleet", "name another fleet", findings);
}

/// If the platform replaces instances itself, no attempt fails for lack of capacity.
void check_relaunch(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                    Findings& findings) {
  if (!seat.kind->relaunches) return;
  if (may_lack_machines(resolved.world()) || any_stated_lack(resolved.world()) ||
      has_ticks(resolved.world()))
    return;
  no_effect_of(seat, places.seat.find("rule").value_or(places.seat),
               "attempts wait for instances and never fail for lack of them",
               "use \"model\": \"ec2\" or \"gcp\" with \"spot_request\": \"one-time\"", findings);
}

void check_move(const Resolved& resolved, const SeatSpec& mover, const SeatSpec& scheduler,
                const OptionPlaces& places, Findings& findings) {
  const policy::Directory& directory = resolved.world().directory;
  for (const std::string& fleet : mover.options.texts(known::fleets)) {
    const auto pool = directory.pool_named(fleet);
    for (std::uint32_t share = 0; pool && share < directory.shares.size(); ++share) {
      const auto most =
          reach(resolved.world(), scheduler, {.share = policy::ShareId{share}}, *pool);
      if (!most || *most > 0) continue;
      findings.warning(places.find(known::fleets).value_or(places.seat), "W0544",
                       fmt::format("share {} can have no instances of fleet {}",
                                   in_quotes(directory.shares[share].name), in_quotes(fleet)),
                       "its jobs never start after a move there",
                       "add a quota of that fleet, or use another fleet");
    }
  }
}

/// A share has no quota of a fleet to which another rule moves its jobs.
void check_moves(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& mover,
                 const OptionPlaces& places, Findings& findings) {
  if (!moves_pending(*mover.kind)) return;
  for (const SeatSpec& scheduler : policy.seats) {
    check_move(resolved, mover, scheduler, places, findings);
  }
}

}  // namespace

std::span<const Lint> destination_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0428", "a fleet too small for the job",
        "A rule moves a job to another fleet, named or found by market or type, only if the job "
        "fits. Otherwise the job continues where it ran.",
        "\"instances\": 4, \"override\": { \"fleet\": \"small\" } with \"capacity\": 1",
        "\"capacity\": 4"},
       check_destinations,
       RunIf::always},
      {{"W0467", "progress that no job reports",
        "Only jobs with `reports` report how much of their work on Spot is durable. Without any, "
        "the test `min_progress` never acts.",
        "{ \"rule\": \"spot_fallback\", \"min_progress\": 0.5 } and no job with \"reports\"",
        "\"reports\": { \"every\": \"1m\" }"},
       check_destinations,
       RunIf::always},
      {also("W0476"), check_destinations, RunIf::always},
      {also("W0500"), check_destinations, RunIf::always},
      {{"W0606", "a move to instances with another number of GPUs",
        "A job keeps its number of instances when a rule moves it. Without a speed for each type, "
        "reeve assumes the same speed: a job of 8 GPUs costs as little there as a job of 1 GPU.",
        "\"alternatives\" from 8-GPU to 1-GPU instances, and no \"throughput\"",
        "\"throughput\": { \"big\": 1, \"small\": 0.125 }"},
       check_gpus},
      {also("W0476"), check_alternatives},
      {also("W0476"), check_relaunch},
      {also("W0544"), check_moves, RunIf::no_errors},  // then each share has a queue
  });
  return rows;
}

}  // namespace reeve::scenarios
