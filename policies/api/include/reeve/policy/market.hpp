// On what terms machines are had.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace reeve::policy {

/// on_demand: until given back.  reserved: paid for around the clock, used or not.  spot: cheaper,
/// and the platform may take them away (AWS: Spot).
enum class Market : std::uint8_t { on_demand, reserved, spot };

/// The one spelling of each market, in the order of their values: in scenarios, options of rules
/// and reports.
inline constexpr std::array<std::string_view, 3> market_names{"on_demand", "reserved", "spot"};

/// Nothing for a name that no market has.
constexpr std::optional<Market> market_named(std::string_view name) {
  const auto* const found = std::find(market_names.begin(), market_names.end(), name);
  if (found == market_names.end()) return std::nullopt;
  return static_cast<Market>(found - market_names.begin());
}

}  // namespace reeve::policy
