// What stays of the replies of AWS: all that the readers use, and no secret.
#include "scenarios/history/aws/kept_reply.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "scenarios/history/readers.hpp"
#include "scenarios/history/sum_up.hpp"

namespace reeve::scenarios {
namespace kept_reply_test {

using nlohmann::json;

History history_of(const json& reply) {
  History history;
  read_history_stream("reply", std::make_unique<std::istringstream>(reply.dump()), {}, history);
  return history;
}

/// The replies as they come, with what must not be kept in texts with "secret".
json training_jobs() {
  return json::parse(R"({"Results": [{"TrainingJob": {
    "TrainingJobName": "a", "TrainingJobArn": "arn:aws:sagemaker:us-east-1:1:training-job/a",
    "TrainingJobStatus": "InProgress", "SecondaryStatus": "Training",
    "HyperParameters": {"key": "secret"}, "Environment": {"TrainingJobName": "secret"},
    "AlgorithmSpecification": {"TrainingImage": "secret"}, "RoleArn": "secret",
    "InputDataConfig": [{"DataSource": {"S3DataSource": {"S3Uri": "secret"}}}],
    "ModelArtifacts": {"S3ModelArtifacts": "secret"},
    "ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 2},
    "StoppingCondition": {"MaxRuntimeInSeconds": 3600}, "CreationTime": 1785715200.5,
    "TrainingStartTime": 1785715260, "LastModifiedTime": 1785715300,
    "Tags": [{"Key": "team", "Value": "x"}]}}]})");
}

json batch_jobs() {
  const json payload{{"HyperParameters", {{"key", "secret"}}},
                     {"Environment", {{"key", "secret"}}},
                     {"ResourceConfig", {{"InstanceType", "ml.p5.48xlarge"}, {"InstanceCount", 3}}},
                     {"EnableManagedSpotTraining", true}};
  json reply = json::parse(R"({"jobs": [{"jobId": "b", "jobQueue": "q", "status": "SUCCEEDED",
    "parameters": {"key": "secret"}, "createdAt": 1785715200000, "startedAt": 1785715260000,
    "stoppedAt": 1785715360000,
    "container": {"environment": [{"name": "KEY", "value": "secret"}], "command": ["secret"],
      "resourceRequirements": [{"type": "GPU", "value": "4"}]}},
   {"jobId": "s", "jobQueue": "q", "status": "SUCCEEDED", "serviceJobType": "SAGEMAKER_TRAINING",
    "createdAt": 1785715200000, "startedAt": 1785715260000, "stoppedAt": 1785715360000}]})");
  reply["jobs"][1]["serviceRequestPayload"] = payload.dump();
  return reply;
}

json events() {
  const json inner = json::parse(R"({"eventName": "StopTrainingJob", "eventID": "1",
    "eventTime": "2026-08-03T00:00:00Z", "userAgent": "exec-env/AWS_Lambda_python3.12",
    "sourceIPAddress": "secret", "userIdentity": {"arn": "arn:aws:iam::1:user/ada",
    "accessKeyId": "secret"}, "requestParameters": {"trainingJobName": "a",
    "environment": {"key": "secret"}}})");
  return {{"Events", json::array({{{"EventName", "StopTrainingJob"},
                                   {"AccessKeyId", "secret"},
                                   {"CloudTrailEvent", inner.dump()}}})}};
}

TEST(KeptReplyTest, HasNoSecretAndGivesTheSameHistory) {
  const auto kept_of = [](std::string_view kind, const json& reply) {
    EXPECT_NE(reply.dump().find("secret"), std::string::npos);
    json kept = kept_reply(kind, reply);
    EXPECT_EQ(kept.dump().find("secret"), std::string::npos) << kept.dump(2);
    return kept;
  };
  const auto expect_same = [](const History& before, const History& after) {
    ASSERT_EQ(after.jobs.size(), before.jobs.size());
    EXPECT_GT(before.jobs.size() + before.events.size(), 0U);
    for (std::size_t i = 0; i < before.jobs.size(); ++i) {
      const HistoryJob a = before.jobs.at(i), b = after.jobs.at(i);
      EXPECT_EQ(a.record.job_id, b.record.job_id);
      EXPECT_EQ(a.record.nodes, b.record.nodes);
      EXPECT_EQ(a.record.gpus_per_node, b.record.gpus_per_node);
      EXPECT_EQ(a.record.instance_type, b.record.instance_type);
      EXPECT_EQ(a.record.market, b.record.market);
      EXPECT_EQ(a.record.time_limit, b.record.time_limit);
      EXPECT_EQ(a.record.tags, b.record.tags);
      EXPECT_EQ(a.submitted, b.submitted);
      EXPECT_EQ(a.started, b.started);
      EXPECT_EQ(a.ended, b.ended);
    }
    ASSERT_EQ(after.events.size(), before.events.size());
    for (std::size_t i = 0; i < before.events.size(); ++i) {
      EXPECT_EQ(before.events[i].job, after.events[i].job);
      EXPECT_EQ(before.events[i].by, after.events[i].by);
      EXPECT_EQ(before.events[i].by_function, after.events[i].by_function);
      EXPECT_EQ(before.events[i].at, after.events[i].at);
    }
    ASSERT_EQ(after.files.size(), 1U);
    EXPECT_TRUE(after.files[0].warnings.empty());
  };
  expect_same(history_of(training_jobs()), history_of(kept_of("sagemaker", training_jobs())));
  expect_same(history_of(batch_jobs()), history_of(kept_of("aws-batch", batch_jobs())));
  expect_same(history_of(events()), history_of(kept_of("cloudtrail", events())));
}

TEST(KeptReplyTest, AnEventThatIsNoJsonIsReportedStill) {
  json reply = events();
  reply["Events"][0]["CloudTrailEvent"] = "secret";
  const History history = history_of(kept_reply("cloudtrail", reply));
  ASSERT_EQ(history.files[0].warnings.size(), 1U);
  EXPECT_EQ(history.files[0].warnings[0].code, "W0632");
}

TEST(KeptReplyTest, AJobRunsUntilTheFetch) {
  const policy::Instant fetched = std::chrono::sys_days{std::chrono::year{2026} / 8 / 6};
  json reply = training_jobs();
  reply["reeve_fetched_at"] = "2026-08-06T00:00:00Z";
  History history = history_of(reply);
  EXPECT_EQ(history.newest, fetched);
  sum_up_work(history, {});
  const HistoryJob job = history.jobs.at(0);
  EXPECT_EQ(job.record.duration, fetched - *job.started);
  json batch = batch_jobs();
  json& service_job = batch["jobs"][1];
  service_job["reeve_fetched_at"] = "2026-08-06T00:00:00Z";
  EXPECT_EQ(history_of(service_job).newest, fetched);
}

}  // namespace kept_reply_test
}  // namespace reeve::scenarios
