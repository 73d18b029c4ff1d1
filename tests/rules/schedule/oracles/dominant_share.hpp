// Fairness between shares: whoever has least of what it has most of is served next.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "tests/rules/schedule/oracles/in_order.hpp"

namespace reeve::tests::oracle {

/// A. Ghodsi et al., "Dominant Resource Fairness: Fair Allocation of Multiple Resource Types" (NSDI
/// 2011), algorithm 1: the share with the smallest dominant share, divided by its weight (§5.1),
/// starts its next job; with one resource that is weighted max-min.  Jobs of a share are first in
/// first out by priority.  `Behind::waits` is the paper's: where the next job does not fit, nobody
/// else starts; with `may_pass` its share is left out.  Running jobs stay.
class DominantShare final : public Order {
 public:
  /// A share's weight by its number; without one it is 1.
  explicit DominantShare(std::map<std::size_t, std::int64_t> weights = {},
                         Behind behind = Behind::may_pass)
      : weights_{std::move(weights)}, behind_{behind} {}

  Moves decide(const State& state) override {
    std::map<std::size_t, std::vector<std::size_t>> lines;
    for (const std::size_t job : sorted(state.waiting, state, by_priority())) {
      lines[state.job(job).share].push_back(job);
    }
    std::map<std::size_t, Amounts> used;
    for (const auto& line : lines) used[line.first] = Amounts(state.capacity.size());
    for (const std::size_t job : state.running) {
      const auto share = used.find(state.job(job).share);
      if (share != used.end()) add(share->second, state.job(job).needs, 1);
    }
    Moves moves;
    Amounts room = state.free;
    while (!lines.empty()) {
      const std::size_t share = poorest(lines, used, state.capacity);
      std::vector<std::size_t>& line = lines[share];
      const Amounts& needs = state.job(line.front()).needs;
      if (!fits(needs, room)) {
        if (behind_ == Behind::waits) break;
        lines.erase(share);
        continue;
      }
      add(room, needs, -1);
      add(used[share], needs, 1);
      moves.start.push_back(line.front());
      line.erase(line.begin());
      if (line.empty()) lines.erase(share);
    }
    return moves;
  }

 private:
  /// A fraction of small numbers; compared by cross multiplication.
  struct Part {
    std::int64_t of = 0;
    std::int64_t whole = 1;
    friend bool operator<(const Part& a, const Part& b) { return a.of * b.whole < b.of * a.whole; }
  };

  Part dominant(std::size_t share, const Amounts& used, const Amounts& capacity) const {
    const std::int64_t by = weight(share);
    Part most;
    for (std::size_t of = 0; of < used.size(); ++of) {
      const Part part{used[of], capacity[of] * by};
      if (most < part) most = part;
    }
    return most;
  }

  std::int64_t weight(std::size_t share) const {
    const auto found = weights_.find(share);
    return found == weights_.end() ? 1 : found->second;
  }
  bool is_before(std::size_t a, const Part& of_a, std::size_t b, const Part& of_b) const {
    if (of_a < of_b || of_b < of_a) return of_a < of_b;
    return weight(a) > weight(b);
  }

  /// Among equals the one that is to have more, then the first by number.
  std::size_t poorest(const std::map<std::size_t, std::vector<std::size_t>>& lines,
                      const std::map<std::size_t, Amounts>& used, const Amounts& capacity) const {
    std::size_t best = lines.begin()->first;
    for (const auto& line : lines) {
      const std::size_t share = line.first;
      const Part mine = dominant(share, used.at(share), capacity);
      if (is_before(share, mine, best, dominant(best, used.at(best), capacity))) best = share;
    }
    return best;
  }

  std::map<std::size_t, std::int64_t> weights_;
  Behind behind_;
};

}  // namespace reeve::tests::oracle
