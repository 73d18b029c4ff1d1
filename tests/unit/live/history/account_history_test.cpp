// What is asked of an account for its history, and what becomes of the replies.
#include "live/history/account_history.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "live/aws/credentials.hpp"
#include "live/aws/uri.hpp"
#include "live/history/history_pages.hpp"
#include "live/mock/query_reply.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace account_history_test {

using namespace std::chrono_literals;
using nlohmann::json;
using policy::Instant;
using std::chrono::days;

constexpr Instant now = std::chrono::sys_days{std::chrono::year{2026} / 8 / 31} + 12h;

Credentials any_key() {
  Credentials credentials;
  credentials.key = {"KEY", Secret{std::string_view{"s"}}, {}};
  return credentials;
}

double seconds(Instant at) {
  return std::chrono::duration<double>(at.time_since_epoch()).count();
}

/// A call as the account gets it.
struct Asked {
  std::string operation;
  json parameters;
  Instant at;
};

Asked asked_of(const Request& request, Instant at) {
  const std::string target = header_of(request, "x-amz-target");
  if (target != "(none)") {
    return {target.substr(target.rfind('.') + 1), json::parse(request.body), at};
  }
  if (request.path.starts_with("/v1/"))
    return {request.path.substr(4), json::parse(request.body), at};
  Asked asked{{}, {}, at};
  std::vector<Field> fields;
  bool is_ec2 = false;
  for (Field& field : parse_query(request.body)) {
    if (field.name == "Action") {
      asked.operation = field.value;
    } else if (field.name == "Version") {
      is_ec2 = field.value == "2016-11-15";
    } else {
      fields.push_back(field);
    }
  }
  asked.parameters = form_value(fields, is_ec2 ? Protocol::ec2 : Protocol::query).value();
  return asked;
}

struct AccountHistoryTest : testing::Test {
  Scripted script;
  FixedCredentials key{any_key()};
  Client client{script.surroundings(), key, {"us-east-1", 1}};
  std::vector<Asked> calls;
  std::vector<std::pair<std::string, json>> taken;  // by part
  HistoryReading reading{client, script.clock, std::chrono::floor<days>(now - days{90}), now,
                         [this](std::string_view part, const json& reply, std::size_t) {
                           taken.emplace_back(part, reply);
                         }};

  void answer(json reply) { answer_text(200, reply.dump()); }
  void deny() { answer_text(400, json{{"__type", "AccessDeniedException"}}.dump()); }
  void answer_text(int status, std::string body) {
    script.transport.answers.emplace_back([this, status, body](const Request& request) -> Outcome {
      calls.push_back(asked_of(request, script.clock.time));
      return Response{status, {}, body};
    });
  }
  /// All calls had an answer, and all answers a call.
  void expect_done() const { EXPECT_TRUE(script.transport.answers.empty()); }
  KeptJobs jobs() {
    auto read = read_jobs(reading);
    if (const auto* failed = std::get_if<FailedCall>(&read)) {
      ADD_FAILURE() << failed->action << ' ' << failed->error.code;
      return {};
    }
    expect_done();
    return std::get<KeptJobs>(std::move(read));
  }
};

json training_job(const std::string& name, int instances = 1) {
  return {{"TrainingJobName", name},
          {"TrainingJobArn", "arn:" + name},
          {"ResourceConfig", {{"InstanceType", "ml.p5.48xlarge"}, {"InstanceCount", instances}}},
          {"TrainingStartTime", seconds(now - 5h)},
          {"TrainingEndTime", seconds(now - 3h)}};
}

json page_of(const std::vector<json>& jobs) {
  json page{{"Results", json::array()}};
  for (const json& job : jobs) page["Results"].push_back(json::object({{"TrainingJob", job}}));
  return page;
}

TEST_F(AccountHistoryTest, SearchesAllPagesSinceMidnight) {
  json first = page_of({training_job("a", 2)});
  first["NextToken"] = "more";
  answer(first);
  json waiting = training_job("b");
  waiting.erase("TrainingStartTime");
  json mixed = training_job("c");
  mixed["ResourceConfig"] = {{"InstanceGroups",
                              {{{"InstanceType", "ml.c5.large"}, {"InstanceCount", 1}},
                               {{"InstanceType", "ml.g5.xlarge"}, {"InstanceCount", 3}}}}};
  mixed.erase("TrainingEndTime");
  answer(page_of({waiting, mixed}));
  const KeptJobs kept = jobs();
  EXPECT_EQ(calls[0].operation, "Search");
  EXPECT_EQ(calls[0].parameters["SearchExpression"]["Filters"][0]["Value"], "2026-06-02T00:00:00Z");
  EXPECT_EQ(calls[0].parameters["MaxResults"], 100);
  EXPECT_EQ(calls[1].parameters["NextToken"], "more");
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].second, page_of({training_job("a", 2)})) << "a page is kept without its token";
  EXPECT_EQ(kept.types, (std::set<std::string>{"c5.large", "g5.xlarge", "p5.48xlarge"}));
  ASSERT_EQ(kept.started.size(), 2U);
  EXPECT_EQ(kept.started[0].instances, 2);
  EXPECT_EQ(kept.started[0].ended, now - 3h);
  EXPECT_EQ(kept.started[1].name, "c");
  EXPECT_EQ(kept.started[1].instances, 4);
  EXPECT_EQ(kept.started[1].ended, now) << "it runs";
  EXPECT_FALSE(kept.search);
}

TEST_F(AccountHistoryTest, AnAccountThatCannotBeReadIsNotEmpty) {
  answer(json::object());
  auto read = read_jobs(reading);
  ASSERT_TRUE(std::holds_alternative<FailedCall>(read));
  EXPECT_EQ(std::get<FailedCall>(read).error.code, "UnreadableReply");
  deny();
  answer({{"TrainingJobSummaries", {{{"TrainingJobName", "a"}}}}});
  answer(json::array());
  read = read_jobs(reading);
  ASSERT_TRUE(std::holds_alternative<FailedCall>(read));
  EXPECT_EQ(std::get<FailedCall>(read).error.code, "UnreadableReply");
  for (int calls_refused = 0; calls_refused < 2; ++calls_refused) deny();
  read = read_jobs(reading);
  ASSERT_TRUE(std::holds_alternative<FailedCall>(read));
  EXPECT_EQ(std::get<FailedCall>(read).action, "sagemaker:ListTrainingJobs");
}

TEST_F(AccountHistoryTest, DescribesJobsWithTheirTagsWithoutSearch) {
  deny();
  answer({{"TrainingJobSummaries",
           {{{"TrainingJobName", "a"}}, {{"TrainingJobName", "b"}}, {{"TrainingJobName", "c"}}}}});
  const json tags = json::array({{{"Key", "team"}, {"Value", "x"}}});
  answer(training_job("a"));
  answer({{"Tags", tags}});
  deny();  // b
  answer(training_job("c"));
  deny();  // its tags
  const KeptJobs kept = jobs();
  json described = training_job("a");
  described["Tags"] = tags;
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].second, page_of({described}));
  EXPECT_EQ(kept.unread, 1U);
  ASSERT_TRUE(kept.search && kept.tags);
  EXPECT_EQ(kept.search->action, "sagemaker:Search");
  EXPECT_EQ(kept.tags->action, "sagemaker:ListTags");
  EXPECT_EQ(calls[1].parameters["CreationTimeAfter"], seconds(reading.since));
  EXPECT_GE(calls[5].at - calls[4].at, 200ms) << "five descriptions a second";
}

TEST_F(AccountHistoryTest, JobsOfWhichNoneMayBeDescribedAreAFailure) {
  deny();
  answer({{"TrainingJobSummaries", {{{"TrainingJobName", "a"}}}}});
  deny();
  const auto read = read_jobs(reading);
  ASSERT_TRUE(std::holds_alternative<FailedCall>(read));
  EXPECT_EQ(std::get<FailedCall>(read).action, "sagemaker:DescribeTrainingJob");
}

TEST_F(AccountHistoryTest, LooksUpEventsTwiceASecondAndNotBeyondNinetyDays) {
  reading.since = now - days{200};
  answer({{"Events", {{{"EventName", "CreateTrainingJob"}}}}, {"NextToken", "2"}});
  for (int page = 0; page < 3; ++page) answer({{"Events", json::array()}});
  EXPECT_FALSE(read_trail(reading));
  expect_done();
  for (const Asked& call : calls) {
    EXPECT_EQ(call.parameters["StartTime"], seconds(now - days{90}));
    EXPECT_EQ(call.parameters["MaxResults"], 50);
  }
  EXPECT_EQ(calls[1].parameters["NextToken"], "2");
  EXPECT_EQ(calls[3].parameters["LookupAttributes"][0]["AttributeValue"], "BidEvictedEvent");
  for (std::size_t call = 1; call < calls.size(); ++call) {
    EXPECT_GE(calls[call].at - calls[call - 1].at, 500ms);
  }
  EXPECT_EQ(header_of(script.transport.requests[0], "x-amz-target"),
            "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.LookupEvents");
}

std::string metric_reply(const std::string& results, const std::string& rest = {}) {
  return "<GetMetricDataResponse><GetMetricDataResult><MetricDataResults>" + results +
         "</MetricDataResults>" + rest + "</GetMetricDataResult></GetMetricDataResponse>";
}

TEST_F(AccountHistoryTest, ReadsUtilizationAsFineAsItsAgeLeaves) {
  const std::vector<KeptJob> kept{{"new", 501, now - 3h - 30s, now - 1h},
                                  {"older", 1, now - days{20} + 7min, now - days{19}},
                                  {"oldest", 2, now - days{80} + 7min, now - days{79}},
                                  {"never", 4, now - 1h, now - 2h}};
  for (int call = 0; call < 4; ++call) answer_text(200, metric_reply(""));
  EXPECT_FALSE(read_utilization(reading, kept));
  expect_done();
  const auto period = [&](std::size_t call) {
    return calls[call].parameters["MetricDataQueries"][0]["MetricStat"]["Period"];
  };
  EXPECT_EQ(calls[0].parameters["MetricDataQueries"].size(), 500U);
  EXPECT_EQ(calls[1].parameters["MetricDataQueries"].size(), 1U);
  EXPECT_EQ(calls[1].parameters["MetricDataQueries"][0]["Label"], "new/algo-501");
  EXPECT_EQ(calls[0].parameters["StartTime"], "2026-08-31T08:59:00Z");
  EXPECT_EQ(calls[2].parameters["StartTime"], "2026-08-11T12:05:00Z");
  EXPECT_EQ(calls[3].parameters["StartTime"], "2026-06-12T12:00:00Z");
  EXPECT_EQ(period(0), "60");
  EXPECT_EQ(period(2), "300");
  EXPECT_EQ(period(3), "3600");
}

TEST_F(AccountHistoryTest, WritesMetricsAsTheCliDoesAndOnlyThoseOfTheJob) {
  answer_text(200, metric_reply("<member><Id>h1</Id><Label>b/algo-1</Label><StatusCode>PartialData"
                                "</StatusCode><Timestamps><member>2026-08-31T09:59:00Z</member>"
                                "<member>2026-08-31T10:00:00Z</member><member>2026-08-31T11:00:00Z"
                                "</member></Timestamps><Values><member>1.5</member><member>97.25"
                                "</member><member>1E1</member></Values></member>",
                                "<NextToken>2</NextToken><Messages/>"));
  answer_text(200, metric_reply("<member><Id>h0</Id><Label>a/algo-1</Label><StatusCode>Complete"
                                "</StatusCode><Timestamps/><Values/></member>",
                                "<Messages><member><Code>Oh</Code></member></Messages>"));
  const std::vector<KeptJob> kept{{"a", 1, now - 5h, now - 4h}, {"b", 1, now - 2h, now - 1h}};
  EXPECT_FALSE(read_utilization(reading, kept));
  expect_done();
  EXPECT_EQ(calls[1].parameters["NextToken"], "2");
  EXPECT_EQ(calls[0].parameters["StartTime"], "2026-08-31T07:00:00Z");
  EXPECT_EQ(calls[0].parameters["EndTime"], "2026-08-31T11:00:00Z");
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].second, json::parse(R"({"MetricDataResults": [{"Id": "h1", "Label": "b/algo-1",
              "StatusCode": "PartialData", "Timestamps": ["2026-08-31T10:00:00Z"],
              "Values": [97.25]}]})"));
  EXPECT_EQ(taken[1].second, json::parse(R"({"MetricDataResults": [{"Id": "h0", "Label": "a/algo-1",
              "StatusCode": "Complete", "Timestamps": [], "Values": []}],
              "Messages": [{"Code": "Oh"}]})"));
}

TEST_F(AccountHistoryTest, WritesSpotPricesAsTheCliDoes) {
  answer_text(200,
              "<DescribeSpotPriceHistoryResponse><spotPriceHistorySet><item>"
              "<instanceType>p5.48xlarge</instanceType><productDescription>Linux/UNIX"
              "</productDescription><spotPrice>12.500000</spotPrice>"
              "<timestamp>2026-08-30T04:32:53.000Z</timestamp><availabilityZone>us-east-1a"
              "</availabilityZone></item></spotPriceHistorySet><nextToken>2</nextToken>"
              "</DescribeSpotPriceHistoryResponse>");
  answer_text(200,
              "<DescribeSpotPriceHistoryResponse><spotPriceHistorySet/><nextToken/>"
              "</DescribeSpotPriceHistoryResponse>");
  EXPECT_FALSE(read_spot_prices(reading, {"p5.48xlarge"}));
  expect_done();
  EXPECT_EQ(calls[0].parameters["InstanceType"], json::array({"p5.48xlarge"}));
  EXPECT_EQ(calls[0].parameters["ProductDescription"], json::array({"Linux/UNIX"}));
  EXPECT_EQ(calls[1].parameters["NextToken"], "2");
  EXPECT_EQ(taken[0].second, json::parse(R"({"SpotPriceHistory": [{"InstanceType": "p5.48xlarge",
              "ProductDescription": "Linux/UNIX", "SpotPrice": "12.500000",
              "Timestamp": "2026-08-30T04:32:53.000Z", "AvailabilityZone": "us-east-1a"}]})"));
  EXPECT_EQ(taken[1].second, json::parse(R"({"SpotPriceHistory": []})"));
}

TEST_F(AccountHistoryTest, DescribesJobsOfBatchHundredAtATime) {
  answer({{"jobQueues",
           {{{"jobQueueName", "gpu"}, {"jobQueueType", "EKS"}},
            {{"jobQueueName", "train"}, {"jobQueueType", "SAGEMAKER_TRAINING"}}}}});
  json listed = json::array();
  for (int job = 0; job < 100; ++job) listed.push_back({{"jobId", std::to_string(job)}});
  listed[0]["arrayProperties"] = {{"size", 2}};
  answer({{"jobSummaryList", listed}});
  answer({{"jobSummaryList", json::array()}});
  answer({{"jobSummaryList", {{{"jobId", "0:1"}}}}});
  answer({{"jobSummaryList", json::array()}});
  answer({{"jobs", {{{"jobId", "0"}}}}});
  answer({{"jobs", {{{"jobId", "0:1"}}}}});
  answer({{"jobSummaryList", {{{"jobId", "s"}}}}});
  answer({{"jobId", "s"}, {"serviceJobType", "SAGEMAKER_TRAINING"}});
  EXPECT_FALSE(read_batch_jobs(reading));
  expect_done();
  const auto since = static_cast<std::int64_t>(seconds(reading.since) * 1000);
  EXPECT_EQ(calls[1].parameters["filters"],
            json::array({{{"name", "AFTER_CREATED_AT"},
                          {"values", json::array({std::to_string(since)})}}}));
  EXPECT_EQ(calls[3].parameters["arrayJobId"], "0");
  EXPECT_EQ(calls[5].parameters["jobs"].size(), 100U);
  EXPECT_EQ(calls[6].parameters["jobs"], json::array({"0:1"}));
  EXPECT_EQ(calls[7].operation, "listservicejobs");
  EXPECT_EQ(calls[8].parameters["jobId"], "s");
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken[2].second["serviceJobType"], "SAGEMAKER_TRAINING");
}

TEST_F(AccountHistoryTest, TakesRepliesOfAnyShape) {
  json wild = training_job("a");
  wild["ResourceConfig"]["InstanceCount"] = INT64_MAX;
  answer(
      {{"Results", {1, nullptr, "x", {{"TrainingJob", json::array()}}, {{"TrainingJob", wild}}}}});
  const KeptJobs kept = jobs();
  ASSERT_EQ(kept.started.size(), 1U);
  EXPECT_LE(kept.started[0].instances, 10'000);
  answer_text(200, metric_reply("x"));
  const auto failed = read_utilization(reading, {{"a", 1, now - 2h, now - 1h}});
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->error.code, "UnreadableReply");
  answer_text(200, metric_reply("<member><Id>h9</Id></member><member/><member><Id>h0</Id>"
                                "<Timestamps><member>x</member></Timestamps></member>"));
  EXPECT_FALSE(read_utilization(reading, {{"a", 1, now - 2h, now - 1h}}));
}

TEST_F(AccountHistoryTest, WhatCameBeforeAFailureIsTaken) {
  answer({{"Events", {{{"EventName", "CreateTrainingJob"}}}}, {"NextToken", "2"}});
  deny();
  const auto failed = read_trail(reading);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->action, "cloudtrail:LookupEvents");
  EXPECT_EQ(taken.size(), 1U);
}

}  // namespace account_history_test
}  // namespace reeve::live
