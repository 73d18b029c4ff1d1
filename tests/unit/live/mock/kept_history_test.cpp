// What a mock account keeps of the past: its trail, Spot prices, and listings of AWS Batch.
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "live/mock/batch_jobs.hpp"
#include "live/mock/mock_trail.hpp"
#include "live/mock/spot_prices.hpp"

namespace reeve::live {
namespace kept_history_test {

using namespace std::chrono_literals;
using nlohmann::json;
using policy::Instant;

constexpr Instant noon = std::chrono::sys_days{std::chrono::year{2026} / 3 / 2} + 12h;

const json& value_of(const MockAnswer& answer) {
  static const json none = json::object();
  const auto* error = std::get_if<MockError>(&answer);
  EXPECT_EQ(error, nullptr) << error->code << ' ' << error->message;
  return error == nullptr ? std::get<json>(answer) : none;
}

std::string code_of(const MockAnswer& answer) {
  const auto* error = std::get_if<MockError>(&answer);
  return error == nullptr ? "(accepted)" : error->code;
}

TEST(MockTrail, TellsTheNewestFirstInPages) {
  MockTrail trail{"123456789012", "us-east-1"};
  for (const char* job : {"a", "b", "c"}) trail.note_creation(job, noon);
  trail.note_stop("b", MockError{"ValidationException", "it has ended"}, noon + 1h);
  json asked{{"MaxResults", 2},
             {"LookupAttributes",
              {{{"AttributeKey", "EventName"}, {"AttributeValue", "CreateTrainingJob"}}}}};
  const MockAnswer first = trail.answer(asked, noon + 2h);
  ASSERT_EQ(value_of(first)["Events"].size(), 2U);
  EXPECT_EQ(json::parse(value_of(first)["Events"][0]["CloudTrailEvent"]
                            .get<std::string>())["requestParameters"]["trainingJobName"],
            "c");
  asked["NextToken"] = value_of(first)["NextToken"];
  const MockAnswer second = trail.answer(asked, noon + 3h);
  EXPECT_EQ(value_of(second)["Events"].size(), 1U);
  EXPECT_FALSE(value_of(second).contains("NextToken"));
  const MockAnswer stops =
      trail.answer({{"LookupAttributes",
                     {{{"AttributeKey", "EventName"}, {"AttributeValue", "StopTrainingJob"}}}}},
                   noon + 4h);
  EXPECT_NE(value_of(stops)["Events"][0]["CloudTrailEvent"].get<std::string>().find(
                "\"errorCode\":\"ValidationException\""),
            std::string::npos);
}

TEST(MockTrail, RefusesTheThirdCallOfASecondAndWhatItDoesNotKnow) {
  MockTrail trail{"123456789012", "us-east-1"};
  EXPECT_EQ(code_of(trail.answer(json::object(), noon)), "(accepted)");
  EXPECT_EQ(code_of(trail.answer(json::object(), noon + 500ms)), "(accepted)");
  EXPECT_EQ(code_of(trail.answer(json::object(), noon + 999ms)), "ThrottlingException");
  EXPECT_EQ(code_of(trail.answer({{"NextToken", "x"}}, noon + 1h)), "InvalidNextTokenException");
  EXPECT_EQ(code_of(trail.answer({{"StartTime", 2}, {"EndTime", 1}}, noon + 2h)),
            "InvalidTimeRangeException");
  EXPECT_EQ(
      code_of(trail.answer({{"LookupAttributes", {{{"AttributeKey", "Username"}}}}}, noon + 3h)),
      "InvalidLookupAttributesException");
}

TEST(MockSpotPrices, AreOneADayAndZoneInPages) {
  json asked{{"InstanceType", {"p5.48xlarge"}},
             {"StartTime", "2026-02-28T12:00:00Z"},
             {"MaxResults", "4"}};
  const MockAnswer first = spot_price_history(asked, "us-east-1", noon);
  const json prices = value_of(first)["spotPriceHistorySet"];
  ASSERT_EQ(prices.size(), 4U);
  EXPECT_EQ(prices[0]["timestamp"], "2026-03-02T00:00:00Z");
  asked["NextToken"] = value_of(first)["nextToken"];
  const MockAnswer second = spot_price_history(asked, "us-east-1", noon);
  ASSERT_EQ(value_of(second)["spotPriceHistorySet"].size(), 2U);
  EXPECT_EQ(value_of(second)["spotPriceHistorySet"][1]["timestamp"], "2026-02-28T00:00:00Z")
      << "the price in force at the start";
  EXPECT_EQ(value_of(second)["nextToken"], "");
  asked["InstanceType"] = {"ml.p5.48xlarge"};
  EXPECT_EQ(code_of(spot_price_history(asked, "us-east-1", noon)), "InvalidParameterValue");
}

TEST(MockBatch, ListsJobsByTheirCreationOrTheirStatus) {
  BatchJobs jobs{"123456789012", "us-east-1"};
  const json one{{"jobName", "a"}, {"jobQueue", "reeve"}, {"jobDefinition", "reeve"}};
  for (int nth = 0; nth < 3; ++nth) jobs.answer("SubmitJob", one, noon + nth * 1h);
  const auto list = [&](const json& asked) { return jobs.answer("ListJobs", asked, noon + 2h); };
  const MockAnswer running = list({{"jobQueue", "reeve"}});
  EXPECT_EQ(value_of(running)["jobSummaryList"].size(), 1U);
  const auto after = std::chrono::floor<std::chrono::milliseconds>(noon.time_since_epoch());
  json asked{
      {"jobQueue", "reeve"},
      {"maxResults", 1},
      {"filters", {{{"name", "AFTER_CREATED_AT"}, {"values", {std::to_string(after.count())}}}}}};
  const MockAnswer first = list(asked);
  ASSERT_EQ(value_of(first)["jobSummaryList"].size(), 1U);
  asked["nextToken"] = value_of(first)["nextToken"];
  const MockAnswer second = list(asked);
  EXPECT_EQ(value_of(second)["jobSummaryList"].size(), 1U);
  EXPECT_FALSE(value_of(second).contains("nextToken")) << "the one of noon is not later than noon";
  asked["filters"][0]["name"] = "JOB_NAME";
  EXPECT_EQ(code_of(list(asked)), "ClientException");
  EXPECT_EQ(code_of(list(json::object())), "ClientException");
}

}  // namespace kept_history_test
}  // namespace reeve::live
