// The Pareto front of choices by cost and time.
#pragma once

#include <span>
#include <vector>

namespace reeve::experiments {

/// For both, less is better.
struct CostAndTime {
  double cost = 0;
  double time = 0;
};

/// Whether each choice is on the Pareto front: no other one is at least as good in both and better
/// in one.
std::vector<bool> on_front(std::span<const CostAndTime> choices);

}  // namespace reeve::experiments
