#include "models/fleet/shares.hpp"

#include <algorithm>
#include <utility>

#include "models/quotas.hpp"

namespace reeve::models {

ShareBooks::ShareBooks(FleetCore& core) : core_{core} {
  const std::vector<policy::ShareFacts>& shares = core.world.directory.shares;
  const auto pools = static_cast<std::uint32_t>(core.world.pools.size());
  core.record.share_rows.resize(shares.size());
  for (std::uint32_t pool = 0; pool < pools; ++pool) {
    for (std::uint32_t share = 0; share < shares.size(); ++share) {
      rows_.push_back({.at = core.now, .share = {share}, .pool = {pool}});
      for (const policy::CapacityLimit& own : shares[share].quota) {
        if (own.pool.index == pool) rows_.back().quota = own.instances;
      }
    }
  }
  newest_.resize(rows_.size());
  if (any_has_quota(core.world)) find_lenders();
  for (std::uint32_t pool = 0; pool < pools; ++pool) note({pool});
}

std::optional<policy::ShareId> ShareBooks::share_of(policy::JobId job) const {
  return core_.world.directory.terms[core_.profile(job).terms].share;
}

ShareUseRow& ShareBooks::row_of(policy::ShareId share, policy::PoolId pool) {
  return rows_[pool.index * core_.world.directory.shares.size() + share.index];
}

void ShareBooks::find_lenders() {
  const policy::Directory& directory = core_.world.directory;
  for (std::uint32_t index = 0; index < directory.shares.size(); ++index) {
    const auto together = std::find_if(lenders_.begin(), lenders_.end(), [&](const auto& those) {
      return may_lend(directory, those.front(), {index});
    });
    lenders_of_.push_back(static_cast<std::size_t>(together - lenders_.begin()));
    if (together == lenders_.end()) lenders_.emplace_back();
    lenders_[lenders_of_.back()].push_back({index});
  }
}

/// Among the shares that lend to the changed share or borrow from it: borrowed instances come from
/// those that lend, in order; then from those that keep their quota, because a rule may ignore
/// that; the rest is outside all quotas.  If no share has a quota in any pool, nothing is
/// borrowed.
void ShareBooks::split(policy::ShareId changed, policy::PoolId pool) {
  if (lenders_.empty()) return;
  const auto& facts = core_.world.directory.shares;
  const std::vector<policy::ShareId>& those = lenders_[lenders_of_[changed.index]];
  const auto idle_of = [](const ShareUseRow& row) {
    return row.quota - std::min(row.used, row.quota);
  };
  ShareUseRow* const rows = &row_of({0}, pool);
  std::uint32_t borrowed = 0;
  std::uint64_t idle_of_those_that_lend = 0;
  for (const policy::ShareId share : those) {
    const ShareUseRow& row = rows[share.index];
    borrowed += row.used - std::min(row.used, row.quota);
    const bool lends = facts[share.index].sharing != policy::Sharing::reserve;
    if (lends) idle_of_those_that_lend += idle_of(row);
  }
  auto of_those_that_lend =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(borrowed, idle_of_those_that_lend));
  std::uint32_t of_those_that_keep = borrowed - of_those_that_lend;
  for (const policy::ShareId share : those) {
    ShareUseRow& row = rows[share.index];
    const bool keeps = facts[share.index].sharing == policy::Sharing::reserve;
    std::uint32_t& left = keeps ? of_those_that_keep : of_those_that_lend;
    const std::uint32_t lent = std::min(idle_of(row), left);
    left -= lent;
    const std::uint32_t over = row.used - std::min(row.used, row.quota);
    if (row.borrowed == over && row.lent == lent) continue;
    pass_time(row);
    row.borrowed = over;
    row.lent = lent;
  }
}

/// The row is as it was until now.
void ShareBooks::pass_time(ShareUseRow& row) {
  const Charge held = (core_.now - std::exchange(row.at, core_.now)).count();
  ShareRow& sums = core_.record.share_rows[row.share.index];
  sums.borrowed += held * row.borrowed;
  sums.lent += held * row.lent;
}

void ShareBooks::hold(policy::JobId job, policy::PoolId pool, std::int64_t instances) {
  if (rows_.empty()) [[likely]]
    return;
  const auto share = share_of(job);
  if (!share) return;
  ShareUseRow& row = row_of(*share, pool);
  pass_time(row);
  row.used = static_cast<std::uint32_t>(row.used + instances);
  split(*share, pool);
  note(pool);
}

void ShareBooks::lose(policy::JobId job, Charge time) {
  if (rows_.empty()) [[likely]]
    return;
  if (const auto share = share_of(job)) core_.record.share_rows[share->index].lost_work += time;
}

void ShareBooks::change_quota(const QuotaChange& change) {
  ShareUseRow& row = row_of(change.share, change.pool);
  pass_time(row);
  row.quota = change.instances;
  split(change.share, change.pool);
  note(change.pool);
}

void ShareBooks::close() {
  for (ShareUseRow& row : rows_) pass_time(row);
}

/// Rows that say something new; one for each instant, after all of it.
void ShareBooks::note(policy::PoolId id) {
  if (!core_.keep.utilization) return;
  const std::size_t count = core_.world.directory.shares.size();
  for (std::size_t place = id.index * count; place < (id.index + 1) * count; ++place) {
    const ShareUseRow& now = rows_[place];
    std::size_t& newest = newest_[place];
    if (newest > 0 && core_.record.share_use[newest - 1].at == now.at) {
      core_.record.share_use[newest - 1] = now;
      continue;
    }
    const auto same = [&](const ShareUseRow& before) {
      return before.used == now.used && before.quota == now.quota &&
             before.borrowed == now.borrowed && before.lent == now.lent;
    };
    if (newest > 0 && same(core_.record.share_use[newest - 1])) continue;
    core_.record.share_use.push_back(now);
    newest = core_.record.share_use.size();
  }
}

}  // namespace reeve::models
