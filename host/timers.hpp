// The timers of all seats: armed by key, fired in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <reeve/policy/policy.hpp>
#include <vector>

namespace reeve::host {

/// At most one timer per (seat, key).
class Timers {
 public:
  struct Fired {
    policy::Instant at;
    policy::SeatId seat;
    std::uint64_t key = 0;
    friend auto operator<=>(const Fired&, const Fired&) = default;
  };

  /// Replaces the timer of (seat, key); `never` removes it.
  void arm(policy::SeatId seat, std::uint64_t key, policy::Instant at);
  /// Appends and removes the timers due at or before `now`, by (at, seat, key).
  void fire(policy::Instant now, std::vector<Fired>& out);
  /// The earliest due time, or `never`.
  policy::Instant next();
  std::size_t size() const { return live_; }

 private:
  /// An open-addressing table from (seat, key) to the instant; `at` == never: an empty cell.
  struct Cell {
    std::uint64_t key = 0;
    policy::Instant at = policy::never;
    policy::Instant queued = policy::never;  ///< its entry in the heap, not after `at`
    policy::SeatId seat;
  };

  std::size_t home(policy::SeatId seat, std::uint64_t key) const;
  /// The cell of (seat, key), or the empty one for it.
  std::size_t find(policy::SeatId seat, std::uint64_t key) const;
  void erase(std::size_t place);
  void grow();
  void mend_front();
  void compact();
  void push(const Fired& due);
  void pop();

  std::vector<Cell> cells_;  ///< length: a power of two; at most half full
  std::size_t live_ = 0;
  /// Earliest first.  A postponed timer keeps its entry until that reaches the front, where entries
  /// without a timer in the table are skipped.
  std::vector<Fired> heap_;
  bool front_is_true_ = false;  ///< the first entry is a current timer
};

}  // namespace reeve::host
