// GetMetricData of the mock account: statistics, pages, and what it refuses.
#include "live/mock/metric_data.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "live/alarms/cloud_metrics.hpp"
#include "live/aws/query_form.hpp"
#include "live/mock/mock_service.hpp"
#include "live/mock/query_reply.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace metric_data_test {

using namespace std::chrono_literals;
using nlohmann::json;
using policy::Instant;

constexpr Instant nine = std::chrono::sys_days{std::chrono::year{2026} / 3 / 2} + 9h;

models::MetricSeries some_samples(const std::string& host, Instant) {
  models::MetricSeries series;
  series.append(nine, 10);
  series.append(nine + 3min, 40);
  series.append(nine + 4min, std::nullopt);
  series.append(nine + 6min, 1);
  series.append(nine + 15min, std::nullopt);
  return host == "a/algo-1" ? series : models::MetricSeries{};
}

json asked(const std::string& host = "a/algo-1", const std::string& statistic = "Average") {
  const json metric{{"Namespace", "/aws/sagemaker/TrainingJobs"},
                    {"MetricName", "GPUUtilization"},
                    {"Dimensions", {{{"Name", "Host"}, {"Value", host}}}}};
  return {{"StartTime", "2026-03-02T09:00:00Z"},
          {"EndTime", "2026-03-02T09:10:00Z"},
          {"ScanBy", "TimestampAscending"},
          {"MetricDataQueries",
           {{{"Id", "h0"},
             {"MetricStat", {{"Metric", metric}, {"Period", "300"}, {"Stat", statistic}}}}}}};
}

json values(const json& call, Instant now = nine + 1h) {
  return std::get<json>(metric_data(some_samples, call, now))["MetricDataResults"][0]["Values"];
}

std::string refusal(const json& call) {
  const MockAnswer answer = metric_data(some_samples, call, nine + 1h);
  const auto* error = std::get_if<MockError>(&answer);
  return error == nullptr ? "(accepted)" : error->message;
}

TEST(MetricData, HasTheStatisticOfEachPeriod) {
  EXPECT_EQ(values(asked()), json({"17.5", "1"}));
  EXPECT_EQ(values(asked("a/algo-1", "Maximum")), json({"40", "1"}));
  EXPECT_EQ(values(asked("a/algo-1", "SampleCount")), json({"4", "4"}));
  EXPECT_EQ(values(asked("b/algo-1")), json::array());
}

TEST(MetricData, AnswersAnyWindow) {
  json call = asked();
  call["StartTime"] = "1970-01-01T00:00:00Z";
  call["EndTime"] = "2096-01-01T00:00:00Z";
  EXPECT_EQ(values(call, nine + 10min), json({"17.5", "1"}));
}

TEST(MetricData, AnswersNumbersWithNumbers) {
  json call = asked();
  call["StartTime"] = std::chrono::duration<double>(nine.time_since_epoch()).count();
  call["EndTime"] = call["StartTime"].get<double>() + 600;
  call["MetricDataQueries"][0]["MetricStat"]["Period"] = 300;
  EXPECT_EQ(values(call), json({17.5, 1.0}));
}

TEST(MetricData, ASampleIsThereOnceItIsPublished) {
  json call = asked();
  call["MetricDataQueries"][0]["MetricStat"]["Period"] = "60";
  EXPECT_EQ(values(call, nine + 2min + 59s), json({"10", "10"}));
}

TEST(MetricData, PagesHaveAllDatapointsOnce) {
  json call = asked();
  call["MetricDataQueries"][0]["MetricStat"]["Period"] = "60";
  call["MaxDatapoints"] = "3";
  json all = json::array();
  for (int page = 0; page < 10; ++page) {
    const json got = std::get<json>(metric_data(some_samples, call, nine + 1h));
    for (const json& value : got["MetricDataResults"][0]["Values"]) all.push_back(value);
    if (!got.contains("NextToken")) break;
    call["NextToken"] = got["NextToken"];
  }
  EXPECT_EQ(all, json({"10", "10", "10", "40", "1", "1", "1", "1"}));
}

TEST(MetricData, RefusesWhatAwsRefuses) {
  json call = asked();
  call["EndTime"] = call["StartTime"];
  EXPECT_EQ(refusal(call), "StartTime must be less than EndTime");
  call = asked();
  call["MetricDataQueries"][0]["MetricStat"]["Period"] = "90";
  EXPECT_EQ(refusal(call), "Period is not a multiple of 60");
  call["MetricDataQueries"][0]["MetricStat"]["Period"] = "9223372036854775800";
  EXPECT_EQ(refusal(call), "Period is not a multiple of 60");
  call = asked();
  call["StartTime"] = "1700-01-01T00:00:00Z";
  EXPECT_EQ(refusal(call), "StartTime or EndTime is not a time");
  call = asked();
  call["NextToken"] = "9223372036854775807";
  EXPECT_EQ(refusal(call), "the token is of no reply");
  call = asked();
  call["MetricDataQueries"].push_back(call["MetricDataQueries"][0]);
  EXPECT_EQ(refusal(call), "two queries have the Id h0");
  EXPECT_EQ(refusal(asked("a/algo-1", "Median")), "Stat is unknown: Median");
}

TEST(QueryForm, IsReadAsTheClientWritesIt) {
  const std::vector<std::string> hosts{"a/algo-1", "b/algo-2"};
  const Call call = metric_data_call(hosts, nine, nine + 1h);
  const auto read = form_value(form_fields(call.parameters, Protocol::query), Protocol::query);
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)["MetricDataQueries"][1]["MetricStat"]["Metric"]["Dimensions"][0]["Value"],
            "b/algo-2");
  EXPECT_EQ((*read)["StartTime"], "2026-03-02T09:00:00Z");
  EXPECT_FALSE(form_value({{"A", "1"}, {"A.B", "2"}}, Protocol::query));
  EXPECT_FALSE(form_value({{"A.member.x", "1"}}, Protocol::query));
}

/// Without jobs that change.
class IdleFleet final : public MockFleet {
 public:
  Instant advance(Instant until, FleetHistory&) override { return time_ = std::max(time_, until); }
  Instant time() const override { return time_; }
  Reply stop(const std::string&) override { return host::ReplyKind::rejected; }
  Reply terminate(const std::string&) override { return host::ReplyKind::rejected; }
  std::optional<QueuedJob> queued(const TrainingJobState&) const override { return std::nullopt; }
  Reply create(const TrainingJobState&, bool, std::uint16_t) override {
    return host::ReplyKind::rejected;
  }
  Reply notify(const std::string&, const std::string&) override {
    return host::ReplyKind::rejected;
  }
  models::MetricSeries gpu_utilization(const std::string& host, Instant from) const override {
    return some_samples(host, from);
  }

 private:
  Instant time_ = Instant::min();
};

TEST(MockMetrics, AreReadBySignedCalls) {
  MockAccount account{std::make_unique<IdleFleet>(), "123456789012", "us-east-1", 0s};
  MockService service{std::move(account), MockClock{nine + 1h, nine + 2h, 0}};
  Scripted scripted;
  scripted.clock.time = nine + 1h;
  scripted.environment.variables["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1";
  Credentials credentials;
  credentials.key = {std::string{mock_key_id}, Secret{std::string{mock_secret}}, {}};
  FixedCredentials key{credentials};
  Client client{
      {scripted.environment, service, scripted.clock, [] { return 0.5; }}, key, {"us-east-1", 1}};
  const std::vector<std::string> hosts(501, "a/algo-1");  // two calls
  const auto got = CloudMetrics{client}.gpu_utilization(hosts, nine, nine + 10min);
  const auto& series = std::get<std::vector<models::MetricSeries>>(got);
  ASSERT_EQ(series.size(), 501U);
  for (const models::MetricSeries& each : {series.front(), series.back()}) {
    EXPECT_EQ(each.at(nine + 3min), 40);
    EXPECT_EQ(each.at(nine + 4min), std::nullopt);
    EXPECT_EQ(each.at(nine + 6min), 1);
  }
}

}  // namespace metric_data_test
}  // namespace reeve::live
