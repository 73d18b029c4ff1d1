// Price books: what is in force when, what a book's text may hold, and what scenarios make of it.
#include "scenarios/records/price_book.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace price_book_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* header =
    "valid_from,region,service,market,instance_type,usd_per_hour,accelerators,managed,source,"
    "retrieved,confidence\n";

PriceBook book(const std::string& rows) {
  return PriceBook::from_text("book.csv", header + rows);
}

std::string codes(const std::string& text) {
  try {
    PriceBook::from_text("book.csv", text);
    return "";
  } catch (const InputError& error) {
    std::string found;
    for (const Diagnostic& d : error.diagnostics()) found += d.code + " ";
    return found;
  }
}

Day day(const char* text) {
  return parse_day(text).value();
}

const PriceKey p5{PriceService::ec2, PriceMarket::on_demand, "p5.48xlarge"};

TEST(PriceBookTest, ARowIsInForceFromItsDayUntilTheNext) {
  const PriceBook prices = book(
      "2023-07-26,us-east-1,ec2,on_demand,p5.48xlarge,98.32,8,,list,,\n"
      "2025-06-23,us-east-1,ec2,on_demand,p5.48xlarge,55.04,8,,list,,\n");
  EXPECT_EQ(prices.find(p5, day("2023-07-25")), nullptr);
  EXPECT_EQ(prices.find(p5, day("2023-07-26"))->price.nanos, 98'320'000'000);
  EXPECT_EQ(prices.find(p5, day("2025-06-22"))->price.nanos, 98'320'000'000);
  EXPECT_EQ(prices.find(p5, day("2025-06-23"))->price.nanos, 55'040'000'000);
  EXPECT_EQ(prices.first(p5)->line, 2U);
  EXPECT_EQ(prices.first({PriceService::ec2, PriceMarket::spot, "p5.48xlarge"}), nullptr);
}

TEST(PriceBookTest, MarketsOfOneTypeAreToldApart) {
  const PriceBook prices = book(
      "2025-07-28,us-east-1,ec2,spot_savings,p5.48xlarge,52%,8,,advisor,,snapshot\n"
      "2025-07-28,us-east-1,ec2,spot_band,p5.48xlarge,20-100,8,,advisor,,snapshot\n"
      "2025-07-28,us-east-1,ec2,spot,p5.48xlarge,26.4,8,,history,,\n");
  const Day later = day("2026-01-01");
  EXPECT_EQ(prices.find(p5, later), nullptr);
  const auto of = [&](PriceMarket market) {
    return prices.find({PriceService::ec2, market, "p5.48xlarge"}, later);
  };
  EXPECT_EQ(of(PriceMarket::spot_savings)->low_percent, 52);
  EXPECT_EQ(of(PriceMarket::spot_band)->low_percent, 20);
  EXPECT_EQ(of(PriceMarket::spot_band)->high_percent, 100);
  EXPECT_EQ(of(PriceMarket::spot)->price.nanos, 26'400'000'000);
}

TEST(PriceBookTest, CommentsAndColumnOrderAreFree) {
  const PriceBook prices = PriceBook::from_text(
      "book.csv",
      "# ours\nsource,retrieved,confidence,valid_from,region,service,market,instance_type,"
      "usd_per_hour,accelerators,managed\n# EC2\n"
      "\"contract 7, page 2\",2026-01-01,list,2025-06-23,eu-west-1,ec2,on_demand,p5.48xlarge,"
      "55.04,8,false\n");
  const PriceRow& row = prices.rows().front();
  EXPECT_EQ(row.source, "contract 7, page 2");
  EXPECT_EQ(show(row.last_seen()), "2026-01-01");
  EXPECT_EQ(row.managed, false);
  EXPECT_EQ(row.line, 4U);
}

TEST(PriceBookTest, ADamagedBookIsRefused) {
  EXPECT_EQ(codes(""), "E0349 ");
  EXPECT_EQ(codes(header), "E0349 ");
  EXPECT_EQ(codes("# only words\n"), "E0349 ");
  EXPECT_EQ(codes("valid_from,region\n"), "E0321 ");
  EXPECT_EQ(codes("region,region\n"), "E0322 ");
  EXPECT_EQ(codes(std::string{header} + "2025-06-23,r,ec2,spot_savings,t,100%,8,,s,,\n"), "E0341 ");
  EXPECT_EQ(codes(std::string{header} + "2025-06-23,r,ec2,spot_band,t,15-10,8,,s,,\n"), "E0341 ");
  EXPECT_EQ(codes(std::string{header} + "2025-06-23,r,ec2,spot_band,t,-,8,,s,,\n"), "E0341 ");
  EXPECT_EQ(codes(std::string{header} + "2025-06-23,r,ec2,on_demand,t,-1,8,,s,,\n"), "E0348 ");
  EXPECT_EQ(codes(std::string{header} + "25-06-23,r,ec2,on_demand,t,1,-8,,s,9,\n"),
            "E0341 E0341 E0341 ");
}

TEST(PriceBookTest, SpotAboveALaterPriceOnDemandIsDoubtful) {
  const auto doubts_of = [](const std::string& rows) {
    std::string text =
        "valid_from,region,service,market,instance_type,usd_per_hour,accelerators,managed,source,"
        "retrieved,confidence\n";
    std::string lines;
    for (const Diagnostic& d : doubts(PriceBook::from_text("book.csv", text + rows))) {
      lines += fmt::format("{} {} ({})\n", d.code, d.position.line, fmt::join(d.notes, ", "));
    }
    return lines;
  };
  const auto row = [](const std::string& from, const std::string& market, int price) {
    return fmt::format("{},us-east-1,ec2,{},p5.48xlarge,{},8,,us,2026-08-01,list\n", from, market,
                       price);
  };
  const std::string before = row("2026-01-01", "on_demand", 98) + row("2026-01-01", "spot", 60);
  EXPECT_EQ(doubts_of(before), "");
  const std::string cut = row("2026-06-01", "on_demand", 55);
  EXPECT_EQ(doubts_of(before + cut), "W0479 3 (on-demand price on line 4, from 2026-06-01 on)\n");
  EXPECT_EQ(doubts_of(before + row("2026-05-01", "spot", 40) + cut), "")
      << "Spot had a newer price by then";
  EXPECT_EQ(doubts_of(before + row("2026-06-01", "spot", 40) + cut), "") << "both on one day";
  EXPECT_EQ(doubts_of(row("2026-01-01", "spot", 99) + before.substr(0, before.find('\n') + 1)),
            "W0479 2 (on-demand price on line 3)\n");
}

TEST(PriceBookTest, AReferenceIsABookAndADay) {
  EXPECT_EQ(parse_book_reference("aws-us-east-1")->date, std::nullopt);
  EXPECT_EQ(parse_book_reference("aws-us-east-1@2026-11-01")->book, "aws-us-east-1");
  EXPECT_EQ(show(*parse_book_reference("a/b.csv@2026-11-01")->date), "2026-11-01");
  EXPECT_TRUE(parse_book_reference("a/b.csv@2026-11-01")->is_file);
  for (const char* wrong : {"a@", "a@2026-11-31", "a@2026-11-1", "a@2026-11-01Z", "a@1600-01-01"}) {
    EXPECT_FALSE(parse_book_reference(wrong)) << wrong;
  }
}

TEST(PriceBookTest, ThePremiumIsTheRatioOfTwoRowsInForceOnOneDay) {
  const auto prices = built_in_price_book("aws-us-east-1");
  ASSERT_NE(prices, nullptr);
  const auto ratio = [&](const char* type, const char* when) -> double {
    for (const ManagedPremium& of : managed_premiums(*prices, day(when))) {
      if (of.managed->key.type == type) return of.ratio();
    }
    return 0;
  };
  EXPECT_NEAR(ratio("ml.p5.48xlarge", "2025-06-01"), 113.068 / 98.32, 1e-12);
  EXPECT_NEAR(ratio("ml.p5.48xlarge", "2025-07-01"), 63.296 / 55.04, 1e-12);
  EXPECT_NEAR(ratio("ml.trn1.32xlarge", "2025-07-01"), 1.3254, 1e-4);
  EXPECT_NEAR(ratio("ml.g5.xlarge", "2025-07-01"), 1.4, 1e-12);
  EXPECT_EQ(ratio("ml.p5.48xlarge", "2023-10-01"), 0) << "one of the two rows is missing";
}

// ---- in scenarios -------------------------------------------------------------------------------

Loaded load_with(const std::string& prices, const std::string& type, const std::string& start,
                 const std::string& model = "ideal", const std::string& folder = "/nowhere") {
  return load(SourceFile::from_text("test.jsonc", fmt::format(R"({{ "reeve": 1, "prices": {{ {} }},
    "clock": {{ "start": "{}T00:00:00Z" }}, "platform": {{ "model": "{}" }},
    "fleet": [ {{ "instance_type": "{}", "capacity": 8 }} ],
    "jobs": [ {{ "name": "a", "work": "1h" }} ] }})",
                                                              prices, start, model, type)),
              folder, {});
}

std::vector<std::string> warnings_of(const Loaded& loaded) {
  std::vector<std::string> found;
  for (const Diagnostic& d : loaded.warnings) found.push_back(d.code);
  return found;
}

TEST(PriceBookInScenariosTest, TheDayOfTheBookIsThatOfTheClockUnlessItIsNamed) {
  const std::string book = R"("book": "aws-us-east-1")";
  const Loaded after = load_with(book, "p5.48xlarge", "2025-06-23");
  EXPECT_EQ(after.scenario.world.pools[0].price.nanos, 55'040'000'000);
  EXPECT_EQ(after.scenario.world.directory.types[0].gpus, 8U);
  EXPECT_EQ(after.scenario.price_book, "aws-us-east-1@2025-06-23");
  EXPECT_THAT(warnings_of(after), IsEmpty());
  const Loaded before = load_with(book, "p5.48xlarge", "2025-06-22");
  EXPECT_EQ(before.scenario.world.pools[0].price.nanos, 98'320'000'000);
  const Loaded named =
      load_with(R"("book": "aws-us-east-1@2025-06-22")", "p5.48xlarge", "2025-07-01");
  EXPECT_EQ(named.scenario.world.pools[0].price.nanos, 98'320'000'000);
}

TEST(PriceBookInScenariosTest, APriceThatNobodySawForMoreThan180DaysIsDoubtful) {
  const std::string book = R"("book": "aws-us-east-1@2024-01-01")";
  EXPECT_THAT(warnings_of(load_with(book, "g5.xlarge", "2024-06-29")), IsEmpty());
  EXPECT_THAT(warnings_of(load_with(book, "g5.xlarge", "2024-06-30")), ElementsAre("W0420"));
}

TEST(PriceBookInScenariosTest, InlinePricesWinAndEachIsNamed) {
  const Loaded loaded = load_with(R"("book": "aws-us-east-1", "instances": {
      "g5.xlarge": { "usd_per_hour": 2, "gpus": 1 }, "mine": { "usd_per_hour": 3, "gpus": 1 } })",
                                  "g5.xlarge", "2026-01-01");
  EXPECT_EQ(loaded.scenario.world.pools[0].price.nanos, 2'000'000'000);
  EXPECT_THAT(warnings_of(loaded), ElementsAre("W0424", "W0410"));
}

TEST(PriceBookInScenariosTest, TheManagedPriceComesWithThatOfEc2) {
  const auto ec2 = [](const std::string& type, const std::string& model) {
    return load_with(R"("book": "aws-us-east-1")", type, "2025-07-01", model).scenario.ec2_prices;
  };
  EXPECT_THAT(ec2("ml.p5.48xlarge", "sagemaker-training"), ElementsAre(UsdPerHour{55'040'000'000}));
  EXPECT_THAT(ec2("ml.p5.48xlarge", "ideal"), ElementsAre(std::nullopt));
  EXPECT_THAT(ec2("p5.48xlarge", "ideal"), ElementsAre(std::nullopt));
}

TEST(PriceBookInScenariosTest, EC2sPriceIsOfTheSameTermsOrUnknown) {
  const auto ec2 =
      [](const std::string& prices, const std::string& keys, const std::string& type = "m") {
        const std::string text = R"({ "reeve": 1,
      "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "10d" },
      "prices": { )" + prices + R"( },
      "fleet": [ { "name": "f", "instance_type": ")" +
                                 type + R"(", "capacity": 2, )" + keys + R"( } ],
      "platform": { "model": "sagemaker-training", "startup": "5m" },
      "jobs": [ { "name": "a", "work": "1h" } ] })";
        return load(SourceFile::from_text("test.jsonc", text), ::testing::TempDir(), {})
            .scenario.ec2_prices;
      };
  const std::string stated =
      R"("instances": { "m": { "usd_per_hour": 30, "ec2_usd_per_hour": 24, "gpus": 8 } })";
  const auto known = ElementsAre(UsdPerHour{24'000'000'000});
  const auto unknown = ElementsAre(std::nullopt);
  EXPECT_THAT(ec2(stated, R"("market": "on_demand")"), known);
  EXPECT_THAT(ec2(stated, R"("market": "reserved")"), known);
  EXPECT_THAT(ec2(stated, R"("market": "reserved", "commitment": { "usd_per_hour": 18 })"),
              unknown);
  EXPECT_THAT(ec2(stated, R"("market": "capacity_block", "windows": [["0s", "1d"]])"), unknown);
  const std::string file = ::testing::TempDir() + "same-terms.csv";
  std::ofstream{file} << header
                      << "2026-01-01,us-east-1,sagemaker,on_demand,ml.x.1,10,8,,me,,list\n"
                      << "2026-01-01,us-east-1,ec2,on_demand,x.1,8,8,,me,,list\n"
                      << "2026-01-01,us-east-1,sagemaker,reserved_1y,ml.x.1,7,8,,me,,list\n"
                      << "2026-01-01,us-east-1,ec2,reserved_1y,x.1,5,8,,me,,list\n"
                      << "2026-01-01,us-east-1,sagemaker,capacity_block,ml.x.1,6,8,,me,,list\n";
  const std::string book = R"("book": "same-terms.csv")";
  EXPECT_THAT(ec2(book, R"("market": "on_demand")", "ml.x.1"),
              ElementsAre(UsdPerHour{8'000'000'000}));
  EXPECT_THAT(ec2(book, R"("market": "reserved")", "ml.x.1"),
              ElementsAre(UsdPerHour{5'000'000'000}));
  EXPECT_THAT(ec2(book, R"("market": "capacity_block", "windows": [["0s", "1d"]])", "ml.x.1"),
              unknown);
  std::filesystem::remove(file);
}

TEST(PriceBookInScenariosTest, APriceThatChangesBeforeTheHorizonIsNamed) {
  const auto within = [](const std::string& horizon) {
    const std::string text =
        R"({ "reeve": 1, "clock": { "start": "2025-06-20T00:00:00Z", "horizon": ")" + horizon +
        R"(" }, "prices": { "book": "aws-us-east-1" },
        "fleet": [ { "instance_type": "p5.48xlarge", "capacity": 1 } ],
        "platform": { "model": "ideal" }, "jobs": [ { "name": "a", "work": "1h" } ] })";
    return warnings_of(load(SourceFile::from_text("test.jsonc", text), "/nowhere", {}));
  };
  EXPECT_THAT(within("60d"), ElementsAre("W0489"));
  EXPECT_THAT(within("3d"), IsEmpty()) << "the cut is of the day on which the clock ends";
}

TEST(PriceBookInScenariosTest, APriceThatChangesBeforeJobsMayBeDoneIsNamedWithoutAHorizon) {
  const auto with = [](const std::string& rest) {
    const std::string text =
        R"({ "reeve": 1, "clock": { "start": "2025-06-20T00:00:00Z" },
        "prices": { "book": "aws-us-east-1" },
        "fleet": [ { "instance_type": "p5.48xlarge", "capacity": 1 } ],
        "platform": { "model": "ideal" }, )" +
        rest + " }";
    return warnings_of(load(SourceFile::from_text("test.jsonc", text), "/nowhere", {}));
  };
  EXPECT_THAT(with(R"("jobs": [ { "name": "a", "work": "80h" } ])"), ElementsAre("W0489"));
  EXPECT_THAT(with(R"("jobs": [ { "name": "a", "work": "10h" } ])"), IsEmpty());
  EXPECT_THAT(with(R"("jobs": [ { "name": "a", "work": "10h", "submit": "3d" } ])"),
              ElementsAre("W0489"));
  const auto drawn = [&](const std::string& gap) {
    return with(R"("workload": { "jobs": 10, "work": "1h",
        "arrivals": { "process": "fixed", "gap": ")" +
                gap + R"(" } })");
  };
  EXPECT_THAT(drawn("1d"), ElementsAre("W0489"));
  EXPECT_THAT(drawn("1h"), IsEmpty());
}

TEST(PriceBookInScenariosTest, ABookOfOnesOwnLiesBesideTheScenario) {
  const std::string folder = ::testing::TempDir() + "reeve-price-book";
  std::filesystem::create_directories(folder + "/prices");
  std::ofstream{folder + "/prices/ours.csv"}
      << header << "2025-01-01,eu-west-1,ec2,on_demand,ours.8gpu,12.5,8,,contract 7,,list\n";
  const Loaded loaded =
      load_with(R"("book": "prices/ours.csv")", "ours.8gpu", "2025-02-01", "ideal", folder);
  EXPECT_EQ(loaded.scenario.world.pools[0].price.nanos, 12'500'000'000);
  EXPECT_EQ(loaded.scenario.price_book, "prices/ours.csv@2025-02-01");
  std::filesystem::remove_all(folder);
}

}  // namespace price_book_test
}  // namespace reeve::scenarios
