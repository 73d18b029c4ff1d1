// Offers and prices of a market over time: values that hold until the next step.
#pragma once

#include <cstdint>
#include <reeve/policy/units.hpp>

namespace reeve::models {

/// The number of instances on offer from `at` (after the start of the clock).  In a list: sorted by
/// `at`, the first at 0, neighbours differ.
struct Offer {
  policy::Duration at{};
  std::uint32_t instances = 0;
  friend bool operator==(const Offer&, const Offer&) = default;
};

/// The price of an instance from `at` (after the start of the clock), above 0.  In a list: sorted
/// by `at`, the first at 0, neighbours differ.
struct PriceStep {
  policy::Duration at{};
  policy::UsdPerHour price;
  friend bool operator==(const PriceStep&, const PriceStep&) = default;
};

}  // namespace reeve::models
