#include "live/act/clone_request.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace reeve::live {
namespace clone_request_test {

using nlohmann::json;
using policy::CloneLoss;
using Lines = std::vector<std::string>;

/// A Spot job of a container of users, as SageMaker describes it after its end.
json described_job() {
  return json::parse(R"json({
    "TrainingJobName": "bert", "RoleArn": "arn:aws:iam::111122223333:role/train",
    "TrainingJobArn": "arn:aws:sagemaker:us-east-1:111122223333:training-job/bert",
    "TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxRuntimeExceeded",
    "ModelArtifacts": {"S3ModelArtifacts": "s3://bucket/out/bert/output/model.tar.gz"},
    "HyperParameters": {"epochs": "3", "comment": ""},
    "AlgorithmSpecification": {
      "TrainingImage": "111122223333.dkr.ecr.us-east-1.amazonaws.com/train:1",
      "TrainingInputMode": "File", "EnableSageMakerMetricsTimeSeries": true,
      "ContainerEntrypoint": [], "ContainerArguments": ["--tag", ""],
      "MetricDefinitions": [{"Name": "loss", "Regex": "loss=([0-9.]+)"}]},
    "InputDataConfig": [{
      "ChannelName": "train", "CompressionType": "None", "RecordWrapperType": "None",
      "DataSource": {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": "s3://bucket/in",
                                      "S3DataDistributionType": "FullyReplicated"}}}],
    "OutputDataConfig": {"KmsKeyId": "", "S3OutputPath": "s3://bucket/out"},
    "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 2, "VolumeSizeInGB": 30},
    "WarmPoolStatus": {"Status": "Terminated"},
    "VpcConfig": {"SecurityGroupIds": ["sg-1"], "Subnets": ["subnet-1", "subnet-2"]},
    "StoppingCondition": {"MaxRuntimeInSeconds": 7200, "MaxWaitTimeInSeconds": 10800},
    "CreationTime": 1767607860.5, "TrainingStartTime": 1767607900, "TrainingEndTime": 1767615100,
    "LastModifiedTime": 1767615200, "TrainingTimeInSeconds": 7200, "BillableTimeInSeconds": 2160,
    "SecondaryStatusTransitions": [{"Status": "Starting", "StartTime": 1767607860.5}],
    "FinalMetricDataList": [{"MetricName": "loss", "Value": 0.5, "Timestamp": 1767615000}],
    "EnableNetworkIsolation": false, "EnableInterContainerTrafficEncryption": true,
    "EnableManagedSpotTraining": true,
    "CheckpointConfig": {"S3Uri": "s3://bucket/checkpoints/", "LocalPath": "/opt/ml/checkpoints"},
    "DebugHookConfig": {"S3OutputPath": "s3://bucket/debug",
                        "CollectionConfigurations": [{"CollectionName": "losses"}]},
    "DebugRuleConfigurations": [{"RuleConfigurationName": "vanishing", "InstanceType": "",
                                 "RuleEvaluatorImage": "image", "VolumeSizeInGB": 0,
                                 "RuleParameters": {"threshold": ""}}],
    "DebugRuleEvaluationStatuses": [{"RuleConfigurationName": "vanishing"}],
    "TensorBoardOutputConfig": {"S3OutputPath": "s3://bucket/board"},
    "ExperimentConfig": {"ExperimentName": "e", "TrialName": "t"},
    "ProfilerConfig": {"S3OutputPath": "s3://bucket/profile", "DisableProfiler": false,
                       "ProfilingIntervalInMilliseconds": 500},
    "ProfilerRuleConfigurations": [{"RuleConfigurationName": "all", "RuleEvaluatorImage": "image"}],
    "ProfilerRuleEvaluationStatuses": [], "ProfilingStatus": "Enabled",
    "Environment": {"SEED": "1"}, "RetryStrategy": {"MaximumRetryAttempts": 3},
    "RemoteDebugConfig": {"EnableRemoteDebug": false},
    "InfraCheckConfig": {"EnableInfraCheck": true},
    "MlflowConfig": {"MlflowResourceArn": "arn:aws:sagemaker:us-east-1:111122223333:mlflow/m"},
    "MlflowDetails": {"MlflowRunId": "1"},
    "ModelPackageConfig": {"ModelPackageGroupArn":
        "arn:aws:sagemaker:us-east-1:111122223333:model-package-group/g"},
    "OutputModelPackageArn": "arn:aws:sagemaker:us-east-1:111122223333:model-package/g/1"
  })json");
}

json job_tags() {
  return {{{"Key", "team"}, {"Value", "nlp"}}, {{"Key", "empty"}, {"Value", ""}}};
}

CloneChanges second() {
  return {.name = "bert-r2", .first_name = "bert"};
}

json tag(const std::string& key, const std::string& value) {
  return {{"Key", key}, {"Value", value}};
}

json request_of(const json& described, const CloneChanges& changes) {
  return clone_request(described, job_tags(), changes);
}

TEST(CloneRequest, RepeatsWhatTheCallAcceptsAndNothingElse) {
  json expected = described_job();
  for (const char* name :
       {"TrainingJobArn", "TrainingJobStatus", "SecondaryStatus", "ModelArtifacts",
        "WarmPoolStatus", "CreationTime", "TrainingStartTime", "TrainingEndTime",
        "LastModifiedTime", "TrainingTimeInSeconds", "BillableTimeInSeconds",
        "SecondaryStatusTransitions", "FinalMetricDataList", "DebugRuleEvaluationStatuses",
        "ProfilerRuleEvaluationStatuses", "ProfilingStatus", "MlflowDetails",
        "OutputModelPackageArn"}) {
    ASSERT_EQ(expected.erase(name), 1U) << name;
  }
  expected["TrainingJobName"] = "bert-r2";
  expected["Tags"] = job_tags();
  expected["Tags"].push_back(tag("reeve:retry-of", "bert"));
  expected["Tags"].push_back(tag("reeve:attempt", "2"));
  expected["AlgorithmSpecification"].erase("ContainerEntrypoint");
  expected["OutputDataConfig"].erase("KmsKeyId");
  expected["DebugRuleConfigurations"][0].erase("InstanceType");
  EXPECT_EQ(request_of(described_job(), second()), expected);
}

TEST(CloneRequest, EmptyMembersAreLeftOut) {
  json described = described_job();
  described["VpcConfig"] = {{"SecurityGroupIds", json::array()}, {"Subnets", json::array()}};
  described["Environment"] = json::object();
  described["InputDataConfig"] = json::array();
  described["CheckpointConfig"] = {{"S3Uri", ""}};
  described["ProfilerConfig"] = nullptr;
  const json request = request_of(described, second());
  for (const char* name :
       {"VpcConfig", "Environment", "InputDataConfig", "CheckpointConfig", "ProfilerConfig"}) {
    EXPECT_FALSE(request.contains(name)) << name;
  }
  EXPECT_EQ(differences(described, request), Lines{"TrainingJobName: bert -> bert-r2"});
}

TEST(CloneRequest, TagsOfAwsAndOfAnEarlierAttemptAreReplaced) {
  const json tags = {tag("AWS:cloudformation:stack-name", "s"), tag("reeve:attempt", "2"),
                     tag("team", "nlp"), tag("aws:x", "y"), tag("reeve:retry-of", "bert")};
  CloneChanges third = second();
  third.attempt = 3;
  const json kept = clone_request(described_job(), tags, third)["Tags"];
  const json expected = {tag("team", "nlp"), tag("reeve:retry-of", "bert"),
                         tag("reeve:attempt", "3")};
  EXPECT_EQ(kept, expected);
}

TEST(CloneRequest, TheTagsOfReeveHaveRoomAmongFifty) {
  json tags = json::array();
  for (int number = 0; number < 50; ++number) tags.push_back(tag(std::to_string(number), "v"));
  const json kept = clone_request(described_job(), tags, second())["Tags"];
  ASSERT_EQ(kept.size(), 50U);
  EXPECT_EQ(kept[47], tag("47", "v"));
  EXPECT_EQ(kept[48], tag("reeve:retry-of", "bert"));
  EXPECT_EQ(kept[49], tag("reeve:attempt", "2"));
}

TEST(CloneRequest, WithoutTagsTheAttemptsStayConnected) {
  const json two = {tag("reeve:retry-of", "bert"), tag("reeve:attempt", "2")};
  CloneChanges without = second();
  without.keep_tags = false;
  EXPECT_EQ(request_of(described_job(), without)["Tags"], two);
  CloneChanges loses = second();
  loses.loses = static_cast<std::uint16_t>(CloneLoss::tags);
  EXPECT_EQ(request_of(described_job(), loses)["Tags"], two);
}

TEST(CloneRequest, OnDemandHasNoLimitOfItsWait) {
  CloneChanges changes = second();
  changes.spot = false;
  const json request = request_of(described_job(), changes);
  EXPECT_EQ(request["StoppingCondition"], json({{"MaxRuntimeInSeconds", 7200}}));
  const Lines expected{"TrainingJobName: bert -> bert-r2",
                       "StoppingCondition.MaxWaitTimeInSeconds: left out",
                       "EnableManagedSpotTraining: true -> false"};
  EXPECT_EQ(differences(described_job(), request), expected);
  json described = described_job();
  described["StoppingCondition"].erase("MaxRuntimeInSeconds");
  EXPECT_EQ(request_of(described, changes)["StoppingCondition"], json::object());
}

TEST(CloneRequest, SpotWaitsForItsLongestRunAndKeepsNoWarmPool) {
  json described = described_job();
  described["EnableManagedSpotTraining"] = false;
  described["StoppingCondition"].erase("MaxWaitTimeInSeconds");
  described["ResourceConfig"]["KeepAlivePeriodInSeconds"] = 600;
  EXPECT_EQ(request_of(described, second())["ResourceConfig"], described["ResourceConfig"]);
  CloneChanges changes = second();
  changes.spot = true;
  json request = request_of(described, changes);
  EXPECT_EQ(request["EnableManagedSpotTraining"], true);
  EXPECT_FALSE(request["ResourceConfig"].contains("KeepAlivePeriodInSeconds"));
  EXPECT_EQ(request["StoppingCondition"]["MaxWaitTimeInSeconds"], 86'400);
  changes.max_runtime = std::chrono::hours{48};
  request = request_of(described, changes);
  EXPECT_EQ(request["StoppingCondition"]["MaxWaitTimeInSeconds"], 2 * 86'400);
  described.erase("StoppingCondition");  // AWS then limits the run to a day
  request = request_of(described, {.name = "n", .first_name = "f", .spot = true});
  EXPECT_EQ(request["StoppingCondition"], json({{"MaxWaitTimeInSeconds", 86'400}}));
}

TEST(CloneRequest, AnotherRuntimeKeepsTheWaitThatIsLongEnough) {
  CloneChanges changes = second();
  changes.max_runtime = std::chrono::hours{1};
  json request = request_of(described_job(), changes);
  const json shorter = {{"MaxRuntimeInSeconds", 3600}, {"MaxWaitTimeInSeconds", 10'800}};
  EXPECT_EQ(request["StoppingCondition"], shorter);
  changes.max_runtime = std::chrono::hours{4};
  request = request_of(described_job(), changes);
  const Lines expected{"TrainingJobName: bert -> bert-r2",
                       "StoppingCondition.MaxRuntimeInSeconds: 7200 -> 14400",
                       "StoppingCondition.MaxWaitTimeInSeconds: 10800 -> 14400"};
  EXPECT_EQ(differences(described_job(), request), expected);
}

TEST(CloneRequest, AnotherInstanceTypeLeavesWhatIsReservedForTheOldOne) {
  json described = described_job();
  json& resources = described["ResourceConfig"];
  resources["TrainingPlanArn"] = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan";
  resources["InstancePlacementConfig"] = {{"EnableMultipleJobs", true}};
  CloneChanges changes = second();
  changes.instance_type = "ml.g5.xlarge";
  EXPECT_EQ(request_of(described, changes)["ResourceConfig"], resources);
  changes.instance_type = "ml.p4d.24xlarge";
  const Lines expected{"TrainingJobName: bert -> bert-r2",
                       "ResourceConfig.InstancePlacementConfig: left out",
                       "ResourceConfig.InstanceType: ml.g5.xlarge -> ml.p4d.24xlarge",
                       "ResourceConfig.TrainingPlanArn: left out"};
  EXPECT_EQ(differences(described, request_of(described, changes)), expected);
}

TEST(CloneRequest, OnlyASingleInstanceGroupChangesItsType) {
  json described = described_job();
  const json group = {
      {"InstanceGroupName", "a"}, {"InstanceType", "ml.g5.xlarge"}, {"InstanceCount", 1}};
  described["ResourceConfig"] = {{"InstanceGroups", {group}}, {"VolumeSizeInGB", 30}};
  CloneChanges changes = second();
  changes.instance_type = "ml.g6.xlarge";
  const Lines lines = differences(described, request_of(described, changes));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1],
            "ResourceConfig.InstanceGroups[0].InstanceType: ml.g5.xlarge -> ml.g6.xlarge");
  described["ResourceConfig"]["InstanceGroups"].push_back(group);
  EXPECT_EQ(request_of(described, changes)["ResourceConfig"], described["ResourceConfig"]);
}

TEST(CloneRequest, FromScratchTheCheckpointsHaveANewPlace) {
  CloneChanges changes = second();
  changes.from_scratch = true;
  const json request = request_of(described_job(), changes);
  const Lines expected{
      "TrainingJobName: bert -> bert-r2",
      "CheckpointConfig.S3Uri: s3://bucket/checkpoints/ -> s3://bucket/checkpoints/bert-r2"};
  EXPECT_EQ(differences(described_job(), request), expected);
  json described = described_job();
  described.erase("CheckpointConfig");
  EXPECT_FALSE(request_of(described, changes).contains("CheckpointConfig"));
}

TEST(CloneRequest, LosesTheNamedFields) {
  CloneChanges changes = second();
  changes.from_scratch = true;
  changes.loses = static_cast<std::uint16_t>(CloneLoss::vpc) |
                  static_cast<std::uint16_t>(CloneLoss::checkpoint);
  const Lines expected{"TrainingJobName: bert -> bert-r2", "VpcConfig: left out",
                       "CheckpointConfig: left out"};
  EXPECT_EQ(differences(described_job(), request_of(described_job(), changes)), expected);
}

TEST(CloneRequest, AnAlgorithmWithANameHasNoImage) {
  json described = described_job();
  described["AlgorithmSpecification"]["AlgorithmName"] = "mine";
  const json algorithm = request_of(described, second())["AlgorithmSpecification"];
  EXPECT_EQ(algorithm["AlgorithmName"], "mine");
  EXPECT_FALSE(algorithm.contains("TrainingImage"));
}

TEST(CloneRequest, AnUnreadableDescriptionGivesARequestThatAwsRefuses) {
  for (const json& described : {json(), json("text"), json{{"ResourceConfig", 3}}}) {
    CloneChanges changes = second();
    changes.from_scratch = true;
    changes.instance_type = "ml.g5.xlarge";
    const json request = clone_request(described, "no list", changes);
    EXPECT_EQ(request["TrainingJobName"], "bert-r2");
    EXPECT_FALSE(request.contains("RoleArn"));
  }
}

CloneChanges changes_in(const json& value) {
  CloneChanges changes;
  changes.name = value.at("name");
  changes.first_name = value.at("first_name");
  changes.attempt = value.at("attempt");
  if (value.contains("spot")) changes.spot = value.at("spot").get<bool>();
  changes.instance_type = value.value("instance_type", "");
  if (value.contains("max_runtime")) {
    changes.max_runtime = std::chrono::seconds{value.at("max_runtime").get<std::int64_t>()};
  }
  changes.keep_tags = value.value("keep_tags", true);
  changes.from_scratch = value.value("from_scratch", false);
  return changes;
}

/// Our side of tests/cli/clone_judge_test.sh: a case per line of REEVE_CLONE_IN, its request and
/// differences per line of REEVE_CLONE_OUT.  Without these files, the job above.
TEST(CloneRequest, OfEachCaseInAFile) {
  const char* from = std::getenv("REEVE_CLONE_IN");
  const char* to = std::getenv("REEVE_CLONE_OUT");
  std::vector<json> cases;
  if (from != nullptr) {
    std::ifstream file{from};
    for (std::string line; std::getline(file, line);) cases.push_back(json::parse(line));
  } else {
    const json changes = {{"name", "bert-r2"}, {"first_name", "bert"}, {"attempt", 2}};
    cases.push_back({{"described", described_job()}, {"tags", job_tags()}, {"changes", changes}});
  }
  ASSERT_FALSE(cases.empty());
  std::string out;
  for (const json& one : cases) {
    const json request =
        clone_request(one.at("described"), one.at("tags"), changes_in(one.at("changes")));
    EXPECT_EQ(request.at("TrainingJobName"), one.at("changes").at("name"));
    const json answer = {{"request", request},
                         {"differences", differences(one.at("described"), request)}};
    out += answer.dump() + '\n';
  }
  if (to != nullptr) {
    std::ofstream file{to};
    file << out;
    ASSERT_TRUE(file.flush());
  }
}

}  // namespace clone_request_test
}  // namespace reeve::live
