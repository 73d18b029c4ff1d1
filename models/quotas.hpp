// Quotas of shares and which shares may lend to each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "models/world.hpp"

namespace reeve::models {

/// Whether shares divide instances at all: weights alone do not.
inline bool any_has_quota(const World& world) {
  const auto& shares = world.directory.shares;
  return !world.quota_changes.empty() ||
         std::any_of(shares.begin(), shares.end(),
                     [](const policy::ShareFacts& share) { return !share.quota.empty(); });
}

/// Jobs that are scheduled together: of queues with the same environment (or none) and the same
/// priority.  Other jobs in the same fleet are scheduled separately.
using Line = std::pair<std::optional<policy::EnvironmentId>, std::int32_t>;

inline Line line_of(const policy::QueueFacts& queue) {
  return {queue.environment, queue.priority};
}

/// The line of jobs with these terms.  Jobs in no queue belong to the line of queues without an
/// environment at priority 0, or to the single line if all queues form one.
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

/// Whether the shares may lend to each other: shares of one line may.
inline bool may_lend(const policy::Directory& directory, policy::ShareId a, policy::ShareId b) {
  return have_one_line(directory.queues[directory.shares[a.index].queue.index],
                       directory.queues[directory.shares[b.index].queue.index]);
}

/// The environment that limits jobs with these terms; none: no limit.
inline std::optional<policy::EnvironmentId> environment_of(const policy::Directory& directory,
                                                           const policy::JobTerms& terms) {
  return terms.queue ? directory.queues[terms.queue->index].environment : std::nullopt;
}

/// The sum of `quota_of` a pool over the shares of each environment, and of none.
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

/// The part of `there` instances of a pool that the environment may use; without one: all.
inline std::int64_t most_of(const policy::Directory& directory,
                            std::optional<policy::EnvironmentId> environment, policy::PoolId pool,
                            std::int64_t there) {
  const auto most =
      environment ? directory.environments[environment->index].most_of(pool) : std::nullopt;
  return most ? std::min<std::int64_t>(*most, there) : there;
}

/// The part of `there` instances of a pool that belongs to shares, where each has `quota_of` it:
/// shares of one environment have at most what the environment may use.
template <class QuotaOf>
std::int64_t covered(const policy::Directory& directory, policy::PoolId pool, std::int64_t there,
                     QuotaOf quota_of) {
  std::int64_t sum = 0;
  for (const auto& [environment, quota] : quotas_by_environment(directory, quota_of)) {
    sum += std::min(quota, most_of(directory, environment, pool, there));
  }
  return sum;
}

/// What the environment may use beyond the quotas of its shares; below 0: nothing.
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
