// The actions in flight: by id, by handle, and in the order of their due times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <reeve/policy/policy.hpp>
#include <vector>

#include "host/ring.hpp"

namespace reeve::host {

/// issued -> (reply) -> acknowledged -> (effect observed) -> settled.  A lost or throttled try
/// starts over through backing_off.
enum class Stage : std::uint8_t { issued, acknowledged, backing_off };

/// An accepted decision that is not settled.
struct Action {
  policy::ActionId id;
  policy::Verb verb;
  policy::Instant due = policy::never;  ///< when the host must act if nothing is observed
  std::uint32_t attempts = 0;
  std::uint32_t handle = 0;
  policy::SeatId seat;
  policy::Instant decided = policy::never;
  std::uint64_t incident = 0;  ///< of a message: its incident
  Stage stage = Stage::issued;
  bool may_have_worked = false;  ///< a try without proof that it had no effect
  bool is_last_wait = false;     ///< no further try
};

/// A slab of actions.  Ids only grow.  A handle is valid until its action is removed; a reference
/// is valid until the next `add`.
class Actions {
 public:
  std::size_t size() const { return size_; }
  /// The number of actions that wait for their next try.
  std::size_t backing_off() const { return waiting_; }
  Action& add(policy::ActionId id, policy::SeatId seat, const policy::Verb& verb);
  /// Null if the action is settled or was never accepted.
  Action* find(policy::ActionId id) {
    const std::uint64_t place = id.value - first_id_;  // wraps round for ids before the window
    if (place >= window_.size() || window_[place] == 0) return nullptr;
    return &slots_[window_[place] - 1];
  }
  Action& at(std::uint32_t handle) { return slots_[handle - 1]; }
  void remove(Action& action);

  /// Puts the action into `stage` until `due`.  Within each stage except backing_off, due times
  /// must not decrease: they are the current time plus a constant.
  void enter(Action& action, Stage stage, policy::Instant due);
  /// The earliest due, or `never`.
  policy::Instant next_due();
  /// The next action due at or before `now`, by (due, id), or null.  It stays due until it enters
  /// another stage or is removed.
  Action* overdue(policy::Instant now);

 private:
  struct Due {
    policy::Instant at;
    policy::ActionId id;
    friend auto operator<=>(const Due&, const Due&) = default;
  };

  bool is_current(const Due& due, Stage stage);
  const Due* earliest();

  std::vector<Action> slots_;
  std::vector<std::uint32_t> free_;
  Ring<std::uint32_t> window_;  ///< handle by id - first_id_; 0: none
  std::uint64_t first_id_ = 0;
  std::size_t size_ = 0;
  std::size_t waiting_ = 0;
  Ring<Due> issued_;
  Ring<Due> acknowledged_;
  std::vector<Due> backing_off_;  ///< heap, earliest first; like the rings, cleaned when reached
};

}  // namespace reeve::host
