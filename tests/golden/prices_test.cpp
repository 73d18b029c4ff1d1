// Our price book against a change log of EC2's list that others kept: each price that both have is
// the same to the micro-dollar, on every day on which both have one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "scenarios/records/price_book.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace prices_test {

constexpr const char* change_log = REEVE_SOURCE_DIR
    "/../shared/data/price_aws_ondemand/aws_us_east_1_accelerated_ondemand_price_changes.csv";

/// By type: from which day which price.
using History = std::map<std::string, std::map<Day, UsdPerHour>>;

History read_log() {
  History history;
  std::ifstream file{change_log};
  std::string line;
  std::getline(file, line);  // snapshot_generated_at,region,instance_type,usd_per_hour,...
  while (std::getline(file, line)) {
    const std::size_t region = line.find(',');
    const std::size_t type = line.find(',', region + 1) + 1;
    const std::size_t price = line.find(',', type) + 1;
    const std::string usd = line.substr(price, line.find(',', price) - price);
    history[line.substr(type, price - type - 1)][parse_day(line.substr(0, 10)).value()] =
        *parse_usd_per_hour(usd);
  }
  return history;
}

History our_history() {
  History history;
  for (const PriceRow& row : built_in_price_book("aws-us-east-1")->rows()) {
    if (row.key.service != PriceService::ec2 || row.key.market != PriceMarket::on_demand) continue;
    history[row.key.type][row.valid_from] = row.price;
  }
  return history;
}

/// Nanos in force on the day; 0 before the first.
std::int64_t in_force(const std::map<Day, UsdPerHour>& prices, Day day) {
  const auto after = prices.upper_bound(day);
  return after == prices.begin() ? 0 : std::prev(after)->second.nanos;
}

TEST(PricesGolden, OurEc2PricesAreThoseOfAnIndependentLog) {
  if (!std::filesystem::exists(change_log)) GTEST_SKIP() << "../shared/data is not here";
  const History theirs = read_log();
  std::size_t compared = 0;
  for (const auto& [type, ours] : our_history()) {
    const auto known = theirs.find(type);
    if (known == theirs.end()) continue;
    std::set<Day> days;
    for (const auto& [day, price] : ours) days.insert(day);
    for (const auto& [day, price] : known->second) days.insert(day);
    for (const Day day : days) {
      const std::int64_t our = in_force(ours, day);
      const std::int64_t their = in_force(known->second, day);
      if (our == 0 || their == 0) continue;  // one of the two begins later
      EXPECT_EQ(our / 1'000, their / 1'000) << type << " on " << show(day);
      ++compared;
    }
  }
  EXPECT_GE(compared, 15U) << "a check that examined too little";
  RecordProperty("compared", static_cast<int>(compared));
}

}  // namespace prices_test
}  // namespace reeve::scenarios
