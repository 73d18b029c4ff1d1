#include "gavel_demands.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "max_min_lp.hpp"

namespace reeve::policies {

using namespace policy;

namespace {

constexpr std::int64_t millionths = 1'000'000;  ///< of a job's time

}  // namespace

GavelDemands::Entry& GavelDemands::add(JobKind kind) {
  const auto [known, is_new] = demands_.try_emplace(std::move(kind));
  if (is_new) {
    known->second.id = demands_.size() - 1;
    const auto& speeds = known->first.speeds;
    known->second.share.resize(speeds.size());
    known->second.due.resize(speeds.size());
    std::set<PoolId> all{pools_.begin(), pools_.end()};
    for (const auto& [pool, speed] : speeds) all.insert(pool);
    pools_.assign(all.begin(), all.end());
  }
  ++known->second.jobs;
  is_stale_ = true;
  return *known;
}

bool GavelDemands::any_may_move() const {
  return std::any_of(demands_.begin(), demands_.end(), [](const Entry& each) {
    return each.second.jobs > 0 && each.first.speeds.size() > 1;
  });
}

std::size_t GavelDemands::place_of(PoolId pool) const {
  const auto at = std::lower_bound(pools_.begin(), pools_.end(), pool);
  return static_cast<std::size_t>(at - pools_.begin());
}

void GavelDemands::count_due(Instant now) {
  if (counted_ == Instant::min()) counted_ = now;
  const std::int64_t passed = whole_ms(now - counted_);
  if (passed <= 0) return;
  counted_ += std::chrono::milliseconds{passed};
  for (auto& [kind, demand] : demands_) {
    // Who comes when none of its kind is there is due nothing before the next round.
    if (demand.jobs == 0) std::fill(demand.share.begin(), demand.share.end(), 0);
    for (std::size_t place = 0; place < demand.due.size(); ++place) {
      demand.due[place] += demand.share[place] * passed;
    }
  }
}

/// For each place in `pools_` the first pool of its group.  Jobs can move, directly or through
/// other pools, only within a group, so each group has a linear program of its own.
std::vector<std::size_t> GavelDemands::groups_of_pools() const {
  std::vector<std::size_t> group(pools_.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto joins = [&](const JobKind& kind) {
    std::size_t first = pools_.size();
    for (const auto& [pool, speed] : kind.speeds) first = std::min(first, group[place_of(pool)]);
    bool is_new = false;
    for (const auto& [pool, speed] : kind.speeds) {
      is_new |= std::exchange(group[place_of(pool)], first) != first;
    }
    return is_new;
  };
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const auto& [kind, demand] : demands_) goes_on |= demand.jobs > 0 && joins(kind);
  }
  return group;
}

void GavelDemands::solve(const Turn& turn) {
  if (!is_stale_) return;
  const std::vector<std::size_t> group = groups_of_pools();
  std::map<std::size_t, std::vector<Entry*>> apart;
  for (auto& each : demands_) {
    std::fill(each.second.share.begin(), each.second.share.end(), 0);
    if (each.second.jobs == 0) continue;
    apart[group[place_of(each.first.speeds.front().first)]].push_back(&each);
  }
  for (const auto& [first, kinds] : apart) {
    std::vector<PoolId> pools;
    for (std::size_t place = 0; place < pools_.size(); ++place) {
      if (group[place] == first) pools.push_back(pools_[place]);
    }
    solve(kinds, pools, turn);
  }
  is_stale_ = false;
}

/// Of these pools alone: of many solutions that are as good, the one that is found is not to depend
/// on any other.
void GavelDemands::solve(const std::vector<Entry*>& kinds, const std::vector<PoolId>& pools,
                         const Turn& turn) {
  const auto column_of = [&](PoolId pool) {
    return static_cast<std::size_t>(std::lower_bound(pools.begin(), pools.end(), pool) -
                                    pools.begin());
  };
  std::vector<double> capacity;
  for (const PoolId pool : pools) {
    capacity.push_back(static_cast<double>(std::max<std::int64_t>(turn.own_and_free(pool), 0)));
  }
  std::vector<TimeClaim> claims;
  for (const Entry* each : kinds) {
    TimeClaim claim{.instances = static_cast<double>(each->first.instances),
                    .count = static_cast<double>(each->second.jobs)};
    claim.speeds.resize(capacity.size());
    for (const auto& [pool, speed] : each->first.speeds) claim.speeds[column_of(pool)] = speed;
    claims.push_back(std::move(claim));
  }
  const TimeShares shares = max_min_time(claims, capacity);
  for (std::size_t claim = 0; claim < claims.size(); ++claim) {
    auto& [kind, demand] = *kinds[claim];
    for (std::size_t place = 0; place < kind.speeds.size(); ++place) {
      const double fraction = shares.fractions[claim][column_of(kind.speeds[place].first)];
      demand.share[place] = std::llround(fraction * millionths);
    }
  }
}

}  // namespace reeve::policies
