// The two ports.  Everything that differs between simulation and production is behind them.
#pragma once

#include <cstdint>
#include <reeve/policy/policy.hpp>
#include <vector>

namespace reeve::host {

/// One try at one action.  All tries of an action carry the same id, which is its idempotency
/// token.
struct Attempt {
  policy::ActionId action;
  std::uint32_t number = 1;
  policy::Verb verb;
  policy::SeatId seat = {};                 ///< whose decision it was
  policy::Instant decided = policy::never;  ///< when
  /// Of a message: what it tells of.  With the seat and the job it is the key by which people are
  /// not told twice, if an earlier action with the same message had arrived after all; 0: none.
  std::uint64_t incident = 0;
};

/// `unknown` means a timeout: the effect may or may not have happened.  `no_room`: not now, for the
/// account has as much as it may (ResourceLimitExceeded).
enum class ReplyKind : std::uint8_t { done, partly_done, throttled, rejected, unknown, no_room };

/// What came back for one attempt.
struct Reply {
  policy::ActionId action;
  std::uint32_t number = 1;
  ReplyKind kind = ReplyKind::unknown;
};

/// Everything learnt between two steps, in the order in which it was learnt.
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
  /// Waits (live) or jumps (simulated) until something is learnt or `deadline` is reached.
  /// Returns the instant reached, which never goes backwards and never passes `deadline`; or
  /// `never`, with nothing learnt, when the world is over though the host still waits.
  virtual policy::Instant advance(policy::Instant deadline, Intake& out) = 0;
};

class Actuator {
 public:
  virtual ~Actuator() = default;
  /// Starts one attempt and returns at once.  The reply arrives through the Feed, or never.
  virtual void submit(const Attempt& attempt) = 0;
};

}  // namespace reeve::host
