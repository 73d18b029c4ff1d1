// Queues in which a later job may start early if no job with a promise gets instances later.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tests/rules/schedule/oracles/in_order.hpp"

namespace reeve::tests::oracle {

/// Machines that are free from now on if every job lasts as long as was said.  Of one resource.
class Outlook {
 public:
  explicit Outlook(const State& state) : now_{state.now}, capacity_{state.capacity.front()} {
    for (const std::size_t job : state.running) {
      const Tick end = state.since[job] + state.job(job).estimated() - state.kept[job];
      // Whoever runs longer than was said would be killed by the schedulers that are imitated.
      if (end < state.now) throw std::invalid_argument{"backfill needs estimates that are kept"};
      taken_.push_back({now_, end, state.job(job).needs.front()});
    }
  }

  std::int64_t free_at(Tick at) const {
    std::int64_t free = capacity_;
    for (const Taken& part : taken_) {
      if (part.from <= at && at < part.until) free -= part.machines;
    }
    return free;
  }
  /// The first instant from which that many are free for so long.
  Tick earliest(std::int64_t machines, Tick lasts) const {
    std::vector<Tick> instants{now_};
    for (const Taken& part : taken_) instants.push_back(part.until);
    std::sort(instants.begin(), instants.end());
    for (const Tick at : instants) {
      if (is_free(machines, at, at + lasts)) return at;
    }
    throw std::logic_error{"larger than the pool"};
  }
  void take(std::int64_t machines, Tick from, Tick lasts) {
    taken_.push_back({from, from + lasts, machines});
  }

 private:
  struct Taken {
    Tick from, until;
    std::int64_t machines;
  };

  /// What is free changes for the worse only where something begins.
  bool is_free(std::int64_t machines, Tick from, Tick until) const {
    if (free_at(from) < machines) return false;
    for (const Taken& part : taken_) {
      const bool inside = from < part.from && part.from < until;
      if (inside && free_at(part.from) < machines) return false;
    }
    return true;
  }

  Tick now_;
  std::int64_t capacity_;
  std::vector<Taken> taken_;
};

/// How many of those who wait have a promise.
enum class Promised : std::uint8_t { first, all };

/// `first` is EASY: D. Lifka, "The ANL/IBM SP scheduling system" (JSSPP 1995), only the head of the
/// queue has one.  `all` is conservative backfilling: A. Mu'alem and D. Feitelson, "Utilization,
/// Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with
/// Backfilling" (IEEE TPDS 12, 2001): whoever comes is promised what those before it leave over,
/// and of those who come together in the order of the queue.  When something ends before it was
/// said to, all promises are made anew in the order of the queue.
class Backfill final : public Order {
 public:
  explicit Backfill(Promised promised, Rank rank = by_submission())
      : promised_{promised}, rank_{std::move(rank)} {}

  Moves decide(const State& state) override {
    if (promised_ == Promised::first || is_surprised(state)) promises_.clear();
    Outlook outlook{state};
    Moves moves;
    for (const auto& [job, at] : promises_) {
      outlook.take(state.job(job).needs.front(), at, state.job(job).estimated());
    }
    bool promises = true;
    for (const std::size_t job : sorted(state.waiting, state, rank_)) {
      if (promises_.count(job) > 0) continue;
      const std::int64_t machines = state.job(job).needs.front();
      const Tick lasts = state.job(job).estimated();
      const Tick at = outlook.earliest(machines, lasts);
      if (at > state.now && !promises) continue;
      outlook.take(machines, at, lasts);
      promises_[job] = at;
      if (at > state.now) promises = promised_ == Promised::all;
    }
    for (const auto& [job, at] : promises_) {
      if (at == state.now) moves.start.push_back(job);
    }
    for (const std::size_t job : moves.start) {
      promises_.erase(job);
      ends_[job] = state.now + state.job(job).estimated();
    }
    return moves;
  }

 private:
  /// Whether somebody ended before it was said to.
  bool is_surprised(const State& state) {
    const auto is_early = [&](const auto& end) {
      return end.second > state.now && !state.runs(end.first);
    };
    const bool early = std::any_of(ends_.begin(), ends_.end(), is_early);
    std::erase_if(ends_, [&](const auto& end) { return !state.runs(end.first); });
    return early;
  }

  Promised promised_;
  Rank rank_;
  std::map<std::size_t, Tick> promises_;  ///< of those who wait
  std::map<std::size_t, Tick> ends_;      ///< of those who run, as was said
};

}  // namespace reeve::tests::oracle
