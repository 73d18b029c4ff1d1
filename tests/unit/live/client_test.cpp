#include "live/aws/client.hpp"

#include <gtest/gtest.h>

#include "live/aws/pages.hpp"
#include "live/aws/uri.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::minutes;

/// Provides a new key each time that the last one is forgotten.
struct CountedKeys : CredentialSource {
  int forgotten = 0;
  Result<Credentials> current() override {
    Credentials credentials;
    credentials.key = {"KEY" + std::to_string(forgotten), Secret{std::string_view{"s"}}, {}};
    return credentials;
  }
  void forget() override { ++forgotten; }
};

struct ClientTest : testing::Test {
  Scripted script;
  CountedKeys keys;
  Client client{script.surroundings(), keys, {"us-east-1", 3}};

  std::vector<Request>& requests() { return script.transport.requests; }
  CallResult stop() {
    return client.call({services::sagemaker, "StopTrainingJob", {{"TrainingJobName", "j"}}});
  }
  void throttle() {
    script.transport.answer(400, R"({"__type": "com.x#ThrottlingException", "message": "slow"})");
  }
};

TEST_F(ClientTest, CallsJson) {
  script.transport.answer(200, R"({"A": [1]})", {{"x-amzn-RequestId", "id1"}});
  const CallResult result = stop();
  ASSERT_FALSE(result.error);
  EXPECT_EQ(result.value, json::parse(R"({"A": [1]})"));
  EXPECT_EQ(result.request_id, "id1");
  EXPECT_EQ(result.tries, 1);
  const Request& request = requests().at(0);
  EXPECT_EQ(url_of(request), "https://api.sagemaker.us-east-1.amazonaws.com/");
  EXPECT_EQ(header_of(request, "content-type"), "application/x-amz-json-1.1");
  EXPECT_EQ(header_of(request, "x-amz-target"), "SageMaker.StopTrainingJob");
  EXPECT_EQ(header_of(request, "x-amz-date"), "20260101T000000Z");
  EXPECT_EQ(request.body, R"({"TrainingJobName":"j"})");
  EXPECT_TRUE(header_of(request, "authorization")
                  .starts_with("AWS4-HMAC-SHA256 Credential=KEY0/20260101/us-east-1/sagemaker/"));
}

TEST_F(ClientTest, CallsForms) {
  script.transport.answer(200,
                          "<PutResponse><PutResult><Id>7</Id></PutResult><ResponseMetadata>"
                          "<RequestId>r</RequestId></ResponseMetadata></PutResponse>");
  script.transport.answer(200,
                          "<DescribeInstancesResponse><requestId>q</requestId><reservationSet>"
                          "<item><id>i</id></item></reservationSet></DescribeInstancesResponse>");
  script.transport.answer(200, "<XResponse><ResponseMetadata/></XResponse>");
  const CallResult result = client.call({services::cloudwatch, "Put", {{"N", {"a", "b"}}}});
  EXPECT_EQ(result.value, json::parse(R"({"Id": "7"})"));
  EXPECT_EQ(result.request_id, "r");
  EXPECT_EQ(requests().at(0).body, "Action=Put&Version=2010-08-01&N.member.1=a&N.member.2=b");
  const CallResult described = client.call({services::ec2, "DescribeInstances"});
  EXPECT_EQ(described.value, json::parse(R"({"requestId": "q", "reservationSet": [{"id": "i"}]})"));
  EXPECT_EQ(described.request_id, "q");
  EXPECT_EQ(client.call({services::cloudwatch, "X"}).value, json::object());
}

TEST_F(ClientTest, CallsRest) {
  script.environment.variables["AWS_ENDPOINT_URL"] = "http://localhost:5000/base";
  script.transport.answer(200, "");
  script.transport.answer(200, "{}");
  EXPECT_EQ(client.call({services::batch, "SubmitServiceJob", {{"jobName", "j"}}}).value,
            json::object());
  EXPECT_EQ(url_of(requests().at(0)), "http://localhost:5000/base/v1/submitservicejob");
  Call untag{services::batch, "UntagResource"};
  untag.method = "DELETE";
  untag.path = "/v1/tags/" + uri_encode("arn:aws:batch:j/1");
  untag.query = {{"tagKeys", "a b"}};
  EXPECT_FALSE(client.call(untag).error);
  EXPECT_EQ(url_of(requests().at(1)),
            "http://localhost:5000/base/v1/tags/arn%3Aaws%3Abatch%3Aj%2F1?tagKeys=a%20b");
  EXPECT_EQ(requests().at(1).body, "");
}

TEST_F(ClientTest, RetriesThrottlesWithJitter) {
  throttle();
  throttle();
  script.transport.answer(200, "{}");
  const CallResult result = stop();
  EXPECT_FALSE(result.error);
  EXPECT_EQ(result.tries, 3);
  EXPECT_EQ(script.clock.waits,
            (std::vector<policy::Duration>{milliseconds{500}, milliseconds{1000}}));
  EXPECT_EQ(requests().at(0).body, requests().at(2).body);
}

TEST_F(ClientTest, ReportsThrottles) {
  for (int i = 0; i < 3; ++i) throttle();
  const CallResult result = stop();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->kind, CallErrorKind::throttled);
  EXPECT_EQ(result.error->code, "ThrottlingException");
  EXPECT_EQ(result.error->message, "slow");
  EXPECT_TRUE(result.error->retryable);
}

TEST_F(ClientTest, DoesNotRetryRejections) {
  script.transport.answer(
      400, R"({"message": "no such job"})",
      {{"X-Amzn-ErrorType", "ValidationException:http://x/"}, {"x-amzn-requestid", "id2"}});
  const CallResult result = stop();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->kind, CallErrorKind::rejected);
  EXPECT_EQ(result.error->code, "ValidationException");
  EXPECT_EQ(result.error->request_id, "id2");
  EXPECT_FALSE(result.error->retryable);
  EXPECT_EQ(result.tries, 1);
}

TEST_F(ClientTest, ReadsErrorsInXml) {
  script.transport.answer(400,
                          "<ErrorResponse><Error><Code>ValidationError</Code><Message>m</Message>"
                          "</Error><RequestId>e</RequestId></ErrorResponse>");
  script.transport.answer(403,
                          "<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>n"
                          "</Message></Error></Errors><RequestID>f</RequestID></Response>");
  script.transport.answer(404, "<html>");
  const auto first = client.call({services::sns, "Publish"}).error;
  ASSERT_TRUE(first);
  EXPECT_EQ(first->code + first->message + first->request_id, "ValidationErrorme");
  const auto second = client.call({services::ec2, "RunInstances"}).error;
  ASSERT_TRUE(second);
  EXPECT_EQ(second->code + second->message + second->request_id, "UnauthorizedOperationnf");
  EXPECT_EQ(client.call({services::ec2, "RunInstances"}).error->code, "Http404");
}

TEST_F(ClientTest, ErrorsDoNotRepeatTheSessionToken) {
  script.transport.answer(403,
                          "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code><Message>Check "
                          "your key. The Canonical String for this request should have been "
                          "'x-amz-security-token:hidden'</Message></Error></ErrorResponse>");
  EXPECT_EQ(client.call({services::sns, "Publish"}).error->message, "Check your key. ");
}

/// After a lost reply, no later answer proves that the first try had no effect.
TEST_F(ClientTest, LostRepliesAreUnknown) {
  script.transport.fail(TransportFault::lost);
  script.transport.answer(400, R"({"__type": "ResourceInUse", "message": "exists"})");
  const CallResult result = stop();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->kind, CallErrorKind::unknown);
  EXPECT_EQ(result.error->code, "ResourceInUse");
  script.transport.fail(TransportFault::timed_out);
  throttle();
  throttle();
  EXPECT_EQ(stop().error->kind, CallErrorKind::unknown);
  for (int i = 0; i < 3; ++i) script.transport.answer(500, "");
  EXPECT_EQ(stop().error->kind, CallErrorKind::unknown);
}

TEST_F(ClientTest, UnreadableRepliesAreUnknownAndNotRepeated) {
  script.transport.answer(200, "<html>");
  const CallResult result = stop();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->kind, CallErrorKind::unknown);
  EXPECT_EQ(result.error->code, "ReplyUnreadable");
  script.transport.fail(TransportFault::too_large);
  EXPECT_EQ(stop().error->kind, CallErrorKind::unknown);
  EXPECT_EQ(requests().size(), 2U);
}

TEST_F(ClientTest, KnowsThatNothingWasSent) {
  const CallResult result = stop();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->kind, CallErrorKind::not_sent);
  EXPECT_EQ(result.tries, 3);
  EXPECT_TRUE(result.error->retryable);
  script.environment.variables["AWS_ENDPOINT_URL"] = "nonsense";
  EXPECT_EQ(stop().error->code, "NoEndpoint");
  script.environment.variables.clear();
  const CallResult invalid = client.call({services::sqs, "SendMessage", {{"MessageBody", "\xFF"}}});
  EXPECT_EQ(invalid.error->code, "InvalidParameters");
  EXPECT_EQ(requests().size(), 3U);
}

/// Another try would meet the same certificate.
TEST_F(ClientTest, UntrustedHostsAreCalledOnce) {
  script.transport.fail(TransportFault::untrusted);
  const CallResult result = stop();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->kind, CallErrorKind::not_sent);
  EXPECT_EQ(result.error->code, "UntrustedCertificate");
  EXPECT_FALSE(result.error->retryable);
  EXPECT_EQ(result.tries, 1);
}

TEST_F(ClientTest, CancelledCallsEndAtOnceAndMayHaveHappened) {
  script.transport.fail(TransportFault::cancelled);
  const CallResult result = stop();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->kind, CallErrorKind::unknown);
  EXPECT_TRUE(result.error->retryable);
  EXPECT_EQ(result.tries, 1);
}

TEST_F(ClientTest, ReloadsExpiredCredentialsOnce) {
  const std::string expired = R"({"__type": "ExpiredTokenException"})";
  script.transport.answer(400, expired);
  script.transport.answer(200, "{}");
  EXPECT_FALSE(stop().error);
  EXPECT_EQ(keys.forgotten, 1);
  EXPECT_TRUE(header_of(requests().at(1), "authorization").find("KEY1/") != std::string::npos);
  EXPECT_TRUE(script.clock.waits.empty());
  script.transport.answer(400, expired);
  script.transport.answer(400, expired);
  EXPECT_EQ(stop().error->kind, CallErrorKind::rejected);
  EXPECT_EQ(keys.forgotten, 2);
}

TEST_F(ClientTest, CorrectsTheClockOnce) {
  const std::vector<Field> date{{"Date", "Thu, 01 Jan 2026 00:20:00 GMT"}};
  const std::string skewed = R"({"__type": "InvalidSignatureException"})";
  script.transport.answer(403, skewed, date);
  script.transport.answer(200, "{}");
  script.transport.answer(200, "{}");
  EXPECT_FALSE(stop().error);
  EXPECT_EQ(header_of(requests().at(1), "x-amz-date"), "20260101T002000Z");
  EXPECT_EQ(client.clock_correction(), minutes{20});
  EXPECT_FALSE(stop().error);
  EXPECT_EQ(header_of(requests().at(2), "x-amz-date"), "20260101T002000Z");
  // With the right clock, it is the key that is wrong.
  script.transport.answer(403, skewed, date);
  EXPECT_EQ(stop().error->kind, CallErrorKind::rejected);
  EXPECT_EQ(client.clock_correction(), minutes{20});
}

TEST_F(ClientTest, StopsRetriesWithoutTokens) {
  for (int i = 0; i < 50; ++i) {
    for (int j = 0; j < 3; ++j) script.transport.fail(TransportFault::lost);
    EXPECT_EQ(stop().tries, 3);
  }
  script.transport.fail(TransportFault::lost);
  EXPECT_EQ(stop().tries, 1);
}

TEST_F(ClientTest, ReadsAllPages) {
  script.transport.answer(200, R"({"N": 1, "NextToken": "a"})");
  script.transport.answer(200, R"({"N": 2, "NextToken": "b"})");
  script.transport.answer(200, R"({"N": 3})");
  int sum = 0;
  const auto add = [&](const json& page) {
    sum += page.at("N").get<int>();
    return true;
  };
  EXPECT_FALSE(read_pages(client, {services::sagemaker, "ListTrainingJobs"}, add));
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(requests().at(2).body, R"({"NextToken":"b"})");
}

TEST_F(ClientTest, EndsEndlessPages) {
  for (int i = 0; i < 2; ++i) script.transport.answer(200, R"({"nextToken": "same"})");
  const auto all = [](const json&) { return true; };
  const auto error = read_pages(client, {services::batch, "ListJobs"}, all);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, "EndlessPages");
  for (const char* token : {"a", "b", "a"}) {
    script.transport.answer(200, json{{"nextToken", token}}.dump());
  }
  const auto circle = read_pages(client, {services::batch, "ListJobs"}, all);
  ASSERT_TRUE(circle);
  EXPECT_EQ(circle->code, "EndlessPages");
  script.transport.answer(200, R"({"nextToken": "more"})");
  const auto first = [](const json&) { return false; };
  EXPECT_FALSE(read_pages(client, {services::batch, "ListJobs"}, first));
  script.transport.answer(200, "<R><nextToken>t</nextToken></R>");
  script.transport.answer(200, "<R><nextToken></nextToken></R>");
  EXPECT_FALSE(read_pages(client, {services::ec2, "DescribeInstances"}, all));
  EXPECT_EQ(requests().back().body, "Action=DescribeInstances&Version=2016-11-15&NextToken=t");
}

TEST(ClientSettingsTest, FromTheEnvironment) {
  ScriptedEnvironment environment;
  EXPECT_NE(failure_of(client_settings(environment)), nullptr);
  environment.variables = {{"AWS_REGION", "eu-west-1"}, {"AWS_MAX_ATTEMPTS", "7"}};
  const auto settings = std::get<ClientSettings>(client_settings(environment));
  EXPECT_EQ(settings.region, "eu-west-1");
  EXPECT_EQ(settings.max_attempts, 7);
}

}  // namespace
}  // namespace reeve::live
