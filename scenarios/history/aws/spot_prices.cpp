// Spot prices, as describe-spot-price-history of EC2 returns them: changes, the newest first.
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "scenarios/history/aws/kinds.hpp"
#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

constexpr auto price_arrays = std::to_array<std::string_view>({"SpotPriceHistory"});
constexpr auto price_keys =
    std::to_array<std::string_view>({"AvailabilityZone", "AvailabilityZoneId", "InstanceType",
                                     "ProductDescription", "SpotPrice", "Timestamp", "NextToken"});

auto order_of(const SpotPrice& price) {
  return std::tie(price.instance_type, price.zone, price.product, price.at);
}

/// The price of a record; nothing if it lacks something, or makes no sense.
std::optional<SpotPrice> price_of(const nlohmann::json& record) {
  SpotPrice price;
  price.instance_type = text_at(record, "InstanceType");
  price.zone = text_at(record, "AvailabilityZone");
  if (price.zone.empty()) price.zone = text_at(record, "AvailabilityZoneId");
  price.product = text_at(record, "ProductDescription");
  const auto at = instant_at(record, "Timestamp");
  const auto usd = parse_decimal(text_at(record, "SpotPrice"), 9);
  constexpr std::int64_t highest = 10'000'000'000'000;  // $10,000
  if (price.instance_type.empty() || !at || !usd || *usd <= 0 || *usd > highest) return {};
  price.at = *at;
  price.price = policy::UsdPerHour{*usd};
  return price;
}

}  // namespace

bool is_spot_prices(std::string_view head) {
  return head.find("\"SpotPriceHistory\"") != head.npos;
}

void read_spot_prices(HistoryInput& input, const HistoryOptions&, History& into) {
  for_each_record(input, {price_arrays, price_keys, {}}, [&](const JsonRecord& record) {
    if (record.is_rest) {
      if (text_at(record.value, "NextToken").empty()) return;
      return input.findings.warn("W0631", record.line,
                                 "a page is missing: the file ends with NextToken",
                                 "export without --no-paginate and --max-items");
    }
    ++input.report.records;
    auto price = price_of(record.value);
    if (!price) {
      return input.findings.warn("W0632", record.line,
                                 "a price without InstanceType, SpotPrice or Timestamp");
    }
    ++input.report.used;
    if (!into.newest || price->at > *into.newest) into.newest = price->at;
    into.spot_prices.push_back(*std::move(price));
  });
  auto& prices = into.spot_prices;
  std::stable_sort(prices.begin(), prices.end(), [](const SpotPrice& a, const SpotPrice& b) {
    return order_of(a) < order_of(b);
  });
  // Files may overlap.
  prices.erase(std::unique(prices.begin(), prices.end(),
                           [](const SpotPrice& a, const SpotPrice& b) {
                             return order_of(a) == order_of(b) && a.price == b.price;
                           }),
               prices.end());
}

}  // namespace reeve::scenarios
