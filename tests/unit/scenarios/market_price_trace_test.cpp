// Recorded prices of markets, and the clock within a record.
#include <gtest/gtest.h>
#include <zlib.h>

#include <chrono>
#include <string>

#include "scenarios/records/market_trace.hpp"
#include "tests/unit/scenarios/market_cases.hpp"

namespace reeve::scenarios {
namespace market_trace_test {

constexpr const char* history =
    "instance_type,az,timestamp,product,spot_price_usd_h\n"
    "p3.2xlarge,us-east-1a,2020-01-01T00:00:00.000Z,Linux/UNIX,0.918000\n"
    "p3.2xlarge,us-east-1a,2020-01-01T06:00:00.000Z,Linux/UNIX,0.920400\n"
    "p3.2xlarge,us-east-1a,2020-01-01T06:00:00.000Z,Windows,1.5\n"
    "p3.2xlarge,us-east-1b,2020-01-01T07:00:00.000Z,Linux/UNIX,0.9\n"
    "p2.xlarge,us-east-1a,2020-01-01T07:00:00.000Z,Linux/UNIX,0.27\n";

TEST(MarketTrace, APriceHistoryOfOneTypeZoneAndProduct) {
  const MarketTrace trace = prices(history, of("p3.2xlarge", "us-east-1a"));
  EXPECT_EQ(trace.prices, (Prices{{0s, usd(0.918)}, {6h, usd(0.9204)}}));
  EXPECT_EQ(trace.begins, std::chrono::sys_days{std::chrono::year{2020} / 1 / 1});
  EXPECT_EQ(trace.length, 6h);
}

TEST(MarketTrace, NamesNotInAPriceHistoryAreRefused) {  // E0336
  EXPECT_EQ(refusal(history, of("p3.2xlarg", "us-east-1a")).help, "did you mean \"p3.2xlarge\"?");
  EXPECT_EQ(refusal(history, of("p3.2xlarge", "us-east-1c")).message,
            "the trace has no zone \"us-east-1c\"");
  EXPECT_EQ(refusal(history, of("p2.xlarge", "us-east-1b")).help, "did you mean \"us-east-1a\"?");
  EXPECT_EQ(refusal(history, of("", "us-east-1a")).code, "E0336");
  PriceOptions options = of("p3.2xlarge", "us-east-1a");
  options.product = "Windows";
  EXPECT_EQ(prices(history, options).prices, (Prices{{0s, usd(1.5)}}));
  options.product = "SUSE Linux";
  EXPECT_EQ(refusal(history, options).help, "one of \"Linux/UNIX\", \"Windows\"");
  options.product.clear();
  EXPECT_EQ(refusal(history, options).code, "E0336");
}

TEST(MarketTrace, UnsortedPriceHistoriesAreSorted) {  // W0314, W0311, E0331
  const PriceOptions options = of("", "");
  const auto at = [](const std::string& hour, const std::string& price) {
    return hour + ":00:00Z,Linux/UNIX," + price;
  };
  const Prices sorted{{0s, usd(1)}, {1h, usd(2)}, {2h, usd(3)}};
  MarketTrace trace = prices(rows(at("00", "1"), at("02", "3"), at("01", "2")), options);
  EXPECT_EQ(trace.prices, sorted);
  EXPECT_EQ(told(trace), Codes{"W0314"});
  trace = prices(rows(at("02", "3"), at("01", "2"), at("00", "1")), options);  // as AWS answers
  EXPECT_EQ(trace.prices, sorted);
  EXPECT_EQ(told(trace), Codes{});
  EXPECT_EQ(told(prices(rows(at("00", "1"), at("00", "1")), options)), Codes{"W0311"});
  EXPECT_EQ(refused(rows(at("00", "1"), at("00", "2")), options), "E0331 3:13+20");
}

TEST(MarketTrace, PricesThatAreNone) {  // E0337, E0332
  PriceOptions options = of("", "");
  const auto one = [](const std::string& price) {
    return rows("00:00:00Z,Linux/UNIX," + price, {});
  };
  EXPECT_EQ(refused(one("0"), options), "E0337 2:45+1");
  EXPECT_EQ(refused(one("-1"), options), "E0337 2:45+2");
  EXPECT_EQ(refused(one("n/a"), options), "E0313 2:45+3");
  EXPECT_EQ(refused(one("10000.1"), options), "E0332 2:45+7");
  EXPECT_EQ(prices(one("91.8"), options).prices, (Prices{{0s, usd(91.8)}}));
  options.on_demand = usd(3.06);
  EXPECT_EQ(refused(one("91.8"), options), "E0332 2:45+4");  // 0.918 in cents
}

TEST(MarketTrace, AnAnswerOfDescribeSpotPriceHistory) {  // E0335
  const std::string rows =
      R"({"SpotPriceHistory": [
        {"AvailabilityZone": "us-east-1a", "InstanceType": "g5.xlarge", "SpotPrice": "0.520000",
         "ProductDescription": "Linux/UNIX", "Timestamp": "2024-05-02T10:00:00+00:00"},
        {"AvailabilityZone": "us-east-1a", "InstanceType": "g5.xlarge", "SpotPrice": "0.500000",
         "ProductDescription": "Linux/UNIX", "Timestamp": "2024-05-02T04:00:00+00:00"}])";
  const PriceOptions options = as(PriceFormat::describe);
  EXPECT_EQ(prices(rows + R"(, "NextToken": ""})", options).prices,
            (Prices{{0s, usd(0.5)}, {6h, usd(0.52)}}));
  EXPECT_EQ(refused(rows + R"(, "NextToken": "abc"})", options), "E0335 5:103+5");
  EXPECT_EQ(refused(R"({"SpotPriceHistory": []})", options), "E0320 0:0+1");
  EXPECT_EQ(refused(R"({"SpotPriceHistory": [{}]})", options), "E0202 1:23+1");
  EXPECT_EQ(refused(R"({"Rows": []})", options), "E0202 1:1+1");
}

TEST(MarketTrace, PricesPerTick) {
  PriceOptions options = as(PriceFormat::per_tick);
  EXPECT_EQ(prices(R"({"prices": [1, 1, 2], "gap_seconds": 60})", options).prices,
            (Prices{{0s, usd(1)}, {2min, usd(2)}}));
  EXPECT_EQ(refused("[1, 1, 2]", options), "E0202 1:1+1");
  options.span.tick = 195s;
  EXPECT_EQ(prices("[1, 1, 2]", options).prices, (Prices{{0s, usd(1)}, {390s, usd(2)}}));
  options.series = "b";
  EXPECT_EQ(prices(R"({"a": [1], "b": [2, 3]})", options).length, 390s);
  options.ticks = 3;
  EXPECT_EQ(refused(R"({"a": [1], "b": [2, 3]})", options), "E0338 1:17+1");
}

// ---- the time covered

TEST(MarketTrace, TheClockMayStartInsideATrace) {  // W0312, E0320, E0228
  PriceOptions options = of("p3.2xlarge", "us-east-1a");
  const auto day = std::chrono::sys_days{std::chrono::year{2020} / 1 / 1};
  options.span.start = day + 2h;
  MarketTrace trace = prices(history, options);
  EXPECT_EQ(trace.prices, (Prices{{0s, usd(0.918)}, {4h, usd(0.9204)}}));
  EXPECT_EQ(trace.length, 4h);
  options.span.start = day - 2h;
  trace = prices(history, options);
  EXPECT_EQ(trace.prices, (Prices{{0s, usd(0.918)}, {8h, usd(0.9204)}}));
  EXPECT_EQ(told(trace), Codes{"W0312"});
  options.span.start = day + 7h;
  EXPECT_EQ(refused(history, options), "E0320 0:0+1");
  OfferOptions undated = as(OfferFormat::count_log);
  undated.span.start = day;
  EXPECT_EQ(refused("0,8\n", undated), "E0228 0:0+1");
}

TEST(MarketTrace, ATraceThatIsTooShortIsTold) {  // W0321
  OfferOptions options = as(OfferFormat::spot_traces);
  options.span.clock = 20min;
  EXPECT_EQ(told(offers(ticks("[4, 4]"), options)), Codes{});
  options.span.clock = 21min;
  EXPECT_EQ(told(offers(ticks("[4, 4]"), options)), Codes{"W0321"});
}

TEST(MarketTrace, AStatedLengthIsCompared) {  // W0322
  OfferOptions options = as(OfferFormat::spot_traces);
  options.span.stated_length = 10min;  // one tick less is a way of counting
  EXPECT_EQ(told(offers(ticks("[4, 4]"), options)), Codes{});
  options.span.stated_length = 9min;
  const MarketTrace trace = offers(ticks("[4, 4]"), options);
  EXPECT_EQ(told(trace), Codes{"W0322"});
  EXPECT_EQ(trace.length, 20min);
}

// ---- bytes

std::string zipped(const std::string& text) {
  z_stream zip{};
  EXPECT_EQ(deflateInit2(&zip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&zip, text.size()) + 64, '\0');
  std::string in = text;
  zip.next_in = reinterpret_cast<Bytef*>(in.data());
  zip.avail_in = static_cast<uInt>(in.size());
  zip.next_out = reinterpret_cast<Bytef*>(out.data());
  zip.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&zip, Z_FINISH), Z_STREAM_END);
  out.resize(zip.total_out);
  deflateEnd(&zip);
  return out;
}

TEST(MarketTrace, GzipIsUndoneInBothKindsOfFile) {
  const std::string json = zipped(ticks("[4, 0]"));
  EXPECT_EQ(offers(json, as(OfferFormat::spot_traces)).offers, (Offers{{0s, 4}, {10min, 0}}));
  const std::string csv = zipped(history);
  EXPECT_EQ(prices(csv, of("p2.xlarge", "")).prices, (Prices{{0s, usd(0.27)}}));
  EXPECT_EQ(refusal(csv.substr(0, csv.size() - 9), of("p2.xlarge", "")).code, "E0304");
  EXPECT_EQ(refusal(json.substr(0, json.size() - 9), as(OfferFormat::spot_traces)).code, "E0304");
}

TEST(MarketTrace, AMissingFileIsNamed) {
  try {
    read_offers(std::filesystem::path{"no-such-trace.json"}, {});
    ADD_FAILURE() << "read";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().at(0).code, "E0001");
  }
}

}  // namespace market_trace_test
}  // namespace reeve::scenarios
