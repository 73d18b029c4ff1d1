// Lints for scenarios on which policies cannot be compared fairly: jobs that fail because a fleet
// is full, instances without the price of their commitment, alarms that nothing can mislead.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "models/progress.hpp"
#include "models/utilization.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/no_effect.hpp"
#include "scenarios/lints/restarts.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::scenarios {
namespace {

/// How many jobs the lint looks at: of few drawn ones, those of several runs.
constexpr std::size_t jobs_looked_at = 100'000;

/// The first fleet that has fewer instances than its jobs need at some time, if each starts when it
/// is submitted.
std::optional<policy::PoolId> overfull_fleet(const models::World& world,
                                             const std::vector<models::JobSpec>& jobs) {
  std::vector<std::tuple<policy::PoolId, policy::Instant, std::int64_t>> changes;
  changes.reserve(2 * jobs.size());
  for (const models::JobSpec& job : jobs) {
    if (job.submit >= world.end) continue;
    const models::JobProfile& profile = world.profiles[job.profile];
    const Duration trains = training_time(world, profile, job.work);
    const policy::Instant ends = policy::later(job.submit, std::min(trains, profile.max_runtime));
    changes.emplace_back(profile.pool, job.submit, job.instances);
    changes.emplace_back(profile.pool, ends, -std::int64_t{job.instances});
  }
  std::ranges::sort(changes);  // of one instant, what is given back comes first
  std::int64_t needed = 0;     // 0 again after all changes of a fleet
  for (const auto& [pool, at, change] : changes) {
    needed += change;
    if (needed > std::int64_t{world.pools[pool.index].capacity}) return pool;
  }
  return std::nullopt;
}

/// The same of all jobs, with those that are drawn in the first runs.
std::optional<policy::PoolId> overfull_fleet(const Scenario& scenario) {
  const models::World& world = scenario.world;
  if (!world.drawn) return overfull_fleet(world, world.jobs.specs);
  const std::size_t jobs = world.jobs.specs.size() + world.drawn->jobs;
  const std::size_t runs =
      std::max<std::size_t>(jobs_looked_at / std::max<std::size_t>(jobs, 1), 1);
  for (std::uint32_t run = 0; run < std::min<std::size_t>(runs, scenario.runs); ++run) {
    const auto full = overfull_fleet(world, models::materialize(world, run).specs);
    if (full) return full;
  }
  return std::nullopt;
}

/// Whether a job that finds its fleet full waits in the policy, or is tried again.
bool tries_again(const PolicySpec& policy) {
  return std::ranges::any_of(policy.seats, [](const SeatSpec& seat) {
    if (seat.mode != host::Mode::enforce) return false;
    return seat.kind->schedules || restarts_taken(seat, Duration{0}, Duration{0});
  });
}

/// Self-managed instances are refused if none is free, and a job without them fails.
void check_full_fleet(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  const models::Unmanaged& own = world.platform.unmanaged;
  if (!models::is_unmanaged(world.platform.model) || own.waits_for_capacity) return;
  const bool retries = std::ranges::all_of(world.profiles, [](const models::JobProfile& profile) {
    return profile.retries > 0 || profile.retry_strategy != nullptr;
  });
  if (retries && !world.profiles.empty()) return;
  std::string policies;
  for (const PolicySpec& policy : resolved.scenario.policies) {
    if (tries_again(policy)) continue;
    policies += (policies.empty() ? "" : ", ") + in_quotes(policy.name);
  }
  if (policies.empty()) return;
  const auto full = overfull_fleet(resolved.scenario);
  if (!full) return;
  const Node place =
      resolved.input.platform.written->find("model").value_or(*resolved.input.platform.written);
  findings.warning(place, "W0590",
                   fmt::format("a job that finds fleet {} full fails at once",
                               in_quotes(world.pools[full->index].name)),
                   fmt::format("under {} nothing starts it again", policies),
                   "add { \"rule\": \"schedule\" } to the policy, or \"on_insufficient\": "
                   "\"wait\" to platform");
}

std::string dollars(policy::UsdPerHour price) {
  return fmt::format("{}", static_cast<double>(price.nanos) / 1e9);
}

/// Reserved instances without a price of their own.
void check_commitment(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  std::size_t index = 0;
  for (const PoolInput& fleet : resolved.input.fleet) {
    if (index >= world.pools.size()) return;
    const models::Pool& pool = world.pools[index++];
    if (!policy::is_reserved(pool.market) || fleet.of_market.commitment) continue;
    const policy::InstanceType& type = world.directory.types[pool.type.index];
    if (pool.price != type.price) continue;  // the price book has one
    findings.warning(
        fleet.written->find("market").value_or(*fleet.written), "W0591",
        fmt::format("fleet {} has no commitment price", in_quotes(pool.name)),
        fmt::format("billed at the on-demand price of ${} an hour, used or not",
                    dollars(pool.price)),
        fmt::format("add \"commitment\": {{ \"usd_per_hour\": {} }} with the price you pay",
                    dollars(pool.price)));
  }
}

/// Whether the alarm may go off for a healthy job: noise, phases, a trace, slow data loaders, a
/// threshold that its work does not reach, lost metrics.
bool may_mislead(const models::World& world, const SeatSpec& seat,
                 const models::JobProfile& profile) {
  if (profile.utilization != nullptr) return true;
  const models::Throughput* speed = profile.throughput.get();
  if (speed != nullptr && (speed->fed || speed->stragglers)) return true;
  if (breaches(world, seat, profile, profile.util_running)) return true;
  return says(seat, of_alarm(seat, known::missing), "breaching") &&
         may_have(profile, {models::FaultKind::metrics_lost});
}

/// How long an alarm needs at least; 0: the rule has none of that kind.
Duration time_to_fire(const SeatSpec& seat) {
  if (seat.mode != host::Mode::enforce || !puts_alarm(seat)) return Duration{0};
  const auto& datapoints = seat.options.integers(of_alarm(seat, known::datapoints));
  if (datapoints.empty()) return Duration{0};
  return seat.options.duration(of_alarm(seat, known::period)) * datapoints.front();
}

/// Alarms of different speed where each stops only stalled jobs.
void check_fastest_alarm(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  if (has_ticks(world) || world.profiles.empty()) return;
  std::set<Duration> speeds;
  std::optional<Node> second;
  for (std::size_t i = 0; i < resolved.written_policies.size(); ++i) {
    const PolicySpec& policy = resolved.scenario.policies[i];
    for (std::size_t number = 0; number < policy.seats.size(); ++number) {
      const SeatSpec& seat = policy.seats[number];
      const Duration speed = time_to_fire(seat);
      if (speed == Duration{0}) continue;
      const auto is_misled = [&](const models::JobProfile& profile) {
        return may_hold(seat, profile, policy, world) && may_mislead(world, seat, profile);
      };
      if (std::ranges::any_of(world.profiles, is_misled)) return;
      if (!speeds.insert(speed).second || speeds.size() != 2) continue;
      const OptionPlaces& places = resolved.written_policies[i].seats[number].places;
      second = places.find(of_alarm(seat, known::period)).value_or(places.seat);
    }
  }
  if (!second) return;
  findings.warning(*second, "W0592", "no alarm can stop a healthy job here",
                   "so the fastest alarm looks best",
                   "add \"gpu_phases\", \"data_loading\", or a distribution or trace to "
                   "\"gpu_util\"");
}

}  // namespace

std::span<const Lint> comparison_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0590", "jobs fail because a fleet is full",
        "On self-managed instances a request without free capacity fails at once. Without a rule "
        "that queues jobs or starts them again, such a job has no result, and means over the other "
        "jobs look good. reeve assumes that each job starts when it is submitted and trains "
        "undisturbed. Of drawn jobs it looks at the first runs, up to 100,000 jobs.",
        "\"model\": \"ec2\" and \"policies\": { \"none\": [] }",
        "\"model\": \"ec2\", \"on_insufficient\": \"wait\", or { \"rule\": \"schedule\" }"},
       check_full_fleet,
       RunIf::no_errors},
      {{"W0591", "reserved instances without a commitment price",
        "Reserved instances are billed all the time. Without a commitment, and without a price of "
        "the book for reserved capacity, reeve bills them at the on-demand price of their type, "
        "which is more than a commitment costs.",
        "\"market\": \"reserved\"",
        "\"market\": \"reserved\", \"commitment\": { \"usd_per_hour\": 19.20 }"},
       check_commitment,
       RunIf::no_errors},
      {{"W0592", "alarms compared where no false stop is possible",
        "Each healthy job uses its GPUs evenly, above the thresholds: the scenario has no noise, "
        "no phase with low use and no slow data loading, and no alarm counts lost metrics as "
        "breaching. So no alarm on GPU use stops a healthy job, and of several "
        "alarms the fastest looks best. On a real fleet, a faster alarm also stops healthy jobs.",
        "policies with alarms of 5m and 15m, and jobs with constant GPU use",
        "\"gpu_phases\": [ { \"every\": \"2h\", \"lasts\": \"10m\", \"gpu_util\": 0 } ]"},
       check_fastest_alarm,
       RunIf::no_errors},
  });
  return rows;
}

}  // namespace reeve::scenarios
