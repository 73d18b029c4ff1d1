#include "models/fleet/spot_market.hpp"

#include <algorithm>
#include <tuple>

namespace reeve::models {

using policy::Instant;

void SpotMarket::open(policy::PoolId id) {
  const Pool& facts = core_.world.pools[id.index];
  PoolTruth& pool = pools_[id];
  if (facts.end_warning > Duration{0}) expect_warnings(id);
  if (!offers_change(facts)) return;
  pool.market.emplace(core_.world, core_.replication, id);
  pool.offered = pool.market->offered();
  expect_turn(id);
  if (facts.market != Market::spot || foresight() == Duration{0}) return;
  pool.ahead = pool.market;
  expect_sight(id);
}

/// The market moves when everything else of the instant has happened: work that ends just then is
/// done.
void SpotMarket::expect_turn(policy::PoolId id) {
  PoolTruth& pool = pools_[id];
  pool.turns = policy::later(core_.world.start, pool.market->next_at());
  if (pool.turns == policy::never) return;
  ++core_.turns_pending;
  core_.push(pool.turns, sim::Phase::telemetry, EventKind::market_turns, id.index, 0);
}

void SpotMarket::turn(policy::PoolId id) {
  PoolTruth& pool = pools_[id];
  --core_.turns_pending;
  pools_.pass_time(id);
  pool.offered = pool.market->next_offered();
  pool.market->advance();
  expect_turn(id);
}

Duration SpotMarket::foresight() const {
  const Rebalance& rebalance = core_.world.platform.unmanaged.rebalance;
  const Duration ahead = rebalance.probability > 0 ? rebalance.lead : Duration{0};
  return core_.world.platform.notice.lead + ahead;
}

void SpotMarket::expect_sight(policy::PoolId id) {
  const Instant next = policy::later(core_.world.start, pools_[id].ahead->next_at());
  if (next == policy::never) return;
  ++core_.turns_pending;
  core_.push(std::max(core_.now, next - foresight()), sim::Phase::telemetry,
             EventKind::market_is_seen, id.index, 0);
}

void SpotMarket::see(policy::PoolId id) {
  PoolTruth& pool = pools_[id];
  --core_.turns_pending;
  Foreseen change{.at = policy::later(core_.world.start, pool.ahead->next_at()),
                  .offered = pool.ahead->next_offered()};
  // All that was chosen so far goes before it; but what goes by the clock has times of its own.
  change.held = pool.counted_later;
  if (core_.world.pools[id.index].reclaim) [[unlikely]] {
    change.held = 0;
    for (const auto& [launch, held] : pool.counted) change.held += left_at(held, change.at);
  }
  pool.foreseen.push_back(change);
  pool.ahead->advance();
  choose_losers(id, change);
  expect_sight(id);
}

/// Orphaned instances of ended jobs are lost first, and no event tells of it.
void SpotMarket::choose_losers(policy::PoolId id, const Foreseen& change) {
  const std::int64_t need = change.held - change.offered;
  if (need <= 0) return;
  for (const Loser& loser : victims(id, need, change.at)) {
    foresee(core_.running[loser.slot], change.at, loser.instances);
  }
}

std::vector<Loser> SpotMarket::victims(policy::PoolId id, std::int64_t need, Instant at) const {
  const PoolTruth& pool = pools_[id];
  const ReclaimOrder order = core_.world.pools[id.index].reclaim_order;
  struct Candidate {
    bool ending;
    std::int64_t time;
    double draw;
    std::uint32_t job;
    Slot slot;
    std::uint32_t instances;
    auto key() const { return std::tie(ending, time, draw, job); }
  };
  std::vector<Candidate> candidates;
  for (const auto& [nth, slot] : pool.holders) {
    const Running& run = core_.running[slot];
    const std::int64_t left = run.launch ? left_at(run, at) : run.instances;
    if (left == 0) continue;
    Candidate candidate{run.stage > Stage::away, 0,    0,
                        run.job.index,           slot, static_cast<std::uint32_t>(left)};
    if (order == ReclaimOrder::random) {
      candidate.draw = core_.uniform(sim::Cause::reclaim_victim, run.job.index, launch_of(run));
    } else {
      candidate.time = run.launched.time_since_epoch().count();
      if (order == ReclaimOrder::newest) candidate.time = -candidate.time;
    }
    candidates.push_back(candidate);
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.key() < b.key(); });
  std::vector<Loser> chosen;
  for (const Candidate& candidate : candidates) {
    if (need <= 0) break;
    chosen.push_back({candidate.slot, candidate.instances});
    need -= chosen.back().instances;
  }
  for (std::size_t left = chosen.size(); left-- > 0;) {  // a later gang may have been enough
    const std::int64_t size = chosen[left].instances;
    if (need + size > 0) continue;
    need += size;
    chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(left));
  }
  for (Loser& loser : chosen) {  // each is larger than what is too many
    const auto enough = static_cast<std::uint32_t>(loser.instances + need);
    if (need == 0 || !could_go_on(core_.running[loser.slot], enough, loser.instances)) continue;
    loser.instances = enough;
    need = 0;
  }
  return chosen;
}

std::vector<Slot> SpotMarket::take_foreseen(policy::PoolId id) {
  PoolTruth& pool = pools_[id];
  while (!pool.foreseen.empty() && pool.foreseen.front().at <= core_.now) pool.foreseen.pop_front();
  std::vector<std::uint32_t> launches;
  for (const auto& [loss, launch] : pool.leaving) {
    if (loss > core_.now) break;
    launches.push_back(launch);
  }
  std::sort(launches.begin(), launches.end());
  std::vector<Slot> lost;
  for (const std::uint32_t launch : launches) lost.push_back(pool.holders.at(launch));
  return lost;
}

bool SpotMarket::could_go_on(const Running& run, std::uint32_t lost, std::uint32_t of) const {
  const Elastic* elastic = core_.profile(run.job).elastic.get();
  return elastic != nullptr && lost > 0 && lost < of && of - lost >= elastic->min;
}

Instant SpotMarket::reclaim_of(const Running& run) const {
  const auto& reclaim = core_.world.pools[run.pool.index].reclaim;
  if (!reclaim || run.stage >= Stage::away) return policy::never;
  return policy::later(run.launched, reclaim->every);
}

}  // namespace reeve::models
