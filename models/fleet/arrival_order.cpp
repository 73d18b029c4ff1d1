#include "models/fleet/arrival_order.hpp"

#include <algorithm>
#include <numeric>

namespace reeve::models {

ArrivalOrder::ArrivalOrder(const std::vector<JobSpec>& specs) : specs_{specs} {
  const auto earlier = [](const JobSpec& a, const JobSpec& b) { return a.submit < b.submit; };
  if (std::is_sorted(specs.begin(), specs.end(), earlier)) return;
  order_.resize(specs.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return specs[a].submit < specs[b].submit;
  });
}

}  // namespace reeve::models
