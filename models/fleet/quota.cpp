// Who may have machines of a type at all, and how long an attempt may wait for them.
#include <algorithm>
#include <reeve/policy/failure_reason.hpp>

#include "models/failure_reason.hpp"
#include "models/fleet/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;

namespace {

QuotaFamily family_of(Market market) {
  return market == Market::spot ? QuotaFamily::spot : QuotaFamily::training;
}

std::size_t place_of(const Pool& pool, QuotaFamily family) {
  return pool.type.index * quota_family_count + static_cast<std::size_t>(family);
}

}  // namespace

/// The quota that does not let the job have its machines.  Those that are reserved already ask for
/// nobody's leave; those of a warm pool that the job takes over are counted already.
std::optional<Fleet::QuotaUse> Fleet::exhausted(policy::JobId job, policy::PoolId id) const {
  const Pool& pool = core_.world.pools[id.index];
  if (policy::is_reserved(pool.market)) return std::nullopt;
  const bool keeps = core_.profile(job).keep_alive > Duration{0};
  for (const InstanceQuota& of : core_.world.platform.quotas) {
    if (of.type != pool.type) continue;
    for (const QuotaFamily family : {family_of(pool.market), QuotaFamily::warm_pool}) {
      const auto& limit = of.instances[static_cast<std::size_t>(family)];
      const bool warm = family == QuotaFamily::warm_pool;
      if (!limit || (warm && !keeps)) continue;
      const std::uint32_t more = core_.spec(job).instances;
      const std::uint32_t taken_over = warm && warm_for(job, id) ? more : 0;
      const std::uint64_t used = quota_used_[place_of(pool, family)] - taken_over;
      if (used + more > *limit) return QuotaUse{family, used, *limit};
    }
  }
  return std::nullopt;
}

/// From CreateTrainingJob to the end of the attempt, Pending and Interrupted included.
void Fleet::count_in_quota(policy::JobId job) {
  JobTruth& truth = core_.truth[job.index];
  const Pool& pool = core_.world.pools[truth.pool.index];
  if (core_.world.platform.quotas.empty() || policy::is_reserved(pool.market)) return;
  truth.in_quota = true;
  quota_used_[place_of(pool, family_of(pool.market))] += core_.spec(job).instances;
  if (core_.profile(job).keep_alive > Duration{0}) {
    quota_used_[place_of(pool, QuotaFamily::warm_pool)] += core_.spec(job).instances;
  }
}

void Fleet::leave_quota(policy::JobId job) {
  JobTruth& truth = core_.truth[job.index];
  if (!truth.in_quota) return;
  truth.in_quota = false;
  const Pool& pool = core_.world.pools[truth.pool.index];
  quota_used_[place_of(pool, family_of(pool.market))] -= core_.spec(job).instances;
  if (core_.profile(job).keep_alive > Duration{0}) {
    quota_used_[place_of(pool, QuotaFamily::warm_pool)] -= core_.spec(job).instances;
  }
}

/// A call that the account's quota refuses.
void Fleet::note_quota(policy::JobId job, policy::AttemptNumber attempt, policy::PoolId pool) {
  ++core_.record.quota_refusals;
  if (!core_.keep.events) return;
  const QuotaUse use = exhausted(job, pool).value();
  core_.record.quota_rows.push_back(
      {core_.now, job, attempt, pool, use.family, use.used, use.limit});
}

/// A warm pool that nobody uses.
void Fleet::count_warm(const Holding& machines, bool more) {
  const Pool& pool = core_.world.pools[machines.pool.index];
  if (core_.world.platform.quotas.empty() || policy::is_reserved(pool.market)) return;
  std::uint64_t& used = quota_used_[place_of(pool, QuotaFamily::warm_pool)];
  used = more ? used + machines.instances : used - machines.instances;
}

/// MaxPendingTime.  It does not count while a training plan waits for its next window.
Instant Fleet::pending_limit(policy::JobId job, Instant since) const {
  const std::vector<TimeSpan>& windows =
      core_.world.pools[core_.truth[job.index].pool.index].windows;
  Duration left = core_.profile(job).max_pending;
  if (windows.empty()) return policy::later(since, left);
  for (const auto& [from, until] : windows) {
    const Instant begins = std::max(since, policy::later(core_.world.start, from));
    const Instant ends = policy::later(core_.world.start, until);
    if (ends <= begins) continue;
    if (ends - begins >= left) return begins + left;
    left -= ends - begins;
  }
  return policy::never;
}

void Fleet::expect_pending_over(policy::JobId job, Instant since) {
  if (core_.profile(job).max_pending == Duration::max()) return;
  core_.push(std::max(core_.now, pending_limit(job, since)), sim::Phase::world,
             EventKind::wait_is_over, job.index, core_.truth[job.index].attempts);
}

/// Why an attempt failed, as DescribeTrainingJob or, where it never began, CreateTrainingJob says.
std::string Fleet::failure_reason(const policy::JobChanged& change) const {
  if (over_limit_.contains({change.job, change.attempt})) {
    return std::string{policy::runnable_limit_reason};
  }
  if (core_.world.platform.model != PlatformModel::sagemaker_training) {
    return failure_words(change.failure);
  }
  if (change.failure == policy::FailureClass::quota) {
    const policy::PoolId pool = core_.truth[change.job.index].pool;
    const std::string& type =
        core_.world.directory.types[core_.world.pools[pool.index].type.index].name;
    if (const auto use = exhausted(change.job, pool)) {
      return quota_message(type, use->family, use->limit, use->used,
                           core_.spec(change.job).instances);
    }
  }
  const auto cause = sim::Cause::failure_text;
  return models::failure_reason(change.failure,
                                core_.uniform(cause, change.job.index, change.attempt) <= 0.5);
}

}  // namespace reeve::models
