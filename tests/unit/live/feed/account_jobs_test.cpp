#include "live/feed/account_jobs.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "live/aws/credentials.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

Credentials some_key() {
  Credentials credentials;
  credentials.key = {"KEY", Secret{std::string_view{"s"}}, {}};
  return credentials;
}

std::string operation_of(const Request& request) {
  const std::string target = header_of(request, "x-amz-target");
  return target.substr(target.find('.') + 1);
}

/// An account that answers each operation by a function of its parameters.
struct AccountJobsTest : testing::Test {
  Scripted script;
  FixedCredentials key{some_key()};
  Client client{script.surroundings(), key, {"us-east-1", 1}};
  std::set<std::string> running{"a", "b"};
  std::string refused;         // operation
  std::string error = "Oh";    // of the refusal
  std::string without_status;  // job
  std::string denied;          // job that may not be described
  std::string empty;           // operation that answers `{}`

  json answer(const std::string& operation, const json& asked) const {
    if (operation == empty) return json::object();
    if (operation == "ListTrainingJobs") {
      json page{{"TrainingJobSummaries", json::array()}};
      if (asked["StatusEquals"] != "InProgress") return page;
      for (const std::string& name : running) {
        page["TrainingJobSummaries"].push_back({{"TrainingJobName", name}});
      }
      return page;
    }
    if (operation == "ListTags") return {{"Tags", {{{"Key", "team"}, {"Value", "x"}}}}};
    const std::string name = asked["TrainingJobName"];
    json job{{"TrainingJobName", name},
             {"TrainingJobArn", "arn:aws:sagemaker:us-east-1:111122223333:training-job/" + name},
             {"CreationTime", name == "a" ? 1785747600.5 : 1785747000.0}};
    if (name != without_status) job["TrainingJobStatus"] = "InProgress";
    return job;
  }

  std::variant<AccountJobs, FailedCall> read(const OnJob& on_job = {}) {
    for (int call = 0; call < 1000; ++call) {
      script.transport.answers.emplace_back([this](const Request& request) -> Outcome {
        const std::string operation = operation_of(request);
        if (operation == refused) return Response{400, {}, json{{"__type", error}}.dump()};
        const json asked = json::parse(request.body);
        if (!denied.empty() && asked.value("TrainingJobName", "") == denied) {
          return Response{400, {}, json{{"__type", "AccessDeniedException"}}.dump()};
        }
        return Response{200, {}, answer(operation, asked).dump()};
      });
    }
    return running_jobs(client, script.clock, on_job);
  }
  AccountJobs jobs(const OnJob& on_job = {}) {
    auto found = read(on_job);
    EXPECT_TRUE(std::holds_alternative<AccountJobs>(found));
    return std::get<AccountJobs>(std::move(found));
  }
};

TEST_F(AccountJobsTest, HaveTheirTagsAndTheAccountOfTheirNameByCreation) {
  const AccountJobs found = jobs();
  ASSERT_EQ(found.jobs.size(), 2);
  const auto& first = std::get<TrainingJobState>(found.jobs[0].detail);
  EXPECT_EQ(first.name, "b");
  EXPECT_EQ(first.tags, (std::vector<policy::Tag>{{"team", "x"}}));
  EXPECT_EQ(found.jobs[0].account, "111122223333");
  EXPECT_EQ(found.jobs[0].region, "us-east-1");
  EXPECT_TRUE(found.unread.empty());
}

TEST_F(AccountJobsTest, AreReadWithinTheRatesOfAws) {
  running.clear();
  for (int job = 0; job < 100; ++job) running.insert("j" + std::to_string(job));
  const policy::Instant before = script.clock.time;
  jobs();
  // 5 DescribeTrainingJob per second.
  EXPECT_GE(script.clock.time - before, std::chrono::milliseconds{99 * 200});
  EXPECT_LE(script.clock.time - before, std::chrono::seconds{22});
}

TEST_F(AccountJobsTest, SendCallsThatOnlyRead) {
  jobs();
  std::set<std::string> sent;
  for (const Request& request : script.transport.requests) sent.insert(operation_of(request));
  EXPECT_EQ(sent, (std::set<std::string>{"DescribeTrainingJob", "ListTags", "ListTrainingJobs"}));
}

TEST_F(AccountJobsTest, FailWithTheActionThatLacksPermission) {
  error = "AccessDeniedException";
  for (const char* operation : {"ListTrainingJobs", "DescribeTrainingJob", "ListTags"}) {
    refused = operation;
    const auto found = read();
    ASSERT_TRUE(std::holds_alternative<FailedCall>(found)) << operation;
    EXPECT_EQ(std::get<FailedCall>(found).action, std::string{"sagemaker:"} + operation);
  }
}

TEST_F(AccountJobsTest, LeaveOutOneThatMayNotBeDescribedAndNameIt) {
  denied = "a";
  const AccountJobs found = jobs();
  EXPECT_EQ(found.jobs.size(), 1);
  ASSERT_EQ(found.unread.size(), 1);
  EXPECT_EQ(found.unread[0].name, "a");
  EXPECT_EQ(found.unread[0].why, "sagemaker:DescribeTrainingJob: AccessDeniedException ");
}

TEST_F(AccountJobsTest, LeaveOutWhatCannotBeReadAndNameIt) {
  without_status = "a";
  const AccountJobs found = jobs();
  EXPECT_EQ(found.jobs.size(), 1);
  ASSERT_EQ(found.unread.size(), 1);
  EXPECT_EQ(found.unread[0].name, "a");
  EXPECT_EQ(found.unread[0].why, "training job a has no TrainingJobStatus");
}

TEST_F(AccountJobsTest, DoNotMissTheTagsOfAJobWhoseTagsCannotBeRead) {
  refused = "ListTags";
  const AccountJobs found = jobs();
  EXPECT_TRUE(found.jobs.empty());  // a rule must not take unknown tags for missing ones
  EXPECT_EQ(found.unread.size(), 2);
}

TEST_F(AccountJobsTest, DoNotTakeAnUnreadableReplyForAnEmptyOne) {
  empty = "ListTags";
  EXPECT_TRUE(jobs().jobs.empty());
  EXPECT_EQ(jobs().unread.size(), 2);
  empty = "ListTrainingJobs";
  const auto found = read();
  ASSERT_TRUE(std::holds_alternative<FailedCall>(found));
  EXPECT_EQ(std::get<FailedCall>(found).error.code, "UnreadableReply");
}

TEST_F(AccountJobsTest, StopWhenTheUserInterrupts) {
  const AccountJobs found = jobs([](std::size_t done, std::size_t) { return done < 1; });
  EXPECT_TRUE(found.interrupted);
  EXPECT_EQ(found.jobs.size(), 1);
}

TEST_F(AccountJobsTest, ASnapshotFiresTimersThatAreDueAndNoLaterOnes) {
  policy::Directory directory;
  Roster roster{directory, "", "", [](std::string_view name) {
                  return policy::InstanceType{std::string{name}, 1, {}};
                }};
  const AccountJobs found = jobs();
  const policy::Instant now = script.clock.time;
  Snapshot snapshot{found.jobs, roster, now};
  host::Intake intake;
  EXPECT_EQ(snapshot.advance(policy::never, intake), now);
  EXPECT_FALSE(intake.empty());
  intake.clear();
  EXPECT_EQ(snapshot.advance(now, intake), now);
  EXPECT_EQ(snapshot.advance(now + std::chrono::seconds{1}, intake), policy::never);
  EXPECT_TRUE(intake.empty());
}

}  // namespace
}  // namespace reeve::live
