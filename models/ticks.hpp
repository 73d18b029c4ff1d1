// The parameters of the tick model, as in published simulators of Spot strategies.
#pragma once

#include <cstdint>
#include <reeve/policy/units.hpp>
#include <vector>

namespace reeve::models {

/// The part of the recorded market for a replication; the replication ends with it.
struct TickWindow {
  std::uint64_t first = 0;  ///< tick of the record
  std::uint64_t ticks = 0;  ///< at least 1
};

/// Instances are held for whole ticks, from the start of the clock.
struct Ticks {
  policy::Duration tick{0};              ///< above 0 in the tick model
  policy::Duration restart_overhead{0};  ///< before work continues, on each newly held instance
  bool asks_when_done = false;           ///< rules get one more tick when the work is done
  std::vector<TickWindow> windows;       ///< by replication; none: the market from its start
};

}  // namespace reeve::models
