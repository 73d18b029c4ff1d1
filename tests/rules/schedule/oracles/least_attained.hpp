// Tiresias' discretised two-dimensional least attained service: who had least goes first.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "tests/rules/schedule/oracles/in_order.hpp"

namespace reeve::tests::oracle {

/// J. Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning" (NSDI 2019),
/// §3.2: attained service is machines × time; queue k holds those who attained `limits[k - 1]` or
/// more and less than `limits[k]`; in a queue who started first is first, and who fits holds
/// machines.  Whoever waited `promote_after` times as long as it ran begins anew in the first
/// queue (below 0: nobody does; as `solve_starvation` in their simulator/run_sim.py).
class LeastAttained final : public Order {
 public:
  explicit LeastAttained(std::vector<Tick> limits, Tick promote_after = -1)
      : limits_{std::move(limits)}, promote_after_{promote_after} {}

  Moves decide(const State& state) override {
    for (const std::size_t job : state.waiting) promote(state, job);
    const Rank by_queue = [this](const State& seen, std::size_t job) {
      const auto started = first_start_.find(job);
      return Place{queue(seen, job), started == first_start_.end() ? never : started->second,
                   seen.job(job).submit};
    };
    const Moves moves = Preempting{by_queue}.decide(state);
    for (const std::size_t job : moves.start) first_start_.try_emplace(job, state.now);
    for (const std::size_t job : moves.stop) waits_since_[job] = state.now;
    return moves;
  }

  Tick next_change(const State& state) override {
    Tick next = never;
    for (const std::size_t job : state.running) {
      const auto of = static_cast<std::size_t>(queue(state, job));
      if (of == limits_.size()) continue;
      const Tick size = state.job(job).needs.front();
      const Tick lacks = limits_[of] - executed(state, job) * size;
      next = std::min(next, state.now + (lacks + size - 1) / size);
    }
    for (const std::size_t job : state.waiting) {
      if (may_be_promoted(state, job)) {
        next = std::min(next, waits_since_[job] + promote_after_ * executed(state, job));
      }
    }
    return next;
  }

 private:
  /// Since it last began anew.
  Tick executed(const State& state, std::size_t job) { return state.worked(job) - forgiven_[job]; }
  Tick queue(const State& state, std::size_t job) {
    const Tick service = executed(state, job) * state.job(job).needs.front();
    const auto above = std::upper_bound(limits_.begin(), limits_.end(), service);
    return above - limits_.begin();
  }
  bool may_be_promoted(const State& state, std::size_t job) {
    return promote_after_ >= 0 && queue(state, job) > 0;
  }
  void promote(const State& state, std::size_t job) {
    if (!may_be_promoted(state, job)) return;
    if (state.now - waits_since_[job] < promote_after_ * executed(state, job)) return;
    forgiven_[job] = state.worked(job);
  }

  std::vector<Tick> limits_;
  Tick promote_after_;
  std::map<std::size_t, Tick> first_start_;
  std::map<std::size_t, Tick> waits_since_;
  std::map<std::size_t, Tick> forgiven_;
};

}  // namespace reeve::tests::oracle
