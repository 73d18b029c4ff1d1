// What an instance-hour costs by a bill, as rows of a price book.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/history/data/history.hpp"
#include "scenarios/records/price_book.hpp"

namespace reeve::scenarios {

/// Of one instance type, market and region: the mean over all its hours in the bill.
struct BillPrice {
  PriceKey key;  ///< what a Savings Plan or a reservation covers is `reserved_1y`
  std::string region;
  policy::UsdPerHour effective;            ///< discounts and the commitment's share included
  std::optional<policy::UsdPerHour> list;  ///< none: the bill does not tell it
  double instance_hours = 0;
  Day first, last;  ///< of the hours
};

/// Prices of all types with a cost, by region and key: dollars by hours, exact, rounded to
/// nano-dollars.  Only types that AWS could have; no warm pools, no storage.
std::vector<BillPrice> bill_prices(const Bill& bill);

enum class BillPriceBasis : std::uint8_t { effective, list };

/// A price book in CSV (see price_book.hpp) of the prices of one region, with source "bill"; empty
/// if there are none.  A type that is in no price book of reeve has 0 accelerators.
std::string price_book_of(const std::vector<BillPrice>& prices, std::string_view region,
                          BillPriceBasis basis);

}  // namespace reeve::scenarios
