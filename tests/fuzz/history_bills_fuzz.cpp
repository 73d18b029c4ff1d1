// Fuzz: any bytes are either a bill, whose uses keep their promise, or an InputError; reading it
// twice counts no line item twice that has an id.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "scenarios/history/bills/prices.hpp"
#include "scenarios/history/readers.hpp"

namespace {

using namespace reeve::scenarios;

void require(bool truth) {
  if (!truth) std::abort();
}

constexpr const char* headers[] = {
    "",
    "identity/LineItemId,identity/TimeInterval,bill/InvoiceId,lineItem/LineItemType,"
    "lineItem/UsageStartDate,lineItem/ProductCode,lineItem/UsageType,lineItem/ResourceId,"
    "lineItem/UsageAmount,lineItem/UnblendedCost,resourceTags/user:team\n",
    "line_item_line_item_type,line_item_usage_start_date,line_item_product_code,"
    "line_item_usage_type,line_item_usage_amount,line_item_unblended_cost,resource_tags\n",
    "ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ServiceName,ResourceId,BilledCost,"
    "EffectiveCost,ConsumedQuantity,ConsumedUnit,SkuMeter,Tags,InvoiceId\n"};

void check(const History& history) {
  for (const BilledUse& use : history.bill.uses) {
    require(std::isfinite(use.instance_hours) && !use.use.empty() && !use.market.empty());
    require(!use.first || !use.last || use.job.empty() || !use.resource.empty());
  }
  for (const FileReport& file : history.files) {
    for (const Diagnostic& warning : file.warnings) {
      require(warning.severity == Severity::warning && !warning.message.empty());
      diagnostic_json(warning).dump();
    }
  }
  const auto prices = bill_prices(history.bill);
  for (const BillPrice& price : prices) {
    require(price.effective.nanos > 0 && price.first <= price.last);
    const auto book = price_book_of(prices, price.region, BillPriceBasis::effective);
    if (!price.region.empty()) PriceBook::from_text("book.csv", book);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string text{reinterpret_cast<const char*>(data + 1), size - 1};
  text = headers[data[0] % 4] + text;
  HistoryOptions options;
  options.as = (data[0] % 4 == 3 || (data[0] % 4 == 0 && data[0] >= 128)) ? "focus" : "cur";
  try {
    History history;
    for (int turn = 0; turn < 2; ++turn) {
      read_history_stream("fuzz.csv", std::make_unique<std::istringstream>(text), options, history);
      check(history);
    }
  } catch (const InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) {
      require(render(diagnostic).size() <= 5000);
      diagnostic_json(diagnostic).dump();
    }
  }
  return 0;
}
