// Files of a history that are on no disk.
#include <gtest/gtest.h>

#include <string>

#include "scenarios/history/reader.hpp"
#include "scenarios/text/diagnostic.hpp"

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

}  // namespace in_memory_test
}  // namespace reeve::scenarios
