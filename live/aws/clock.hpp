// The time of day and waiting, which tests replace.
#pragma once

#include <reeve/policy/units.hpp>

namespace reeve::live {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual policy::Instant now() = 0;
  virtual void sleep(policy::Duration wait) = 0;
};

}  // namespace reeve::live
