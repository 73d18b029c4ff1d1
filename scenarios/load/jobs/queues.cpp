// Environments, shares and queues by their names, and the line that each job stands in.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "scenarios/load/jobs/steps.hpp"
#include "scenarios/load/resolved/share_prefix.hpp"
#include "scenarios/text/decode.hpp"

namespace reeve::scenarios {
namespace {

template <class Facts>
std::vector<std::string_view> queue_names(const std::vector<Facts>& all) {
  std::vector<std::string_view> names;
  names.reserve(all.size());
  for (const Facts& each : all) names.push_back(each.name);
  return names;
}

/// The place of that name among `all`, or E0252 at `node`.
template <class Facts>
std::optional<std::uint32_t> place_of_queue(Loading& loading, const std::vector<Facts>& all,
                                            std::string_view what, const std::string& name,
                                            const Node& node, std::string_view nor = "") {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Facts& each) { return each.name == name; });
  if (found != all.end()) return static_cast<std::uint32_t>(found - all.begin());
  loading.error(node, "E0252", fmt::format("unknown {} {}", what, in_quotes(name)),
                fmt::format("no {} of this name{}", what, nor),
                did_you_mean(name, queue_names(all)));
  return std::nullopt;
}

/// True if it is the first of its name; it is added after this.
template <class Facts>
bool is_first(Loading& loading, const std::vector<Facts>& before, std::string_view what,
              const std::string& name, const std::optional<Node>& written) {
  if (name.empty()) return false;  // reported already
  const auto names = queue_names(before);
  if (std::find(names.begin(), names.end(), name) == names.end()) return true;
  loading.error(*written->find("name"), "E0208",
                fmt::format("a second {} has the name {}", what, in_quotes(name)),
                fmt::format("{} names must be unique", what));
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
                             .with_help(did_you_mean(fleet, queue_names(directory.pools))));
  }
  return limits;
}

void load_environment(Loading& loading, const EnvironmentInput& input) {
  auto& all = loading.world().directory.environments;
  if (!is_first(loading, all, "environment", input.name, input.written)) return;
  auto limits = limits_of(loading, input.limits, input.written->find("limits"));
  all.push_back({input.name, std::move(limits), input.instances});
}

/// Of two changes of a fleet at one instant the last counts.
void check_same_instant(Loading& loading, const std::vector<QuotaChangeInput>& changes) {
  std::map<std::pair<Duration, std::string>, const QuotaChangeInput*> before;
  for (const QuotaChangeInput& change : changes) {
    for (const auto& [fleet, instances] : change.quota) {
      const QuotaChangeInput*& known = before[{change.at, fleet}];
      if (known != nullptr) {
        loading.warning(
            known->written->find("at").value_or(*known->written), "W0476",
            "a quota change has no effect here",
            fmt::format("a later entry for fleet {} has the same instant", in_quotes(fleet)));
      }
      known = &change;
    }
  }
}

void load_changes(Loading& loading, const ShareInput& input, policy::ShareId share) {
  models::World& world = loading.world();
  check_same_instant(loading, input.changes);
  for (const QuotaChangeInput& change : input.changes) {
    if (world.end != policy::never && change.at >= world.end - world.start) {
      loading.warning(change.written->find("at").value_or(*change.written), "W0476",
                      "a quota change has no effect here",
                      fmt::format("the clock ends after {}", show(world.end - world.start)));
    }
    for (const policy::CapacityLimit& own :
         limits_of(loading, change.quota, change.written->find("quota"))) {
      world.quota_changes.push_back({change.at, share, own.pool, own.instances});
    }
  }
}

std::uint32_t weight_of(Loading& loading, const ShareInput& input) {
  const double exact = input.weight * policy::weight_one;
  const auto weight = static_cast<std::uint32_t>(std::lround(exact));
  if (std::fabs(exact - weight) > 1e-6) {
    const double rounded = static_cast<double>(weight) / policy::weight_one;
    loading.warning(*input.written->find("weight"), "W0571",
                    "a weight with more than four decimals",
                    fmt::format("simulated and exported as {}", rounded));
  }
  return weight;
}

SharePrefix* prefix_named(Loading& loading, std::string_view name) {
  auto& all = loading.scenario.share_prefixes;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// No share can be of it and of one of those before it.
template <class All>
void check_apart(Loading& loading, const All& before, const ShareInput& input) {
  const auto other = std::find_if(before.begin(), before.end(), [&](const auto& each) {
    return !stem_of(each.name).empty() && overlap(each.name, input.name);
  });
  if (other == before.end()) return;
  loading.error(
      *input.written->find("name"), "E0256",
      fmt::format("share {} overlaps share {}", in_quotes(input.name), in_quotes(other->name)),
      "one share would match both", "AWS Batch rejects overlapping identifiers");
}

void load_prefix(Loading& loading, const ShareInput& input) {
  auto& all = loading.scenario.share_prefixes;
  if (!is_first(loading, all, "share", input.name, input.written)) return;
  const std::string_view stem = stem_of(input.name);
  if (stem.empty() || stem.find('*') != stem.npos) {
    loading.error(*input.written->find("name"), "E0256",
                  fmt::format("{} is not a share prefix", in_quotes(input.name)),
                  "a * at the end stands for any suffix", "\"team*\"");
  } else {
    check_apart(loading, all, input);
    check_apart(loading, loading.world().directory.shares, input);
  }
  for (const std::string_view key :
       {"quota", "sharing", "borrow_limit_pct", "in_share_preemption", "changes"}) {
    const auto node = input.written->find(key);
    if (!node) continue;
    loading.findings.add(at_key(*node, "E0256", fmt::format("a prefix has no {}", in_quotes(key)),
                                "its shares have only its weight")
                             .with_help("use a share with a full name"));
  }
  all.push_back({.name = input.name, .weight = weight_of(loading, input)});
}

void load_share(Loading& loading, const ShareInput& input) {
  if (is_prefix(input.name)) return load_prefix(loading, input);
  auto& all = loading.world().directory.shares;
  if (!is_first(loading, all, "share", input.name, input.written)) return;
  check_apart(loading, loading.scenario.share_prefixes, input);
  policy::ShareFacts facts;
  facts.name = input.name;
  facts.quota = limits_of(loading, input.quota, input.written->find("quota"));
  facts.sharing = input.sharing;
  facts.borrow_limit_pct = input.borrow_limit_pct;
  facts.in_share_preemption = input.in_share_preemption;
  facts.weight = weight_of(loading, input);
  load_changes(loading, input, {static_cast<std::uint32_t>(all.size())});
  all.push_back(std::move(facts));
}

/// Into which queue each share, and each prefix, was put, as long as that is known.
using Owners = std::map<std::string, std::uint32_t, std::less<>>;

/// Puts what the queue lists into it: a share or a prefix, each into one.
void load_share_of(Loading& loading, policy::QueueFacts& facts, policy::QueueId id,
                   std::size_t place, const std::string& name, const Node& node, Owners& owners) {
  policy::Directory& directory = loading.world().directory;
  SharePrefix* const prefix = prefix_named(loading, name);
  std::uint32_t share = 0;
  if (!prefix) {
    const auto known = place_of_queue(loading, directory.shares, "share", name, node);
    if (!known) return;
    share = *known;
  }
  const auto [owner, is_first] = owners.try_emplace(name, id.index);
  if (!is_first) {
    loading.error(node, "E0253", fmt::format("share {} is already in a queue", in_quotes(name)),
                  owner->second == id.index
                      ? "in this one"
                      : fmt::format("in {}", in_quotes(directory.queues[owner->second].name)),
                  "use one share per queue");
  } else if (prefix) {
    prefix->queue = id;
    prefix->place = place;
  } else {
    directory.shares[share].queue = id;
    facts.shares.push_back({share});
  }
}

void load_queue(Loading& loading, const QueueInput& input, Owners& owners) {
  policy::Directory& directory = loading.world().directory;
  if (!is_first(loading, directory.queues, "queue", input.name, input.written)) return;
  policy::QueueFacts facts;
  facts.name = input.name;
  facts.priority = input.priority;
  facts.runnable_limit = input.runnable_limit.value_or(Duration::max());
  if (input.fleet)
    fleet_named(loading, *input.fleet, *input.written->find("fleet"), loading.findings);
  if (input.environment) {
    const auto place = place_of_queue(loading, directory.environments, "environment",
                                      *input.environment, *input.written->find("environment"));
    if (place) facts.environment = policy::EnvironmentId{*place};
  }
  const policy::QueueId id{static_cast<std::uint32_t>(directory.queues.size())};
  const auto names = input.written->find("shares");
  for (std::size_t i = 0; i < input.shares.size(); ++i) {
    const Node node = names->size() == input.shares.size() ? (*names)[i] : *names;
    load_share_of(loading, facts, id, i, input.shares[i], node, owners);
  }
  directory.queues.push_back(std::move(facts));
}

/// Shares that no queue has.
void check_owners(Loading& loading, const Owners& owners) {
  if (loading.findings.errors() > 0) return;  // the queue may be the broken one
  for (const ShareInput& input : loading.input.shares) {
    if (owners.contains(input.name)) continue;
    loading.error(*input.written->find("name"), "E0253",
                  fmt::format("share {} is in no queue", in_quotes(input.name)),
                  "no job can have it", "add it to \"shares\" of one of `queues`");
  }
}

/// What a job of the queue may say: shares by their whole names, and prefixes.
std::vector<std::string_view> names_from(const Loading& loading, policy::QueueId queue) {
  const policy::Directory& directory = loading.world().directory;
  std::vector<std::string_view> names;
  for (const policy::ShareId share : directory.queues[queue.index].shares) {
    names.push_back(directory.shares[share.index].name);
  }
  for (const SharePrefix& prefix : loading.scenario.share_prefixes) {
    if (prefix.queue == queue) names.push_back(prefix.name);
  }
  return names;
}

/// Why no share of the queue is called so.
void refuse_share(Loading& loading, policy::QueueId queue, const std::string& name,
                  const Node& node) {
  const policy::Directory& directory = loading.world().directory;
  const std::string& called = directory.queues[queue.index].name;
  const auto names = names_from(loading, queue);
  const auto& prefixes = loading.scenario.share_prefixes;
  const auto refuse = [&](std::string label, std::string help) {
    loading.error(node, "E0254",
                  fmt::format("queue {} has no share {}", in_quotes(called), in_quotes(name)),
                  std::move(label), std::move(help));
  };
  const auto prefix = std::find_if(prefixes.begin(), prefixes.end(), [&](const auto& each) {
    return name == each.name || is_of(name, each.name);
  });
  if (prefix != prefixes.end() && prefix->queue == queue) {
    if (name != prefix->name)
      check_name(name, "the name of a share", node, loading.findings);
    else
      refuse("a prefix matches many shares; a job has one",
             fmt::format("\"{}1\"", stem_of(prefix->name)));
    return;
  }
  std::string_view other;  // the queue that has it; empty: none
  if (prefix != prefixes.end()) {
    if (prefix->queue) other = directory.queues[prefix->queue->index].name;
  } else {
    const bool has_prefix = std::any_of(names.begin(), names.end(), is_prefix);
    const auto share = place_of_queue(loading, directory.shares, "share", name, node,
                                      has_prefix ? ", and no prefix matches" : "");
    if (!share) return;
    for (const policy::QueueFacts& each : directory.queues) {
      const auto& of_queue = each.shares;
      if (std::find(of_queue.begin(), of_queue.end(), policy::ShareId{*share}) != of_queue.end()) {
        other = each.name;
      }
    }
  }
  if (names.empty()) {
    refuse("AWS Batch rejects a share if its queue has none", "leave it out");
  } else {
    refuse(
        other.empty() ? "a share without a queue" : fmt::format("a share of {}", in_quotes(other)),
        did_you_mean(name, names));
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
    loading.error(place.of("share"), "E0254", "a share without a queue",
                  "a job needs a queue and then a share of it", "add \"queue\"");
    return std::nullopt;
  }
  const auto queue =
      place_of_queue(loading, directory.queues, "queue", *input.queue, place.of("queue"));
  if (!queue) return std::nullopt;
  terms.queue = policy::QueueId{*queue};
  if (input.share_of_each_row) return terms;
  if (input.share) {
    for (const policy::ShareId share : directory.queues[*queue].shares) {
      if (directory.shares[share.index].name == *input.share) terms.share = share;
    }
    if (!terms.share) terms.share = share_of_prefix(loading, *terms.queue, *input.share);
    if (terms.share) return terms;
  }
  const auto names = names_from(loading, *terms.queue);
  if (!input.share) {
    if (names.empty()) return terms;
    loading.error(place.of("queue"), "E0254",
                  fmt::format("queue {} has shares, but the job names none",
                              in_quotes(directory.queues[*queue].name)),
                  "AWS Batch rejects a job without a share", did_you_mean("", names));
    return std::nullopt;
  }
  const QueueInput& written =
      *std::find_if(loading.input.queues.begin(), loading.input.queues.end(),
                    [&](const QueueInput& each) { return each.name == *input.queue; });
  const bool reported =
      std::any_of(written.shares.begin(), written.shares.end(), [&](const std::string& listed) {
        return std::find(names.begin(), names.end(), listed) == names.end();
      });
  const auto& shares = directory.shares;
  const bool known = std::any_of(shares.begin(), shares.end(),
                                 [&](const auto& each) { return each.name == *input.share; });
  if (!reported || !known) refuse_share(loading, *terms.queue, *input.share, place.of("share"));
  return std::nullopt;
}

}  // namespace

void load_queues(Loading& loading) {
  const ScenarioInput& input = loading.input;
  const std::size_t errors_before = loading.findings.errors();
  for (const EnvironmentInput& each : input.environments) load_environment(loading, each);
  for (const ShareInput& each : input.shares) load_share(loading, each);
  Owners owners;
  for (const QueueInput& each : input.queues) load_queue(loading, each, owners);
  if (loading.findings.errors() == errors_before) check_owners(loading, owners);
}

std::optional<policy::ShareId> share_of_prefix(Loading& loading, policy::QueueId queue,
                                               std::string_view name) {
  if (!is_name(name)) return std::nullopt;
  auto& prefixes = loading.scenario.share_prefixes;
  const auto prefix = std::find_if(prefixes.begin(), prefixes.end(), [&](const auto& each) {
    return each.queue == queue && is_of(name, each.name);
  });
  if (prefix == prefixes.end()) return std::nullopt;
  policy::Directory& directory = loading.world().directory;
  const policy::ShareId share{static_cast<std::uint32_t>(directory.shares.size())};
  policy::ShareFacts facts;
  facts.name = name;
  facts.queue = queue;
  facts.weight = prefix->weight;
  directory.shares.push_back(std::move(facts));
  directory.queues[queue.index].shares.push_back(share);
  prefix->shares.push_back(share);
  return share;
}

bool load_terms(Loading& loading, const TermsInput& input, models::JobProfile& profile,
                const Place& place) {
  const auto terms = terms_of(loading, input, place);
  if (!terms) return false;
  const auto interned = loading.world().directory.intern(*terms);
  if (!interned) {
    loading.error(place.of("queue"), "E0255",
                  "jobs have more than 65,535 combinations of queue, share and \"preemptible\"",
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
