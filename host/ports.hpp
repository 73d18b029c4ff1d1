// The two ports.  All differences between simulation and production are behind them.
#pragma once

#include <cstdint>
#include <reeve/policy/policy.hpp>
#include <vector>

namespace reeve::host {

/// One try of an action.  All tries of an action carry the same id, its idempotency token.
struct Attempt {
  policy::ActionId action;
  std::uint32_t number = 1;
  policy::Verb verb;
  policy::SeatId seat = {};                 ///< of the decision
  policy::Instant decided = policy::never;  ///< time of the decision
  /// Of a message: its incident.  Seat, job and incident are the key that prevents a duplicate
  /// message if an earlier action with the same message arrived after all; 0: none.
  std::uint64_t incident = 0;
  /// An alarm of a seat in shadow mode.  reeve evaluates it; the platform is not called, and no
  /// reply follows.
  bool is_local = false;
};

/// `unknown`: a timeout; the effect may or may not have happened.  `no_room`: temporary, the
/// account's quota is used up (ResourceLimitExceeded).
enum class ReplyKind : std::uint8_t { done, partly_done, throttled, rejected, unknown, no_room };

/// The reply to one attempt.
struct Reply {
  policy::ActionId action;
  std::uint32_t number = 1;
  ReplyKind kind = ReplyKind::unknown;
};

/// All that arrived between two steps, in order of arrival.
struct Intake {
  std::vector<policy::Observation> observations;
  std::vector<Reply> replies;
  bool empty() const { return observations.empty() && replies.empty(); }
  void clear() {
    observations.clear();
    replies.clear();
  }
};

class Feed {
 public:
  virtual ~Feed() = default;
  /// Waits (live) or jumps (simulated) until something arrives or `deadline` is reached.  Returns
  /// the instant reached, which never goes backwards and never passes `deadline`.  Returns `never`,
  /// with nothing in `out`, if no further event is possible.
  virtual policy::Instant advance(policy::Instant deadline, Intake& out) = 0;
};

class Actuator {
 public:
  virtual ~Actuator() = default;
  /// Starts one attempt and returns at once.  The reply arrives through the Feed, or never.
  virtual void submit(const Attempt& attempt) = 0;
};

}  // namespace reeve::host
