// Stops of training jobs that AWS Batch runs: by job_stopper.hpp, stop_call.hpp and unsettled.hpp.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "live/act/job_stopper.hpp"
#include "live/act/unsettled.hpp"
#include "live/journal/sqlite_journal.hpp"
#include "tests/unit/live/act/batch_account.hpp"

namespace reeve::live {
namespace {

using policy::Outcome;

struct ServiceJobStopsTest : testing::Test {
  ServiceJobStopsTest() { std::filesystem::create_directories(folder); }
  ~ServiceJobStopsTest() override { std::filesystem::remove_all(folder); }

  BatchAccount account;
  TrainingJobReader reader{account.client, account.clock};
  ServiceJobReader service_jobs{account.client, account.clock};
  const std::string train = named_by_batch("train");
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("service_job_stops-" + std::to_string(getpid()));

  void runs(const std::string& training_job, const std::string& service_job) {
    account.training_jobs[training_job] = "InProgress";
    account.service_jobs[service_job] = {"research", "RUNNING", training_job};
  }
  static LoggedAction stop_of(const std::string& job) {
    return {"id", "watch", "stop_job", job, {{"reason", "it stands still"}}};
  }
  ActionEnd stop(const std::string& job) {
    JobStopper stopper{account.client, account.clock, reader, service_jobs};
    return stopper.stop(
        stop_of(job), [&](std::uint32_t, const StopCall& call) { sent.push_back(action_of(call)); },
        [] { return false; });
  }
  ActionLog opened() {
    auto journal =
        SqliteJournal::open((folder / "actions.db").string(), SqliteJournal::Access::write);
    return ActionLog{std::get<std::unique_ptr<ActionJournal>>(std::move(journal))};
  }
  /// What a later run makes of a stop that was sent as `call`.
  std::variant<FoundActions, FailedCall> settled(std::string_view service_job) {
    {
      ActionLog log = opened();
      log.plan(account.clock.time, stop_of(train));
      log.send(account.clock.time, "id", 1, "batch:TerminateServiceJob", service_job);
    }
    ActionLog log = opened();
    EXPECT_EQ(log.standing().at("id").service_job, service_job);
    return settle_unsettled(log, reader, service_jobs, [&] { return account.clock.time; });
  }
  std::vector<std::string> sent;
};

TEST_F(ServiceJobStopsTest, TerminateTheServiceJobAndSayWhy) {
  runs(train, "a");
  const ActionEnd end = stop(train);
  EXPECT_EQ(end.outcome, Outcome::done);
  ASSERT_EQ(account.terminations.size(), 1U);
  EXPECT_EQ(account.terminations[0],
            (nlohmann::json{{"jobId", "a"}, {"reason", "reeve: watch: it stands still"}}));
  EXPECT_EQ(sent, std::vector<std::string>{"batch:TerminateServiceJob"});
  EXPECT_EQ(account.count("StopTrainingJob"), 0);
}

TEST_F(ServiceJobStopsTest, OfOtherJobsAreCallsOfSageMaker) {
  account.training_jobs = {{"train", "InProgress"}, {train, "InProgress"}};
  EXPECT_EQ(stop("train").outcome, Outcome::done);
  EXPECT_EQ(account.calls, std::vector<std::string>{"StopTrainingJob"});
  // A person may give such a name; no queue starts this job again.
  EXPECT_EQ(stop(train).outcome, Outcome::done);
  EXPECT_EQ(sent,
            (std::vector<std::string>{"sagemaker:StopTrainingJob", "sagemaker:StopTrainingJob"}));
}

TEST_F(ServiceJobStopsTest, AreDoneOnceTheServiceJobIsOver) {
  runs(train, "a");
  account.loses_terminations = true;
  EXPECT_EQ(stop(train).outcome, Outcome::done) << "the reply is lost after the effect";
  EXPECT_EQ(account.terminations.size(), 1U);
  EXPECT_EQ(stop(train).outcome, Outcome::done);
  EXPECT_EQ(account.terminations.size(), 1U) << "it was terminated before";
  EXPECT_EQ(account.count("StopTrainingJob"), 0);
}

TEST_F(ServiceJobStopsTest, AClientExceptionIsDoneIfTheJobHasEnded) {
  runs(train, "a");
  account.errors = {{"terminateservicejob", "ClientException"}};
  EXPECT_EQ(stop(train).outcome, Outcome::expired) << "the job runs";
  account.training_jobs[train] = "Completed";
  EXPECT_EQ(stop(train).outcome, Outcome::done);
}

TEST_F(ServiceJobStopsTest, AreRefusedIfTheServiceJobCannotBeFound) {
  runs(train, "a");
  account.errors = {{"listservicejobs", "AccessDeniedException"}};
  const ActionEnd end = stop(train);
  EXPECT_EQ(end.outcome, Outcome::refused);
  EXPECT_TRUE(end.concerns_all);
  EXPECT_NE(end.detail.find("batch:ListServiceJobs"), std::string::npos) << end.detail;
  EXPECT_TRUE(sent.empty());
  EXPECT_EQ(account.count("StopTrainingJob"), 0);
}

TEST_F(ServiceJobStopsTest, ALongReasonIsCutBetweenCharacters) {
  runs(train, "a");
  std::string reason;
  while (reason.size() < 2000) reason += "ü";
  LoggedAction action = stop_of(train);
  action.details["reason"] = reason;
  const auto chosen = stop_call(service_jobs, action, {});
  const std::string told = std::get<StopCall>(chosen).call.parameters.at("reason");
  EXPECT_LE(told.size(), 1024U);
  EXPECT_GT(told.size(), 900U);
  EXPECT_EQ(told.substr(told.size() - 2), "ü");
}

TEST_F(ServiceJobStopsTest, AfterARestartAWSBatchSaysWhatBecameOfThem) {
  runs(train, "a");  // AWS Batch stops the training job in its own time
  account.service_jobs.at("a").is_terminated = true;
  const auto found = settled("a");
  ASSERT_EQ(std::get<FoundActions>(found).settled.size(), 1U);
  EXPECT_EQ(std::get<FoundActions>(found).settled[0].end.outcome, Outcome::done);
}

TEST_F(ServiceJobStopsTest, AfterARestartOneWithoutAnEffectIsExpired) {
  runs(train, "a");
  const auto found = settled("a");
  ASSERT_EQ(std::get<FoundActions>(found).settled.size(), 1U);
  EXPECT_EQ(std::get<FoundActions>(found).settled[0].end.outcome, Outcome::expired);
}

TEST_F(ServiceJobStopsTest, AfterARestartOneThatCannotBeReadStaysOpen) {
  runs(train, "a");
  account.errors = {{"describeservicejob", "AccessDeniedException"}};
  const auto denied = settled("a");
  EXPECT_EQ(std::get<FoundActions>(denied).unread.size(), 1U);
  account.errors = {{"describeservicejob", "ServerException"}};
  EXPECT_TRUE(std::holds_alternative<FailedCall>(settled("a")));
}

}  // namespace
}  // namespace reeve::live
