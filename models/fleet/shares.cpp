// The simulated fleet's shares: what their jobs have, what of that is borrowed, and of whom.

#include "models/fleet/fleet.hpp"
#include "models/quotas.hpp"

namespace reeve::models {

void Fleet::open_shares() {
  const std::vector<policy::ShareFacts>& shares = core_.world.directory.shares;
  core_.record.share_rows.resize(shares.size());
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    for (std::uint32_t share = 0; share < shares.size(); ++share) {
      shares_.push_back({.at = core_.now, .share = {share}, .pool = {pool}});
      for (const policy::CapacityLimit& own : shares[share].quota) {
        if (own.pool.index == pool) shares_.back().quota = own.instances;
      }
    }
  }
  shares_at_.resize(shares_.size());
  if (any_has_quota(core_.world)) find_lenders();
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) note_shares({pool});
}

std::optional<policy::ShareId> Fleet::share_of(policy::JobId job) const {
  return core_.world.directory.terms[core_.profile(job).terms].share;
}

ShareUseRow& Fleet::in_share(policy::ShareId share, policy::PoolId pool) {
  return shares_[pool.index * core_.world.directory.shares.size() + share.index];
}

void Fleet::find_lenders() {
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

/// Among those that may lend to the share that changed, and it to them: what is borrowed is of
/// those that lend, in order; where that is not enough, of those that keep theirs for themselves,
/// for a rule may not ask; and the rest is of nobody's quota.  Where no share has a quota, of any
/// pool, nothing is borrowed.
void Fleet::split_shares(policy::ShareId changed, policy::PoolId pool) {
  if (lenders_.empty()) return;
  const auto& facts = core_.world.directory.shares;
  const std::vector<policy::ShareId>& those = lenders_[lenders_of_[changed.index]];
  const auto idle_of = [](const ShareUseRow& row) {
    return row.quota - std::min(row.used, row.quota);
  };
  ShareUseRow* const rows = &in_share({0}, pool);
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
    pass_share_time(row);
    row.borrowed = over;
    row.lent = lent;
  }
}

/// The row is as it was until now.
void Fleet::pass_share_time(ShareUseRow& row) {
  const Charge held = (core_.now - std::exchange(row.at, core_.now)).count();
  ShareRow& sums = core_.record.share_rows[row.share.index];
  sums.borrowed += held * row.borrowed;
  sums.lent += held * row.lent;
}

/// So many more instances, or fewer, are those of the attempt's share.
void Fleet::hold_in_share(const Running& run, std::int64_t instances) {
  if (shares_.empty()) [[likely]]
    return;
  const auto share = share_of(run.job);
  if (!share) return;
  ShareUseRow& row = in_share(*share, run.pool);
  pass_share_time(row);
  row.used = static_cast<std::uint32_t>(row.used + instances);
  split_shares(*share, run.pool);
  note_shares(run.pool);
}

void Fleet::lose_in_share(policy::JobId job, Charge time) {
  if (shares_.empty()) [[likely]]
    return;
  if (const auto share = share_of(job)) core_.record.share_rows[share->index].lost_work += time;
}

/// Rows that say something new; one for each instant, after all of it.
void Fleet::note_shares(policy::PoolId id) {
  if (!core_.keep.utilization) return;
  const std::size_t count = core_.world.directory.shares.size();
  for (std::size_t place = id.index * count; place < (id.index + 1) * count; ++place) {
    const ShareUseRow& now = shares_[place];
    std::size_t& newest = shares_at_[place];
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
