// How nodes of a pool break, as data: rate, duration, which nodes, and how the fault shows.
#pragma once

#include <cstdint>
#include <vector>

#include "models/duration_law.hpp"

namespace reeve::models {

/// An explicit fault of one node.
struct StatedNodeFault {
  std::uint32_t machine = 0;  ///< from 0
  policy::Duration at{0};     ///< after the start of the clock
  policy::Duration lasts{0};  ///< until its return; 0: another node replaces it at once
};

/// Each node that is up breaks at random, without memory of earlier faults, and is away for
/// `repair`.
struct NodeFaults {
  double per_1000_node_days = 0;  ///< of all nodes, while they are up
  DurationLaw repair;
  bool replaced = false;  ///< by another node, which is a lemon or not, independent of this one
  double hangs = 0;  ///< share of faults that the platform does not detect: the job there stalls
  double lemon_share = 0;  ///< of the nodes
  double lemon_factor = 1;
  std::uint32_t rack = 1;               ///< nodes per rack
  double whole = 0;                     ///< share of faults that affect the whole rack
  std::vector<StatedNodeFault> stated;  ///< by `at`
};

}  // namespace reeve::models
