// A world cut into ticks, as the published simulators of Spot strategies have it: what is
// particular to it, as data.
#pragma once

#include <cstdint>
#include <reeve/policy/units.hpp>
#include <vector>

namespace reeve::models {

/// A part of the recorded market that a replication runs on; it is over when the part is.
struct TickWindow {
  std::uint64_t first = 0;  ///< tick of the record
  std::uint64_t ticks = 0;  ///< at least 1
};

/// Whatever is held is held for whole ticks, from the start of the clock on.
struct Ticks {
  policy::Duration tick{0};              ///< above 0 in a world that is cut into ticks
  policy::Duration restart_overhead{0};  ///< before work goes on, on every machine newly held
  bool asks_when_done = false;           ///< rules have one more tick when the work is done
  std::vector<TickWindow> windows;       ///< by replication; none: the market from its start
};

}  // namespace reeve::models
