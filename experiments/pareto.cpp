#include "experiments/pareto.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace reeve::experiments {

std::vector<bool> on_front(std::span<const CostAndTime> choices) {
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(choices[a].cost, choices[a].time) < std::tie(choices[b].cost, choices[b].time);
  });
  std::vector<bool> front(choices.size());
  double soonest = std::numeric_limits<double>::infinity();  // of all that cost less
  for (std::size_t first = 0; first < order.size();) {
    const CostAndTime best = choices[order[first]];  // the soonest at this cost
    std::size_t next = first;
    for (; next < order.size() && choices[order[next]].cost == best.cost; ++next) {
      front[order[next]] = choices[order[next]].time == best.time && best.time < soonest;
    }
    soonest = std::min(soonest, best.time);
    first = next;
  }
  return front;
}

}  // namespace reeve::experiments
