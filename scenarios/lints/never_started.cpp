// Lints for jobs that never start, or not as they might: they are too large for their share, their
// environment, or what is kept for others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <reeve/policy/known_options.hpp>
#include <set>

#include "models/progress.hpp"
#include "models/quotas.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/scheduling_seats.hpp"
#include "scenarios/lints/written_keys.hpp"
#include "scenarios/load/resolved/losses.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"
#include "scenarios/load/resolved/share_reach.hpp"

namespace reeve::scenarios {
namespace {

/// What a job can have at most, by each policy by which that is less than it wants.
struct Reach {
  std::int64_t most = 0;  ///< by the one that lets them have most
  std::string policies = {};
};

std::optional<Reach> too_little(const Resolved& resolved, const WrittenSize& job) {
  std::vector<std::pair<std::string_view, std::int64_t>> by;
  for (const PolicySpec& policy : resolved.scenario.policies) {
    for (const SeatSpec& seat : policy.seats) {
      const auto most = reach(resolved.world(), seat, job.terms, job.pool, job.since);
      if (most && *most < job.wants) by.emplace_back(policy.name, *most);
    }
  }
  if (by.empty()) return std::nullopt;
  Reach reach{.most = by.front().second};
  for (const auto& [policy, most] : by) reach.most = std::max(reach.most, most);
  for (const auto& [policy, most] : by) {
    reach.policies += (reach.policies.empty() ? "" : ", ") + in_quotes(policy);
    if (most < reach.most) reach.policies += fmt::format(" ({})", most);
  }
  return reach;
}

/// What is said of jobs that wait: whose, how many, and where that is written.
struct Wanted {
  std::string who;
  std::uint32_t instances = 0;
  const models::JobProfile* profile = nullptr;
  Node written;
};

/// The first job of which that is so, stated or traced, or one that may be drawn.
template <class Holds>
std::optional<Wanted> first_job(const Resolved& resolved, std::string_view key,
                                const Holds& holds) {
  const models::World& world = resolved.world();
  for (std::size_t job = 0; job < world.jobs.specs.size(); ++job) {
    const models::JobSpec& spec = world.jobs.specs[job];
    const models::JobProfile& profile = world.profiles[spec.profile];
    if (!holds(spec.instances, profile)) continue;
    const std::string_view name = world.jobs.names[job];
    return Wanted{fmt::format("job {}", in_quotes(name)), spec.instances, &profile,
                  written_key(resolved, name, key)};
  }
  if (!world.drawn) return std::nullopt;
  const models::JobProfile& profile = world.profiles[world.drawn->profile];
  for (const auto& [instances, weight] : world.drawn->instances) {
    if (weight <= 0 || !holds(instances, profile)) continue;
    const Node workload = *resolved.input.workload->written;
    return Wanted{"a drawn job", instances, &profile, workload.find(key).value_or(workload)};
  }
  return std::nullopt;
}

/// A job that is larger than what its share can ever have.
void check_beyond_quota(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  const bool divided = models::any_has_quota(world);
  for (const WrittenSize& job : resolved.written_sizes) {
    if (!divided && !job.terms.share) continue;
    if (job.wants <= own_of(world, job.terms, job.pool, job.since)) continue;
    const auto has = too_little(resolved, job);
    if (!has) continue;
    // By another policy it may start.
    const std::string by =
        resolved.scenario.policies.size() > 1 ? "under " + has->policies : "with its quota";
    const std::string fleet = in_quotes(world.pools[job.pool.index].name);
    const std::string needs = fmt::format("{} needs {}", job.who, counted(job.wants, "instance"));
    if (!job.terms.share) {
      findings.warning(
          job.instances, "W0544",
          fmt::format("{}; instances outside all quotas: {}", needs, has->most),
          "it has no share, so it never starts where shares have quotas",
          fmt::format("for fleet {}, use smaller quotas or give the job a share", fleet));
      continue;
    }
    findings.warning(
        job.instances, "W0544",
        fmt::format("{}; share {} can have {} at most", needs,
                    in_quotes(world.directory.shares[job.terms.share->index].name), has->most),
        by + " it never starts and blocks its share",
        fmt::format("of fleet {}: its quota and what it may borrow from shares that lend", fleet));
  }
}

/// The environment whose limits apply to jobs of the profile; null: none.
const policy::EnvironmentFacts* environment_of(const policy::Directory& directory,
                                               const policy::JobTerms& terms) {
  const auto environment = models::environment_of(directory, terms);
  return environment ? &directory.environments[environment->index] : nullptr;
}

/// Of the pool, as far as the environment of the profile's queue may have it.
std::int64_t room_of(const models::World& world, const models::JobProfile& profile,
                     policy::PoolId pool) {
  const std::int64_t size = world.directory.pools[pool.index].size;
  const auto* environment = environment_of(world.directory, world.directory.terms[profile.terms]);
  const auto most = environment != nullptr ? environment->most_of(pool) : std::nullopt;
  return most ? std::min<std::int64_t>(size, *most) : size;
}

models::Line line_of(const models::World& world, const models::JobProfile& profile) {
  return models::line_of(world.directory, world.directory.terms[profile.terms]);
}

/// How many shares may be active at once in each line: those that any job stands in, or none.
std::map<models::Line, std::size_t> active_shares(const models::World& world) {
  std::set<std::pair<models::Line, std::optional<policy::ShareId>>> active;
  for (const models::JobProfile& profile : world.profiles) {
    const auto share = world.directory.terms[profile.terms].share;
    active.emplace(line_of(world, profile), share);
  }
  std::map<models::Line, std::size_t> count;
  for (const auto& share : active) ++count[share.first];
  return count;
}

/// Of so many machines, what is not kept where so many shares are active; as the rule reckons.
std::int64_t not_kept(std::int64_t capacity, std::int64_t pct, std::size_t shares) {
  auto kept = static_cast<double>(capacity);
  for (std::size_t share = 0; share < shares; ++share) kept = kept * static_cast<double>(pct) / 100;
  return capacity - static_cast<std::int64_t>(std::ceil(kept));
}

/// By any policy's rule; 0: none keeps anything.
std::int64_t largest_reservation(const Resolved& resolved) {
  std::int64_t most = 0;
  for (const PolicySpec& policy : resolved.scenario.policies) {
    for (const SeatSpec& seat : policy.seats) {
      if (!runs(seat, "fair_share") && !runs(seat, "max_min") && !runs(seat, "drf")) continue;
      most = std::max(most, seat.options.integer(policy::known::compute_reservation));
    }
  }
  return most;
}

/// A job for which, of each fleet that it may have, so much is kept for others that it never
/// starts.
void check_reservation(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  const std::int64_t pct = largest_reservation(resolved);
  if (pct == 0) return;
  const std::map<models::Line, std::size_t> active = active_shares(world);
  std::map<const models::JobProfile*, std::int64_t> most;
  for (const models::JobProfile& profile : world.profiles) {
    const std::size_t shares = active.at(line_of(world, profile));
    for (const policy::PoolId pool : fleets_of(resolved.scenario, profile)) {
      const std::int64_t left = not_kept(room_of(world, profile, pool), pct, shares);
      most[&profile] = std::max(most[&profile], left);
    }
  }
  const auto job = first_job(resolved, "instances", [&](std::uint32_t wants, const auto& profile) {
    return wants > most.at(&profile);
  });
  if (!job) return;
  findings.warning(
      job->written, "W0544",
      fmt::format("{} needs {}; at most {} are not reserved for other shares", job->who,
                  counted(job->instances, "instance"), most.at(job->profile)),
      fmt::format("with \"compute_reservation\": {} it never starts and blocks the jobs behind it",
                  pct),
      "use a smaller \"compute_reservation\"");
}

/// The rule `schedule` starts gangs whole.
void check_whole_gangs(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  const bool whole = any_seat(resolved, [](const SeatSpec& seat) {
    return is_scheduler(*seat.kind) && seat.mode == host::Mode::enforce;
  });
  if (!whole) return;
  const auto job =
      first_job(resolved, "min_instances", [](std::uint32_t wants, const auto& profile) {
        return models::least_instances(profile, wants) < wants;
      });
  if (!job) return;
  const policy::PoolFacts& fleet = world.directory.pools[job->profile->pool.index];
  const bool never = job->instances > fleet.size;
  findings.warning(
      job->written, "W0560",
      fmt::format("{} waits for all of its {}{}", job->who, counted(job->instances, "instance"),
                  never ? fmt::format("; fleet {} has {}", in_quotes(fleet.name), fleet.size)
                        : std::string{}),
      "the rule schedule ignores \"min_instances\"", "without the rule it starts with fewer");
}

/// KAI: what cannot be preempted has only what its share deserves.  The first of each share.
void check_unpreemptible(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  if (!resolved.input.jobs.written || !any_runs(resolved, "kai")) return;
  std::set<policy::ShareId> told;
  for (std::size_t job = 0; job < world.jobs.specs.size(); ++job) {
    const models::JobSpec& spec = world.jobs.specs[job];
    const models::JobProfile& profile = world.profiles[spec.profile];
    const policy::JobTerms& terms = world.directory.terms[profile.terms];
    if (!terms.share || !terms.keeps_machines) continue;
    const std::int64_t deserves = largest_quota(world, *terms.share, profile.pool);
    const bool said = !any_seat(resolved, [&](const SeatSpec& seat) {
      return runs(seat, "kai") && reach(world, seat, terms, profile.pool) >= spec.instances;
    });
    if (said || spec.instances <= deserves || !told.insert(*terms.share).second) continue;
    const std::string_view name = world.jobs.names[job];
    findings.warning(
        written_key(resolved, name, "instances"), "W0544",
        fmt::format("job {} needs {} and is not preemptible; share {} deserves {}", in_quotes(name),
                    counted(spec.instances, "instance"),
                    in_quotes(world.directory.shares[terms.share->index].name), deserves),
        "with the algorithm kai it never starts",
        "set \"preemptible\": true, or use a larger quota");
  }
}

void check_environment(const Resolved& resolved, Findings& findings) {
  const policy::Directory& directory = resolved.world().directory;
  for (const WrittenSize& job : resolved.written_sizes) {
    const auto* environment = environment_of(directory, job.terms);
    const auto most = environment != nullptr ? environment->most_of(job.pool) : std::nullopt;
    if (!most || job.wants <= *most) continue;
    findings.warning(
        job.instances, "W0552",
        fmt::format("{} needs {}; environment {} allows at most {}", job.who,
                    counted(job.wants, "instance"), in_quotes(environment->name), *most),
        "with the rule schedule it never starts");
  }
}

}  // namespace

std::span<const Lint> never_started_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0544", "a job larger than its share can ever hold",
        "A share has its own quota. If it borrows, it also has, up to its limit, what other shares "
        "of its environment and priority lend. Under \"capacity\" and \"kai\" all of them lend, "
        "and instances outside all quotas count too. With \"algorithm\": \"kai\" a job that is not "
        "preemptible has only its share's own quota. A job in no share has what no quota covers. "
        "With \"compute_reservation\" a job needs more than the reservation leaves, although all "
        "shares with jobs are active. A rule `alternatives` may also send jobs to a fleet where "
        "their share can hold nothing. reeve does not warn for policies that keep no share to a "
        "quota. AWS Batch says MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED; the job stays at "
        "the head of its share.",
        "\"instances\": 20 and \"quota\": { \"p4\": 10 }, \"sharing\": \"reserve\"",
        "\"instances\": 10"},
       check_beyond_quota,
       RunIf::no_errors},
      {also("W0544"), check_reservation, RunIf::no_errors},
      {also("W0544"), check_unpreemptible, RunIf::no_errors},
      {{"W0552", "a job larger than its environment",
        "The environment of its queue never has as many instances as the job requests, so the job "
        "never starts. AWS Batch: MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE.",
        "\"instances\": 8 of the job and \"instances\": 4 of the environment",
        "a larger environment, or another queue"},
       check_environment},
      {{"W0560", "min_instances without effect",
        "With `min_instances` a job starts with fewer instances than it requests, if no more are "
        "free. The rule `schedule` starts it only with all of them, so a job larger than its fleet "
        "never starts.",
        "\"instances\": 8, \"min_instances\": 2 and { \"rule\": \"schedule\" }",
        "\"instances\": 2, or a policy without the rule"},
       check_whole_gangs,
       RunIf::no_errors},
  });
  return rows;
}

}  // namespace reeve::scenarios
