// What is doubtful about queues and shares: more than AWS or the fleet has, and what says nothing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>

#include "models/progress.hpp"
#include "models/quotas.hpp"
#include "models/retry_strategy.hpp"
#include "scenarios/load/batch_limits.hpp"
#include "scenarios/load/loading.hpp"
#include "scenarios/load/share_reach.hpp"

namespace reeve::scenarios {
namespace {

using policy::Sharing;

bool schedules(const SeatSpec& seat) {
  return seat.kind->name == "schedule" && seat.mode != host::Mode::off;
}

/// Whether each policy has a rule that lines jobs up.
bool all_schedule(const Loading& loading) {
  const auto& policies = loading.scenario.policies;
  return std::all_of(policies.begin(), policies.end(), [](const PolicySpec& policy) {
    return std::any_of(policy.seats.begin(), policy.seats.end(), schedules);
  });
}

/// Whether it is so of a rule of any policy.
template <class Says>
bool any_seat(const Loading& loading, const Says& says) {
  const auto& policies = loading.scenario.policies;
  return std::any_of(policies.begin(), policies.end(), [&](const PolicySpec& policy) {
    return std::any_of(policy.seats.begin(), policy.seats.end(), says);
  });
}

/// Whether a rule of any policy orders the jobs so.
bool any_runs(const Loading& loading, std::string_view algorithm) {
  return any_seat(loading, [&](const SeatSpec& seat) { return runs(seat, algorithm); });
}

/// Whether a rule of any policy looks at shares at all.
bool any_looks_at_shares(const Loading& loading) {
  constexpr std::array<std::string_view, 9> algorithms{"quota",   "capacity",   "fair_share",
                                                       "max_min", "drf",        "multifactor",
                                                       "kueue",   "kueue_fair", "kai"};
  return std::any_of(algorithms.begin(), algorithms.end(),
                     [&](std::string_view name) { return any_runs(loading, name); });
}

/// Whether a rule of any policy compares the priorities of jobs of different shares.
bool any_compares_priorities(const Loading& loading) {
  constexpr std::array<std::string_view, 4> algorithms{"priority", "multifactor", "kueue",
                                                       "kueue_fair"};
  return std::any_of(algorithms.begin(), algorithms.end(),
                     [&](std::string_view name) { return any_runs(loading, name); });
}

/// Whether a rule of any policy has all shares borrow, whatever they say.
bool any_lets_borrow(const Loading& loading) {
  return any_seat(loading, [](const SeatSpec& seat) {
    return runs(seat, "quota") && seat.options.text("override.sharing") == "lend_and_borrow";
  });
}

/// What a job can have at most, by each policy by which that is less than it wants.
struct Reach {
  std::int64_t most = 0;  ///< by the one that lets them have most
  std::string policies = {};
};

std::optional<Reach> too_little(const Loading& loading, const BeyondQuota& job) {
  std::vector<std::pair<std::string_view, std::int64_t>> by;
  for (const PolicySpec& policy : loading.scenario.policies) {
    for (const SeatSpec& seat : policy.seats) {
      const auto most = reach(loading.world(), seat, job.terms, job.pool, job.since);
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

// ---- queues and shares -----------------------------------------------------------------------

void check_borrow_limits(Loading& loading) {
  if (any_lets_borrow(loading)) return;
  for (const ShareInput& share : loading.input.shares) {
    const auto limit = share.written->find("borrow_limit_pct");
    if (!limit || share.sharing == Sharing::lend_and_borrow) continue;
    no_effect(loading, *limit,
              fmt::format("\"{}\" never borrows",
                          policy::sharing_names[static_cast<std::size_t>(share.sharing)]),
              "\"sharing\": \"lend_and_borrow\"");
  }
}

void check_numbers(Loading& loading) {
  for (const ShareInput& share : loading.input.shares) {
    if (share.quota.size() <= most_batch_limits) continue;
    loading.warning(*share.written->find("quota"), "W0546",
                    fmt::format("a quota of {} fleets; AWS Batch allows {}", share.quota.size(),
                                most_batch_limits),
                    "CreateQuotaShare would refuse it");
  }
  for (const EnvironmentInput& environment : loading.input.environments) {
    if (environment.limits.size() <= most_batch_limits || !any_runs(loading, "quota")) continue;
    loading.warning(*environment.written->find("limits"), "W0546",
                    fmt::format("limits of {} fleets; AWS Batch allows {}",
                                environment.limits.size(), most_batch_limits),
                    "CreateServiceEnvironment would refuse it");
  }
  for (const QueueInput& queue : loading.input.queues) {
    if (queue.shares.size() <= most_batch_shares) continue;
    loading.warning(*queue.written->find("shares"), "W0546",
                    fmt::format("{} shares of a queue; AWS Batch allows {}", queue.shares.size(),
                                most_batch_shares),
                    "CreateQuotaShare would refuse the last");
  }
}

/// CreateJobQueue: `maxTimeSeconds`.
void check_runnable_limits(Loading& loading) {
  if (loading.world().platform.model != models::PlatformModel::sagemaker_training) return;
  for (const QueueInput& queue : loading.input.queues) {
    if (!queue.runnable_limit || is_runnable_limit_of_batch(*queue.runnable_limit)) continue;
    loading.warning(*queue.written->find("runnable_limit"), "W0553",
                    "AWS Batch has limits of 10 minutes to 24 hours, in whole seconds",
                    "CreateJobQueue would refuse it");
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
void check_fleet_sums(Loading& loading) {
  const policy::Directory& directory = loading.world().directory;
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
    loading.warning(*loading.input.queues[queue].written->find("shares"), "W0545",
                    std::move(message),
                    fmt::format("it has {}: not all can have theirs at once", facts.size));
  }
}

/// The same from some change of quotas on: told at the first share that is changed then.
void check_later_sums(Loading& loading) {
  const models::World& world = loading.world();
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
      const auto written = std::ranges::find(loading.input.shares, share, &ShareInput::name);
      if (written == loading.input.shares.end()) continue;
      loading.warning(*written->written->find("changes"), "W0545",
                      fmt::format("from {} on the quotas of {} sum to {}", show(change->at),
                                  in_quotes(facts.name), sum),
                      fmt::format("it has {}: not all can have theirs at once", facts.size));
    }
  }
}

/// Or more than an environment may have: of each fleet that it limits, and of all together.
void check_environment_sums(Loading& loading) {
  const policy::Directory& directory = loading.world().directory;
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
    const Node& written = *loading.input.environments[place].written;
    const auto compare = [&](std::uint64_t sum, std::uint32_t most, const std::string& what,
                             const Node& limit) {
      if (sum <= most) return;
      loading.warning(limit, "W0545",
                      fmt::format("the quotas of the queues of environment {} sum to {}{}",
                                  in_quotes(facts.name), sum, what),
                      fmt::format("it may have {}: not all can have theirs at once", most));
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
bool any_in_no_share(const Loading& loading, policy::PoolId pool) {
  const models::World& world = loading.world();
  const auto& profiles = world.profiles;
  return std::any_of(profiles.begin(), profiles.end(), [&](const models::JobProfile& profile) {
    return !world.directory.terms[profile.terms].share &&
           fleets_of(loading, profile).contains(pool);
  });
}

/// Machines that are paid for, and that no share may have where only quotas are lent.
void check_uncovered(Loading& loading) {
  const models::World& world = loading.world();
  const auto& policies = loading.scenario.policies;
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
    if (!paid || left <= 0 || any_in_no_share(loading, {pool})) continue;
    const Node written = *loading.input.fleet[pool].written;
    loading.warning(
        written.find("capacity").value_or(written), "W0559",
        fmt::format("{} of fleet {} in no quota",
                    counted(static_cast<std::uint64_t>(left), "instance"), in_quotes(facts.name)),
        "paid for, and no share may use what is in no quota",
        "larger quotas; under capacity and kai it is there for all");
  }
}

/// Whether machines are divided among its shares: weights alone do not.
bool has_quotas(const Loading& loading, const QueueInput& queue) {
  return std::any_of(queue.shares.begin(), queue.shares.end(), [&](const std::string& name) {
    const auto& all = loading.input.shares;
    return std::any_of(all.begin(), all.end(), [&](const ShareInput& share) {
      return share.name == name && !share.quota.empty();
    });
  });
}

/// AWS Batch: a queue with quota management has an environment to itself; others may share one.
void check_environments(Loading& loading) {
  const bool by_quotas = any_runs(loading, "quota");
  std::map<std::string, const QueueInput*> users;
  for (const QueueInput& queue : loading.input.queues) {
    if (!queue.environment) continue;
    const auto [first, added] = users.try_emplace(*queue.environment, &queue);
    if (added) continue;
    const bool shared = has_quotas(loading, queue) || has_quotas(loading, *first->second);
    loading.warning(
        *queue.written->find("environment"), "W0548",
        fmt::format("a second queue has the environment {}", in_quotes(*queue.environment)),
        fmt::format("{} is the first: they share its limits", in_quotes(first->second->name)),
        by_quotas || shared
            ? "AWS Batch: one queue for each environment where there are quota shares"
            : "the queue of the larger priority is served first");
  }
}

/// Who lines up nowhere is limited by the fleets alone.
void check_unused_limits(Loading& loading) {
  const policy::Directory& directory = loading.world().directory;
  std::uint64_t all = 0;
  for (const policy::PoolFacts& pool : directory.pools) all += pool.size;
  for (std::size_t place = 0; place < directory.environments.size(); ++place) {
    const policy::EnvironmentFacts& facts = directory.environments[place];
    const bool binds = (facts.instances && *facts.instances < all) ||
                       std::any_of(facts.limits.begin(), facts.limits.end(), [&](const auto& of) {
                         return of.instances < directory.pools[of.pool.index].size;
                       });
    if (!binds) continue;
    loading.warning(*loading.input.environments[place].written->find("name"), "W0551",
                    "a policy without the rule schedule does not look at environments",
                    "under it they limit nothing", "{ \"rule\": \"schedule\" }");
  }
}

void check_unused(Loading& loading) {
  const auto shares = loading.input.written->find("shares");
  if (shares && !loading.input.shares.empty() && !any_looks_at_shares(loading)) {
    loading.findings.add(at_key(*shares, "W0550", "no rule looks at shares",
                                "they change no result", Severity::warning)
                             .with_help("{ \"rule\": \"schedule\", \"algorithm\": \"quota\" }"));
  }
  if (!all_schedule(loading)) check_unused_limits(loading);
}

// ---- jobs ------------------------------------------------------------------------------------

/// The priority of all jobs of each share.
using Priorities = std::map<policy::ShareId, std::int32_t>;

/// Nothing where jobs of one share have several, or some stand in no share.
std::optional<Priorities> one_in_each_share(const models::World& world) {
  Priorities of_share;
  for (const models::JobSpec& job : world.jobs.specs) {
    const policy::JobTerms& terms = world.directory.terms[world.profiles[job.profile].terms];
    if (!terms.share) return std::nullopt;
    if (of_share.try_emplace(*terms.share, job.priority).first->second != job.priority) {
      return std::nullopt;
    }
  }
  return of_share;
}

bool differ(const Priorities& of_share) {
  return std::any_of(of_share.begin(), of_share.end(),
                     [&](const auto& share) { return share.second != of_share.begin()->second; });
}

/// Whether the share may have more of some fleet than its quota: of what others lend, or as the
/// quota was lowered.
bool may_be_beyond(const models::World& world, const SeatSpec& seat, policy::ShareId share) {
  for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
    if (reach(world, seat, {.share = share}, {pool}) > smallest_quota(world, share, {pool}))
      return true;
  }
  return false;
}

/// Whether the rule of the seat may choose among jobs of shares with different priorities who gives
/// machines back: those that are beyond their quotas, and lend to one another.
bool chooses_by_priority(const models::World& world, const SeatSpec& seat,
                         const Priorities& of_share) {
  if (!runs(seat, "quota")) return false;
  if (seat.options.text("victims").find("lowest_priority") == std::string::npos) return false;
  std::vector<Priorities> sections;
  for (const auto& each : of_share) {
    if (!may_be_beyond(world, seat, each.first)) continue;
    const auto its = std::find_if(sections.begin(), sections.end(), [&](const Priorities& section) {
      return models::may_lend(world.directory, section.begin()->first, each.first);
    });
    Priorities& section = its == sections.end() ? sections.emplace_back() : *its;
    section.insert(each);
  }
  return std::any_of(sections.begin(), sections.end(), differ);
}

/// F97: in each share all jobs have the same priority, and it differs between shares.
void check_priorities(Loading& loading) {
  const models::World& world = loading.world();
  const auto written = written_priority(loading);
  if (!written || world.directory.shares.empty() || world.drawn) return;
  if (!any_looks_at_shares(loading) || any_compares_priorities(loading)) return;
  const auto of_share = one_in_each_share(world);
  if (!world.priority_changes.empty() || !of_share || !differ(*of_share)) return;
  const auto chooses = [&](const SeatSpec& seat) {
    return chooses_by_priority(world, seat, *of_share);
  };
  if (any_seat(loading, chooses)) return;
  loading.warning(*written, "W0547", "priorities of different shares are never compared",
                  "in each share all jobs have the same: they change no result",
                  "shares decide between teams, priorities inside a team");
}

/// The object of the job, or of those that it is one of (the longest name of such); else the list.
Node written_job(const Node& list, std::string_view name) {
  std::optional<Node> found;
  std::size_t longest = 0;
  for (const Node job : list.as_array()) {
    const auto own = job.is_object() ? job.find("name") : std::nullopt;
    if (!own || !own->is_text() || !name.starts_with(own->as_text())) continue;
    const std::string_view rest = name.substr(own->as_text().size());
    const bool fits = rest.empty() || rest.front() == '-';
    if (!fits || (found && own->as_text().size() <= longest)) continue;
    found = job;
    longest = own->as_text().size();
  }
  return found.value_or(list);
}

/// The key of a job, wherever it is written: its object, or the trace, if nowhere.
Node written_key(const Loading& loading, std::string_view name, std::string_view key) {
  const Node document = *loading.input.written;
  const auto& jobs = loading.input.jobs.written;
  const Node own =
      jobs ? written_job(*jobs, name) : *loading.input.workload->written->find("trace");
  if (!own.is_object()) return own;
  if (const auto written = own.find(key)) return *written;
  const auto defaults = document.find("job_defaults");
  return defaults ? defaults->find(key).value_or(own) : own;
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
std::optional<Wanted> first_job(const Loading& loading, std::string_view key, const Holds& holds) {
  const models::World& world = loading.world();
  for (std::size_t job = 0; job < world.jobs.specs.size(); ++job) {
    const models::JobSpec& spec = world.jobs.specs[job];
    const models::JobProfile& profile = world.profiles[spec.profile];
    if (!holds(spec.instances, profile)) continue;
    const std::string_view name = world.jobs.names[job];
    return Wanted{fmt::format("job {}", in_quotes(name)), spec.instances, &profile,
                  written_key(loading, name, key)};
  }
  if (!world.drawn) return std::nullopt;
  const models::JobProfile& profile = world.profiles[world.drawn->profile];
  for (const auto& [instances, weight] : world.drawn->instances) {
    if (weight <= 0 || !holds(instances, profile)) continue;
    const Node workload = *loading.input.workload->written;
    return Wanted{"a drawn job", instances, &profile, workload.find(key).value_or(workload)};
  }
  return std::nullopt;
}

/// Whether the rule of the seat tells users apart.
bool looks_at_users(const SeatSpec& seat) {
  return (runs(seat, "multifactor") && seat.options.integer("weight.fair_share") > 0) ||
         (runs(seat, "capacity") && seat.options.integer("user_limit") > 0);
}

/// Rules see tags alone.  The first job whose owner stands in no tag.
void check_users(Loading& loading) {
  const models::World& world = loading.world();
  const bool matters = any_seat(loading, looks_at_users);
  if (!matters || !loading.input.jobs.written) return;
  for (std::size_t job = 0; job < world.jobs.specs.size(); ++job) {
    const models::JobProfile& profile = world.profiles[world.jobs.specs[job].profile];
    const auto tagged = [&](std::string_view key) {
      return world.directory.tag(profile.tags, key).has_value();
    };
    if (profile.owner.empty() || tagged("username") || tagged("owner")) continue;
    loading.warning(written_key(loading, world.jobs.names[job], "owner"), "W0570",
                    "rules see no \"owner\" of a job, but tags alone",
                    fmt::format("to them {} is nobody's", in_quotes(world.jobs.names[job])),
                    fmt::format("\"tags\": {{ \"owner\": {} }}", in_quotes(profile.owner)));
    return;
  }
}

/// A job that is larger than what its share can ever have.
void check_beyond_quota(Loading& loading) {
  const models::World& world = loading.world();
  if (!models::any_has_quota(world)) return;
  for (const BeyondQuota& job : loading.beyond_quota) {
    const auto has = too_little(loading, job);
    if (!has) continue;
    // By another policy it may start.
    const std::string by =
        loading.scenario.policies.size() > 1 ? "under " + has->policies : "by its quota";
    const std::string fleet = in_quotes(world.pools[job.pool.index].name);
    const std::string needs = fmt::format("{} needs {}", job.who, counted(job.wants, "instance"));
    if (!job.terms.share) {
      loading.warning(job.instances, "W0544",
                      fmt::format("{}; what no quota covers is {}", needs, has->most),
                      "it stands in no share, so it never starts where shares have quotas",
                      fmt::format("of fleet {}: smaller quotas, or a share for the job", fleet));
      continue;
    }
    loading.warning(
        job.instances, "W0544",
        fmt::format("{}; share {} can have {} at most", needs,
                    in_quotes(world.directory.shares[job.terms.share->index].name), has->most),
        by + " it never starts, and blocks its share",
        fmt::format("of fleet {}: its own, and what it may borrow of shares that lend", fleet));
  }
}

/// Whose limits jobs of the profile are kept to; null: nobody's.
const policy::EnvironmentFacts* environment_of(const policy::Directory& directory,
                                               const models::JobProfile& profile) {
  const auto environment = models::environment_of(directory, directory.terms[profile.terms]);
  return environment ? &directory.environments[environment->index] : nullptr;
}

/// Of the pool, as far as the environment of the profile's queue may have it.
std::int64_t room_of(const models::World& world, const models::JobProfile& profile,
                     policy::PoolId pool) {
  const std::int64_t size = world.directory.pools[pool.index].size;
  const auto* environment = environment_of(world.directory, profile);
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
std::int64_t largest_reservation(const Loading& loading) {
  std::int64_t most = 0;
  for (const PolicySpec& policy : loading.scenario.policies) {
    for (const SeatSpec& seat : policy.seats) {
      if (!runs(seat, "fair_share") && !runs(seat, "max_min") && !runs(seat, "drf")) continue;
      most = std::max(most, seat.options.integer("compute_reservation"));
    }
  }
  return most;
}

/// A job for which, of each fleet that it may have, so much is kept for others that it never
/// starts.
void check_reservation(Loading& loading) {
  const models::World& world = loading.world();
  const std::int64_t pct = largest_reservation(loading);
  if (pct == 0) return;
  const std::map<models::Line, std::size_t> active = active_shares(world);
  std::map<const models::JobProfile*, std::int64_t> most;
  for (const models::JobProfile& profile : world.profiles) {
    const std::size_t shares = active.at(line_of(world, profile));
    for (const policy::PoolId pool : fleets_of(loading, profile)) {
      const std::int64_t left = not_kept(room_of(world, profile, pool), pct, shares);
      most[&profile] = std::max(most[&profile], left);
    }
  }
  const auto job = first_job(loading, "instances", [&](std::uint32_t wants, const auto& profile) {
    return wants > most.at(&profile);
  });
  if (!job) return;
  loading.warning(job->written, "W0544",
                  fmt::format("{} needs {}; {} at most are not kept for other shares", job->who,
                              counted(job->instances, "instance"), most.at(job->profile)),
                  fmt::format("with \"compute_reservation\": {} it never starts, and blocks those "
                              "behind it",
                              pct),
                  "a smaller \"compute_reservation\"");
}

/// The rule `schedule` starts gangs whole.
void check_whole_gangs(Loading& loading) {
  const models::World& world = loading.world();
  const bool whole = any_seat(loading, [](const SeatSpec& seat) {
    return seat.kind->name == "schedule" && seat.mode == host::Mode::enforce;
  });
  if (!whole) return;
  const auto job =
      first_job(loading, "min_instances", [](std::uint32_t wants, const auto& profile) {
        return models::least_instances(profile, wants) < wants;
      });
  if (!job) return;
  const policy::PoolFacts& fleet = world.directory.pools[job->profile->pool.index];
  const bool never = job->instances > fleet.size;
  loading.warning(
      job->written, "W0560",
      fmt::format("{} waits for all of its {}{}", job->who, counted(job->instances, "instance"),
                  never ? fmt::format("; fleet {} has {}", in_quotes(fleet.name), fleet.size)
                        : std::string{}),
      "the rule schedule does not look at \"min_instances\"",
      "without the rule it starts with fewer");
}

/// KAI: what cannot be preempted has only what its share deserves.  The first of each share.
void check_kept(Loading& loading) {
  const models::World& world = loading.world();
  if (!loading.input.jobs.written || !any_runs(loading, "kai")) return;
  std::set<policy::ShareId> told;
  for (std::size_t job = 0; job < world.jobs.specs.size(); ++job) {
    const models::JobSpec& spec = world.jobs.specs[job];
    const models::JobProfile& profile = world.profiles[spec.profile];
    const policy::JobTerms& terms = world.directory.terms[profile.terms];
    if (!terms.share || !terms.keeps_machines) continue;
    const std::int64_t deserves = largest_quota(world, *terms.share, profile.pool);
    const bool said =
        models::any_has_quota(world) && !any_seat(loading, [&](const SeatSpec& seat) {
          return runs(seat, "kai") && reach(world, seat, terms, profile.pool) >= spec.instances;
        });
    if (said || spec.instances <= deserves || !told.insert(*terms.share).second) continue;
    const std::string_view name = world.jobs.names[job];
    loading.warning(
        written_key(loading, name, "instances"), "W0544",
        fmt::format("job {} needs {} and is not preemptible; share {} deserves {}", in_quotes(name),
                    counted(spec.instances, "instance"),
                    in_quotes(world.directory.shares[terms.share->index].name), deserves),
        "under the algorithm kai it never starts", "\"preemptible\": true, or a larger quota");
  }
}

/// How long machines are a job's, with so many GPUs in all, before who takes turns may have others
/// get them; none: as long as it runs, or until somebody goes before it.
std::optional<Duration> turn_of(const SeatSpec& seat, std::int64_t gpus) {
  if (runs(seat, "gavel")) return seat.options.duration("round");
  if (runs(seat, "themis")) return seat.options.duration("lease");
  if (!runs(seat, "las") || seat.options.integer("las_promote") < 0) return std::nullopt;
  const auto limits = seat.options.integers("las_limits");
  if (limits.empty()) return std::nullopt;
  const std::int64_t first = *std::min_element(limits.begin(), limits.end());
  return Duration{std::chrono::seconds{first}} / std::max<std::int64_t>(gpus, 1);
}

/// From its start to its training, at least.
Duration least_start(const models::Platform& platform, const models::JobProfile& profile) {
  const Duration startup =
      platform.provisioning +
      std::min(platform.startup, platform.first_startup.value_or(platform.startup));
  return profile.keep_alive > Duration{0} ? std::min(startup, platform.warm_startup) : startup;
}

/// In the fleet that does most of its work.
std::uint32_t fastest(const models::World& world, const models::JobProfile& profile) {
  std::uint32_t speed = 1;
  for (const models::Pool& pool : world.pools) {
    speed = std::max(speed, models::speed_on(profile.throughput.get(), pool.type));
  }
  return speed;
}

/// Whether turns bring it to its end: what it does in one is done then, or kept at its end.  A
/// checkpoint that is due just then is kept, and one that still has to leave the machines does.
bool comes_forward(const models::World& world, Duration work, const models::JobProfile& profile,
                   Duration turn) {
  const std::uint32_t speed = fastest(world, profile);
  const models::Checkpoint plan = models::at_speed(profile.checkpoint, speed);
  const Duration left = models::machine_time(work, speed);
  const Duration start = least_start(world.platform, profile);
  if (start >= turn) return false;
  const bool keeps = plan.sync != models::Sync::none;
  if (keeps && plan.on_stop && *plan.on_stop <= world.platform.stop_grace) return true;
  const auto ends = [&](Duration rest, Duration time) {
    return models::time_to_finish(plan, rest) <= time;
  };
  const auto saved = [&](Duration rest, Duration time) {
    const bool any = keeps && time > Duration{0};
    return any ? models::progress_after(plan, rest, time).written : Duration{0};
  };
  const Duration first = turn - start;
  if (ends(left, first)) return true;
  const Duration rest = left - saved(left, first);
  const Duration further = first - std::min(first, plan.restore);  // it reads what it saved
  return rest < left && (ends(rest, further) || saved(rest, further) > Duration{0});
}

/// The shortest turn that any policy gives so many instances; none: nobody takes turns.
std::optional<Duration> shortest_turn(const Loading& loading, const models::JobProfile& profile,
                                      std::uint32_t instances) {
  const models::World& world = loading.world();
  const policy::TypeId type = world.pools[profile.pool.index].type;
  const std::int64_t gpus = std::int64_t{world.directory.types[type.index].gpus} * instances;
  std::optional<Duration> turn;
  for (const PolicySpec& policy : loading.scenario.policies) {
    for (const SeatSpec& seat : policy.seats) {
      const auto of = turn_of(seat, gpus);
      if (of && (!turn || *of < *turn)) turn = of;
    }
  }
  return turn;
}

/// Who takes turns with others and saves nothing in one of them begins anew for ever.
void check_turns(Loading& loading) {
  const models::World& world = loading.world();
  const auto lost_turn = [&](const models::JobProfile& profile, std::uint32_t instances,
                             Duration work) -> std::optional<Duration> {
    const policy::JobTerms& terms = world.directory.terms[profile.terms];
    if (!terms.queue || terms.keeps_machines) return std::nullopt;
    const auto turn = shortest_turn(loading, profile, instances);
    return turn && !comes_forward(world, work, profile, *turn) ? turn : std::nullopt;
  };
  const auto tell = [&](const Node& place, const std::string& who, Duration turn) {
    loading.warning(place, "W0555", fmt::format("{} saves nothing within {}", who, show(turn)),
                    "taking turns, by gavel, themis or las_promote, it may lose all of its work "
                    "in each",
                    "\"checkpoint\" with a shorter \"every\", or a longer \"round\", \"lease\" or "
                    "first of \"las_limits\"");
  };
  for (std::size_t job = 0; job < world.jobs.specs.size(); ++job) {
    const models::JobSpec& spec = world.jobs.specs[job];
    const auto turn = lost_turn(world.profiles[spec.profile], spec.instances, spec.work);
    if (!turn) continue;
    const std::string_view name = world.jobs.names[job];
    return tell(written_key(loading, name, "name"), "job " + in_quotes(name), *turn);
  }
  if (!world.drawn) return;
  std::uint32_t most = 1;
  for (const auto& [instances, weight] : world.drawn->instances) {
    if (weight > 0) most = std::max(most, instances);
  }
  const auto turn =
      lost_turn(world.profiles[world.drawn->profile], most, models::longest_of(world.drawn->work));
  if (!turn) return;
  const Node workload = *loading.input.workload->written;
  tell(workload.find("work").value_or(workload), "a drawn job", *turn);
}

void check_late_changes(Loading& loading) {
  const models::World& world = loading.world();
  if (world.end == policy::never || !loading.input.jobs.written) return;
  for (const Node job : loading.input.jobs.written->as_array()) {
    const auto list = job.is_object() ? job.find("priority_changes") : std::nullopt;
    if (!list || !list->is_array()) continue;
    for (const Node change : list->as_array()) {
      const auto when = change.find("at");
      Findings unread;
      const auto read = when ? read_duration(*when, {}, unread) : std::nullopt;
      if (!read || *read < world.end - world.start) continue;
      loading.warning(*when, "W0476", "a change of a priority has no effect here",
                      fmt::format("the clock ends after {}", show(world.end - world.start)));
    }
  }
}

void check_environment(Loading& loading, std::string_view who, std::uint32_t instances,
                       const models::JobProfile& profile, const Place& place) {
  const auto* environment = environment_of(loading.world().directory, profile);
  const auto most = environment != nullptr ? environment->most_of(profile.pool) : std::nullopt;
  if (!most || instances <= *most) return;
  loading.warning(place.of("instances"), "W0552",
                  fmt::format("{} needs {}; environment {} has {} at most", who,
                              counted(instances, "instance"), in_quotes(environment->name), *most),
                  "under the rule schedule it never starts");
}

}  // namespace

void check_reach(Loading& loading, std::string_view who, std::uint32_t instances,
                 const models::JobProfile& profile, const Place& place, Duration since) {
  check_environment(loading, who, instances, profile, place);
  const models::World& world = loading.world();
  const policy::JobTerms& terms = world.directory.terms[profile.terms];
  if (instances <= own_of(world, terms, profile.pool, since)) return;
  loading.beyond_quota.push_back(
      {place.of("instances"), std::string{who}, instances, terms, profile.pool, since});
}

namespace {

/// Why an entry decides about no failure; empty if it might.
std::string_view why_idle(const std::vector<RetryEntryInput>& entries, std::size_t place) {
  const auto begins = [](const std::string& pattern) {
    return std::string_view{pattern}.substr(0, pattern.find('*'));
  };
  const std::string& reason = entries[place].on_status_reason;
  const std::string_view said = models::status_reason_prefix;
  const std::string_view start = begins(reason);
  if (reason.find('*') < reason.size() - 1) return "a * stands at the end or nowhere";
  if (!(reason.ends_with('*') && said.starts_with(start)) && !start.starts_with(said)) {
    return "reasons begin with \"Received status from SageMaker: \"";
  }
  if (models::fits_reason("CapacityError*", start.substr(std::min(said.size(), start.size())))) {
    return "who lacked capacity is tried again whatever stands here";
  }
  for (std::size_t before = 0; before < place; ++before) {
    const std::string& other = entries[before].on_status_reason;
    if (models::fits_reason(other, start) && (other.ends_with('*') || other == reason)) {
      return "an entry before it fits whatever it fits";
    }
  }
  const bool exits_later =
      std::any_of(entries.begin() + static_cast<std::ptrdiff_t>(place), entries.end(),
                  [](const RetryEntryInput& entry) { return !entry.retries; });
  return exits_later ? "" : "what no entry fits is tried again as well";
}

void check_queue_retry(Loading& loading, const TermsInput& input, const Place& place) {
  if (!input.queue_retry) return;
  const std::vector<RetryEntryInput>& entries = input.queue_retry->evaluate_on_exit;
  for (std::size_t each = 0; each < entries.size(); ++each) {
    const std::string_view why = why_idle(entries, each);
    if (why.empty()) continue;
    loading.warning(*entries[each].written->find("on_status_reason"), "W0554",
                    fmt::format("an entry of evaluate_on_exit that decides nothing: {}", why),
                    "the first entry that fits the reason decides");
  }
  constexpr std::size_t most = 5;
  if (entries.size() <= most) return;
  loading.warning(place.of("queue_retry"), "W0554",
                  fmt::format("AWS Batch takes {} entries of evaluate_on_exit at most", most),
                  "SubmitServiceJob would refuse it");
}

}  // namespace

void check_terms(Loading& loading, const TermsInput& input, std::int32_t priority,
                 const Place& place) {
  check_queue_retry(loading, input, place);
  const auto idle = [&](std::string_view key, std::string_view why) {
    if (const auto node = place.here.find(key)) no_effect(loading, *node, why);
  };
  if (!input.queue) {
    idle("preemptible", "the job stands in no queue, which might preempt it");
    idle("max_preemptions", "the job stands in no queue, which might preempt it");
    idle("queue_retry", "the job stands in no queue, which might try it again");
  } else if (!input.preemptible) {
    idle("max_preemptions", "the job is not preemptible");
  }
  constexpr std::int32_t largest = 9'999;  // SubmitServiceJob: schedulingPriority
  const bool aws = loading.world().platform.model == models::PlatformModel::sagemaker_training;
  if (!input.queue || !aws || (priority >= 0 && priority <= largest)) return;
  loading.warning(place.of("priority"), "W0549",
                  fmt::format("AWS Batch has priorities from 0 to {}", largest),
                  "SubmitServiceJob would refuse it");
}

void check_queues(Loading& loading) {
  if (loading.findings.errors() > 0 || has_ticks(loading)) return;
  check_borrow_limits(loading);
  check_numbers(loading);
  check_runnable_limits(loading);
  check_fleet_sums(loading);
  check_later_sums(loading);
  check_environment_sums(loading);
  check_uncovered(loading);
  check_environments(loading);
  check_unused(loading);
  check_priorities(loading);
  check_beyond_quota(loading);
  check_kept(loading);
  check_reservation(loading);
  check_whole_gangs(loading);
  check_users(loading);
  check_turns(loading);
  check_late_changes(loading);
}

}  // namespace reeve::scenarios
