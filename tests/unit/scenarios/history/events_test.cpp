// Spot prices, CloudTrail and EventBridge: published forms and their oddities.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/history/aws/event_groups.hpp"
#include "scenarios/text/quantity.hpp"
#include "tests/unit/scenarios/history/reading_of_text.hpp"

namespace reeve::scenarios::history_test {
namespace events {

using nlohmann::json;
using Kind = HistoryEvent::Kind;

std::vector<const HistoryEvent*> of_kind(const History& history, Kind kind) {
  std::vector<const HistoryEvent*> found;
  for (const HistoryEvent& event : history.events) {
    if (event.kind == kind) found.push_back(&event);
  }
  return found;
}

TEST(SpotCases, PricesAreReadAsExpected) {
  if (!std::filesystem::exists(case_folder)) GTEST_SKIP() << "no ../shared/cases/history here";
  const json want = expected_of("spot")["price-history.json"];
  const Reading reading = read_case("spot", "price-history.json");
  EXPECT_EQ(reading.error(), "none");
  EXPECT_EQ(reading.kind(), "spot-prices");
  EXPECT_EQ(reading.warnings(), "");
  std::vector<SpotPrice> linux;
  for (const SpotPrice& price : reading.history.spot_prices) {
    if (price.product == want["product"]) linux.push_back(price);
  }
  ASSERT_EQ(linux.size(), want["steps"].size());
  for (std::size_t i = 0; i < linux.size(); ++i) {
    EXPECT_EQ(show(linux[i].at), want["steps"][i][0]);
    EXPECT_DOUBLE_EQ(static_cast<double>(linux[i].price.nanos) / 1e9,
                     want["steps"][i][1].get<double>());
  }
}

TEST(SpotCases, EventsAreReadAsExpected) {
  if (!std::filesystem::exists(case_folder)) GTEST_SKIP() << "no ../shared/cases/history here";
  const json want = expected_of("spot")["eventbridge.jsonl"];
  const Reading reading = read_case("spot", "eventbridge.jsonl");
  EXPECT_EQ(reading.error(), "none");
  EXPECT_EQ(reading.kind(), "eventbridge");
  const auto lost = of_kind(reading.history, Kind::interrupted);
  EXPECT_EQ(lost.size(), want["interruptions"]);
  EXPECT_EQ(interruption_groups(reading.history.events).size(), want["groups"]);
  std::uint64_t without_notice = 0;
  for (const auto* event : lost) without_notice += !event->with_notice;
  EXPECT_EQ(without_notice, want["without_notice"]);
  EXPECT_EQ(lost.at(0)->instance, "i-0aaa");
  EXPECT_EQ(lost.at(0)->zone, "us-east-1b");
  EXPECT_EQ(of_kind(reading.history, Kind::rebalance).size(), 1u);
}

TEST(SpotCases, CallsAreReadAsExpected) {
  if (!std::filesystem::exists(case_folder)) GTEST_SKIP() << "no ../shared/cases/history here";
  const json want = expected_of("spot")["cloudtrail-lookup.json"];
  const Reading reading = read_case("spot", "cloudtrail-lookup.json");
  EXPECT_EQ(reading.error(), "none");
  EXPECT_EQ(reading.kind(), "cloudtrail");
  const auto stops = of_kind(reading.history, Kind::stop_requested);
  ASSERT_EQ(stops.size(), want["stops"].size());
  for (const auto* stop : stops) {
    const json& known = want["stops"][stop->job];
    EXPECT_EQ(show(stop->at), known["at"]);
    EXPECT_EQ(stop->by, known["by"]);
    EXPECT_TRUE(stop->by_function);
  }
  const auto refused = of_kind(reading.history, Kind::stop_refused);
  EXPECT_EQ(refused.size(), want["refused_stops"]);
  EXPECT_FALSE(refused.at(0)->by_function) << "a person";
  const auto created = of_kind(reading.history, Kind::created);
  ASSERT_EQ(created.size(), want["created_by"].size());
  EXPECT_EQ(created[0]->by, want["created_by"][created[0]->job]);
  std::vector<std::string> evicted;
  for (const auto* event : of_kind(reading.history, Kind::evicted)) {
    evicted.push_back(event->instance);
  }
  EXPECT_EQ(evicted, want["evicted"].get<std::vector<std::string>>());
}

/// A record of a log file of CloudTrail.
std::string record(const std::string& name, const std::string& more, const std::string& id = "1") {
  return R"({ "eventID": ")" + id + R"(", "eventName": ")" + name +
         R"(", "eventTime": "2026-08-04T05:19:30Z", )" + more + " }";
}
std::string stop_by(const std::string& identity, const std::string& agent = "aws-cli/2") {
  return record("StopTrainingJob", R"("requestParameters": { "trainingJobName": "t" }, )"
                                   R"("userAgent": ")" +
                                       agent + R"(", "userIdentity": )" + identity);
}
std::string log_file(const std::string& records) {
  return R"({ "Records": [)" + records + "] }";
}

struct CallerOddity {
  std::string what;
  std::string text;
  std::string by;
  bool by_function;
};

TEST(CloudTrail, CallersAreNamedByTheirSession) {
  const std::vector<CallerOddity> callers{
      {"a user of IAM", stop_by(R"({ "type": "IAMUser", "arn": "arn:aws:iam::1:user/pat" })"),
       "pat", false},
      {"a session of a role",
       stop_by(R"({ "type": "AssumedRole", "arn": "arn:aws:sts::1:assumed-role/ml/kim@x.org" })"),
       "kim@x.org", false},
      {"a function, by its agent",
       stop_by(R"({ "arn": "arn:aws:sts::1:assumed-role/ml/idle-stopper" })",
               "Boto3/1.28 exec-env/AWS_Lambda_python3.11"),
       "idle-stopper", true},
      {"a service", stop_by(R"({ "type": "AWSService", "invokedBy": "states.amazonaws.com" })"),
       "states.amazonaws.com", true},
      {"an instance",
       stop_by(R"({ "arn": "arn:aws:sts::1:assumed-role/cron/i-0123456789abcdef0" })"),
       "i-0123456789abcdef0", true},
      {"no identity", stop_by("null"), "", false},
  };
  for (const CallerOddity& caller : callers) {
    SCOPED_TRACE(caller.what);
    const Reading reading = read_text(log_file(caller.text));
    ASSERT_EQ(reading.history.events.size(), 1u);
    EXPECT_EQ(reading.history.events[0].by, caller.by);
    EXPECT_EQ(reading.history.events[0].by_function, caller.by_function);
  }
}

TEST(CloudTrail, OtherCallsAndRefusedCreationsSayNothing) {
  const std::string job = R"("requestParameters": { "trainingJobName": "t" })";
  const Reading reading = read_text(
      log_file(record("DescribeTrainingJob", job, "1") + "," +
               record("CreateTrainingJob", job + R"(, "errorCode": "AccessDenied")", "2")));
  EXPECT_EQ(reading.error(), "none");
  EXPECT_TRUE(reading.history.events.empty());
  EXPECT_EQ(reading.history.files[0].records, 2u);
  EXPECT_EQ(reading.history.files[0].used, 0u);
}

TEST(CloudTrail, StopsOfBatchNameTheJobById) {
  const Reading reading =
      read_text(log_file(record("TerminateJob", R"("requestParameters": { "jobId": "0d1c" })")));
  ASSERT_EQ(reading.history.events.size(), 1u);
  EXPECT_EQ(reading.history.events[0].job, "0d1c");
}

TEST(CloudTrail, AnEventOfSeveralFilesCountsOnce) {
  Reading reading;
  const std::string text = log_file(stop_by("null"));
  read_more(text, {}, reading);
  read_more(text, {}, reading);
  EXPECT_EQ(reading.history.events.size(), 1u);
}

TEST(CloudTrail, AnEventWithoutAnIdIsToldByItsContent) {
  const auto stop = [](const std::string& job, int minute) {
    return R"({"eventName": "StopTrainingJob", "eventTime": "2026-06-01T04:0)" +
           std::to_string(minute) + R"(:00Z", "userIdentity": {"userName": "ana"},
               "requestParameters": {"trainingJobName": ")" +
           job + R"("}})";
  };
  Reading reading = read_text("{\"Records\": [" + stop("a", 1) + "," + stop("b", 1) + "]}");
  read_more("{\"Records\": [" + stop("a", 1) + "," + stop("a", 2) + "]}", {}, reading);
  EXPECT_EQ(reading.history.events.size(), 3U);
  EXPECT_EQ(reading.history.files.at(1).used, 1U);
}

TEST(CloudTrail, EachUsedRecordOfOneLineCounts) {
  const std::string job = R"("requestParameters": { "trainingJobName": "t" })";
  std::string text =
      log_file(record("StopTrainingJob", job, "1") + "," + record("DescribeTrainingJob", job, "2") +
               "," + record("StopTrainingJob", job, "3"));
  std::replace(text.begin(), text.end(), '\n', ' ');
  const Reading reading = read_text(text);
  EXPECT_EQ(reading.history.files[0].records, 3u);
  EXPECT_EQ(reading.history.files[0].used, 2u);
}

TEST(CloudTrail, BadRecordsAreFindings) {
  const auto warned = [](const std::string& text) { return read_text(text).warnings(); };
  EXPECT_EQ(warned(log_file(record("StopTrainingJob", R"("requestParameters": null)"))), "W0632");
  EXPECT_EQ(warned(log_file(record("BidEvictedEvent", R"("serviceEventDetails": null)"))), "W0632");
  EXPECT_EQ(
      warned(R"({ "Events": [ { "EventName": "StopTrainingJob", "CloudTrailEvent": "{" } ] })"),
      "W0632");
  EXPECT_EQ(warned(R"({ "Events": [ { "EventName": "Other", "CloudTrailEvent": "{" } ] })"), "");
  EXPECT_EQ(warned(R"({ "Events": [ { "EventName": "Other", "CloudTrailEvent": "{}" } ],
                       "NextToken": "AA" })"),
            "W0631");
  EXPECT_EQ(warned(log_file(stop_by("null")) + R"({ "Error": { "Code": "ThrottlingException" } })"),
            "W0630");
}

TEST(EventBridge, CallsThatCloudTrailForwardsAreRead) {
  const Reading reading = read_text(
      R"({ "id": "b1", "detail-type": "AWS API Call via CloudTrail", "time": "2026-08-04T05:19:31Z",
           "detail": )" +
      stop_by(R"({ "arn": "arn:aws:iam::1:user/pat" })") + " }");
  EXPECT_EQ(reading.kind(), "eventbridge");
  ASSERT_EQ(reading.history.events.size(), 1u);
  EXPECT_EQ(reading.history.events[0].kind, Kind::stop_requested);
  EXPECT_EQ(reading.history.events[0].by, "pat");
}

std::string warning_of(const std::string& id, const std::string& time, const std::string& arn) {
  return R"({ "id": ")" + id +
         R"(", "detail-type": "EC2 Spot Instance Interruption Warning", "time": ")" + time +
         R"(", "resources": [)" + arn + R"(], "detail": { "instance-id": "i-1",
         "instance-action": "stop" } })" +
         "\n";
}

TEST(EventBridge, GroupsAreOfOneZoneAndThreeMinutes) {
  const std::string a = R"("arn:aws:ec2:us-east-1a:instance/i-1")";
  const std::string b = R"("arn:aws:ec2:us-east-1b:instance/i-1")";
  const Reading reading = read_text(
      warning_of("1", "2026-08-05T01:00:00Z", a) + warning_of("2", "2026-08-05T01:03:00Z", a) +
      warning_of("3", "2026-08-05T01:01:00Z", b) + warning_of("4", "2026-08-05T01:06:01Z", a));
  const auto groups = interruption_groups(reading.history.events);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].instances, 2u);
  EXPECT_EQ(groups[2].zone, "us-east-1b");
}

TEST(EventBridge, AnArnWithoutZoneAndAnEventWithoutTime) {
  const Reading reading = read_text(
      warning_of("1", "2026-08-05T01:00:00Z", R"("arn:aws:ec2:us-east-1:1:instance/i-1")") +
      warning_of("2", "", ""));
  ASSERT_EQ(reading.history.events.size(), 1u);
  EXPECT_EQ(reading.history.events[0].zone, "");
  EXPECT_EQ(reading.warnings(), "W0632");
}

TEST(SpotPrices, BadPricesAndPagesAreFindings) {
  const auto price = [](const std::string& usd) {
    return R"({ "InstanceType": "g5.xlarge", "AvailabilityZoneId": "use1-az1", "SpotPrice": )" +
           usd + R"(, "Timestamp": "2026-08-05T03:10:11Z" })";
  };
  const auto file = [](const std::string& prices, const std::string& token = {}) {
    return R"({ "SpotPriceHistory": [)" + prices + "]" + token + " }";
  };
  EXPECT_EQ(read_text(file(price("\"x\""))).warnings(), "W0632");
  EXPECT_EQ(read_text(file(price("\"-1\""))).warnings(), "W0632");
  EXPECT_EQ(read_text(file(price("0"))).warnings(), "W0632");
  EXPECT_EQ(read_text(file(price("\"1.5\""), R"(, "NextToken": "A")")).warnings(), "W0631");
  const Reading again = read_text(file(price("\"1.5\"") + "," + price("\"1.50\"")));
  ASSERT_EQ(again.history.spot_prices.size(), 1u) << "files overlap";
  EXPECT_EQ(again.history.spot_prices[0].zone, "use1-az1");
}

}  // namespace events
}  // namespace reeve::scenarios::history_test
