// Lints for scenarios on which policies cannot be compared fairly: jobs that fail because a fleet
// is full, instances without the price of their commitment, alarms that nothing can mislead.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "models/duration_law.hpp"
#include "models/progress.hpp"
#include "models/utilization.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/no_effect.hpp"
#include "scenarios/lints/restarts.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/seat_needs.hpp"

namespace reeve::scenarios {
namespace {

/// The most instances that written jobs need at once, if each starts when it is submitted.
std::int64_t peak_of_written(const models::World& world, policy::PoolId id) {
  std::map<policy::Instant, std::int64_t> changes;
  for (const models::JobSpec& job : world.jobs.specs) {
    const models::JobProfile& profile = world.profiles[job.profile];
    if (profile.pool != id) continue;
    const Duration trains = training_time(world, profile, job.work);
    changes[job.submit] += job.instances;
    changes[policy::later(job.submit, std::min(trains, profile.max_runtime))] -= job.instances;
  }
  std::int64_t needed = 0;
  std::int64_t most = 0;
  for (const auto& [at, change] : changes) most = std::max(most, needed += change);
  return most;
}

/// Instances that drawn jobs rarely exceed: four standard deviations above the mean.  How many of
/// them train at once is Poisson distributed if each starts when it is submitted (M/G/infinity).
double rarely_exceeded_by_drawn(const models::World& world, policy::PoolId id) {
  if (!world.drawn || world.profiles[world.drawn->profile].pool != id) return 0;
  const models::DrawnWorkload& drawn = *world.drawn;
  double weights = 0;
  double mean = 0;
  double square = 0;
  double most = 0;
  for (const auto& [size, weight] : drawn.instances) {
    weights += weight;
    mean += weight * size;
    square += weight * size * size;
    if (weight > 0) most = std::max(most, static_cast<double>(drawn.jobs) * size);
  }
  if (drawn.gap == Duration{0}) return most;
  const models::JobProfile& profile = world.profiles[drawn.profile];
  const Duration trains =
      std::min(training_time(world, profile, models::mean(drawn.work)), profile.max_runtime);
  const double at_once =
      static_cast<double>(trains.count()) / static_cast<double>(drawn.gap.count());
  return std::min(most, at_once * mean / weights + 4 * std::sqrt(at_once * square / weights));
}

/// Whether jobs that all start when they are submitted ever need more instances than the fleet has.
bool may_be_full(const models::World& world, policy::PoolId id) {
  return static_cast<double>(peak_of_written(world, id)) + rarely_exceeded_by_drawn(world, id) >
         world.pools[id.index].capacity;
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
  for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
    if (!may_be_full(world, {pool})) continue;
    const Node place =
        resolved.input.platform.written->find("model").value_or(*resolved.input.platform.written);
    return findings.warning(place, "W0590",
                            fmt::format("a job that finds fleet {} full fails at once",
                                        in_quotes(world.pools[pool].name)),
                            fmt::format("under {} nothing starts it again", policies),
                            "add { \"rule\": \"schedule\" } to the policy, or \"on_insufficient\": "
                            "\"wait\" to platform");
  }
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

/// Whether the GPUs of a healthy job may look idle: noise, phases, a trace, slow data loaders.
bool may_mislead(const models::JobProfile& profile) {
  if (profile.utilization != nullptr) return true;
  return profile.throughput != nullptr &&
         (profile.throughput->fed.has_value() || profile.throughput->stragglers.has_value());
}

/// How long an alarm needs at least; 0: the rule has none of that kind.
Duration time_to_fire(const SeatSpec& seat) {
  if (seat.mode != host::Mode::enforce || !puts_alarm(seat)) return Duration{0};
  const auto& datapoints = seat.options.integers(of_alarm(seat, known::datapoints));
  if (datapoints.empty()) return Duration{0};
  return seat.options.duration(of_alarm(seat, known::period)) * datapoints.front();
}

/// Whether the alarm of the rule stops some healthy job: one that uses its GPUs less than the
/// threshold, or whose metrics get lost where missing data is breaching.
bool stops_healthy(const models::World& world, const SeatSpec& seat) {
  const bool breaching = says(seat, of_alarm(seat, known::missing), "breaching");
  return std::ranges::any_of(world.profiles, [&](const models::JobProfile& profile) {
    return takes_for_idle(seat, profile.util_running, profile, world) ||
           (breaching && may_have(profile, {models::FaultKind::metrics_lost}));
  });
}

/// Alarms of different speed where each stops only stalled jobs.
void check_fastest_alarm(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  if (has_ticks(world) || world.profiles.empty()) return;
  if (std::ranges::any_of(world.profiles, may_mislead)) return;
  std::set<Duration> speeds;
  for (std::size_t i = 0; i < resolved.written_policies.size(); ++i) {
    const PolicySpec& policy = resolved.scenario.policies[i];
    const WrittenPolicy& written = resolved.written_policies[i];
    for (std::size_t seat = 0; seat < written.seats.size(); ++seat) {
      const Duration speed = time_to_fire(policy.seats[seat]);
      if (speed > Duration{0} && stops_healthy(world, policy.seats[seat])) return;
      if (speed == Duration{0} || !speeds.insert(speed).second || speeds.size() < 2) continue;
      const OptionPlaces& places = written.seats[seat].places;
      return findings.warning(
          places.find(of_alarm(policy.seats[seat], known::period)).value_or(places.seat), "W0592",
          "no alarm can stop a healthy job here", "so the fastest alarm looks best",
          "add \"gpu_phases\", \"data_loading\", or a distribution or trace to \"gpu_util\"");
    }
  }
}

}  // namespace

std::span<const Lint> comparison_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0590", "jobs fail because a fleet is full",
        "On self-managed instances a request without free capacity fails at once. Without a rule "
        "that queues jobs or starts them again, such a job has no result, and means over the other "
        "jobs look good. reeve assumes that each job starts when it is submitted and trains "
        "undisturbed. For drawn jobs it takes what they rarely exceed: four standard deviations "
        "above the mean.",
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
        "Each healthy job uses its GPUs evenly: the scenario has no noise, no phase with low use "
        "and no slow data loading. So no alarm on GPU use stops a healthy job, and of several "
        "alarms the fastest looks best. On a real fleet, a faster alarm also stops healthy jobs.",
        "policies with alarms of 5m and 15m, and jobs with constant GPU use",
        "\"gpu_phases\": [ { \"every\": \"2h\", \"lasts\": \"10m\", \"gpu_util\": 0 } ]"},
       check_fastest_alarm,
       RunIf::no_errors},
  });
  return rows;
}

}  // namespace reeve::scenarios
