// The purchase options of instances.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace reeve::policy {

/// on_demand: held until released. reserved: paid for around the clock, used or not. spot: cheaper,
/// and the platform can reclaim them (AWS: Spot). capacity_block: bought as a whole for a fixed
/// period (AWS: Capacity Blocks for ML).
enum class Market : std::uint8_t { on_demand, reserved, spot, capacity_block };

/// Whether its instances are paid for even if they are idle.
constexpr bool is_reserved(Market market) {
  return market == Market::reserved || market == Market::capacity_block;
}

/// The only spelling of each market, by value: in scenarios, options of rules and reports.
inline constexpr std::array<std::string_view, 4> market_names{"on_demand", "reserved", "spot",
                                                              "capacity_block"};

/// The market of that name, or nothing.
constexpr std::optional<Market> market_named(std::string_view name) {
  const auto* const found = std::find(market_names.begin(), market_names.end(), name);
  if (found == market_names.end()) return std::nullopt;
  return static_cast<Market>(found - market_names.begin());
}

}  // namespace reeve::policy
