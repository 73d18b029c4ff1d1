#include "app/lambda/record_batch.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace reeve::app {
namespace {

using nlohmann::json;

json record(const char* id, const std::string& body) {
  return {{"messageId", id}, {"body", body}, {"eventSource", "aws:sqs"}};
}

std::string event_of(const char* job) {
  return json{
      {"detail-type", "SageMaker Training Job State Change"},
      {"source", "aws.sagemaker"},
      {"account", "111122223333"},
      {"time", "2026-03-02T00:30:00Z"},
      {"region", "us-east-1"},
      {"detail",
       {{"TrainingJobName", job}, {"TrainingJobStatus", "Failed"}, {"SecondaryStatus", "Failed"}}}}
      .dump();
}

TEST(RecordBatch, AnswersWithWhatMustComeAgain) {
  const json payload{{"Records",
                      {record("1", event_of("a")), record("2", "no event"),
                       record("3", event_of("b")), record("4", event_of("a"))}}};
  RecordBatch batch{payload.dump()};
  EXPECT_EQ(batch.events().size(), 3U);
  EXPECT_EQ(job_of(batch.events()[1].event), "b");
  EXPECT_EQ(batch.answer(), R"({"batchItemFailures":[{"itemIdentifier":"2"}]})");
  batch.fail_job("a");
  EXPECT_EQ(json::parse(batch.answer()).at("batchItemFailures").size(), 3U);
  batch.fail_all();
  EXPECT_EQ(json::parse(batch.answer()).at("batchItemFailures").size(), 4U);
}

TEST(RecordBatch, TellsASchedule) {
  EXPECT_FALSE(RecordBatch{R"({"detail-type":"Scheduled Event"})"}.has_records());
  EXPECT_FALSE(RecordBatch{"null"}.has_records());
  EXPECT_EQ(RecordBatch{R"({"Records":[]})"}.answer(), R"({"batchItemFailures":[]})");
  for (const char* wrong : {"", "{", R"({"Records":3})", R"({"Records":[{"Sns":{}}]})"}) {
    EXPECT_THROW(RecordBatch{wrong}, std::runtime_error) << wrong;
  }
}

}  // namespace
}  // namespace reeve::app
