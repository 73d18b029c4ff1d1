// The time of day and waiting, which tests replace.
#pragma once

#include <chrono>
#include <reeve/policy/units.hpp>

namespace reeve::live {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual policy::Instant now() = 0;
  virtual void sleep(policy::Duration wait) = 0;
  /// How long to sleep at most before looking for a message.  A clock of a mock account wakes up
  /// for messages.
  virtual policy::Duration longest_nap() { return std::chrono::milliseconds{10}; }
};

}  // namespace reeve::live
