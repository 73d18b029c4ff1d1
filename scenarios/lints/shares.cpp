// Lints for queues, shares and environments: more than AWS or the fleets have, and what no rule
// looks at.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <reeve/policy/known_options.hpp>
#include <set>

#include "models/quotas.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/no_effect.hpp"
#include "scenarios/lints/scheduling_seats.hpp"
#include "scenarios/load/resolved/batch_limits.hpp"
#include "scenarios/load/resolved/losses.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"
#include "scenarios/load/resolved/share_reach.hpp"

namespace reeve::scenarios {
namespace {

using policy::Sharing;

bool schedules(const SeatSpec& seat) {
  return is_scheduler(*seat.kind) && seat.mode != host::Mode::off;
}

/// Whether each policy has a rule that lines jobs up.
bool all_schedule(const Resolved& resolved) {
  const auto& policies = resolved.scenario.policies;
  return std::all_of(policies.begin(), policies.end(), [](const PolicySpec& policy) {
    return std::any_of(policy.seats.begin(), policy.seats.end(), schedules);
  });
}

/// Whether a rule of any policy has all shares borrow, whatever they say.
bool any_lets_borrow(const Resolved& resolved) {
  return any_seat(resolved, [](const SeatSpec& seat) {
    return runs(seat, "quota") &&
           seat.options.text(policy::known::override_sharing) == "lend_and_borrow";
  });
}

void check_borrow_limits(const Resolved& resolved, Findings& findings) {
  if (any_lets_borrow(resolved)) return;
  for (const ShareInput& share : resolved.input.shares) {
    const auto limit = share.written->find("borrow_limit_pct");
    if (!limit || share.sharing == Sharing::lend_and_borrow) continue;
    no_effect(*limit,
              fmt::format("\"{}\" never borrows",
                          policy::sharing_names[static_cast<std::size_t>(share.sharing)]),
              findings, "\"sharing\": \"lend_and_borrow\"");
  }
}

void check_numbers(const Resolved& resolved, Findings& findings) {
  for (const ShareInput& share : resolved.input.shares) {
    if (share.quota.size() <= most_batch_limits) continue;
    findings.warning(*share.written->find("quota"), "W0546",
                     fmt::format("a quota of {} fleets; AWS Batch allows {}", share.quota.size(),
                                 most_batch_limits),
                     "CreateQuotaShare would reject it");
  }
  for (const EnvironmentInput& environment : resolved.input.environments) {
    if (environment.limits.size() <= most_batch_limits || !any_runs(resolved, "quota")) continue;
    findings.warning(*environment.written->find("limits"), "W0546",
                     fmt::format("limits of {} fleets; AWS Batch allows {}",
                                 environment.limits.size(), most_batch_limits),
                     "CreateServiceEnvironment would reject it");
  }
  for (const QueueInput& queue : resolved.input.queues) {
    if (queue.shares.size() <= most_batch_shares) continue;
    findings.warning(*queue.written->find("shares"), "W0546",
                     fmt::format("{} shares of a queue; AWS Batch allows {}", queue.shares.size(),
                                 most_batch_shares),
                     "CreateQuotaShare would reject the last");
  }
}

/// CreateJobQueue: `maxTimeSeconds`.
void check_runnable_limits(const Resolved& resolved, Findings& findings) {
  if (resolved.world().platform.model != models::PlatformModel::sagemaker_training) return;
  for (const QueueInput& queue : resolved.input.queues) {
    if (!queue.runnable_limit || is_runnable_limit_of_batch(*queue.runnable_limit)) continue;
    findings.warning(*queue.written->find("runnable_limit"), "W0553",
                     "AWS Batch allows limits from 10 minutes to 24 hours, whole seconds",
                     "CreateJobQueue would reject it");
  }
}

/// What the shares of a queue have of each pool together.
using QuotaSums = std::map<policy::PoolId, std::uint64_t>;
QuotaSums quota_sums(const policy::Directory& directory, std::size_t queue) {
  QuotaSums sums;
  for (const policy::ShareId share : directory.queues[queue].shares) {
    for (const auto& own : directory.shares[share.index].quota) sums[own.pool] += own.instances;
  }
  return sums;
}

/// More than a fleet has was promised, by all queues: told at the first that goes beyond it.
void check_fleet_sums(const Resolved& resolved, Findings& findings) {
  const policy::Directory& directory = resolved.world().directory;
  QuotaSums all;
  std::map<policy::PoolId, std::size_t> beyond;
  for (std::size_t queue = 0; queue < directory.queues.size(); ++queue) {
    for (const auto& [pool, sum] : quota_sums(directory, queue)) {
      if ((all[pool] += sum) > directory.pools[pool.index].size) beyond.try_emplace(pool, queue);
    }
  }
  for (const auto& [pool, queue] : beyond) {
    const policy::PoolFacts& facts = directory.pools[pool.index];
    const std::uint64_t own = quota_sums(directory, queue)[pool];
    std::string message = fmt::format("their quotas of {} sum to {}", in_quotes(facts.name), own);
    if (own < all[pool]) message += fmt::format(", those of all queues to {}", all[pool]);
    findings.warning(
        *resolved.input.queues[queue].written->find("shares"), "W0545", std::move(message),
        fmt::format("it has {}: not all shares can use their quota at once", facts.size));
  }
}

/// The same from some change of quotas on: told at the first share that is changed then.
void check_later_sums(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  const policy::Directory& directory = world.directory;
  std::map<std::pair<policy::ShareId, policy::PoolId>, std::uint64_t> quotas;
  QuotaSums sums;
  std::set<policy::PoolId> told;
  for (std::uint32_t share = 0; share < directory.shares.size(); ++share) {
    for (const policy::CapacityLimit& own : directory.shares[share].quota) {
      quotas[{{share}, own.pool}] = own.instances;
      if ((sums[own.pool] += own.instances) > directory.pools[own.pool.index].size) {
        told.insert(own.pool);
      }
    }
  }
  std::vector<models::QuotaChange> changes = world.quota_changes;
  std::ranges::stable_sort(changes, {}, &models::QuotaChange::at);
  for (auto change = changes.begin(); change != changes.end(); ++change) {
    std::uint64_t& quota = quotas[{change->share, change->pool}];
    sums[change->pool] += change->instances - quota;
    quota = change->instances;
    const auto next = std::next(change);
    if (next != changes.end() && next->at == change->at) continue;  // all of one instant
    for (const auto& [pool, sum] : sums) {
      const policy::PoolFacts& facts = directory.pools[pool.index];
      if (sum <= facts.size || !told.insert(pool).second) continue;
      const std::string& share = directory.shares[change->share.index].name;
      const auto written = std::ranges::find(resolved.input.shares, share, &ShareInput::name);
      if (written == resolved.input.shares.end()) continue;
      findings.warning(
          *written->written->find("changes"), "W0545",
          fmt::format("from {} on, the quotas of {} sum to {}", show(change->at),
                      in_quotes(facts.name), sum),
          fmt::format("it has {}: not all shares can use their quota at once", facts.size));
    }
  }
}

/// Or more than an environment may have: of each fleet that it limits, and of all together.
void check_environment_sums(const Resolved& resolved, Findings& findings) {
  const policy::Directory& directory = resolved.world().directory;
  for (std::size_t place = 0; place < directory.environments.size(); ++place) {
    const policy::EnvironmentFacts& facts = directory.environments[place];
    QuotaSums sums;
    std::uint64_t of_all = 0;
    for (std::size_t queue = 0; queue < directory.queues.size(); ++queue) {
      const auto environment = directory.queues[queue].environment;
      if (!environment || environment->index != place) continue;
      for (const auto& [pool, sum] : quota_sums(directory, queue)) {
        sums[pool] += sum;
        of_all += sum;
      }
    }
    const Node& written = *resolved.input.environments[place].written;
    const auto compare = [&](std::uint64_t sum, std::uint32_t most, const std::string& what,
                             const Node& limit) {
      if (sum <= most) return;
      findings.warning(
          limit, "W0545",
          fmt::format("the quotas of the queues of environment {} sum to {}{}",
                      in_quotes(facts.name), sum, what),
          fmt::format("it may have {}: not all shares can use their quota at once", most));
    };
    if (facts.instances) compare(of_all, *facts.instances, "", *written.find("instances"));
    for (const policy::CapacityLimit& limit : facts.limits) {
      const std::string& fleet = directory.pools[limit.pool.index].name;
      compare(sums[limit.pool], limit.instances, " of " + in_quotes(fleet),
              *written.find("limits")->find(fleet));
    }
  }
}

/// Of the pool, and never in any quota; nothing where no share has any of it.
std::int64_t in_no_quota(const models::World& world, policy::PoolId pool) {
  std::int64_t left = world.directory.pools[pool.index].size;
  bool divided = false;
  for (std::uint32_t share = 0; share < world.directory.shares.size(); ++share) {
    const std::int64_t most = largest_quota(world, {share}, pool);
    divided = divided || most > 0;
    left -= most;
  }
  return divided ? left : 0;
}

/// Whether some job may have machines of the pool that stands in no share, and so has those that no
/// quota covers.
bool any_in_no_share(const Resolved& resolved, policy::PoolId pool) {
  const models::World& world = resolved.world();
  const auto& profiles = world.profiles;
  return std::any_of(profiles.begin(), profiles.end(), [&](const models::JobProfile& profile) {
    return !world.directory.terms[profile.terms].share &&
           fleets_of(resolved.scenario, profile).contains(pool);
  });
}

/// Machines that are paid for, and that no share may have where only quotas are lent.
void check_uncovered(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  const auto& policies = resolved.scenario.policies;
  const bool by_quotas =
      std::any_of(policies.begin(), policies.end(), [](const PolicySpec& policy) {
        const auto lending = lending_of(policy);
        return lending && lending->as_stated;
      });
  if (!by_quotas || world.profiles.empty()) return;
  for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
    const policy::PoolFacts& facts = world.directory.pools[pool];
    const bool paid =
        facts.market == policy::Market::reserved || facts.market == policy::Market::capacity_block;
    const std::int64_t left = in_no_quota(world, {pool});
    if (!paid || left <= 0 || any_in_no_share(resolved, {pool})) continue;
    const Node written = *resolved.input.fleet[pool].written;
    findings.warning(
        written.find("capacity").value_or(written), "W0559",
        fmt::format("{} of fleet {} in no quota",
                    counted(static_cast<std::uint64_t>(left), "instance"), in_quotes(facts.name)),
        "billed, but no share may use instances outside all quotas",
        "use larger quotas; with capacity and kai all shares may use them");
  }
}

/// Whether machines are divided among its shares: weights alone do not.
bool has_quotas(const Resolved& resolved, const QueueInput& queue) {
  return std::any_of(queue.shares.begin(), queue.shares.end(), [&](const std::string& name) {
    const auto& all = resolved.input.shares;
    return std::any_of(all.begin(), all.end(), [&](const ShareInput& share) {
      return share.name == name && !share.quota.empty();
    });
  });
}

/// AWS Batch: a queue with quota management has an environment to itself; others may share one.
void check_environments(const Resolved& resolved, Findings& findings) {
  const bool by_quotas = any_runs(resolved, "quota");
  std::map<std::string, const QueueInput*> users;
  for (const QueueInput& queue : resolved.input.queues) {
    if (!queue.environment) continue;
    const auto [first, added] = users.try_emplace(*queue.environment, &queue);
    if (added) continue;
    const bool shared = has_quotas(resolved, queue) || has_quotas(resolved, *first->second);
    findings.warning(
        *queue.written->find("environment"), "W0548",
        fmt::format("a second queue uses environment {}", in_quotes(*queue.environment)),
        fmt::format("{} is the first: they share its limits", in_quotes(first->second->name)),
        by_quotas || shared ? "with quota shares, AWS Batch allows one queue per environment"
                            : "the queue with the higher priority is served first");
  }
}

/// Who lines up nowhere is limited by the fleets alone.
void check_unused_limits(const Resolved& resolved, Findings& findings) {
  if (all_schedule(resolved)) return;
  const policy::Directory& directory = resolved.world().directory;
  std::uint64_t all = 0;
  for (const policy::PoolFacts& pool : directory.pools) all += pool.size;
  for (std::size_t place = 0; place < directory.environments.size(); ++place) {
    const policy::EnvironmentFacts& facts = directory.environments[place];
    const bool binds = (facts.instances && *facts.instances < all) ||
                       std::any_of(facts.limits.begin(), facts.limits.end(), [&](const auto& of) {
                         return of.instances < directory.pools[of.pool.index].size;
                       });
    if (!binds) continue;
    findings.warning(*resolved.input.environments[place].written->find("name"), "W0551",
                     "a policy without the rule schedule ignores environments",
                     "they have no effect under this policy", "{ \"rule\": \"schedule\" }");
  }
}

void check_unused(const Resolved& resolved, Findings& findings) {
  const auto shares = resolved.input.written->find("shares");
  if (shares && !resolved.input.shares.empty() && !any_looks_at_shares(resolved)) {
    findings.add(
        at_key(*shares, "W0550", "no rule uses shares", "they have no effect", Severity::warning)
            .with_help("{ \"rule\": \"schedule\", \"algorithm\": \"quota\" }"));
  }
}

}  // namespace

std::span<const Lint> share_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {also("W0476"), check_borrow_limits, RunIf::no_errors},
      {{"W0545", "quotas that exceed the capacity",
        "The quotas of all shares exceed the capacity of a fleet, or those of an environment's "
        "queues exceed its limit. The last job waits although it is within its quota.",
        "quotas of 60 and 50, \"capacity\": 100", "quotas of 60 and 40"},
       check_fleet_sums,
       RunIf::world_is_read},
      {also("W0545"), check_later_sums, RunIf::world_is_read},
      {also("W0545"), check_environment_sums, RunIf::world_is_read},
      {{"W0546", "more shares or limits than AWS allows",
        "A job queue of AWS Batch has 20 quota shares at most, and a share limits of 5 instance "
        "types. Environments under quota management have the same limits. reeve has no such limit.",
        "\"shares\" with 21 names", "20 names"},
       check_numbers,
       RunIf::no_errors},
      {{"W0548", "two queues on one environment",
        "They share its limits, and the queue with the higher priority is served first. With quota "
        "shares, AWS Batch allows one queue for each service environment.",
        "two queues with \"environment\": \"se\"", "an environment for each"},
       check_environments,
       RunIf::no_errors},
      {{"W0550", "shares that no rule uses",
        "`schedule` uses quotas, lending and preemption with \"algorithm\": \"quota\", "
        "\"capacity\", \"kueue\", \"kueue_fair\" and \"kai\". It uses weights with \"fair_share\", "
        "\"max_min\", \"drf\", \"multifactor\", \"kueue_fair\" and \"kai\". Other algorithms "
        "ignore shares.",
        "\"shares\" and only \"algorithm\": \"fifo\"",
        "{ \"rule\": \"schedule\", \"algorithm\": \"quota\" }"},
       check_unused,
       RunIf::no_errors},
      {{"W0551", "environment limits that no rule enforces",
        "The rule `schedule` enforces the limits of environments. A policy without it starts each "
        "job as soon as its fleet has room.",
        "\"environments\": [ { \"name\": \"se\", \"instances\": 50 } ] and a policy without "
        "schedule",
        "{ \"rule\": \"schedule\" }"},
       check_unused_limits,
       RunIf::no_errors},
      {{"W0553", "a runnable_limit that AWS Batch refuses",
        "`maxTimeSeconds` of `jobStateTimeLimitActions` is 600 to 86,400.",
        "\"runnable_limit\": \"2d\"", "\"runnable_limit\": \"24h\""},
       check_runnable_limits,
       RunIf::world_is_read},
      {{"W0559", "instances that no share may use",
        "Under `quota` and Kueue a share uses its own quota and what others lend. Only jobs in no "
        "share use instances that no quota covers. Without such jobs these instances are billed "
        "and idle.",
        "quotas of 40 and 20, \"capacity\": 100, \"market\": \"reserved\"", "quotas of 60 and 40"},
       check_uncovered,
       RunIf::no_errors},
  });
  return rows;
}

}  // namespace reeve::scenarios
