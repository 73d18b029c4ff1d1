// Highest Gittins index first, by trying every quantum.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tests/rules/schedule/oracles/in_order.hpp"

namespace reeve::tests::oracle {

/// J. C. Gittins, "Bandit processes and dynamic allocation indices" (1979), as in Tiresias (NSDI
/// 2019), §3.3: the index of a job that had `a` is the most, over quanta d, of
/// P(S - a <= d | S > a) / E[min(S - a, d) | S > a], where S is each of `lengths` (machines × time)
/// with equal chance.  Who started first goes first among equals.
class HighestGittins final : public Order {
 public:
  explicit HighestGittins(std::vector<Tick> lengths) : lengths_{std::move(lengths)} {}

  Moves decide(const State& state) override {
    const Rank by_index = [this](const State& seen, std::size_t job) {
      const auto started = first_start_.find(job);
      return Place{cost(seen, job), started == first_start_.end() ? never : started->second,
                   seen.job(job).submit};
    };
    const Moves moves = Preempting{by_index}.decide(state);
    for (const std::size_t job : moves.start) first_start_.try_emplace(job, state.now);
    return moves;
  }

  Tick next_change(const State& state) override {
    Tick next = never;
    for (const std::size_t job : state.running) {
      const Tick size = state.job(job).needs.front();
      for (const Tick length : lengths_) {
        const Tick lacks = length - state.worked(job) * size;
        if (lacks > 0) next = std::min(next, state.now + (lacks + size - 1) / size);
      }
    }
    return next;
  }

 private:
  /// 1/index, 840 times: whole for up to 8 lengths.
  Tick cost(const State& state, std::size_t job) const {
    const Tick had = state.worked(job) * state.job(job).needs.front();
    Tick least = never;
    for (const Tick quantum : lengths_) {
      Tick ends = 0;
      Tick spent = 0;
      for (const Tick length : lengths_) {
        if (length <= had) continue;
        if (length <= quantum) ++ends;
        spent += std::min(length, quantum) - had;
      }
      if (quantum > had && ends > 0) least = std::min(least, spent * 840 / ends);
    }
    return least;
  }

  std::vector<Tick> lengths_;
  std::map<std::size_t, Tick> first_start_;
};

}  // namespace reeve::tests::oracle
