// What a market offers and asks as time goes by: values that hold until the next step.
#pragma once

#include <cstdint>
#include <reeve/policy/units.hpp>

namespace reeve::models {

/// From `at` (after the start of the clock) on so many instances can be had.  In a list: sorted by
/// `at`, the first at 0, neighbours differ.
struct Offer {
  policy::Duration at{};
  std::uint32_t instances = 0;
  friend bool operator==(const Offer&, const Offer&) = default;
};

/// From `at` (after the start of the clock) on an instance costs `price`, which is above 0.  In a
/// list: sorted by `at`, the first at 0, neighbours differ.
struct PriceStep {
  policy::Duration at{};
  policy::UsdPerHour price;
  friend bool operator==(const PriceStep&, const PriceStep&) = default;
};

}  // namespace reeve::models
