// What a fleet tells the host, and when: the event bus delays, repeats and loses events.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "host/ports.hpp"
#include "models/fleet/core.hpp"
#include "models/slab.hpp"

namespace reeve::models {

/// Observations and replies on their way to the host.
class EventDelivery {
 public:
  using FailureText = std::function<std::string(const policy::JobChanged&)>;

  /// `failure_text` gives the reason that the platform states; called only if events are kept.
  EventDelivery(FleetCore& core, FailureText failure_text);

  /// Over the event bus: late, perhaps twice, perhaps after younger ones, perhaps not at all; but a
  /// submission comes, and once.
  void tell(const policy::Observation& seen);
  /// Over the event bus, once: late.
  void tell_late(const policy::Observation& seen);
  void tell_at(const policy::Observation& seen, Instant at);
  void tell_now(const policy::Observation& seen) { inbox_.observations.push_back(seen); }
  /// The event `message_due` of that subject.
  void deliver(std::uint32_t message) { tell_now(messages_.take(message)); }

  void reply(const host::Reply& reply) { inbox_.replies.push_back(reply); }
  /// The reply to a call that had its effect, or none.
  void answer(const host::Attempt& attempt, host::ReplyKind kind);

  bool has_none() const { return inbox_.empty(); }
  void hand_over(host::Intake& out);
  /// Whether the bus sent a second copy of the end of that attempt, the job's newest.
  bool repeated_end(policy::JobId job, std::uint32_t attempt) const;

 private:
  void note(const policy::Observation& seen, Instant at, bool duplicate);
  void send(const policy::Observation& seen, Instant at, bool duplicate);
  void tell_end(const policy::StopJob& stop);
  Instant next_poll() const;
  Instant looked_up(const policy::JobSubmitted& submitted, Instant from) const;

  FleetCore& core_;
  FailureText failure_text_;
  host::Intake inbox_;
  Slab<policy::Observation> messages_;
  std::map<policy::JobId, policy::Observation> untold_;  ///< newest events that were lost
  /// Attempts of whose end the bus sent a second copy; the job's newest.
  std::map<policy::JobId, policy::AttemptNumber> repeated_ends_;
};

}  // namespace reeve::models
