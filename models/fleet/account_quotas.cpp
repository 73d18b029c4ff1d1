#include "models/fleet/account_quotas.hpp"

#include <algorithm>

namespace reeve::models {

namespace {

QuotaFamily family_of(Market market) {
  return market == Market::spot ? QuotaFamily::spot : QuotaFamily::training;
}

std::size_t place_of(const Pool& pool, QuotaFamily family) {
  return pool.type.index * quota_family_count + static_cast<std::size_t>(family);
}

}  // namespace

AccountQuotas::AccountQuotas(FleetCore& core, const SpareInstances& spares)
    : core_{core}, spares_{spares}, used_(core.world.directory.types.size() * quota_family_count) {}

std::optional<AccountQuotas::Use> AccountQuotas::exhausted(policy::JobId job,
                                                           policy::PoolId id) const {
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
      const std::uint32_t taken_over = warm && spares_.warm_for(job, id) ? more : 0;
      const std::uint64_t used = used_[place_of(pool, family)] - taken_over;
      if (used + more > *limit) return Use{family, used, *limit};
    }
  }
  return std::nullopt;
}

bool AccountQuotas::ever_fits(policy::JobId job, policy::PoolId id) const {
  const Pool& pool = core_.world.pools[id.index];
  if (policy::is_reserved(pool.market)) return true;
  const auto family = static_cast<std::size_t>(family_of(pool.market));
  const auto& quotas = core_.world.platform.quotas;
  return std::none_of(quotas.begin(), quotas.end(), [&](const InstanceQuota& of) {
    const auto& limit = of.instances[family];
    return of.type == pool.type && limit && core_.spec(job).instances > *limit;
  });
}

void AccountQuotas::count(policy::JobId job) {
  JobTruth& truth = core_.truth[job.index];
  const Pool& pool = core_.world.pools[truth.pool.index];
  if (core_.world.platform.quotas.empty() || policy::is_reserved(pool.market)) return;
  truth.in_quota = true;
  used_[place_of(pool, family_of(pool.market))] += core_.spec(job).instances;
  if (core_.profile(job).keep_alive > Duration{0}) {
    used_[place_of(pool, QuotaFamily::warm_pool)] += core_.spec(job).instances;
  }
}

void AccountQuotas::leave(policy::JobId job) {
  JobTruth& truth = core_.truth[job.index];
  if (!truth.in_quota) return;
  truth.in_quota = false;
  const Pool& pool = core_.world.pools[truth.pool.index];
  used_[place_of(pool, family_of(pool.market))] -= core_.spec(job).instances;
  if (core_.profile(job).keep_alive > Duration{0}) {
    used_[place_of(pool, QuotaFamily::warm_pool)] -= core_.spec(job).instances;
  }
}

void AccountQuotas::note_refusal(policy::JobId job, policy::AttemptNumber attempt,
                                 policy::PoolId pool) {
  ++core_.record.quota_refusals;
  if (!core_.keep.events) return;
  const Use use = exhausted(job, pool).value();
  core_.record.quota_rows.push_back(
      {core_.now, job, attempt, pool, use.family, use.used, use.limit});
}

void AccountQuotas::count_warm(const Holding& machines, bool more) {
  const Pool& pool = core_.world.pools[machines.pool.index];
  if (core_.world.platform.quotas.empty() || policy::is_reserved(pool.market)) return;
  std::uint64_t& used = used_[place_of(pool, QuotaFamily::warm_pool)];
  used = more ? used + machines.instances : used - machines.instances;
}

}  // namespace reeve::models
