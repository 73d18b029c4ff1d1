// The markets by the names that options have for them.
#pragma once

#include <array>
#include <cstddef>
#include <reeve/policy/market.hpp>
#include <string_view>
#include <vector>

namespace reeve::policies {

/// In the order of policy::Market.
inline std::vector<std::string_view> market_names() {
  return {"on_demand", "reserved", "spot"};
}

/// `name` is one of market_names().
inline policy::Market market_named(std::string_view name) {
  std::size_t index = 0;
  for (const std::string_view known : market_names()) {
    if (known == name) break;
    ++index;
  }
  return static_cast<policy::Market>(index);
}

}  // namespace reeve::policies
