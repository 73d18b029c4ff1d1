// Which preemptions close a cycle, by looking at everything anew each time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/rules/schedule/oracles/queue_oracle.hpp"

namespace reeve::tests::oracle {

/// Counts for each job how often its preemption closed a cycle of jobs that took instances from
/// each other, the last time each.  What a job that ended took, or lost, is forgotten.
class CycleWatch {
 public:
  /// Before each decision.
  void looks_at(const State& state) {
    closed_.resize(state.jobs->size());
    for (const std::size_t job : ran_) {
      if (!state.runs(job)) taken_by_.erase(job);
    }
  }
  void takes(std::size_t by, std::size_t victim) {
    taken_by_[victim] = by;
    std::set<std::size_t> seen;
    std::size_t job = by;
    while (job != victim && taken_by_.contains(job) && seen.insert(job).second) {
      job = taken_by_[job];
    }
    if (job == victim) ++closed_[victim];
  }
  void decided(const State& state, const Moves& moves) {
    ran_ = {state.running.begin(), state.running.end()};
    for (const std::size_t job : moves.stop) ran_.erase(job);
    ran_.insert(moves.start.begin(), moves.start.end());
  }

  /// For how long the job is safe after it got machines: 2^n ns, a tick at least.
  Tick safety(std::size_t job, std::int64_t tick_ns) const {
    const std::int64_t ns = std::int64_t{1} << std::min(closed_[job], 62);
    return ns / tick_ns + (ns % tick_ns > 0 ? 1 : 0);
  }

 private:
  std::vector<int> closed_;
  std::map<std::size_t, std::size_t> taken_by_;
  std::set<std::size_t> ran_;
};

}  // namespace reeve::tests::oracle
