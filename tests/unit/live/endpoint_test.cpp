#include "live/aws/endpoint.hpp"

#include <gtest/gtest.h>

#include "live/aws/retry.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace {

std::string host_in(const ScriptedEnvironment& environment, const Service& service,
                    const std::string& region) {
  const Result<Endpoint> endpoint = endpoint_of(environment, service, region);
  if (const Failure* failure = failure_of(endpoint)) return failure->message;
  const Endpoint& found = std::get<Endpoint>(endpoint);
  return (found.tls ? "https " : "http ") + found.host + " " + std::to_string(found.port) + " " +
         found.path;
}

TEST(Endpoints, OfPartitions) {
  const ScriptedEnvironment none;
  EXPECT_EQ(host_in(none, services::sagemaker, "eu-central-1"),
            "https api.sagemaker.eu-central-1.amazonaws.com 0 ");
  EXPECT_EQ(host_in(none, services::cloudwatch, "us-gov-west-1"),
            "https monitoring.us-gov-west-1.amazonaws.com 0 ");
  EXPECT_EQ(host_in(none, services::sqs, "cn-north-1"), "https sqs.cn-north-1.amazonaws.com.cn 0 ");
  EXPECT_EQ(host_in(none, services::sqs, "us-iso-east-1"),
            "reeve does not know the hosts of us-iso-east-1: set AWS_ENDPOINT_URL_SQS");
  EXPECT_EQ(host_in(none, services::sqs, "evil.example/"), "the region has no valid name");
}

TEST(Endpoints, OfVariables) {
  ScriptedEnvironment environment;
  environment.variables["AWS_ENDPOINT_URL"] = "http://localhost:4566/";
  EXPECT_EQ(host_in(environment, services::sqs, "us-east-1"), "http localhost 4566 ");
  environment.variables["AWS_ENDPOINT_URL_SQS"] = "https://queue.example/base/";
  EXPECT_EQ(host_in(environment, services::sqs, "us-east-1"), "https queue.example 0 /base");
  EXPECT_EQ(host_in(environment, services::ec2, "us-east-1"), "http localhost 4566 ");
  environment.variables["AWS_ENDPOINT_URL_SQS"] = "https://user:hidden@queue.example";
  const std::string wrong = host_in(environment, services::sqs, "us-east-1");
  EXPECT_EQ(wrong,
            "AWS_ENDPOINT_URL_SQS is no URL of the form https://host[:port][/path] without user "
            "and query");
  environment.variables["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true";
  EXPECT_EQ(host_in(environment, services::sqs, "us-east-1"),
            "https sqs.us-east-1.amazonaws.com 0 ");
}

TEST(Regions, FromVariablesAndProfile) {
  ScriptedEnvironment environment;
  EXPECT_EQ(message_of(region_of(environment)),
            "no region is given: set AWS_REGION, or `region` in ~/.aws/config");
  environment.variables["HOME"] = "/h";
  environment.files["/h/.aws/config"] = "[default]\nregion = eu-west-1 # home\n";
  EXPECT_EQ(std::get<std::string>(region_of(environment)), "eu-west-1");
  environment.variables["AWS_DEFAULT_REGION"] = "us-west-2";
  EXPECT_EQ(std::get<std::string>(region_of(environment)), "us-west-2");
  environment.variables["AWS_REGION"] = "us east";
  EXPECT_EQ(message_of(region_of(environment)),
            "AWS_REGION is no name of a region, such as us-east-1");
}

TEST(Retries, OfTheStandardMode) {
  using std::chrono::seconds;
  constexpr policy::Duration no_skew{0};
  EXPECT_EQ(trouble_of(400, "ThrottlingException", no_skew), Trouble::throttled);
  EXPECT_EQ(trouble_of(503, "SlowDown", no_skew), Trouble::throttled);
  EXPECT_EQ(trouble_of(429, "Http429", no_skew), Trouble::throttled);
  EXPECT_EQ(trouble_of(500, "InternalFailure", no_skew), Trouble::server);
  EXPECT_EQ(trouble_of(400, "ValidationException", no_skew), Trouble::rejected);
  EXPECT_EQ(trouble_of(400, "ResourceLimitExceeded", no_skew), Trouble::rejected);
  EXPECT_EQ(trouble_of(400, "ExpiredTokenException", no_skew), Trouble::expired);
  EXPECT_EQ(trouble_of(403, "RequestTimeTooSkewed", seconds{-900}), Trouble::skewed);
  EXPECT_EQ(trouble_of(403, "RequestTimeTooSkewed", no_skew), Trouble::rejected);
  EXPECT_EQ(trouble_of(403, "InvalidSignatureException", seconds{300}), Trouble::skewed);
  EXPECT_EQ(trouble_of(403, "InvalidSignatureException", seconds{20}), Trouble::rejected);
  EXPECT_EQ(wait_before_retry(1, 0.5), std::chrono::milliseconds{500});
  EXPECT_EQ(wait_before_retry(3, 0.5), seconds{2});
  EXPECT_EQ(wait_before_retry(50, 1.0), seconds{20});
  EXPECT_EQ(wait_before_retry(1, 0.0), seconds{0});
}

TEST(Retries, TakeTokens) {
  RetryTokens tokens;
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(tokens.take(Trouble::timed_out));
  EXPECT_FALSE(tokens.take(Trouble::throttled));
  for (int i = 0; i < 5; ++i) tokens.give(0);
  EXPECT_TRUE(tokens.take(Trouble::throttled));
  EXPECT_EQ(tokens.left(), 0);
  tokens.give(10);
  EXPECT_EQ(tokens.left(), 10);
  for (int i = 0; i < 100; ++i) tokens.give(10);
  EXPECT_EQ(tokens.left(), 500);
}

TEST(Retries, AttemptsFromTheEnvironment) {
  ScriptedEnvironment environment;
  EXPECT_EQ(std::get<int>(max_attempts(environment)), 3);
  environment.variables["AWS_MAX_ATTEMPTS"] = "5";
  EXPECT_EQ(std::get<int>(max_attempts(environment)), 5);
  for (const char* wrong : {"0", "-1", "x", "5x", "101", "99999999999"}) {
    environment.variables["AWS_MAX_ATTEMPTS"] = wrong;
    EXPECT_NE(failure_of(max_attempts(environment)), nullptr) << wrong;
  }
}

}  // namespace
}  // namespace reeve::live
