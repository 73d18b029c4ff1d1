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
/// each other, the last time each.  All is forgotten when one that lost some ends, and whenever a
/// job loses some because of what came, ended or changed at that very tick.
class CycleWatch {
 public:
  explicit CycleWatch(std::int64_t tick_ns) : tick_ns_{tick_ns} {}

  /// Before each decision.  `changed`: limits or priorities did.
  void looks_at(const State& state, bool changed = false) {
    if (changed) changed_ = state.now;
    for (const std::size_t job : state.waiting) {
      if (known_.insert(job).second) changed_ = state.now;
    }
    for (const std::size_t job : ran_) {
      if (state.runs(job)) continue;
      changed_ = state.now;
      if (taken_by_.contains(job)) forget();
    }
  }
  void takes(const State& state, std::size_t by, std::size_t victim) {
    if (changed_ == state.now && was_exposed(state, victim)) forget();
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

  Tick safe_until(const State& state, std::size_t job) const {
    const std::int64_t ns = safety_ns(job);
    return state.since[job] + ns / tick_ns_ + (ns % tick_ns_ > 0 ? 1 : 0);
  }

 private:
  /// For how long the job is safe after it got machines: 2^n ns.
  std::int64_t safety_ns(std::size_t job) const {
    const auto found = closed_.find(job);
    return std::int64_t{1} << std::min(found == closed_.end() ? 0 : found->second, 62);
  }
  /// Whether the job was not safe any more before this tick, however little.
  bool was_exposed(const State& state, std::size_t job) const {
    return safety_ns(job) < (state.now - state.since[job]) * tick_ns_;
  }
  void forget() {
    taken_by_.clear();
    closed_.clear();
  }

  std::int64_t tick_ns_;
  std::map<std::size_t, int> closed_;
  std::map<std::size_t, std::size_t> taken_by_;
  std::set<std::size_t> ran_;
  std::set<std::size_t> known_;
  Tick changed_ = -1;
};

}  // namespace reeve::tests::oracle
