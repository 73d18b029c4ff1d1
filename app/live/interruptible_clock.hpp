// The clock of the machine, whose waits end at Ctrl-C.
#pragma once

#include <reeve/policy/units.hpp>

#include "live/aws/system_surroundings.hpp"

namespace reeve::app {

/// A wait before a retry may be as long as 20 s: too long after Ctrl-C.
class InterruptibleClock final : public live::SystemClock {
 public:
  /// Ends within a tenth of a second after an interruption.
  void sleep(policy::Duration wait) override;
  /// From here on an interruption ends no wait.
  void outlive_interruption() { ends_early_ = false; }

 private:
  bool ends_early_ = true;
};

}  // namespace reeve::app
