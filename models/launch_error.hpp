// The words with which EC2 says that there are no machines.
#pragma once

#include <reeve/policy/market.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::models {

/// InsufficientInstanceCapacity, as RunInstances answers; `zone` may be unknown, and `others` are
/// the zones that have room.
std::string insufficient_capacity(policy::Market market, std::string_view type,
                                  std::string_view zone,
                                  const std::vector<std::string_view>& others);

}  // namespace reeve::models
