// A call that changes an account: tried until its outcome is known.
#pragma once

#include <cstdint>
#include <functional>

#include "live/act/action_log.hpp"
#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::live {

struct TriedCall {
  Call call;  ///< a repeat has the same effect as one
  /// Called before each try, from 1 on.
  std::function<void(std::uint32_t number)> on_try;
  /// After a try without a reply: whether it had its effect.  False also if that is unknown: then
  /// it is tried again.
  std::function<bool()> has_worked;
  /// Asked before each further try: the kill switch.
  std::function<bool()> is_held_back;
};

/// Waits 1, 2, 4, then 8 s between tries, and for `pace` before each.  After five tries without an
/// effect the outcome is `expired`, as if it is held back.
ActionEnd carry_out(Client& client, Clock& clock, Pace& pace, const TriedCall& tried);

}  // namespace reeve::live
