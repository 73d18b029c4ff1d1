#include "scenarios/share_reach.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "models/quotas.hpp"

namespace reeve::scenarios {

using policy::Sharing;

namespace {

/// What shares do with what they do not use, where a rule has all of them do the same.
std::optional<Sharing> sharing_instead(const SeatSpec& seat) {
  if (!runs(seat, "quota")) return std::nullopt;
  const auto* const all = policy::sharing_names.begin();
  const auto* const named = std::find(all, policy::sharing_names.end(),
                                      std::string_view{seat.options.text("override.sharing")});
  if (named == policy::sharing_names.end()) return std::nullopt;
  return static_cast<Sharing>(named - all);
}

std::int64_t stated_quota(const models::World& world, policy::ShareId share, policy::PoolId pool) {
  for (const policy::CapacityLimit& own : world.directory.shares[share.index].quota) {
    if (own.pool == pool) return own.instances;
  }
  return 0;
}

/// What others of its section lend at most, or leave to it.
std::int64_t idle_for(const models::World& world, const Lending& lending, policy::ShareId share,
                      policy::PoolId pool) {
  const policy::Directory& directory = world.directory;
  std::int64_t lent = 0;
  for (std::uint32_t index = 0; index < directory.shares.size(); ++index) {
    const policy::ShareId other{index};
    if (other == share || !models::may_lend(directory, share, other)) continue;
    if (lending.of(directory.shares[index]) != Sharing::reserve) {
      lent += largest_quota(world, other, pool);
    }
  }
  if (lending.as_stated) return lent;
  const std::int64_t own = largest_quota(world, share, pool);
  const std::int64_t size = directory.pools[pool.index].size;
  const auto of_other_lines = [&](policy::ShareId other) {
    return models::may_lend(directory, share, other) ? 0 : smallest_quota(world, other, pool);
  };
  const auto environment = directory.queues[directory.shares[share.index].queue.index].environment;
  const std::int64_t left = size - models::covered(directory, pool, size, of_other_lines);
  const std::int64_t here = models::left_in(directory, environment, pool, size, of_other_lines);
  return std::max<std::int64_t>(std::min(left, here) - own, 0);
}

}  // namespace

bool runs(const SeatSpec& seat, std::string_view algorithm) {
  return seat.kind->name == "schedule" && seat.mode != host::Mode::off &&
         seat.options.text("algorithm") == algorithm;
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

std::int64_t largest_quota(const models::World& world, policy::ShareId share, policy::PoolId pool) {
  std::int64_t most = stated_quota(world, share, pool);
  for (const models::QuotaChange& change : world.quota_changes) {
    if (change.share != share || change.pool != pool) continue;
    most = std::max<std::int64_t>(most, change.instances);
  }
  return most;
}

std::int64_t smallest_quota(const models::World& world, policy::ShareId share,
                            policy::PoolId pool) {
  std::int64_t least = stated_quota(world, share, pool);
  for (const models::QuotaChange& change : world.quota_changes) {
    if (change.share != share || change.pool != pool) continue;
    least = std::min<std::int64_t>(least, change.instances);
  }
  return least;
}

std::int64_t own_of(const models::World& world, const policy::JobTerms& terms,
                    policy::PoolId pool) {
  if (terms.share) return largest_quota(world, *terms.share, pool);
  const policy::Directory& directory = world.directory;
  const std::int64_t size = directory.pools[pool.index].size;
  const auto least = [&](policy::ShareId share) { return smallest_quota(world, share, pool); };
  const auto environment = models::environment_of(directory, terms);
  const std::int64_t left = size - models::covered(directory, pool, size, least);
  const std::int64_t here = models::left_in(directory, environment, pool, size, least);
  return std::max<std::int64_t>(std::min(left, here), 0);
}

std::optional<std::int64_t> reach(const models::World& world, const SeatSpec& seat,
                                  const policy::JobTerms& terms, policy::PoolId pool) {
  const auto lending = lending_of(seat);
  if (!lending) return std::nullopt;
  const std::int64_t own = own_of(world, terms, pool);
  if (!terms.share) return own;
  const policy::ShareFacts& facts = world.directory.shares[terms.share->index];
  if (lending->of(facts) != Sharing::lend_and_borrow) return own;
  const std::int64_t idle = idle_for(world, *lending, *terms.share, pool);
  const std::int32_t pct = facts.borrow_limit_pct;
  return own + (pct < 0 ? idle : std::min(own * pct / 100, idle));
}

}  // namespace reeve::scenarios
