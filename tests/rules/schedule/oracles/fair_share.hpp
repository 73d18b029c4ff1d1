// AWS Batch fair-share scheduling as a stand-in: all that a share ever held, looked at anew each
// time.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/rules/schedule/oracles/in_order.hpp"

namespace reeve::tests::oracle {

/// aws-behaviour.md §4.2: the active share with the lowest decayed usage times weight, then the
/// highest priority inside the share, then the earliest submission.  Of one resource; running jobs
/// stay.  Decay is exponential, and usage that of one decay from now, if all went on as it is: else
/// whoever has least at an instant would have all that is free then.  0: what is held now.
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
    for (std::size_t share = 0; share < model_.weights.size(); ++share) {
      if (has_jobs(state, share)) {
        left_[share] = never;
      } else if (left_.contains(share) && left_[share] == never) {
        left_[share] = state.now;
      }
    }
  }

  bool has_jobs(const State& state, std::size_t share) const {
    const auto of_share = [&](std::size_t job) { return state.job(job).share == share; };
    return std::any_of(state.waiting.begin(), state.waiting.end(), of_share) ||
           std::any_of(state.running.begin(), state.running.end(), of_share);
  }

  /// It has jobs, or had some less than one decay ago.
  bool is_active(const State& state, std::size_t share) {
    if (!left_.contains(share)) return false;
    if (left_[share] == never) return true;
    return static_cast<double>(state.now - left_[share]) < model_.decay;
  }

  /// Of all that the share ever held what counts at that instant, if it keeps what it holds.
  double usage(std::size_t share, double at) {
    double sum = 0;
    for (const Held& held : held_[share]) {
      const auto left_of = [&](double tick) { return std::exp(-(at - tick) / model_.decay); };
      const double end = held.until == never ? 1 : left_of(static_cast<double>(held.until));
      const double begin = left_of(static_cast<double>(held.from));
      sum += static_cast<double>(held.machines) * model_.decay * (end - begin);
    }
    return sum;
  }

  double holds(std::size_t share) {
    double sum = 0;
    for (const Held& held : held_[share]) {
      if (held.until == never) sum += static_cast<double>(held.machines);
    }
    return sum;
  }

  /// What shares are compared by: usage one decay from now.
  double has(const State& state, std::size_t share) {
    const double in_a_decay = static_cast<double>(state.now) + model_.decay;
    return model_.weights[share] * (model_.decay > 0 ? usage(share, in_a_decay) : holds(share));
  }

  /// The first job of the share that has least; of those that have as much, but for a billionth,
  /// of the one with the lowest weight, then of the first.
  std::vector<std::size_t>::iterator poorest(const State& state,
                                             std::vector<std::size_t>& waiting) {
    std::map<std::size_t, double> of_share;
    for (const std::size_t job : waiting) {
      const std::size_t share = state.job(job).share;
      of_share[share] = has(state, share);
    }
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [share, used] : of_share) least = std::min(least, used);
    std::set<std::pair<double, std::size_t>> equals;
    for (const auto& [share, used] : of_share) {
      if (used <= least * (1 + 1e-9)) equals.emplace(model_.weights[share], share);
    }
    return std::find_if(waiting.begin(), waiting.end(), [&](std::size_t job) {
      return state.job(job).share == equals.begin()->second;
    });
  }

  /// Machines for shares that are not active.
  double reserved(const State& state) {
    if (model_.reservation <= 0) return 0;
    double kept = static_cast<double>(state.capacity.front());
    for (std::size_t share = 0; share < model_.weights.size(); ++share) {
      if (is_active(state, share)) kept = kept * model_.reservation;
    }
    return kept;
  }

  Model model_;
  std::map<std::size_t, std::vector<Held>> held_;
  std::map<std::size_t, Tick> left_;  ///< when the last job of a share was gone; never: it has some
};

}  // namespace reeve::tests::oracle
