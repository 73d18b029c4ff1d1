#include "pool_usage.hpp"

#include <algorithm>
#include <utility>

namespace reeve::policies {

using namespace policy;

bool PoolUsage::resize(PoolId pool, std::int64_t capacity) {
  return std::exchange(pools_[pool.index].capacity, capacity) < capacity;
}

void PoolUsage::use(PoolId pool, std::size_t section, std::optional<ShareId> share,
                    std::int64_t instances) {
  Pool& of = pools_[pool.index];
  of.used += instances;
  sections_.use(section, pool, instances);
  if (sections_.count() == 1 || !share) return;
  if (share->index >= of.used_by_share.size()) of.used_by_share.resize(share->index + 1U);
  of.used_by_share[share->index] += instances;
}

Headroom PoolUsage::limited_headroom(std::size_t section, PoolId pool, KeptForOthers kept) const {
  const Pool& of = pools_[pool.index];
  if (sections_.count() > 1) kept.of_machines += promised_to_others(section, pool);
  Headroom room = sections_.headroom(section, pool, of.capacity - of.used - kept.of_machines,
                                     promised_elsewhere(section, pool));
  room.of_limit -= kept.of_environment;
  room.of_instances -= kept.of_environment;
  return room;
}

KeptForOthers PoolUsage::kept_for_others(std::size_t section, PoolId pool,
                                         const FleetView& fleet) const {
  if (sections_.count() == 1) return {};
  const std::vector<std::int64_t> idle = idle_quota(pool, fleet);
  KeptForOthers kept;
  for (std::size_t i = 0; i < idle.size(); ++i) {
    if (!is_first_of_environment(i)) continue;
    std::int64_t of_others = 0;
    std::int64_t more = most(i, pool);
    for (std::size_t each = i; each < idle.size(); ++each) {
      if (!sections_.have_one_environment(i, each)) continue;
      if (each != section) of_others += idle[each];
      more -= used(each, pool);
    }
    const std::int64_t of_environment = std::max<std::int64_t>(std::min(of_others, more), 0);
    kept.of_machines += of_environment;
    if (sections_.have_one_environment(i, section)) kept.of_environment = of_environment;
  }
  return kept;
}

/// By section: the quota that its shares do not use.
std::vector<std::int64_t> PoolUsage::idle_quota(PoolId pool, const FleetView& fleet) const {
  const std::vector<std::int64_t>& used = pools_[pool.index].used_by_share;
  std::vector<std::int64_t> idle(sections_.count());
  const std::size_t shares = fleet.directory().shares.size();
  for (std::uint32_t share = 0; share < shares; ++share) {
    const std::int64_t uses = share < used.size() ? used[share] : 0;
    const std::int64_t quota = fleet.quota({share}, pool);
    idle[sections_.of(ShareId{share})] += std::max<std::int64_t>(quota - uses, 0);
  }
  return idle;
}

std::int64_t PoolUsage::uncovered(std::size_t section, PoolId pool, const FleetView& fleet) const {
  const std::vector<std::int64_t> own = quota_by_section(pool, fleet);
  std::int64_t left = pools_[pool.index].capacity;
  std::int64_t left_here = most(section, pool);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::int64_t without_share = i == section ? 0 : used_without_share(i, pool);
    left -= without_share;
    if (sections_.have_one_environment(i, section)) left_here -= own[i] + without_share;
    if (!is_first_of_environment(i)) continue;
    std::int64_t of_all = 0;
    for (std::size_t each = i; each < own.size(); ++each) {
      if (sections_.have_one_environment(i, each)) of_all += own[each];
    }
    left -= std::min(of_all, most(i, pool));
  }
  return std::max<std::int64_t>(std::min(left, left_here), 0);
}

std::vector<std::int64_t> PoolUsage::quota_by_section(PoolId pool, const FleetView& fleet) const {
  std::vector<std::int64_t> quotas(sections_.count());
  const std::size_t shares = fleet.directory().shares.size();
  for (std::uint32_t share = 0; share < shares; ++share) {
    const std::size_t section = sections_.count() == 1 ? 0 : sections_.of(ShareId{share});
    quotas[section] += fleet.quota({share}, pool);
  }
  return quotas;
}

/// Of the sections that share an environment, or have none, the one that is served first.
bool PoolUsage::is_first_of_environment(std::size_t section) const {
  for (std::size_t i = 0; i < section; ++i) {
    if (sections_.have_one_environment(i, section)) return false;
  }
  return true;
}

/// What jobs of no share use of it.
std::int64_t PoolUsage::used_without_share(std::size_t section, PoolId pool) const {
  const std::vector<std::int64_t>& by_share = pools_[pool.index].used_by_share;
  std::int64_t left = used(section, pool);
  for (std::uint32_t share = 0; share < by_share.size(); ++share) {
    if (sections_.of(ShareId{share}) == section) left -= by_share[share];
  }
  return left;
}

std::int64_t PoolUsage::promised_to_others(std::size_t section, PoolId pool) const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < sections_.count(); ++i) {
    if (i != section) sum += sections_.algorithm(i).promised(pool);
  }
  return sum;
}

/// In other pools, of what the environment may have of all.
std::int64_t PoolUsage::promised_elsewhere(std::size_t section, PoolId pool) const {
  if (!sections_.spans_pools(section)) return 0;
  std::int64_t sum = 0;
  for (std::uint32_t other = 0; other < pools_.size(); ++other) {
    if (other == pool.index) continue;
    for (std::size_t i = 0; i < sections_.count(); ++i) {
      if (sections_.have_one_environment(section, i))
        sum += sections_.algorithm(i).promised({other});
    }
  }
  return sum;
}

}  // namespace reeve::policies
