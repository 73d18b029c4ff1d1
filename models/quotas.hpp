// Whether shares have quotas, and who may lend of them to whom.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "models/world.hpp"

namespace reeve::models {

/// Whether shares divide machines at all: weights alone do not.
inline bool any_has_quota(const World& world) {
  const auto& shares = world.directory.shares;
  return !world.quota_changes.empty() ||
         std::any_of(shares.begin(), shares.end(),
                     [](const policy::ShareFacts& share) { return !share.quota.empty(); });
}

/// Whose jobs are scheduled together: those of queues of one environment, or of none, and of the
/// same priority.  Whoever else is in one fleet is scheduled apart.
using Line = std::pair<std::optional<policy::EnvironmentId>, std::int32_t>;

inline Line line_of(const policy::QueueFacts& queue) {
  return {queue.environment, queue.priority};
}

/// Where jobs on these terms stand.  Those in no queue stand where queues without an environment do
/// at priority 0, or with all others where these are one line.
inline Line line_of(const policy::Directory& directory, const policy::JobTerms& terms) {
  const auto& queues = directory.queues;
  if (terms.queue) return line_of(queues[terms.queue->index]);
  if (queues.empty() || queues.front().environment) return {};
  const Line first = line_of(queues.front());
  const bool one = std::all_of(queues.begin(), queues.end(),
                               [&](const auto& queue) { return line_of(queue) == first; });
  return one ? first : Line{};
}

inline bool have_one_line(const policy::QueueFacts& one, const policy::QueueFacts& other) {
  return line_of(one) == line_of(other);
}

/// Whether one share may lend to the other: those of one line may.
inline bool may_lend(const policy::Directory& directory, policy::ShareId a, policy::ShareId b) {
  return have_one_line(directory.queues[directory.shares[a.index].queue.index],
                       directory.queues[directory.shares[b.index].queue.index]);
}

/// Whose limits jobs on these terms are kept to; none: nobody's.
inline std::optional<policy::EnvironmentId> environment_of(const policy::Directory& directory,
                                                           const policy::JobTerms& terms) {
  return terms.queue ? directory.queues[terms.queue->index].environment : std::nullopt;
}

/// What the shares of each environment, and of none, have of a pool, where each has `quota_of` it.
template <class QuotaOf>
std::map<std::optional<policy::EnvironmentId>, std::int64_t> quotas_by_environment(
    const policy::Directory& directory, QuotaOf quota_of) {
  std::map<std::optional<policy::EnvironmentId>, std::int64_t> quotas;
  for (std::uint32_t index = 0; index < directory.shares.size(); ++index) {
    const policy::QueueFacts& queue = directory.queues[directory.shares[index].queue.index];
    quotas[queue.environment] += quota_of(policy::ShareId{index});
  }
  return quotas;
}

/// Of so many machines of a pool as there are, how many the environment may have; of none: all.
inline std::int64_t most_of(const policy::Directory& directory,
                            std::optional<policy::EnvironmentId> environment, policy::PoolId pool,
                            std::int64_t there) {
  const auto most =
      environment ? directory.environments[environment->index].most_of(pool) : std::nullopt;
  return most ? std::min<std::int64_t>(*most, there) : there;
}

/// What shares have of so many machines of a pool as there are, where each has `quota_of` it: those
/// of one environment have no more together than it may.
template <class QuotaOf>
std::int64_t covered(const policy::Directory& directory, policy::PoolId pool, std::int64_t there,
                     QuotaOf quota_of) {
  std::int64_t sum = 0;
  for (const auto& [environment, quota] : quotas_by_environment(directory, quota_of)) {
    sum += std::min(quota, most_of(directory, environment, pool, there));
  }
  return sum;
}

/// What is left of what the environment may have when its shares have theirs; below 0: nothing.
template <class QuotaOf>
std::int64_t left_in(const policy::Directory& directory,
                     std::optional<policy::EnvironmentId> environment, policy::PoolId pool,
                     std::int64_t there, QuotaOf quota_of) {
  const auto quotas = quotas_by_environment(directory, quota_of);
  const auto own = quotas.find(environment);
  const std::int64_t of_shares = own == quotas.end() ? 0 : own->second;
  return most_of(directory, environment, pool, there) - of_shares;
}

}  // namespace reeve::models
