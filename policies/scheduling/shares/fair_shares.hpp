// Who of those who divide a pool is to have how much of it: what it deserves, and by weight of what
// is left over.
#pragma once

#include <cstdint>
#include <vector>

namespace reeve::policies {

struct Claim {
  std::int64_t deserves = 0;
  std::int64_t wants = 0;    ///< what it has and what waits, as far as it may have that
  std::uint32_t weight = 1;  ///< a lower one gets more
};

/// KAI-Scheduler, docs/fairness, "Resource division": each first gets what it deserves, up to what
/// it wants.  The rest is divided in proportion to 1/weight, repeatedly, until all have what they
/// want or nothing is left.  In whole instances: what rounding leaves goes to those who lost most
/// by it, in order.  `all`: the number of instances.
std::vector<std::int64_t> fair_shares(const std::vector<Claim>& claims, std::int64_t all);

}  // namespace reeve::policies
