// Orders that are one sorting of all who want machines: first in first out, priorities, shortest
// first, and shortest remaining first, which preempts.
#pragma once

#include <cstdint>
#include <utility>

#include "tests/rules/schedule/oracles/queue_oracle.hpp"

namespace reeve::tests::oracle {

/// By submission: M. Harchol-Balter, Performance Modeling and Design of Computer Systems (2013),
/// FCFS.
inline Rank by_submission() {
  return [](const State& state, std::size_t job) { return Place{state.job(job).submit, 0}; };
}
/// By priority, then by submission: aws-behaviour.md §5, priority-fifo: (-prio, submit).
inline Rank by_priority() {
  return [](const State& state, std::size_t job) {
    return Place{-state.job(job).priority, state.job(job).submit};
  };
}
/// By the estimate of the whole job, then by submission: Harchol-Balter, SJF.
inline Rank by_estimate() {
  return [](const State& state, std::size_t job) {
    return Place{state.job(job).estimated(), state.job(job).submit};
  };
}
/// By what is left of the work, then by submission: L. Schrage, "A proof of the optimality of the
/// shortest remaining processing time discipline" (Operations Research 16, 1968).
inline Rank by_remaining() {
  return [](const State& state, std::size_t job) {
    return Place{state.job(job).work - state.worked(job), state.job(job).submit};
  };
}

/// By what is left of the work times the machines: shortest remaining service first.
inline Rank by_remaining_service() {
  return [](const State& state, std::size_t job) {
    const Tick left = state.job(job).work - state.worked(job);
    return Place{left * state.job(job).needs.front(), state.job(job).submit};
  };
}

/// Whether the first who does not fit keeps all behind it from starting (head-of-line blocking).
enum class Behind : std::uint8_t { waits, may_pass };

/// Nobody who runs is stopped; of those who wait, whoever's turn it is and who fits starts.
class InOrder final : public Order {
 public:
  InOrder(Rank rank, Behind behind) : rank_{std::move(rank)}, behind_{behind} {}

  Moves decide(const State& state) override {
    Moves moves;
    Amounts room = state.free;
    for (const std::size_t job : sorted(state.waiting, state, rank_)) {
      if (!fits(state.job(job).needs, room)) {
        if (behind_ == Behind::waits) break;
        continue;
      }
      add(room, state.job(job).needs, -1);
      moves.start.push_back(job);
    }
    return moves;
  }

 private:
  Rank rank_;
  Behind behind_;
};

/// Ranks all jobs as if none ran: those that fit in turn hold instances, others lose them.
class Preempting final : public Order {
 public:
  explicit Preempting(Rank rank, Behind behind = Behind::may_pass)
      : rank_{std::move(rank)}, behind_{behind} {}

  Moves decide(const State& state) override {
    std::vector<std::size_t> all = state.waiting;
    all.insert(all.end(), state.running.begin(), state.running.end());
    Moves moves;
    Amounts room = state.capacity;
    bool blocked = false;
    for (const std::size_t job : sorted(all, state, rank_)) {
      const bool holds = !blocked && fits(state.job(job).needs, room);
      blocked = blocked || (!holds && behind_ == Behind::waits);
      if (holds) add(room, state.job(job).needs, -1);
      if (holds == state.runs(job)) continue;
      (holds ? moves.start : moves.stop).push_back(job);
    }
    return moves;
  }

 private:
  Rank rank_;
  Behind behind_;
};

}  // namespace reeve::tests::oracle
