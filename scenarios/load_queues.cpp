// Environments, shares and queues by their names, and the line that each job stands in.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/loading.hpp"

namespace reeve::scenarios {
namespace {

template <class Facts>
std::vector<std::string_view> names_of(const std::vector<Facts>& all) {
  std::vector<std::string_view> names;
  names.reserve(all.size());
  for (const Facts& each : all) names.push_back(each.name);
  return names;
}

/// The place of that name among `all`, or E0252 at `node`.
template <class Facts>
std::optional<std::uint32_t> place_of(Loading& loading, const std::vector<Facts>& all,
                                      std::string_view what, const std::string& name,
                                      const Node& node) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Facts& each) { return each.name == name; });
  if (found != all.end()) return static_cast<std::uint32_t>(found - all.begin());
  loading.error(node, "E0252", fmt::format("unknown {} {}", what, in_quotes(name)),
                fmt::format("no {} of this name", what), did_you_mean(name, names_of(all)));
  return std::nullopt;
}

/// True if it is the first of its name; it is added after this.
template <class Facts>
bool is_first(Loading& loading, const std::vector<Facts>& before, std::string_view what,
              const std::string& name, const std::optional<Node>& written) {
  if (name.empty()) return false;  // reported already
  const auto names = names_of(before);
  if (std::find(names.begin(), names.end(), name) == names.end()) return true;
  loading.error(*written->find("name"), "E0208",
                fmt::format("a second {} is called {}", what, in_quotes(name)),
                fmt::format("names of {}s are unique", what));
  return false;
}

/// Instances by fleets that there are; those that there are not are reported at their keys.
std::vector<policy::CapacityLimit> limits_of(Loading& loading, const FleetCounts& counts,
                                             const std::optional<Node>& written) {
  std::vector<policy::CapacityLimit> limits;
  const policy::Directory& directory = loading.world().directory;
  for (const auto& [fleet, instances] : counts) {
    if (const auto pool = directory.pool_named(fleet)) {
      limits.push_back({*pool, instances});
      continue;
    }
    const auto node = written ? written->find(fleet) : std::nullopt;
    if (!node || directory.pools.size() < loading.input.fleet.size()) continue;
    loading.findings.add(at_key(*node, "E0212", fmt::format("unknown fleet {}", in_quotes(fleet)),
                                "no fleet of this name")
                             .with_help(did_you_mean(fleet, names_of(directory.pools))));
  }
  return limits;
}

void load_environment(Loading& loading, const EnvironmentInput& input) {
  auto& all = loading.world().directory.environments;
  if (!is_first(loading, all, "environment", input.name, input.written)) return;
  auto limits = limits_of(loading, input.limits, input.written->find("limits"));
  all.push_back({input.name, std::move(limits), input.instances});
}

void load_changes(Loading& loading, const ShareInput& input, policy::ShareId share) {
  models::World& world = loading.world();
  for (const QuotaChangeInput& change : input.changes) {
    if (world.end != policy::never && change.at >= world.end - world.start) {
      loading.warning(change.written->find("at").value_or(*change.written), "W0476",
                      "a change of a quota has no effect here",
                      fmt::format("the clock ends after {}", show(world.end - world.start)));
    }
    for (const policy::CapacityLimit& own :
         limits_of(loading, change.quota, change.written->find("quota"))) {
      world.quota_changes.push_back({change.at, share, own.pool, own.instances});
    }
  }
}

void load_share(Loading& loading, const ShareInput& input) {
  auto& all = loading.world().directory.shares;
  if (!is_first(loading, all, "share", input.name, input.written)) return;
  policy::ShareFacts facts;
  facts.name = input.name;
  facts.quota = limits_of(loading, input.quota, input.written->find("quota"));
  facts.sharing = input.sharing;
  facts.borrow_limit_pct = input.borrow_limit_pct;
  facts.in_share_preemption = input.in_share_preemption;
  const double exact = input.weight * policy::weight_one;
  facts.weight = static_cast<std::uint32_t>(std::lround(exact));
  if (std::fabs(exact - facts.weight) > 1e-6) {
    const double rounded = static_cast<double>(facts.weight) / policy::weight_one;
    loading.warning(*input.written->find("weight"), "W0571", "a weight of more than four decimals",
                    fmt::format("simulated and exported as {}", rounded));
  }
  load_changes(loading, input, {static_cast<std::uint32_t>(all.size())});
  all.push_back(std::move(facts));
}

/// Into which queue each share was put, as long as that is known.
using Owners = std::vector<std::optional<std::uint32_t>>;

void load_queue(Loading& loading, const QueueInput& input, Owners& owners) {
  policy::Directory& directory = loading.world().directory;
  if (!is_first(loading, directory.queues, "queue", input.name, input.written)) return;
  const auto id = static_cast<std::uint32_t>(directory.queues.size());
  policy::QueueFacts facts;
  facts.name = input.name;
  facts.priority = input.priority;
  facts.runnable_limit = input.runnable_limit.value_or(Duration::max());
  if (input.fleet) fleet_named(loading, *input.fleet, *input.written->find("fleet"));
  if (input.environment) {
    const auto place = place_of(loading, directory.environments, "environment", *input.environment,
                                *input.written->find("environment"));
    if (place) facts.environment = policy::EnvironmentId{*place};
  }
  const auto names = input.written->find("shares");
  for (std::size_t i = 0; i < input.shares.size(); ++i) {
    const Node node = names->size() == input.shares.size() ? (*names)[i] : *names;
    const auto share = place_of(loading, directory.shares, "share", input.shares[i], node);
    if (!share) continue;
    if (owners[*share]) {
      loading.error(node, "E0253",
                    fmt::format("share {} stands in a queue already", in_quotes(input.shares[i])),
                    *owners[*share] == id
                        ? "in this one"
                        : fmt::format("in {}", in_quotes(directory.queues[*owners[*share]].name)),
                    "a share for each queue");
      continue;
    }
    owners[*share] = id;
    directory.shares[*share].queue = {id};
    facts.shares.push_back({*share});
  }
  directory.queues.push_back(std::move(facts));
}

/// Shares that no queue has.
void check_owners(Loading& loading, const Owners& owners) {
  if (loading.findings.errors() > 0) return;  // the queue may be the broken one
  for (std::size_t share = 0; share < owners.size(); ++share) {
    if (owners[share]) continue;
    const ShareInput& input = loading.input.shares[share];
    loading.error(*input.written->find("name"), "E0253",
                  fmt::format("share {} stands in no queue", in_quotes(input.name)),
                  "no job could have it", "\"shares\" of one of `queues`");
  }
}

/// The queue of the job, and the share if it has one; nothing after a finding.
std::optional<policy::JobTerms> terms_of(Loading& loading, const TermsInput& input,
                                         const Place& place) {
  const policy::Directory& directory = loading.world().directory;
  policy::JobTerms terms;
  terms.keeps_machines = !input.preemptible;
  if (!input.queue) {
    if (!input.share) return terms;
    loading.error(place.of("share"), "E0254", "a share of no queue",
                  "a job stands in a queue, and in that in a share", "add \"queue\"");
    return std::nullopt;
  }
  const auto queue = place_of(loading, directory.queues, "queue", *input.queue, place.of("queue"));
  if (!queue) return std::nullopt;
  terms.queue = policy::QueueId{*queue};
  const policy::QueueFacts& facts = directory.queues[*queue];
  std::vector<std::string_view> names;
  for (const policy::ShareId share : facts.shares) {
    names.push_back(directory.shares[share.index].name);
  }
  if (!input.share) {
    if (facts.shares.empty()) return terms;
    loading.error(
        place.of("queue"), "E0254",
        fmt::format("queue {} has shares: which one is the job's?", in_quotes(facts.name)),
        "AWS Batch refuses a job without one", did_you_mean("", names));
    return std::nullopt;
  }
  const Node node = place.of("share");
  const auto share = place_of(loading, directory.shares, "share", *input.share, node);
  if (!share) return std::nullopt;
  const QueueInput& written =
      *std::find_if(loading.input.queues.begin(), loading.input.queues.end(),
                    [&](const QueueInput& each) { return each.name == facts.name; });
  if (std::find(names.begin(), names.end(), *input.share) == names.end()) {
    if (written.shares.size() > names.size()) return std::nullopt;  // one is reported already
    const bool none = facts.shares.empty();
    loading.error(
        node, "E0254",
        fmt::format("queue {} has no share {}", in_quotes(facts.name), in_quotes(*input.share)),
        none ? "AWS Batch refuses a share where a queue has none"
             : fmt::format("a share of {}",
                           in_quotes(directory.queues[directory.shares[*share].queue.index].name)),
        none ? "leave it out" : did_you_mean(*input.share, names));
    return std::nullopt;
  }
  terms.share = policy::ShareId{*share};
  return terms;
}

}  // namespace

void load_queues(Loading& loading) {
  const ScenarioInput& input = loading.input;
  const std::size_t errors_before = loading.findings.errors();
  for (const EnvironmentInput& each : input.environments) load_environment(loading, each);
  for (const ShareInput& each : input.shares) load_share(loading, each);
  Owners owners(loading.world().directory.shares.size());
  for (const QueueInput& each : input.queues) load_queue(loading, each, owners);
  if (loading.findings.errors() == errors_before) check_owners(loading, owners);
}

bool load_terms(Loading& loading, const TermsInput& input, models::JobProfile& profile,
                const Place& place) {
  const auto terms = terms_of(loading, input, place);
  if (!terms) return false;
  const auto interned = loading.world().directory.intern(*terms);
  if (!interned) {
    loading.error(place.of("queue"), "E0255",
                  "jobs stand in more than 65,535 combinations of queue, share and \"preemptible\"",
                  "one too many");
    return false;
  }
  profile.terms = *interned;
  if (input.max_preemptions >= 0) {
    profile.max_preemptions = static_cast<std::uint32_t>(input.max_preemptions);
  }
  if (input.queue && input.queue_retry) {
    models::RetryStrategy strategy{.attempts = input.queue_retry->attempts};
    for (const RetryEntryInput& entry : input.queue_retry->evaluate_on_exit) {
      strategy.on_exit.push_back({entry.on_status_reason, entry.retries});
    }
    profile.retry_strategy = std::make_shared<models::RetryStrategy>(std::move(strategy));
  }
  return true;
}

std::optional<policy::PoolId> fleet_of_queue(const Loading& loading, const ProfileInput& input) {
  if (!input.terms.queue || input.fleet) return std::nullopt;
  const policy::Directory& directory = loading.world().directory;
  for (const QueueInput& queue : loading.input.queues) {
    if (queue.name != *input.terms.queue || !queue.fleet) continue;
    const auto pool = directory.pool_named(*queue.fleet);
    if (!pool) return std::nullopt;
    const policy::PoolFacts& facts = directory.pools[pool->index];
    const bool same_type =
        !input.instance_type || *input.instance_type == directory.types[facts.type.index].name;
    const bool same_market = !input.market || *input.market == facts.market;
    return same_type && same_market ? pool : std::nullopt;
  }
  return std::nullopt;
}

void resolve_priority_changes(Loading& loading, const std::vector<policy::JobId>& ids) {
  models::World& world = loading.world();
  for (const ListedPriority& listed : loading.jobs.priority_changes) {
    world.priority_changes.push_back({listed.at, ids[listed.job], listed.priority});
  }
  std::stable_sort(world.priority_changes.begin(), world.priority_changes.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
}

}  // namespace reeve::scenarios
