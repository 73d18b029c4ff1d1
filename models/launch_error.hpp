// The error text of EC2 for missing capacity.
#pragma once

#include <reeve/policy/market.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::models {

/// InsufficientInstanceCapacity, as RunInstances returns it. `zone` may be unknown; `others` are
/// the zones with capacity.
std::string insufficient_capacity(policy::Market market, std::string_view type,
                                  std::string_view zone,
                                  const std::vector<std::string_view>& others);

}  // namespace reeve::models
