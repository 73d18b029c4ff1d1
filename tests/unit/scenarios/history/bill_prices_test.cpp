// Prices of a bill: exact, by type, market and region, and readable as a price book.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "scenarios/history/bills/prices.hpp"
#include "tests/unit/scenarios/history/bill_text.hpp"

namespace reeve::scenarios {
namespace bill_prices_test {

BilledUse used(std::string type, std::string market, double hours, std::int64_t cost,
               std::int64_t list, std::string region = "us-east-1") {
  BilledUse use;
  use.instance_type = std::move(type);
  use.market = std::move(market);
  use.region = std::move(region);
  use.use = use.instance_type.starts_with("ml.") ? "train" : "instance";
  use.instance_hours = hours;
  use.cost.nanos = cost;
  use.list.nanos = list;
  use.first = Day{std::chrono::year{2026} / 8 / 3} + std::chrono::hours{9};
  use.last = Day{std::chrono::year{2026} / 8 / 20} + std::chrono::hours{10};
  return use;
}

TEST(BillPrices, ABookOfTheBillIsAPriceBook) {
  Bill bill;
  bill.uses = {used("ml.p4d.24xlarge", "on_demand", 2, 70'000'000'000, 75'376'000'000),
               used("ml.p4d.24xlarge", "on_demand", 1, 37'688'000'000, 37'688'000'000),
               used("ml.p4d.24xlarge", "savings_plan", 2, 48'240'000'000, 75'376'000'000),
               used("p4d.24xlarge", "reserved", 1, 19'220'000'000, 0),
               used("p4d.24xlarge", "spot", 3, 29'496'300'001, 0),
               used("trn9.large", "on_demand", 3, 1'000'000'000, 1'000'000'000),
               used("ml.g5.xlarge", "on_demand", 1, 1'560'000'000, 1'560'000'000, "eu-west-1")};
  bill.uses.push_back(bill.uses.front());
  bill.uses.back().use = "storage";
  const auto prices = bill_prices(bill);
  const std::string text = price_book_of(prices, "us-east-1", BillPriceBasis::effective);
  EXPECT_EQ(text,
            "valid_from,region,service,market,instance_type,usd_per_hour,accelerators,managed,"
            "source,retrieved,confidence\n"
            "2026-08-03,us-east-1,ec2,on_demand,trn9.large,0.333333333,0,,bill,2026-08-20,derived\n"
            "2026-08-03,us-east-1,ec2,spot,p4d.24xlarge,9.8321,8,,bill,2026-08-20,derived\n"
            "2026-08-03,us-east-1,ec2,reserved_1y,p4d.24xlarge,19.22,8,,bill,2026-08-20,derived\n"
            "2026-08-03,us-east-1,sagemaker,on_demand,ml.p4d.24xlarge,35.896,8,,bill,2026-08-20,"
            "derived\n"
            "2026-08-03,us-east-1,sagemaker,reserved_1y,ml.p4d.24xlarge,24.12,8,,bill,2026-08-20,"
            "derived\n");
  const PriceBook book = PriceBook::from_text("prices.csv", text);
  const PriceRow* row =
      book.find({PriceService::sagemaker, PriceMarket::on_demand, "ml.p4d.24xlarge"},
                Day{std::chrono::year{2026} / 9 / 1});
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->price.nanos, 35'896'000'000);
  const PriceBook list =
      PriceBook::from_text("list.csv", price_book_of(prices, "us-east-1", BillPriceBasis::list));
  EXPECT_EQ(list.first({PriceService::sagemaker, PriceMarket::reserved_1y, "ml.p4d.24xlarge"})
                ->price.nanos,
            37'688'000'000);
  EXPECT_EQ(list.first({PriceService::ec2, PriceMarket::spot, "p4d.24xlarge"}), nullptr);
  EXPECT_EQ(price_book_of(prices, "eu-north-1", BillPriceBasis::list), "");
}

TEST(BillPrices, WhatHasNoPriceHasNoRow) {
  Bill bill;
  bill.uses = {used("p4d.24xlarge", "on_demand", 0, 5, 5),
               used("p4d.24xlarge", "spot", 1, -5, 0),
               used("Standard_NC6", "on_demand", 1, 5'000'000'000, 5'000'000'000),
               used("a,b.large", "on_demand", 1, 5'000'000'000, 5'000'000'000),
               used("g5.xlarge", "on_demand", 1e-6, 1'000'000'000'000, 1),
               used("", "on_demand", 1, 5'000'000'000, 5'000'000'000)};
  EXPECT_TRUE(bill_prices(bill).empty());
}

TEST(BillPrices, APriceIsThatOfTheListToTheNanoDollar) {
  const std::filesystem::path file =
      REEVE_SOURCE_DIR "/../shared/cases/history/cost/cur-legacy.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no ../shared/cases/history here";
  std::ifstream text{file};
  const auto prices =
      bill_prices(history_of({std::string{std::istreambuf_iterator<char>{text}, {}}}).bill);
  ASSERT_EQ(prices.size(), 1U);
  EXPECT_EQ(prices.front().effective.nanos, 37'688'000'000);
  EXPECT_EQ(prices.front().region, "us-east-1");
}

}  // namespace bill_prices_test
}  // namespace reeve::scenarios
