// Jobs of AWS Batch in the mock account: their states, and what it refuses.
#include "live/mock/batch_jobs.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "live/mock/parameters.hpp"

namespace reeve::live {
namespace batch_jobs_test {

using namespace std::chrono_literals;
using nlohmann::json;
using policy::Instant;

constexpr Instant noon = std::chrono::sys_days{std::chrono::year{2026} / 3 / 2} + 12h;

const json one{{"jobName", "a"}, {"jobQueue", "reeve"}, {"jobDefinition", "reeve:4"}};

json with(const char* key, json value) {
  json asked = one;
  asked[key] = std::move(value);
  return asked;
}

class BatchJobsTest : public testing::Test {
 protected:
  std::string submit(const json& asked) {
    return std::get<json>(jobs.answer("SubmitJob", asked, noon)).at("jobId");
  }
  std::string refusal(const json& asked) {
    const MockAnswer answer = jobs.answer("SubmitJob", asked, noon);
    const auto* error = std::get_if<MockError>(&answer);
    return error == nullptr ? "(accepted)" : error->code + ": " + error->message;
  }
  std::string status(const std::string& id, Instant now) {
    const MockAnswer answer = jobs.answer("DescribeJobs", {{"jobs", json::array({id})}}, now);
    const json& found = std::get<json>(answer).at("jobs");
    return found.empty() ? "(unknown)" : found.at(0).at("status");
  }

  BatchJobs jobs{"123456789012", "us-east-1"};
};

TEST_F(BatchJobsTest, SucceedAfterAMinute) {
  const std::string alone = submit(one);
  const std::string array = submit(with("arrayProperties", {{"size", 2}}));
  EXPECT_NE(alone, array);
  EXPECT_EQ(status(alone, noon + 59s), "RUNNING");
  EXPECT_EQ(status(array, noon + 59s), "PENDING");
  EXPECT_EQ(status(alone, noon + 1min), "SUCCEEDED");
  EXPECT_EQ(status(array, noon + 1min), "SUCCEEDED");
  EXPECT_EQ(status("none", noon), "(unknown)");
}

TEST_F(BatchJobsTest, FailIfTerminatedInTime) {
  const std::string early = submit(one);
  const std::string late = submit(one);
  jobs.answer("TerminateJob", {{"jobId", early}, {"reason", "r"}}, noon + 30s);
  jobs.answer("TerminateJob", {{"jobId", late}, {"reason", "r"}}, noon + 90s);
  jobs.answer("TerminateJob", {{"jobId", "none"}, {"reason", "r"}}, noon);
  EXPECT_EQ(status(early, noon + 31s), "FAILED");
  EXPECT_EQ(status(late, noon + 91s), "SUCCEEDED");
}

TEST_F(BatchJobsTest, RefuseWhatAwsRefuses) {
  EXPECT_EQ(refusal(with("jobQueue", "q")), "ClientException: JobQueue q not found.");
  EXPECT_EQ(refusal(with("jobDefinition", "d:1")), "ClientException: JobDefinition d:1 not found.");
  EXPECT_EQ(refusal(with("jobQueue", "arn:aws:batch:us-east-1:123456789012:job-queue/reeve")),
            "(accepted)");
  for (const json& wrong :
       {with("jobName", "-a"), with("jobName", "a b"), with("jobName", std::string(129, 'a')),
        with("arrayProperties", {{"size", 1}}), with("arrayProperties", {{"size", 10'001}}),
        with("retryStrategy", {{"attempts", 0}}),
        with("containerOverrides", {{"command", json::array({std::string(8192, 'a')})}}),
        with("containerOverrides",
             {{"environment", json::array({{{"name", "AWS_BATCH_X"}, {"value", ""}}})}})}) {
    EXPECT_TRUE(refusal(wrong).starts_with("ClientException: ")) << wrong;
  }
}

TEST(BatchParameters, AreThoseOfTheServiceModel) {
  EXPECT_FALSE(wrong_parameters("batch", "SubmitJob", one));
  EXPECT_TRUE(wrong_parameters("batch", "SubmitJob", with("size", 2)));
  EXPECT_TRUE(wrong_parameters("batch", "SubmitJob", with("arrayProperties", 2)));
  EXPECT_TRUE(wrong_parameters("batch", "DescribeJobs", {{"jobs", "a"}}));
  EXPECT_TRUE(wrong_parameters("batch", "TerminateJob", {{"jobId", "a"}}));
  EXPECT_TRUE(wrong_parameters("batch", "CancelJob", {{"jobId", "a"}, {"reason", "r"}}));
}

}  // namespace batch_jobs_test
}  // namespace reeve::live
