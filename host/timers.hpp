// The timers of all seats: armed again and again by key, fired in one fixed order.
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

  /// Replaces the timer of (seat, key); `never` takes it away.
  void arm(policy::SeatId seat, std::uint64_t key, policy::Instant at);
  /// Appends the timers due at or before `now`, by (at, seat, key), and forgets them.
  void fire(policy::Instant now, std::vector<Fired>& out);
  /// When the earliest fires, or `never`.
  policy::Instant next();
  std::size_t size() const { return live_; }

 private:
  /// An open-addressing table from (seat, key) to the instant; `at` == never: an empty cell.
  struct Cell {
    std::uint64_t key = 0;
    policy::Instant at = policy::never;
    policy::Instant queued = policy::never;  ///< its entry in the heap: not after `at`
    policy::SeatId seat;
  };

  std::size_t home(policy::SeatId seat, std::uint64_t key) const;
  /// The cell of (seat, key), or the empty one where it would go.
  std::size_t find(policy::SeatId seat, std::uint64_t key) const;
  void erase(std::size_t place);
  void grow();
  void mend_front();
  void compact();
  void push(const Fired& due);
  void pop();

  std::vector<Cell> cells_;  ///< a power of two long, at most half full
  std::size_t live_ = 0;
  /// Earliest first.  A timer put off keeps its entry until that comes to the front; entries that
  /// the table disowns are skipped there.
  std::vector<Fired> heap_;
  bool front_is_true_ = false;  ///< the first entry is a timer's, at its instant
};

}  // namespace reeve::host
