#include "live/feed/service_job_reader.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/unit/live/act/batch_account.hpp"

namespace reeve::live {
namespace {

struct ServiceJobReaderTest : testing::Test {
  BatchAccount account;
  ServiceJobReader reader{account.client, account.clock};
  const std::string train = named_by_batch("train");
  const std::string again = "AWSBatchtrainffffffffffffffffffffffffffffffff";

  /// Its id; "-": it is over; empty: there is none.
  std::string found(const std::string& training_job, const std::string& hint = {}) {
    const ServiceJobReader::Found found = reader.find(training_job, hint);
    const auto* job = std::get_if<std::optional<FoundServiceJob>>(&found);
    if (job == nullptr) return std::get<FailedCall>(found).action;
    if (!*job) return {};
    return (*job)->is_over ? "-" : (*job)->id;
  }
};

TEST(NameByBatch, HasTheWordAndThirtyTwoDigits) {
  // The example in the guide of AWS.
  EXPECT_TRUE(is_named_by_batch("AWSBatchmy-training-job88b610a69aa8380ca5b0a7aba3f81cb8"));
  EXPECT_TRUE(is_named_by_batch("AWSBatch88b610a69aa8380ca5b0a7aba3f81cb8"));
  EXPECT_FALSE(is_named_by_batch("AWSBatchmy-training-job"));
  EXPECT_FALSE(is_named_by_batch("my-training-job88b610a69aa8380ca5b0a7aba3f81cb8"));
  EXPECT_FALSE(is_named_by_batch("AWSBatch8b610a69aa8380ca5b0a7aba3f81cb8"));
  EXPECT_FALSE(is_named_by_batch("AWSBatchtrain88B610A69AA8380CA5B0A7ABA3F81CB8"));
  EXPECT_FALSE(is_named_by_batch(""));
}

TEST_F(ServiceJobReaderTest, FindsTheOneWhoseNewestAttemptIsTheTrainingJob) {
  account.service_jobs = {{"a", {"research", "RUNNING", named_by_batch("other")}},
                          {"b", {"research", "RUNNABLE"}},
                          {"c", {"vision", "SCHEDULED", train}},
                          {"d", {"vision", "RUNNING", named_by_batch("more")}}};
  EXPECT_EQ(found(train), "c");
  EXPECT_EQ(account.count("describejobqueues"), 1);
  // Three states of two queues; the queue for containers is not listed.
  EXPECT_EQ(account.count("listservicejobs"), 6);
  EXPECT_EQ(found(named_by_batch("more")), "d");
  EXPECT_EQ(account.count("listservicejobs"), 6) << "the listing is kept";
  EXPECT_EQ(account.count("describeservicejob"), 2);
}

TEST_F(ServiceJobReaderTest, ReadsAllPagesAndAtMostTenASecond) {
  account.service_jobs = {{"a", {"research", "RUNNING", named_by_batch("one")}},
                          {"b", {"research", "RUNNING", named_by_batch("two")}},
                          {"c", {"research", "RUNNING", train}}};
  const policy::Instant before = account.clock.time;
  EXPECT_EQ(found(train), "c");
  const auto calls = static_cast<std::int64_t>(account.calls.size());
  EXPECT_EQ(calls, 1 + 5 + 3 + 1);
  EXPECT_EQ(account.clock.time - before, (calls - 1) * std::chrono::milliseconds{100});
}

TEST_F(ServiceJobReaderTest, AsksAboutWhatEventsToldFirst) {
  account.service_jobs = {{"a", {"research", "RUNNING", train}}};
  EXPECT_EQ(found(train, "a"), "a");
  EXPECT_EQ(account.calls.size(), 1U);
}

TEST_F(ServiceJobReaderTest, TrustsNoIdWhoseNewestAttemptIsAnotherTrainingJob) {
  account.service_jobs = {{"a", {"research", "RUNNING", train}}};
  EXPECT_EQ(found(train), "a");
  account.service_jobs.at("a").training_job = again;
  EXPECT_EQ(found(train), "") << "its queue has started the job again";
  EXPECT_EQ(found(train, "a"), "");
  EXPECT_EQ(found(again), "a");
  EXPECT_EQ(found(again, "deleted"), "a");
}

TEST_F(ServiceJobReaderTest, TellsWhatIsOver) {
  account.service_jobs = {{"a", {"research", "RUNNING", train}}};
  account.service_jobs.at("a").is_terminated = true;
  EXPECT_EQ(found(train), "-");
  account.service_jobs.at("a") = {"research", "FAILED", train};
  EXPECT_EQ(found(train, "a"), "-");
}

TEST_F(ServiceJobReaderTest, AFailedCallIsNoMissingServiceJob) {
  account.service_jobs = {{"a", {"research", "RUNNING", train}}};
  for (const char* operation : {"DescribeJobQueues", "ListServiceJobs", "DescribeServiceJob"}) {
    std::string path = operation;
    std::transform(path.begin(), path.end(), path.begin(),
                   [](unsigned char letter) { return std::tolower(letter); });
    account.errors = {{path, "AccessDeniedException"}};
    EXPECT_EQ(found(train), "batch:" + std::string{operation});
    account.errors.clear();
    account.other_replies = {{path, nlohmann::json::object()}};
    EXPECT_EQ(found(train), "batch:" + std::string{operation}) << "an empty reply";
    account.other_replies.clear();
  }
  EXPECT_EQ(found(train), "a");
}

}  // namespace
}  // namespace reeve::live
