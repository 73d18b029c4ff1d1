// AWS Batch fair-share scheduling as a stand-in: all that a share ever held, looked at anew each
// time.
#pragma once

#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/property/oracles/in_order.hpp"

namespace reeve::tests::oracle {

/// aws-behaviour.md §4.2: the active share with the lowest decayed usage times weight, then the
/// highest priority inside the share, then the earliest submission.  Of one resource; running jobs
/// stay.  Decay is exponential; 0: what is held now.
class FairShare final : public Order {
 public:
  struct Model {
    std::vector<double> weights = {};  ///< by share; a lower one gets more
    double decay = 0;                  ///< in ticks
    double reservation = 0;            ///< of the machines, to the power of the active shares
    Behind behind = Behind::waits;
  };
  explicit FairShare(Model model) : model_{std::move(model)} {}

  Moves decide(const State& state) override {
    note(state);
    Moves moves;
    std::vector<std::size_t> waiting = sorted(state.waiting, state, by_priority());
    std::int64_t free = state.free.front();
    while (true) {
      const auto next = poorest(state, waiting);
      if (next == waiting.end()) return moves;
      const std::size_t job = *next;
      const std::int64_t needs = state.job(job).needs.front();
      const double kept = reserved(state);
      if (needs > free || static_cast<double>(free - needs) < kept) {
        if (model_.behind == Behind::waits) return moves;
        const std::size_t share = state.job(job).share;
        std::erase_if(waiting, [&](std::size_t of) { return state.job(of).share == share; });
        continue;
      }
      waiting.erase(next);
      free -= needs;
      held_[state.job(job).share].push_back({state.now, never, needs, job});
      moves.start.push_back(job);
    }
  }

  /// As time goes by it may be another's turn.
  Tick next_change(const State& state) override {
    return state.waiting.empty() || state.running.empty() || model_.decay <= 0 ? never
                                                                               : state.now + 1;
  }

 private:
  struct Held {
    Tick from, until;
    std::int64_t machines;
    std::size_t job;
  };

  /// Who is over held its machines until now.
  void note(const State& state) {
    for (auto& share : held_) {
      for (Held& held : share.second) {
        if (held.until == never && !state.runs(held.job)) held.until = state.now;
      }
    }
  }

  double usage(const State& state, std::size_t share) {
    double sum = 0;
    for (const Held& held : held_[share]) {
      if (model_.decay <= 0) {
        sum += held.until == never ? static_cast<double>(held.machines) : 0;
        continue;
      }
      const auto since = [&](Tick at) {
        return std::exp(-static_cast<double>(state.now - at) / model_.decay);
      };
      const double end = held.until == never ? 1 : since(held.until);
      sum += static_cast<double>(held.machines) * model_.decay * (end - since(held.from));
    }
    return sum * model_.weights[share];
  }

  double holds(std::size_t share) {
    double sum = 0;
    for (const Held& held : held_[share]) {
      if (held.until == never) sum += static_cast<double>(held.machines);
    }
    return sum;
  }

  std::vector<std::size_t>::iterator poorest(const State& state,
                                             std::vector<std::size_t>& waiting) {
    auto best = waiting.end();
    double least = 0;
    for (auto job = waiting.begin(); job != waiting.end(); ++job) {
      const std::size_t share = state.job(*job).share;
      const double has = usage(state, share);
      if (best != waiting.end()) {
        const std::size_t other = state.job(*best).share;
        if (share == other) continue;  // the best of its share is the first of it
        const double margin = 1e-9 * (std::abs(least) + std::abs(has));
        if (has > least + margin) continue;
        const bool equal = has >= least - margin;
        const auto by = [&](std::size_t of) {
          return std::tuple{holds(of) * model_.weights[of], model_.weights[of], of};
        };
        if (equal && by(other) < by(share)) continue;
      }
      best = job;
      least = has;
    }
    return best;
  }

  /// Machines for shares without jobs.
  double reserved(const State& state) {
    if (model_.reservation <= 0) return 0;
    double kept = static_cast<double>(state.capacity.front());
    for (std::size_t share = 0; share < model_.weights.size(); ++share) {
      const auto of_share = [&](std::size_t job) { return state.job(job).share == share; };
      const bool active = std::any_of(state.waiting.begin(), state.waiting.end(), of_share) ||
                          std::any_of(state.running.begin(), state.running.end(), of_share);
      if (active) kept = kept * model_.reservation;
    }
    return kept;
  }

  Model model_;
  std::map<std::size_t, std::vector<Held>> held_;
};

}  // namespace reeve::tests::oracle
