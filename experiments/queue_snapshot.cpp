#include "experiments/queue_snapshot.hpp"

#include <array>
#include <tuple>

namespace reeve::experiments {
namespace {

using policy::Instant;

std::uint64_t key_of(policy::ShareId share, policy::PoolId pool) {
  return std::uint64_t{pool.index} << 32 | share.index;
}

/// Whether the event says that its attempt has machines.
bool has_machines(const models::EventRow& event) {
  const bool waits =
      event.primary == policy::Primary::queued || event.secondary == policy::Secondary::pending;
  return !waits && !event.duplicate && !policy::is_terminal(event.primary);
}

}  // namespace

Starts starts_of(const models::Record& record) {
  Starts starts;
  for (const models::EventRow& event : record.events) {
    if (!has_machines(event)) continue;
    const auto [known, is_new] = starts.try_emplace({event.job, event.attempt}, event.at);
    if (!is_new) known->second = std::min(known->second, event.at);
  }
  return starts;
}

std::string_view name(WaitsFor reason) {
  static constexpr std::array<std::string_view, 4> names{"machines", "environment", "quota",
                                                         "turn"};
  return names[static_cast<std::size_t>(reason)];
}

QueueSnapshot::QueueSnapshot(const models::World& world, const models::Record& record,
                             const Starts& starts, Instant at)
    : world_{world}, record_{record}, at_{at}, allocated_(world.pools.size()) {
  for (const models::UtilizationRow& row : record.utilization) {
    if (row.at <= at) allocated_[row.pool.index] = row.allocated;
  }
  for (const models::ShareUseRow& row : record.share_use) {
    if (row.at <= at) used_.insert_or_assign(key_of(row.share, row.pool), row);
  }
  if (!world.directory.environments.empty()) find_used(starts);
  find_waiters(starts);
}

void QueueSnapshot::find_used(const Starts& starts) {
  for (const models::AttemptRow& row : record_.attempts) {
    const auto environment = environment_of(row.job);
    const auto start = starts.find({row.job, row.number});
    if (!environment || start == starts.end()) continue;
    if (start->second > at_ || row.end <= at_) continue;
    in_environment_[{*environment, row.pool}] += record_.jobs.specs[row.job.index].instances;
  }
}

std::uint32_t QueueSnapshot::free(policy::PoolId pool) const {
  const std::uint32_t capacity = world_.pools[pool.index].capacity;
  return capacity - std::min(capacity, allocated_[pool.index]);
}

std::optional<models::ShareUseRow> QueueSnapshot::share_of(policy::JobId job,
                                                           policy::PoolId pool) const {
  const auto share = terms_of(job).share;
  if (!share) return std::nullopt;
  const auto used = used_.find(key_of(*share, pool));
  return used == used_.end() ? std::nullopt : std::optional{used->second};
}

const policy::JobTerms& QueueSnapshot::terms_of(policy::JobId job) const {
  const models::JobProfile& profile = world_.profiles[record_.jobs.specs[job.index].profile];
  return world_.directory.terms[profile.terms];
}

std::optional<policy::EnvironmentId> QueueSnapshot::environment_of(policy::JobId job) const {
  const auto queue = terms_of(job).queue;
  return queue ? world_.directory.queues[queue->index].environment : std::nullopt;
}

std::optional<std::int64_t> QueueSnapshot::environment_room(policy::JobId job,
                                                            policy::PoolId pool) const {
  const auto environment = environment_of(job);
  if (!environment) return std::nullopt;
  const policy::EnvironmentFacts& facts = world_.directory.environments[environment->index];
  std::optional<std::int64_t> room;
  std::int64_t used_of_all = 0;
  std::int64_t used_here = 0;
  for (const auto& [of, used] : in_environment_) {
    if (of.first != *environment) continue;
    used_of_all += used;
    if (of.second == pool) used_here = used;
  }
  if (facts.instances) room = std::int64_t{*facts.instances} - used_of_all;
  for (const policy::CapacityLimit& limit : facts.limits) {
    const std::int64_t left = std::int64_t{limit.instances} - used_here;
    if (limit.pool == pool) room = std::min(room.value_or(left), left);
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

void QueueSnapshot::find_waiters(const Starts& starts) {
  const auto changed = changed_priorities();
  for (const models::AttemptRow& row : record_.attempts) {
    const auto found = starts.find({row.job, row.number});
    const Instant start = found == starts.end() ? policy::never : found->second;
    const bool is_over =
        start == policy::never && row.end <= at_ && row.reason != models::EndReason::horizon;
    if (row.requested > at_ || start <= at_ || is_over) continue;
    const models::JobSpec& spec = record_.jobs.specs[row.job.index];
    const auto priority = changed.find(row.job);
    Waiter& waiter = waiters_.emplace_back();
    waiter.job = row.job;
    waiter.attempt = row.number;
    waiter.pool = row.pool;
    waiter.instances = spec.instances;
    waiter.priority = priority == changed.end() ? spec.priority : priority->second;
    waiter.since = row.requested;
    waiter.starts = start;
    waiter.reason = reason_of(waiter);
  }
  std::stable_sort(waiters_.begin(), waiters_.end(), [](const Waiter& a, const Waiter& b) {
    return std::tie(a.pool, a.starts, a.since, a.job) < std::tie(b.pool, b.starts, b.since, b.job);
  });
}

WaitsFor QueueSnapshot::reason_of(const Waiter& waiter) const {
  if (free(waiter.pool) < waiter.instances) return WaitsFor::machines;
  const auto room = environment_room(waiter.job, waiter.pool);
  if (room && *room < std::int64_t{waiter.instances}) return WaitsFor::environment;
  const auto share = share_of(waiter.job, waiter.pool);
  const bool beyond = share && share->used + waiter.instances > share->quota;
  return beyond ? WaitsFor::quota : WaitsFor::turn;
}

}  // namespace reeve::experiments
