#include "scenarios/load/resolved/share_reach.hpp"

#include <algorithm>
#include <iterator>
#include <reeve/policy/known_options.hpp>
#include <string>
#include <vector>

#include "models/quotas.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::scenarios {

using policy::Sharing;

namespace {

/// What shares do with what they do not use, where a rule has all of them do the same.
std::optional<Sharing> sharing_instead(const SeatSpec& seat) {
  if (!runs(seat, "quota")) return std::nullopt;
  const auto* const all = policy::sharing_names.begin();
  const auto* const named =
      std::find(all, policy::sharing_names.end(),
                std::string_view{seat.options.text(policy::known::override_sharing)});
  if (named == policy::sharing_names.end()) return std::nullopt;
  return static_cast<Sharing>(named - all);
}

std::int64_t stated_quota(const models::World& world, policy::ShareId share, policy::PoolId pool) {
  for (const policy::CapacityLimit& own : world.directory.shares[share.index].quota) {
    if (own.pool == pool) return own.instances;
  }
  return 0;
}

/// All that the share has of the pool, one after the other, from then on.
std::vector<std::int64_t> quotas_since(const models::World& world, policy::ShareId share,
                                       policy::PoolId pool, policy::Duration since) {
  std::vector<models::QuotaChange> changes;
  std::ranges::copy_if(world.quota_changes, std::back_inserter(changes), [&](const auto& change) {
    return change.share == share && change.pool == pool;
  });
  std::ranges::stable_sort(changes, {}, &models::QuotaChange::at);
  std::vector<std::int64_t> quotas{stated_quota(world, share, pool)};
  for (const models::QuotaChange& change : changes) {
    if (change.at <= since) quotas.clear();
    quotas.push_back(change.instances);
  }
  return quotas;
}

/// What others of its section lend at most, or leave to it.
std::int64_t idle_for(const models::World& world, const Lending& lending, policy::ShareId share,
                      policy::PoolId pool, policy::Duration since) {
  const policy::Directory& directory = world.directory;
  std::int64_t lent = 0;
  for (std::uint32_t index = 0; index < directory.shares.size(); ++index) {
    const policy::ShareId other{index};
    if (other == share || !models::may_lend(directory, share, other)) continue;
    if (lending.of(directory.shares[index]) != Sharing::reserve) {
      lent += largest_quota(world, other, pool, since);
    }
  }
  if (lending.as_stated) return lent;
  const std::int64_t own = largest_quota(world, share, pool, since);
  const std::int64_t size = directory.pools[pool.index].size;
  const auto of_other_lines = [&](policy::ShareId other) {
    return models::may_lend(directory, share, other) ? 0
                                                     : smallest_quota(world, other, pool, since);
  };
  const auto environment = directory.queues[directory.shares[share.index].queue.index].environment;
  const std::int64_t left = size - models::covered(directory, pool, size, of_other_lines);
  const std::int64_t here = models::left_in(directory, environment, pool, size, of_other_lines);
  return std::max<std::int64_t>(std::min(left, here) - own, 0);
}

}  // namespace

bool runs(const SeatSpec& seat, std::string_view algorithm) {
  return is_scheduler(*seat.kind) && seat.mode != host::Mode::off &&
         seat.options.text(policy::known::algorithm) == algorithm;
}

std::optional<Lending> lending_of(const SeatSpec& seat) {
  const bool as_stated = runs(seat, "quota") || runs(seat, "kueue") || runs(seat, "kueue_fair");
  if (!as_stated && !runs(seat, "capacity") && !runs(seat, "kai")) return std::nullopt;
  return Lending{.as_stated = as_stated, .of_all = sharing_instead(seat)};
}

std::optional<Lending> lending_of(const PolicySpec& policy) {
  for (const SeatSpec& seat : policy.seats) {
    if (const auto lending = lending_of(seat)) return lending;
  }
  return std::nullopt;
}

std::int64_t largest_quota(const models::World& world, policy::ShareId share, policy::PoolId pool,
                           policy::Duration since) {
  return std::ranges::max(quotas_since(world, share, pool, since));
}

std::int64_t smallest_quota(const models::World& world, policy::ShareId share, policy::PoolId pool,
                            policy::Duration since) {
  return std::ranges::min(quotas_since(world, share, pool, since));
}

std::int64_t own_of(const models::World& world, const policy::JobTerms& terms, policy::PoolId pool,
                    policy::Duration since) {
  if (terms.share) return largest_quota(world, *terms.share, pool, since);
  const policy::Directory& directory = world.directory;
  const std::int64_t size = directory.pools[pool.index].size;
  const auto least = [&](policy::ShareId share) {
    return smallest_quota(world, share, pool, since);
  };
  const auto environment = models::environment_of(directory, terms);
  const std::int64_t left = size - models::covered(directory, pool, size, least);
  const std::int64_t here = models::left_in(directory, environment, pool, size, least);
  return std::max<std::int64_t>(std::min(left, here), 0);
}

std::optional<std::int64_t> reach(const models::World& world, const SeatSpec& seat,
                                  const policy::JobTerms& terms, policy::PoolId pool,
                                  policy::Duration since) {
  const auto lending = lending_of(seat);
  if (!lending) return std::nullopt;
  const std::int64_t own = own_of(world, terms, pool, since);
  if (!terms.share) return own;
  const policy::ShareFacts& facts = world.directory.shares[terms.share->index];
  if (lending->of(facts) != Sharing::lend_and_borrow) return own;
  const std::int64_t idle = idle_for(world, *lending, *terms.share, pool, since);
  const std::int32_t pct = facts.borrow_limit_pct;
  return own + (pct < 0 ? idle : std::min(own * pct / 100, idle));
}

}  // namespace reeve::scenarios
