#include "experiments/explain/queue_snapshot.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "models/quotas.hpp"

namespace reeve::experiments {
namespace {

using policy::Instant;
using policy::PoolId;

std::uint64_t key_of(policy::ShareId share, policy::PoolId pool) {
  return std::uint64_t{pool.index} << 32 | share.index;
}

bool goes_by_priority(const scenarios::PolicySpec& policy) {
  constexpr std::array<std::string_view, 9> algorithms{"priority", "quota",      "fair_share",
                                                       "max_min",  "drf",        "capacity",
                                                       "kueue",    "kueue_fair", "kai"};
  return std::ranges::any_of(policy.seats, [&](const scenarios::SeatSpec& seat) {
    return std::ranges::any_of(
        algorithms, [&](std::string_view algorithm) { return scenarios::runs(seat, algorithm); });
  });
}

}  // namespace

std::string_view name(WaitsFor reason) {
  static constexpr std::array<std::string_view, 6> names{"instances", "environment",   "user_limit",
                                                         "quota",     "account_quota", "turn"};
  return names[static_cast<std::size_t>(reason)];
}

QueueSnapshot::QueueSnapshot(const models::World& world, const scenarios::PolicySpec& policy,
                             const models::Record& record, const Holdings& holdings, Instant at)
    : world_{world},
      record_{record},
      at_{at},
      by_priority_{goes_by_priority(policy)},
      limits_{world, policy, record, holdings, at},
      lending_{scenarios::lending_of(policy)},
      allocated_(world.pools.size()) {
  for (const models::Pool& pool : world.pools) offered_.push_back(pool.capacity);
  for (const models::OfferRow& row : record.offers) {
    if (row.at <= at) offered_[row.pool.index] = row.offered;
  }
  for (const models::UtilizationRow& row : record.utilization) {
    if (row.at <= at) allocated_[row.pool.index] = row.allocated;
  }
  for (const models::ShareUseRow& row : record.share_use) {
    if (row.at <= at) used_.insert_or_assign(key_of(row.share, row.pool), row);
  }
  if (!world.directory.environments.empty()) find_used(holdings);
  find_waiters(holdings);
}

void QueueSnapshot::find_used(const Holdings& holdings) {
  for (const models::AttemptRow& row : record_.attempts) {
    const auto environment = environment_of(row.job);
    const Holding* const held = holding_at_or_after(holdings, row.job, row.number, at_);
    if (!environment || held == nullptr || !held->contains(at_)) continue;
    in_environment_[{*environment, row.pool}] += record_.jobs.specs[row.job.index].instances;
  }
}

std::uint32_t QueueSnapshot::free(policy::PoolId pool) const {
  const std::uint32_t offered = offered_[pool.index];
  return offered - std::min(offered, allocated_[pool.index]);
}

std::int64_t QueueSnapshot::most(policy::JobId job, policy::PoolId pool) const {
  return models::most_of(world_.directory, environment_of(job), pool, offered_[pool.index]);
}

std::optional<models::ShareUseRow> QueueSnapshot::share_of(policy::JobId job,
                                                           policy::PoolId pool) const {
  const auto share = terms_of(job).share;
  if (!share || !lending_) return std::nullopt;
  const auto used = used_.find(key_of(*share, pool));
  return used == used_.end() ? std::nullopt : std::optional{used->second};
}

const policy::JobTerms& QueueSnapshot::terms_of(policy::JobId job) const {
  const models::JobProfile& profile = world_.profiles[record_.jobs.specs[job.index].profile];
  return world_.directory.terms[profile.terms];
}

std::optional<policy::EnvironmentId> QueueSnapshot::environment_of(policy::JobId job) const {
  return models::environment_of(world_.directory, terms_of(job));
}

EnvironmentRoom QueueSnapshot::environment_room(policy::JobId job, policy::PoolId pool) const {
  const auto environment = environment_of(job);
  if (!environment) return {};
  const policy::EnvironmentFacts& facts = world_.directory.environments[environment->index];
  EnvironmentRoom room;
  std::int64_t used_of_all = 0;
  std::int64_t used_here = 0;
  for (const auto& [of, used] : in_environment_) {
    if (of.first != *environment) continue;
    used_of_all += used;
    if (of.second == pool) used_here = used;
  }
  if (facts.instances) room.of_instances = std::int64_t{*facts.instances} - used_of_all;
  for (const policy::CapacityLimit& limit : facts.limits) {
    if (limit.pool == pool) room.of_limit = std::int64_t{limit.instances} - used_here;
  }
  return room;
}

std::map<policy::JobId, std::int32_t> QueueSnapshot::changed_priorities() const {
  std::map<policy::JobId, std::pair<policy::Duration, std::int32_t>> newest;
  for (const models::PriorityChange& change : world_.priority_changes) {
    if (policy::later(world_.start, change.at) > at_) continue;
    const auto [known, is_new] = newest.try_emplace(change.job, change.at, change.priority);
    if (!is_new && change.at >= known->second.first) {
      known->second = {change.at, change.priority};
    }
  }
  std::map<policy::JobId, std::int32_t> priorities;
  for (const auto& [job, change] : newest) priorities.emplace(job, change.second);
  return priorities;
}

/// Of those who are placed elsewhere later: where they wait until then.
std::map<std::pair<policy::JobId, policy::AttemptNumber>, PoolId> QueueSnapshot::not_placed_yet()
    const {
  std::map<std::pair<policy::JobId, policy::AttemptNumber>, PoolId> pools;
  for (const models::PlacementRow& row : record_.placements) {
    if (row.at > at_) pools.try_emplace({row.job, row.attempt}, row.from);
  }
  return pools;
}

void QueueSnapshot::find_waiters(const Holdings& holdings) {
  const auto changed = changed_priorities();
  const auto elsewhere = not_placed_yet();
  for (const models::AttemptRow& row : record_.attempts) {
    const bool is_over = row.end <= at_ && row.reason != models::EndReason::horizon;
    if (row.requested > at_ || is_over) continue;
    const Holding* const next = holding_of_job_at_or_after(holdings, row.job, row.number, at_);
    if (next != nullptr && next->contains(at_)) continue;
    const models::JobSpec& spec = record_.jobs.specs[row.job.index];
    const auto priority = changed.find(row.job);
    Waiter& waiter = waiters_.emplace_back();
    waiter.job = row.job;
    waiter.attempt = row.number;
    const auto placed_later = elsewhere.find({row.job, row.number});
    waiter.pool = placed_later == elsewhere.end() ? row.pool : placed_later->second;
    waiter.instances = spec.instances;
    waiter.priority = priority == changed.end() ? spec.priority : priority->second;
    waiter.since = row.requested;
    if (const auto own = holdings.find({row.job, row.number}); own != holdings.end()) {
      for (const Holding& before : own->second) {
        if (before.until > at_) break;
        waiter.since = before.until;
      }
    }
    waiter.starts = next == nullptr ? policy::never : next->from;
    waiter.start_place = next == nullptr ? 0 : next->place;
    waiter.refused = newest_refusal(waiter);
    waiter.reason = reason_of(waiter);
  }
  std::stable_sort(waiters_.begin(), waiters_.end(), [&](const Waiter& a, const Waiter& b) {
    return a.pool != b.pool ? a.pool < b.pool : goes_before(a, b);
  });
}

bool QueueSnapshot::goes_before(const Waiter& a, const Waiter& b) const {
  if (!by_priority_ || a.starts != policy::never || b.starts != policy::never) {
    return std::tie(a.starts, a.start_place, a.since, a.job) <
           std::tie(b.starts, b.start_place, b.since, b.job);
  }
  const auto& specs = record_.jobs.specs;
  return std::tie(b.priority, specs[a.job.index].submit, a.job) <
         std::tie(a.priority, specs[b.job.index].submit, b.job);
}

const models::QuotaRefusalRow* QueueSnapshot::newest_refusal(const Waiter& waiter) const {
  const models::QuotaRefusalRow* newest = nullptr;
  for (const models::QuotaRefusalRow& row : record_.quota_rows) {
    const bool of_it = row.job == waiter.job && row.attempt == waiter.attempt;
    if (of_it && row.at >= waiter.since && row.at <= at_) newest = &row;
  }
  return newest;
}

WaitsFor QueueSnapshot::reason_of(const Waiter& waiter) const {
  if (free(waiter.pool) < waiter.instances) return WaitsFor::machines;
  const auto room = environment_room(waiter.job, waiter.pool).least();
  if (room && *room < std::int64_t{waiter.instances}) return WaitsFor::environment;
  const auto limit = limit_of(waiter);
  if (limit && !limit->allows(waiter.instances)) {
    return limit->of_user ? WaitsFor::user_limit : WaitsFor::quota;
  }
  if (waiter.refused != nullptr) return WaitsFor::account_quota;
  if (lending_ && !terms_of(waiter.job).share) {
    const bool fits = waiter.instances <= of_nobody(waiter.job, waiter.pool);
    return fits ? WaitsFor::turn : WaitsFor::quota;
  }
  const auto share = share_of(waiter.job, waiter.pool);
  const bool beyond = share && share->used + waiter.instances > share->quota;
  const bool lacks = beyond ? !may_borrow(waiter, *share) : lent_away(waiter) > 0;
  return lacks ? WaitsFor::quota : WaitsFor::turn;
}

std::int64_t QueueSnapshot::there_for(const Waiter& waiter) const {
  const std::int64_t there = free(waiter.pool);
  if (!lending_) return there;
  if (!terms_of(waiter.job).share) return std::min(there, of_nobody(waiter.job, waiter.pool));
  const auto share = share_of(waiter.job, waiter.pool);
  const bool borrows = share && share->used + waiter.instances > share->quota;
  if (!borrows || lending_->as_stated) return there;
  return std::min(there, idle_to_lend(share->share, waiter.pool));
}

std::int64_t QueueSnapshot::lent_away(const Waiter& waiter) const {
  const auto own = share_of(waiter.job, waiter.pool);
  if (!own || own->used + waiter.instances > own->quota) return 0;
  const std::int64_t idle = std::int64_t{own->quota} - own->used;
  std::int64_t others = 0;
  for (std::uint32_t index = 0; index < world_.directory.shares.size(); ++index) {
    const auto row = used_.find(key_of({index}, waiter.pool));
    const bool one_line = models::may_lend(world_.directory, own->share, {index});
    if (row == used_.end() || !one_line || own->share.index == index) continue;
    const std::int64_t left = std::int64_t{row->second.quota} - row->second.used;
    const bool lends = lending_->of(world_.directory.shares[index]) != policy::Sharing::reserve;
    if (left < 0 || lends) others += left;
  }
  std::int64_t there = idle + std::min<std::int64_t>(others, 0);
  if (!lending_->as_stated) there = std::max(there, idle_to_lend(own->share, waiter.pool));
  return std::max<std::int64_t>(waiter.instances - there, 0);
}

std::optional<GroupLimit> QueueSnapshot::limit_of(const Waiter& waiter) const {
  if (!limits_.any()) return std::nullopt;
  return limits_.of(waiter.job, waiter.attempt, waiter.pool,
                    deserved(terms_of(waiter.job).share, waiter.pool));
}

/// Its quota; of no share what no quota covers.  Where quotas are more than there is, its part.
std::int64_t QueueSnapshot::deserved(std::optional<policy::ShareId> share, PoolId pool) const {
  const std::int64_t there = offered_[pool.index];
  if (!share) return std::max<std::int64_t>(there - covered(pool), 0);
  std::int64_t own = 0;
  std::int64_t of_all = 0;
  for (std::uint32_t index = 0; index < world_.directory.shares.size(); ++index) {
    const auto row = used_.find(key_of({index}, pool));
    if (row == used_.end()) continue;
    if (!models::may_lend(world_.directory, *share, {index})) continue;
    of_all += row->second.quota;
    if (share->index == index) own = row->second.quota;
  }
  return limits_.scales_quotas() && of_all > there ? own * there / of_all : own;
}

std::int64_t QueueSnapshot::quota(policy::ShareId share, PoolId pool) const {
  const auto row = used_.find(key_of(share, pool));
  return row == used_.end() ? 0 : row->second.quota;
}

std::int64_t QueueSnapshot::covered(PoolId pool) const {
  return models::covered(world_.directory, pool, offered_[pool.index],
                         [&](policy::ShareId share) { return quota(share, pool); });
}

std::int64_t QueueSnapshot::of_nobody(policy::JobId job, PoolId pool) const {
  const policy::Directory& directory = world_.directory;
  const auto environment = environment_of(job);
  const std::int64_t there = offered_[pool.index];
  std::int64_t left = there - covered(pool) - allocated_[pool.index];
  std::int64_t here = models::left_in(directory, environment, pool, there,
                                      [&](policy::ShareId share) { return quota(share, pool); }) -
                      (environment ? had_by(*environment, pool) : allocated_[pool.index]);
  for (std::uint32_t index = 0; index < directory.shares.size(); ++index) {
    const auto row = used_.find(key_of({index}, pool));
    if (row == used_.end()) continue;
    left += row->second.used;
    const policy::QueueFacts& queue = directory.queues[directory.shares[index].queue.index];
    if (!environment || queue.environment == environment) here += row->second.used;
  }
  return std::min(left, here);
}

/// Whether the instances that it needs beyond its share's quota are available, whatever its turn.
bool QueueSnapshot::may_borrow(const Waiter& waiter, const models::ShareUseRow& share) const {
  const policy::ShareFacts& facts = world_.directory.shares[share.share.index];
  if (lending_->of(facts) != policy::Sharing::lend_and_borrow) return false;
  const std::int64_t own = share.quota;
  const std::int64_t beyond = std::int64_t{share.used} + waiter.instances - own;
  const std::int32_t pct = facts.borrow_limit_pct;
  if (pct >= 0 && beyond > own * pct / 100) return false;
  const std::int64_t wants = waiter.instances;
  const std::int64_t more = lending_->as_stated ? std::min(beyond, wants) : wants;
  return more <= idle_to_lend(share.share, waiter.pool);
}

/// What the share may borrow of the pool besides what it has borrowed; where all lend, with what is
/// idle of its own.
std::int64_t QueueSnapshot::idle_to_lend(policy::ShareId share, policy::PoolId pool) const {
  std::int64_t lent = 0;
  std::map<std::optional<policy::EnvironmentId>, std::int64_t> kept;  // for who may not lend to it
  for (std::uint32_t index = 0; index < world_.directory.shares.size(); ++index) {
    const auto row = used_.find(key_of({index}, pool));
    if (row == used_.end()) continue;
    const std::int64_t idle = std::int64_t{row->second.quota} - row->second.used;
    const bool lends =
        lending_->of(world_.directory.shares[index]) != policy::Sharing::reserve || idle < 0;
    if (!models::may_lend(world_.directory, share, {index})) {
      const policy::QueueId queue = world_.directory.shares[index].queue;
      kept[world_.directory.queues[queue.index].environment] += std::max<std::int64_t>(idle, 0);
    } else if (lends && !(index == share.index && idle > 0)) {
      lent += idle;
    }
  }
  if (lending_->as_stated) return lent;
  std::int64_t left = free(pool);
  for (const auto& [environment, idle] : kept) left -= std::min(idle, room_of(environment, pool));
  const policy::QueueId queue = world_.directory.shares[share.index].queue;
  const auto own = world_.directory.queues[queue.index].environment;
  return std::min(left, room_of(own, pool) - (kept.contains(own) ? kept.at(own) : 0));
}

/// How many more of the pool jobs of the environment may have; of none, as many as there are.
std::int64_t QueueSnapshot::room_of(std::optional<policy::EnvironmentId> environment,
                                    policy::PoolId pool) const {
  const std::int64_t most =
      models::most_of(world_.directory, environment, pool, offered_[pool.index]);
  const std::int64_t had = environment ? had_by(*environment, pool) : 0;
  return std::max<std::int64_t>(most - had, 0);
}

std::int64_t QueueSnapshot::had_by(policy::EnvironmentId environment, policy::PoolId pool) const {
  const auto used = in_environment_.find({environment, pool});
  return used == in_environment_.end() ? 0 : used->second;
}

}  // namespace reeve::experiments
