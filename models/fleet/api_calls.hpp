// Calls of the control plane: they take time, are throttled, rejected, or lose their reply.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/fleet/event_delivery.hpp"

namespace reeve::models {

/// Calls on their way to the platform, and refusals on their way back.
class ApiCalls {
 public:
  ApiCalls(FleetCore& core, EventDelivery& events);

  /// What the API makes of a call: `done` if it gets through.
  struct Fate {
    host::ReplyKind kind = host::ReplyKind::done;
    bool loses_reply = false;
  };
  Fate fate_of(const host::Attempt& attempt);

  /// A call that takes the latency of the API: it has its effect at `call_due`, or is refused at
  /// `reply_due`.
  void send(const host::Attempt& attempt, Fate fate);

  struct Call {
    host::Attempt attempt;
    bool loses_reply = false;
  };
  Call take(std::uint32_t call) { return calls_.take(call); }
  void refuse(std::uint32_t refusal) { events_.reply(refusals_.take(refusal)); }

 private:
  bool over_rate(policy::VerbKind verb);
  bool scripted(const host::Attempt& attempt, policy::JobId job, Fate& fate);

  FleetCore& core_;
  EventDelivery& events_;
  Slab<Call> calls_;
  Slab<host::Reply> refusals_;
  std::vector<std::uint32_t> scripted_left_;
  std::map<policy::VerbKind, std::pair<Instant, double>> buckets_;  ///< token buckets by verb
};

}  // namespace reeve::models
