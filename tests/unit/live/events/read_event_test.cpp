// Each documented form of each event, as AWS and public logs show them.
#include "live/events/read_event.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "live/events/write_event.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;
using policy::Primary;
using policy::Secondary;
using std::chrono::milliseconds;

Instant ms(std::int64_t since_1970) {
  return Instant{milliseconds{since_1970}};
}

/// An event as real payloads have it: numbers in milliseconds, nulls before the end.
json training_event() {
  return json::parse(R"({"version":"0","id":"e-1","source":"aws.sagemaker",
    "detail-type":"SageMaker Training Job State Change",
    "account":"111122223333","time":"2026-01-05T10:11:12Z","region":"us-east-1",
    "resources":["arn:aws:sagemaker:us-east-1:111122223333:training-job/demo-1"],
    "detail":{"TrainingJobName":"demo-1",
      "TrainingJobArn":"arn:aws:sagemaker:us-east-1:111122223333:training-job/demo-1",
      "TrainingJobStatus":"InProgress","SecondaryStatus":"Interrupted","FailureReason":null,
      "ResourceConfig":{"InstanceType":"ml.g5.xlarge","InstanceCount":2,"VolumeSizeInGB":30},
      "StoppingCondition":{"MaxRuntimeInSeconds":86400,"MaxWaitTimeInSeconds":172800},
      "CreationTime":1767607872000,"TrainingStartTime":1767608000000,"TrainingEndTime":null,
      "LastModifiedTime":1767611472000,
      "SecondaryStatusTransitions":[
        {"Status":"Starting","StartTime":1767607872000,"EndTime":1767608000000,
         "StatusMessage":"Preparing the instances for training"},
        {"Status":"Interrupted","StartTime":1767611472000}],
      "Tags":{"model_name":"mnist"}}})");
}

FleetEvent read(const json& event) {
  auto result = read_event(event.dump());
  const Failure* failure = failure_of(result);
  EXPECT_EQ(failure, nullptr) << (failure == nullptr ? "" : failure->message);
  return failure == nullptr ? std::get<FleetEvent>(std::move(result)) : FleetEvent{};
}

TrainingJobState job_of(const json& event) {
  const FleetEvent read_one = read(event);
  const auto* job = std::get_if<TrainingJobState>(&read_one.detail);
  EXPECT_NE(job, nullptr);
  return job == nullptr ? TrainingJobState{} : *job;
}

std::string why_not(const std::string& text) {
  const auto result = read_event(text);
  const Failure* failure = failure_of(result);
  return failure == nullptr ? std::string{} : failure->message;
}

TEST(TrainingJobEvent, HasAllFieldsOfARealPayload) {
  const FleetEvent event = read(training_event());
  EXPECT_EQ(event.id, "e-1");
  EXPECT_EQ(event.account, "111122223333");
  EXPECT_EQ(event.region, "us-east-1");
  EXPECT_EQ(event.time, ms(1767607872000));
  const TrainingJobState job = job_of(training_event());
  EXPECT_EQ(job.name, "demo-1");
  EXPECT_EQ(job.primary, Primary::in_progress);
  EXPECT_EQ(job.secondary, Secondary::interrupted);
  EXPECT_EQ(job.instance_type, "ml.g5.xlarge");
  EXPECT_EQ(job.instances, 2u);
  EXPECT_EQ(job.max_runtime, std::chrono::hours{24});
  EXPECT_EQ(job.max_wait, std::chrono::hours{48});
  EXPECT_EQ(job.created, ms(1767607872000));
  EXPECT_EQ(job.ended, std::nullopt);
  EXPECT_FALSE(job.spot);
  EXPECT_EQ(job.tags, (std::vector<policy::Tag>{{"model_name", "mnist"}}));
  ASSERT_EQ(job.transitions.size(), 2u);
  EXPECT_EQ(job.transitions[0].end, ms(1767608000000));
  EXPECT_EQ(job.transitions[1].end, std::nullopt);
}

TEST(TrainingJobEvent, TakesTimesAsNumbersFloatsAndText) {
  for (const json& time :
       {json(1767607872000), json(1767607872000.0), json("1767607872000"), json("1767607872000.0"),
        json("2026-01-05T10:11:12.000Z"), json("2026-01-05T10:11:12+0000")}) {
    json event = training_event();
    event["detail"]["CreationTime"] = time;
    event["time"] = time;
    EXPECT_EQ(job_of(event).created, ms(1767607872000)) << time;
    EXPECT_EQ(read(event).time, ms(1767607872000)) << time;
  }
  for (const json& time : {json(-1), json(1e300), json("NaN"), json("inf"), json("soon"),
                           json(true), json::array(), json(18446744073709551615u)}) {
    json event = training_event();
    event["detail"]["CreationTime"] = time;
    EXPECT_EQ(job_of(event).created, std::nullopt) << time;
  }
}

TEST(TrainingJobEvent, ANullFieldIsAnAbsentField) {
  json nulls = training_event();
  json absent = training_event();
  for (const char* key :
       {"FailureReason", "ResourceConfig", "StoppingCondition", "CreationTime", "TrainingStartTime",
        "LastModifiedTime", "SecondaryStatusTransitions", "Tags", "SecondaryStatus"}) {
    nulls["detail"][key] = nullptr;
    absent["detail"].erase(key);
  }
  for (const json& event : {nulls, absent}) {
    const TrainingJobState job = job_of(event);
    EXPECT_EQ(job.tags, std::nullopt);  // unknown: not the same as none
    EXPECT_EQ(job.instances, 0u);
    EXPECT_EQ(job.max_runtime, std::nullopt);
    EXPECT_EQ(job.secondary, Secondary::other);
    EXPECT_TRUE(job.transitions.empty());
  }
}

TEST(TrainingJobEvent, EmptyTagsAreKnownTags) {
  json event = training_event();
  event["detail"]["Tags"] = json::object();
  EXPECT_EQ(job_of(event).tags, std::vector<policy::Tag>{});
  event["detail"]["Tags"] = json::parse(R"([{"Key":"b","Value":"2"},{"Key":"a","Value":"1"}])");
  EXPECT_EQ(job_of(event).tags, (std::vector<policy::Tag>{{"a", "1"}, {"b", "2"}}));
}

TEST(TrainingJobEvent, UnknownFieldsAndStatusesDoNotMatter) {
  json event = training_event();
  event["detail"]["SecondaryStatus"] = "Rebalancing";
  event["detail"]["Novelty"] = {{"a", 1}};
  EXPECT_EQ(job_of(event).secondary, Secondary::other);
  EXPECT_EQ(job_of(event).secondary_word, "Rebalancing");
  event["detail"]["SecondaryStatus"] = "Queued";  // reeve's word, not one of AWS
  EXPECT_EQ(job_of(event).secondary, Secondary::other);
  event["detail"]["TrainingJobStatus"] = "Paused";
  EXPECT_NE(why_not(event.dump()).find("does not know: Paused"), std::string::npos);
  event["detail"].erase("TrainingJobName");
  EXPECT_NE(why_not(event.dump()).find("no TrainingJobName"), std::string::npos);
}

TEST(TrainingJobEvent, TagsThatAreNoTextsAreUnknown) {
  json event = training_event();
  event["detail"]["Tags"] = {{"team", 5}};
  EXPECT_FALSE(job_of(event).tags);
  event["detail"]["Tags"] = json::parse(R"([{"Key":"team","Value":["a"]}])");
  EXPECT_FALSE(job_of(event).tags);
}

TEST(TrainingJobEvent, ATimeBefore1970IsUnknown) {
  json event = training_event();
  event["detail"]["CreationTime"] = "1700-01-01T00:00:00Z";
  EXPECT_FALSE(job_of(event).created);
}

TEST(TrainingJobEvent, CountsTheInstancesOfAllGroups) {
  json event = training_event();
  event["detail"]["ResourceConfig"] = json::parse(
      R"({"InstanceGroups":[{"InstanceType":"ml.p4d.24xlarge","InstanceCount":2},
                            {"InstanceType":"ml.c5.xlarge","InstanceCount":1}]})");
  EXPECT_EQ(job_of(event).instance_type, "ml.c5.xlarge+ml.p4d.24xlarge");
  EXPECT_EQ(job_of(event).instances, 3u);
}

TEST(DescribedTrainingJob, HasTimesInSeconds) {
  json job = training_event()["detail"];
  job["CreationTime"] = 1767607872.25;
  job["SecondaryStatusTransitions"] = json::array();
  job["EnableManagedSpotTraining"] = true;
  const auto read = read_training_job(job, TimeUnit::seconds);
  ASSERT_EQ(failure_of(read), nullptr);
  EXPECT_EQ(std::get<TrainingJobState>(read).created, ms(1767607872250));
  EXPECT_EQ(std::get<TrainingJobState>(read).spot, true);
}

json alarm_event() {
  return json::parse(R"({"detail-type":"CloudWatch Alarm State Change","source":"aws.cloudwatch",
    "account":"123456789012","region":"us-east-1","time":"2026-01-05T10:11:12Z",
    "resources":["arn:aws:cloudwatch:us-east-1:123456789012:alarm:X"],
    "detail":{"alarmName":"X","configuration":{"metrics":[{"id":"m","metricStat":{
       "metric":{"dimensions":{"Host":"demo/algo-1"},"name":"GPUUtilization",
                 "namespace":"/aws/sagemaker/TrainingJobs"},"period":300,"stat":"Average"},
       "returnData":true}]},
     "previousState":{"timestamp":"2019-10-01T13:56:40.987+0000","value":"OK"},
     "state":{"reasonData":"{\"recentDatapoints\":[0.0]}","value":"ALARM"}}})");
}

TEST(AlarmEvent, NamesTheHostOfItsMetric) {
  const FleetEvent event = read(alarm_event());
  const auto& change = std::get<AlarmStateChange>(event.detail);
  EXPECT_EQ(change.alarm, "X");
  EXPECT_EQ(change.host, "demo/algo-1");
  EXPECT_EQ(change.state, policy::AlarmState::alarm);
  EXPECT_EQ(change.previous, policy::AlarmState::ok);
  json odd = alarm_event();
  odd["detail"]["state"]["value"] = "MUTED";
  EXPECT_NE(why_not(odd.dump()), "");
  odd["detail"].erase("configuration");
  odd["detail"]["state"]["value"] = "INSUFFICIENT_DATA";
  EXPECT_EQ(std::get<AlarmStateChange>(read(odd).detail).host, "");
}

/// What an alarm sends to SNS, in the envelope of SNS.
TEST(AlarmEvent, IsReadFromSns) {
  const json message = json::parse(R"json({"AlarmName":"demoGPUUtil","AlarmDescription":null,
    "AWSAccountId":"123456789012","NewStateValue":"ALARM","OldStateValue":"OK",
    "StateChangeTime":"2025-08-13T08:08:23.374+0000","Region":"EU (Ireland)",
    "AlarmArn":"arn:aws:cloudwatch:eu-west-1:123456789012:alarm:demoGPUUtil",
    "Trigger":{"MetricName":"GPUUtilization","Unit":null,
      "Dimensions":[{"value":"demo/algo-1","name":"Host"}],"Threshold":1.0}})json");
  const json envelope = {{"Type", "Notification"}, {"MessageId", "m"}, {"Message", message.dump()}};
  for (const json& body : {message, envelope}) {
    const FleetEvent event = read(body);
    EXPECT_EQ(event.account, "123456789012");
    EXPECT_EQ(event.region, "eu-west-1");
    EXPECT_EQ(event.time, ms(1755072503374));
    EXPECT_EQ(std::get<AlarmStateChange>(event.detail).host, "demo/algo-1");
  }
}

TEST(SnsEnvelope, CarriesAnEvent) {
  const json envelope = {{"Type", "Notification"}, {"Message", training_event().dump()}};
  EXPECT_EQ(job_of(envelope).name, "demo-1");
  EXPECT_EQ(why_not(R"({"Type":"Notification","Message":"hello"})"),
            "the message in its envelope is not JSON");
}

TEST(Envelopes, OfQueuesLogsAndLambdaCarryAnEvent) {
  const std::string text = training_event().dump();
  const json sns = {{"Type", "Notification"}, {"Message", text}};
  for (const json& line : {json{{"MessageId", "m"}, {"Body", text}}, json{{"Body", sns.dump()}},
                           json{{"timestamp", 1}, {"message", text}},
                           json{{"Records", json::array({{{"Sns", {{"Message", text}}}}})}},
                           json{{"Records", json::array({{{"body", sns.dump()}}})}}}) {
    EXPECT_EQ(job_of(line).name, "demo-1") << line;
  }
  EXPECT_NE(why_not(json{{"Records", json::array({1, 2})}}.dump()), "");
  json nested = {{"Body", "{}"}};
  for (int depth = 0; depth < 9; ++depth) nested = {{"Body", nested.dump()}};
  EXPECT_NE(why_not(nested.dump()), "");
}

TEST(TrainingJobEvent, AnAbsurdNumberOfInstancesIsUnknown) {
  json event = training_event();
  for (const json& count : {json(2147483647), json(-1), json(1e300), json("many")}) {
    event["detail"]["ResourceConfig"]["InstanceCount"] = count;
    EXPECT_EQ(job_of(event).instances, 0u) << count;
  }
  event["detail"]["ResourceConfig"] = json::parse(
      R"({"InstanceGroups":[{"InstanceType":"a","InstanceCount":99999},
                            {"InstanceType":"a","InstanceCount":99999}]})");
  EXPECT_EQ(job_of(event).instances, 0u);
}

TEST(CreatedEvent, HasTheRequestOfTheJob) {
  json event = json::parse(R"({"source":"aws.sagemaker","detail-type":"AWS API Call via CloudTrail",
    "detail":{"eventName":"CreateTrainingJob","requestParameters":{"trainingJobName":"demo-1",
      "resourceConfig":{"instanceGroups":[{"instanceType":"ml.p5.48xlarge","instanceCount":2},
                                          {"instanceType":"ml.c5.xlarge","instanceCount":1}]},
      "stoppingCondition":{"maxRuntimeInSeconds":3600},"enableManagedSpotTraining":true,
      "tags":[{"key":"team","value":"a"}]},
      "responseElements":{"trainingJobArn":"arn:job"}}})");
  const auto created = [&] {
    const FleetEvent read_one = read(event);
    const auto* call = std::get_if<TrainingJobCreated>(&read_one.detail);
    return call == nullptr ? TrainingJobState{} : call->job;
  };
  EXPECT_EQ(created().name, "demo-1");
  EXPECT_EQ(created().arn, "arn:job");
  EXPECT_EQ(created().instance_type, "ml.c5.xlarge+ml.p5.48xlarge");
  EXPECT_EQ(created().instances, 3u);
  EXPECT_EQ(created().max_runtime, std::chrono::hours{1});
  EXPECT_EQ(created().spot, true);
  EXPECT_EQ(created().tags, (std::vector<policy::Tag>{{"team", "a"}}));
  event["detail"]["requestParameters"].erase("tags");
  EXPECT_EQ(created().tags, std::vector<policy::Tag>{});
  const std::string deep = std::string(300'000, '[') + std::string(300'000, ']');
  EXPECT_EQ(why_not(R"({"source":"aws.sagemaker","detail-type":"AWS API Call via CloudTrail",
    "detail":{"eventName":"CreateTrainingJob","requestParameters":{"trainingJobName":"a",
    "hyperParameters":)" +
                    deep + "}}}"),
            "");
  event["detail"]["errorCode"] = "ThrottlingException";
  EXPECT_EQ(created().name, "");
}

TEST(InstanceEvent, NamesTheInstance) {
  json event = {{"detail-type", "EC2 Spot Instance Interruption Warning"},
                {"source", "aws.ec2"},
                {"resources", {"arn:aws:ec2:us-east-2a:instance/i-1"}},
                {"detail", {{"instance-id", "i-1"}, {"instance-action", "terminate"}}}};
  const FleetEvent first = read(event);
  EXPECT_EQ(std::get<InstanceNotice>(first.detail).kind, InstanceNotice::Kind::interruption);
  EXPECT_EQ(std::get<InstanceNotice>(first.detail).word, "terminate");
  event["detail-type"] = "EC2 Instance State-change Notification";
  event["detail"] = {{"instance-id", "i-2"}, {"state", "pending"}};
  const FleetEvent second = read(event);
  EXPECT_EQ(std::get<InstanceNotice>(second.detail).word, "pending");
  event["detail"].erase("instance-id");
  EXPECT_NE(why_not(event.dump()), "");
}

TEST(BatchEvent, NamesTheTrainingJobOfItsNewestAttempt) {
  const json event = json::parse(R"({"detail-type":"Batch Service Job State Change",
    "source":"aws.batch","detail":{"jobArn":"arn:job","jobId":"j","jobName":"event-test",
    "jobQueue":"arn:queue","status":"SUCCEEDED","statusReason":"Received status from SageMaker: x",
    "latestAttempt":{"serviceResourceId":{"name":"TrainingJobArn","value":"arn:training"}}}})");
  const FleetEvent read_one = read(event);
  const auto& job = std::get<BatchJobState>(read_one.detail);
  EXPECT_EQ(job.training_job, "arn:training");
  EXPECT_EQ(job.status, "SUCCEEDED");
  const json preempted = json::parse(R"({"detail-type":"Batch Service Job Preemption Started",
    "source":"aws.batch","detail":{"preemptedJobArn":"arn:job","status":"RUNNING"}})");
  const FleetEvent second = read(preempted);
  EXPECT_EQ(std::get<BatchJobState>(second.detail).kind, BatchJobState::Kind::preemption_started);
}

TEST(BatchEvent, IsReadAsItIsWritten) {
  using Kind = BatchJobState::Kind;
  FleetEvent event;
  event.account = "123456789012";
  event.region = "us-east-1";
  const policy::Instant created{milliseconds{1'641'944'200'058}};
  BatchJobState job{.arn = "arn:aws:batch:us-east-1:123456789012:service-job/4c75",
                    .name = "event-test",
                    .queue = "arn:aws:batch:us-east-1:123456789012:job-queue/q",
                    .status = "RUNNING",
                    .reason = "why",
                    .training_job = "arn:training",
                    .created = created,
                    .started = created + milliseconds{1}};
  for (const Kind kind :
       {Kind::status, Kind::preemption_started, Kind::preemption_completed, Kind::blocked}) {
    job.kind = kind;
    event.detail = job;
    const json written = written_event(event);
    EXPECT_EQ(written.at("source"), "aws.batch");
    EXPECT_EQ(written.at("resources"), json::array({job.arn}));
    const FleetEvent again = read(written);
    const auto& same = std::get<BatchJobState>(again.detail);
    EXPECT_EQ(same.kind, kind);
    EXPECT_EQ(same.arn, job.arn);
    EXPECT_EQ(same.name, job.name);
    EXPECT_EQ(same.queue, job.queue);
    EXPECT_EQ(same.status, job.status);
    EXPECT_EQ(same.reason, job.reason);
    EXPECT_EQ(same.training_job, job.training_job);
    EXPECT_EQ(same.created, job.created);
    EXPECT_EQ(same.started, job.started);
    EXPECT_EQ(same.stopped, std::nullopt);
  }
  job.kind = Kind::status;
  event.detail = job;
  EXPECT_EQ(written_event(event).at("detail").at("jobId"), "4c75");
}

TEST(TrainingReportEvent, HasProgressLossAndSigns) {
  json event = {
      {"detail-type", "Training Report"},
      {"source", "reeve.training"},
      {"detail",
       {{"TrainingJobName", "demo-1"}, {"done_s", 1.5}, {"loss", "NaN"}, {"log_lines", true}}}};
  const FleetEvent read_one = read(event);
  const auto& report = std::get<TrainingReport>(read_one.detail);
  EXPECT_EQ(report.done, milliseconds{1500});
  ASSERT_TRUE(report.loss);
  EXPECT_TRUE(std::isnan(*report.loss));
  EXPECT_EQ(report.signs, static_cast<std::uint8_t>(policy::Sign::log_lines));
  event["detail"]["done_s"] = -1;
  EXPECT_NE(why_not(event.dump()), "");
}

TEST(AnyEvent, ThatReeveDoesNotUseIsOtherAndBrokenTextIsAFailure) {
  const FleetEvent other = read({{"detail-type", "Scheduled Event"}, {"source", "aws.events"}});
  EXPECT_TRUE(std::holds_alternative<OtherEvent>(other.detail));
  for (const char* text : {"", "{", "[]", "3", "null", "{}", "{\"detail-type\":null}",
                           "{\"Type\":\"Notification\"}", "\xff\xfe"}) {
    EXPECT_NE(why_not(text), "") << text;
  }
}

}  // namespace
}  // namespace reeve::live
