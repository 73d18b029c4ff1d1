// Joining: what several files say about one job, and which rows of a bill it has.
#include "scenarios/history/join.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cases.hpp"

namespace reeve::scenarios {
namespace {

using namespace history_cases;
using Names = std::vector<std::string>;

/// A training job of account 1 that ended, with `more` keys.
std::string training_job(const std::string& name, const std::string& region,
                         const std::string& more = {}) {
  return fmt::format(
      R"({{"TrainingJobName": "{0}",
           "TrainingJobArn": "arn:aws:sagemaker:{1}:1:training-job/{0}",
           "TrainingJobStatus": "Completed", "SecondaryStatus": "Completed",
           "ResourceConfig": {{"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}},
           "CreationTime": 1000000, "TrainingStartTime": 1000100, "TrainingEndTime": 1000400{2}}})",
      name, region, more);
}

std::string running_job(const std::string& modified) {
  return training_job("a", "r",
                      R"(, "TrainingJobStatus": "InProgress", "TrainingEndTime": null,
      "SecondaryStatus": "Training", "LastModifiedTime": )" +
                          modified);
}

std::string queued_job(const std::string& id, const std::string& runs_as) {
  return fmt::format(
      R"({{"jobId": "{0}", "jobQueue": "arn:aws:batch:r:1:job-queue/sm",
           "serviceJobType": "SAGEMAKER_TRAINING", "status": "SUCCEEDED",
           "createdAt": 999000000, "startedAt": 1000100000, "stoppedAt": 1000400000,
           "latestAttempt": {{"serviceResourceId":
               {{"value": "arn:aws:sagemaker:r:1:training-job/{1}"}}}}}})",
      id, runs_as);
}

History read_files(const std::vector<std::string>& texts, const HistoryOptions& options = {}) {
  History history;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    read_history_stream(fmt::format("file{}", i), std::make_unique<std::istringstream>(texts[i]),
                        options, history);
  }
  sum_up_work(history, options.as_of);
  return history;
}

Names names_in(const JoinedHistory& joined) {
  Names names;
  for (const HistoryJob& job : joined.jobs) names.push_back(job.record.job_id);
  std::sort(names.begin(), names.end());
  return names;
}

TEST(JoinedHistory, AJobOfAQueueGivesItsWaitToTheJobThatRunsForIt) {
  History history = read_files({training_job("a", "r"), queued_job("q", "a")});
  const JoinedHistory joined = join_history(history, {});
  ASSERT_EQ(names_in(joined), Names{"a"});
  EXPECT_EQ(seconds(*joined.jobs[0].record.observed_wait), 1100);
}

TEST(JoinedHistory, JobsThatNameEachOtherAreKept) {
  History history = read_files({queued_job("x", "y") + queued_job("y", "x")});
  EXPECT_EQ(names_in(join_history(history, {})), (Names{"x", "y"}));
}

TEST(JoinedHistory, WithoutJobsIsAnError) {
  EXPECT_EQ(error_of([] {
              History none;
              join_history(none, {});
            }),
            "E0403");
}

TEST(JoinedHistory, TheNewestDescriptionCountsInAnyOrderOfFiles) {
  std::vector<std::string> files = {
      running_job("1000200"),
      training_job("a", "r", R"(, "TrainingJobStatus": "Failed", "LastModifiedTime": 1000500)"),
      training_job("a", "r", R"(, "LastModifiedTime": 1000600)"),
  };
  std::sort(files.begin(), files.end());
  do {
    History history = read_files(files);
    const JoinedHistory joined = join_history(history, {});
    ASSERT_EQ(names_in(joined), Names{"a"});
    EXPECT_EQ(joined.jobs[0].record.end_status, EndStatus::completed);
  } while (std::next_permutation(files.begin(), files.end()));
}

TEST(JoinedHistory, OneNameInTwoRegionsIsTwoJobs) {
  History history =
      read_files({training_job("a", "r"), training_job("a", "s", R"(, "CreationTime": 1000001)")});
  const JoinedHistory joined = join_history(history, {});
  EXPECT_EQ(names_in(joined), (Names{"a", "a@s"}));
  ASSERT_EQ(joined.warnings.size(), 1U);
  EXPECT_EQ(joined.warnings[0].code, "W0620");
}

TEST(JoinedHistory, ABillPaysForTheJobOfItsArn) {
  History history = read_files({training_job("a", "r"), training_job("a", "s")});
  for (const auto& [region, dollars] : {std::pair{"s", 3}, {"r", 2}, {"t", 1}}) {
    BilledUse use;
    use.job = "a";
    use.resource = fmt::format("arn:aws:sagemaker:{}:1:training-job/a", region);
    use.use = "train";
    use.cost.nanos = std::int64_t{dollars} * 1'000'000'000;
    history.bill.uses.push_back(std::move(use));
  }
  const JoinedHistory joined = join_history(history, {});
  for (const HistoryJob& job : joined.jobs) {
    EXPECT_EQ(job.record.billed_usd->micros(), job.record.job_id == "a" ? 2'000'000 : 3'000'000);
  }
  EXPECT_EQ(joined.reconciliation.not_matched.nanos, 1'000'000'000);
}

TEST(JoinedHistory, ARunningJobLastsUntilItsOwnFileWasWritten) {
  const std::vector<std::string> files = {
      running_job("1000200"),
      training_job("b", "r", R"(, "TrainingEndTime": 9000000)"),
  };
  EXPECT_EQ(seconds(*job_named(read_files(files), "a")->record.duration), 100);
  const HistoryOptions later{.as_of = policy::Instant{std::chrono::seconds{1'000'500}}};
  EXPECT_EQ(seconds(*job_named(read_files(files, later), "a")->record.duration), 400);
}

}  // namespace
}  // namespace reeve::scenarios
