#include "experiments/pareto.hpp"

#include <algorithm>

namespace reeve::experiments {

std::vector<bool> on_front(std::span<const CostAndTime> choices) {
  const auto beats = [](const CostAndTime& a, const CostAndTime& b) {
    return a.cost <= b.cost && a.time <= b.time && (a.cost < b.cost || a.time < b.time);
  };
  std::vector<bool> front;
  for (const CostAndTime& choice : choices) {
    front.push_back(std::none_of(choices.begin(), choices.end(),
                                 [&](const CostAndTime& other) { return beats(other, choice); }));
  }
  return front;
}

}  // namespace reeve::experiments
