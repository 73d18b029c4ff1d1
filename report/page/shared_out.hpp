// Divides the room of a page among policies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace reeve::report {

/// Places for each: equally many, but none more than it `asked`, and what one leaves goes to the
/// others.  Sums to `places`, or to all that is asked.
inline std::vector<std::size_t> shared_out(std::size_t places,
                                           const std::vector<std::size_t>& asked) {
  std::vector<std::size_t> given(asked.size(), 0);
  std::vector<std::size_t> order(asked.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return asked[a] < asked[b]; });
  for (std::size_t done = 0; done < order.size(); ++done) {  // the smallest first
    const std::size_t i = order[done];
    given[i] = std::min(asked[i], places / (order.size() - done));
    places -= given[i];
  }
  return given;
}

}  // namespace reeve::report
