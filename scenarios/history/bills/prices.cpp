#include "scenarios/history/bills/prices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace reeve::scenarios {
namespace {

struct HourSums {
  std::int64_t hours = 0;  ///< 1e-10, as in the bill
  std::int64_t cost = 0, list = 0;
  std::int64_t listed_hours = 0;
  std::optional<policy::Instant> first, last;
};

/// "ml.p4d.24xlarge", "trn1.32xlarge"; other providers name theirs otherwise.
bool is_aws_type(std::string_view type) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  return type.find('.') != type.npos && std::all_of(type.begin(), type.end(), fits);
}

/// Nano-dollars by instance-hours, to the nearest; nothing without hours.
std::optional<policy::UsdPerHour> price_of(std::int64_t nanos, std::int64_t hours) {
  if (hours <= 0 || nanos <= 0) return std::nullopt;
  __extension__ using Wide = __int128;
  const Wide price = (Wide{nanos} * 10'000'000'000 + hours / 2) / hours;
  constexpr Wide most = 10'000'000'000'000;  // of a price book: $10,000 an hour
  if (price <= 0 || price > most) return std::nullopt;
  return policy::UsdPerHour{static_cast<std::int64_t>(price)};
}

PriceMarket market_of(std::string_view market) {
  if (market == "spot") return PriceMarket::spot;
  return market == "on_demand" ? PriceMarket::on_demand : PriceMarket::reserved_1y;
}

std::uint32_t accelerators_of(std::string_view type) {
  for (const PriceBookText& text : price_book_texts()) {
    for (const PriceRow& row : built_in_price_book(text.name)->rows()) {
      if (ec2_name(row.key.type) == ec2_name(type)) return row.accelerators;
    }
  }
  return 0;
}

/// "37.688"
std::string decimal_of(policy::UsdPerHour price) {
  std::string text =
      fmt::format("{}.{:09}", price.nanos / 1'000'000'000, price.nanos % 1'000'000'000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::vector<BillPrice> bill_prices(const Bill& bill) {
  std::map<std::pair<std::string, PriceKey>, HourSums> sums;
  for (const BilledUse& use : bill.uses) {
    if ((use.use != "train" && use.use != "instance") || !is_aws_type(use.instance_type)) continue;
    const auto service =
        is_managed_name(use.instance_type) ? PriceService::sagemaker : PriceService::ec2;
    HourSums& sum = sums[{use.region, PriceKey{service, market_of(use.market), use.instance_type}}];
    const std::int64_t hours = std::llround(use.instance_hours * 1e10);
    sum.hours += hours;
    sum.cost += use.cost.nanos;
    if (use.list.nanos > 0) {
      sum.list += use.list.nanos;
      sum.listed_hours += hours;
    }
    if (use.first && (!sum.first || *use.first < *sum.first)) sum.first = use.first;
    const auto last = use.last ? use.last : use.first;
    if (last && (!sum.last || *last > *sum.last)) sum.last = last;
  }
  std::vector<BillPrice> prices;
  for (const auto& [key, sum] : sums) {
    const auto effective = price_of(sum.cost, sum.hours);
    if (!effective || !sum.first) continue;
    prices.push_back({key.second, key.first, *effective, price_of(sum.list, sum.listed_hours),
                      static_cast<double>(sum.hours) / 1e10,
                      std::chrono::floor<Day::duration>(*sum.first),
                      std::chrono::floor<Day::duration>(*sum.last)});
  }
  return prices;
}

std::string price_book_of(const std::vector<BillPrice>& prices, std::string_view region,
                          BillPriceBasis basis) {
  std::string rows;
  for (const BillPrice& price : prices) {
    if (price.region != region) continue;
    const auto usd = basis == BillPriceBasis::list ? price.list : std::optional{price.effective};
    if (!usd) continue;
    rows += fmt::format("{},{},{},{},{},{},{},,bill,{},derived\n", show(price.first),
                        region.empty() ? "unknown" : region, name_of(price.key.service),
                        name_of(price.key.market), price.key.type, decimal_of(*usd),
                        accelerators_of(price.key.type), show(price.last));
  }
  if (rows.empty()) return rows;
  return "valid_from,region,service,market,instance_type,usd_per_hour,accelerators,managed,source,"
         "retrieved,confidence\n" +
         rows;
}

}  // namespace reeve::scenarios
