// Themis as a stand-in: in each auction all sets of those who bid are tried.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/rules/schedule/oracles/queue_oracle.hpp"

namespace reeve::tests::oracle {

/// K. Mahajan et al., "Themis: Fair and Efficient GPU Cluster Scheduling" (NSDI 2020), §4 and §5,
/// for gangs of a fixed size on one pool.
class Themis final : public Order {
 public:
  /// `since_round`: how long before tick 0 all leases ended.
  Themis(Tick lease, Tick since_round, std::int64_t fairness_pct)
      : lease_{lease}, since_round_{since_round}, fairness_pct_{fairness_pct} {}

  Moves decide(const State& state) override {
    std::vector<std::size_t> wanting = state.waiting;
    std::int64_t machines = state.free.front();
    for (const std::size_t job : state.running) {
      if (state.since[job] == state.now || (state.now + since_round_) % lease_ != 0) continue;
      wanting.push_back(job);
      machines += state.job(job).needs.front();
    }
    if (state.waiting.empty() || machines <= 0) return {};
    std::sort(wanting.begin(), wanting.end(),
              [&](std::size_t a, std::size_t b) { return is_worse_off(state, a, b); });
    const std::vector<bool> wins = auction(state, wanting, machines);
    Moves moves;
    for (std::size_t place = 0; place < wanting.size(); ++place) {
      if (wins[place] && !state.runs(wanting[place])) moves.start.push_back(wanting[place]);
    }
    if (moves.start.empty()) return {};
    for (std::size_t place = 0; place < wanting.size(); ++place) {
      if (!wins[place] && state.runs(wanting[place])) moves.stop.push_back(wanting[place]);
    }
    return moves;
  }

  Tick next_change(const State& state) override {
    if (state.running.empty()) return never;
    return state.now + lease_ - (state.now + since_round_) % lease_;
  }

 private:
  static Tick shared(const State& state, std::size_t job) {
    const Tick left = std::max<Tick>(state.job(job).estimated() - state.worked(job), 0);
    return state.now - state.job(job).submit + left;
  }
  static Tick independent(const State& state, std::size_t job) {
    const auto count = static_cast<Tick>(state.waiting.size() + state.running.size());
    return state.job(job).estimated() *
           std::max(state.job(job).needs.front() * count, state.capacity.front());
  }
  static bool is_worse_off(const State& state, std::size_t a, std::size_t b) {
    const Tick of_a = shared(state, a) * independent(state, b);
    const Tick of_b = shared(state, b) * independent(state, a);
    if (of_a != of_b) return of_a > of_b;
    return std::pair{state.job(a).submit, a} < std::pair{state.job(b).submit, b};
  }

  /// Of all sets of bidders the best; of equal ones that with the first in which they differ.
  std::vector<bool> auction(const State& state, const std::vector<std::size_t>& wanting,
                            std::int64_t machines) const {
    const std::size_t all = wanting.size();
    const auto part = static_cast<std::size_t>(100 - fairness_pct_);
    const std::size_t bidders = std::min(std::max<std::size_t>((all * part + 99) / 100, 1), all);
    std::int64_t most = -1;
    std::size_t best = 0;
    for (std::size_t set = 0; set < (std::size_t{1} << bidders); ++set) {
      std::int64_t gain = 0;
      std::int64_t size = 0;
      for (std::size_t place = 0; place < bidders; ++place) {
        if ((set >> (bidders - 1 - place) & 1U) == 0) continue;
        size += state.job(wanting[place]).needs.front();
        const auto whole = static_cast<double>(std::max<Tick>(shared(state, wanting[place]), 1));
        gain += std::llround(1e9 * std::log1p(static_cast<double>(lease_) / whole));
      }
      if (size > machines || gain < most) continue;
      most = gain;
      best = set;
    }
    std::vector<bool> wins(all);
    for (std::size_t place = 0; place < bidders; ++place) {
      if ((best >> (bidders - 1 - place) & 1U) == 0) continue;
      wins[place] = true;
      machines -= state.job(wanting[place]).needs.front();
    }
    for (std::size_t place = 0; place < all; ++place) {
      const std::int64_t size = state.job(wanting[place]).needs.front();
      if (wins[place] || size > machines) continue;
      wins[place] = true;
      machines -= size;
    }
    return wins;
  }

  Tick lease_;
  Tick since_round_;
  std::int64_t fairness_pct_;
};

}  // namespace reeve::tests::oracle
