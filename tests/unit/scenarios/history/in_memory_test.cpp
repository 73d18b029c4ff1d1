// Files of a history that are on no disk.
#include <gtest/gtest.h>

#include <string>

#include "scenarios/history/readers.hpp"
#include "scenarios/text/diagnostic.hpp"
#include "tests/unit/scenarios/history/bill_text.hpp"

namespace reeve::scenarios {
namespace in_memory_test {

constexpr const char* one_job =
    R"({"TrainingJobName": "a", "TrainingJobStatus": "Completed", "CreationTime": 1785747600,
        "TrainingStartTime": 1785747660, "TrainingEndTime": 1785748000,
        "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}})";

TEST(FilesInMemory, AreReadByTheirNames) {
  HistoryOptions options;
  options.in_memory["aws/jobs.json"] = one_job;
  const History history = read_history({"aws/jobs.json"}, options);
  ASSERT_EQ(history.jobs.size(), 1U);
  ASSERT_EQ(history.files.size(), 1U);
  EXPECT_EQ(history.files[0].file, "aws/jobs.json");
  EXPECT_EQ(history.files[0].kind, "sagemaker");
  EXPECT_THROW(read_history({"aws/other.json"}, options), InputError);
}

// Both together would count the job twice.
TEST(FilesInMemory, OfASkippedFileNothingStays) {
  const std::string arn = "arn:aws:sagemaker:us-east-1:1:training-job/a";
  HistoryOptions options;
  options.keep_going = true;
  options.in_memory["jobs.json"] = one_job;
  options.in_memory["cur.csv"] =
      "lineItem/LineItemType,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/ProductCode,"
      "lineItem/UsageType,lineItem/ResourceId,lineItem/UsageAmount,lineItem/UnblendedCost\n"
      "Usage,2026-08-03T09:00:00Z,2026-08-03T10:00:00Z,AmazonSageMaker,USE1-Train:ml.g5.xlarge," +
      arn + ",1,300\n";
  options.in_memory["focus.csv"] =
      "ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ServiceName,ResourceId,BilledCost,"
      "EffectiveCost,ConsumedQuantity,ConsumedUnit,SkuMeter\n"
      "Usage,2026-09-03T09:00:00Z,2026-09-03T10:00:00Z,Amazon SageMaker," +
      arn + ",300,300,1,Hours,USE1-Train:ml.g5.xlarge\n";
  const History one = read_history({"jobs.json", "cur.csv"}, options);
  const History both = read_history({"jobs.json", "cur.csv", "focus.csv"}, options);
  EXPECT_EQ(both.files.back().kind, "skipped");
  EXPECT_EQ(both.files.back().warnings.front().code, "E0415");
  EXPECT_EQ(bill_text(both.bill), bill_text(one.bill));
  EXPECT_EQ(both.newest, one.newest);
  // A form may come in parts: each is of the same form as the first.
  const History parts = read_history({"cur.csv", "focus.csv", "cur.csv"}, options);
  EXPECT_EQ(parts.files.back().kind, "cur");
}

// A copy of an event in a good file counts, though a damaged one had it before.
TEST(FilesInMemory, AnEventOfASkippedFileIsNoCopy) {
  const std::string event =
      R"({"eventID": "e1", "eventName": "StopTrainingJob", "eventTime": "2026-08-03T09:30:00Z",
          "eventSource": "sagemaker.amazonaws.com", "awsRegion": "us-east-1",
          "requestParameters": {"trainingJobName": "a"}})";
  HistoryOptions options;
  options.keep_going = true;
  options.in_memory["damaged.json"] = R"({"Records": [)" + event + ", {";
  options.in_memory["good.json"] = R"({"Records": [)" + event + "]}";
  const History history = read_history({"damaged.json", "good.json"}, options);
  EXPECT_EQ(history.files.front().kind, "skipped");
  EXPECT_EQ(history.events.size(), 1U);
}

}  // namespace in_memory_test
}  // namespace reeve::scenarios
