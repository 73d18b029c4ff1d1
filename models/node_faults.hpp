// How machines of a pool break, as data: how often, for how long, which of them, and how it shows.
#pragma once

#include <cstdint>
#include <vector>

#include "models/duration_law.hpp"

namespace reeve::models {

/// A fault of one machine that is written down.
struct StatedNodeFault {
  std::uint32_t machine = 0;  ///< from 0
  policy::Duration at{0};     ///< after the start of the clock
  policy::Duration lasts{0};  ///< until it is back; 0: another one takes its place at once
};

/// Each machine that is up breaks at random, in no memory of when it last did; then it is away.
struct NodeFaults {
  double per_1000_node_days = 0;  ///< of all machines, while they are up
  DurationLaw repair;
  bool replaced = false;   ///< by another machine, which is a lemon or not, whatever this one was
  double hangs = 0;        ///< share of faults that no one sees: what runs there stands still
  double lemon_share = 0;  ///< of the machines
  double lemon_factor = 1;
  std::uint32_t rack = 1;               ///< machines that stand together
  double whole = 0;                     ///< share of faults that take the whole rack
  std::vector<StatedNodeFault> stated;  ///< by `at`
};

}  // namespace reeve::models
