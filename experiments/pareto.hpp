// Which of several choices nobody beats in two respects at once.
#pragma once

#include <span>
#include <vector>

namespace reeve::experiments {

/// Less is better of both.
struct CostAndTime {
  double cost = 0;
  double time = 0;
};

/// Whether each choice is on the Pareto front: no other is at least as good in both and better in
/// one.
std::vector<bool> on_front(std::span<const CostAndTime> choices);

}  // namespace reeve::experiments
