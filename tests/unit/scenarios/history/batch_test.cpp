// Exports of AWS Batch: what describe-jobs and describe-service-job say about jobs.
#include "cases.hpp"

namespace reeve::scenarios {
namespace {

using namespace history_cases;
using nlohmann::json;

std::string batch_cause(const HistoryJob& job) {
  if (!job.record.end_cause) return "";
  // What the cases call the platform's fault.
  if (*job.record.end_cause == EndCause::hardware) return "infrastructure";
  return std::string{name_of(*job.record.end_cause)};
}

/// What a key of expected.json is called here.
json batch_value(const HistoryJob& job, const std::string& key) {
  const ImportedJob& record = job.record;
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? json(*value) : json{};
  };
  if (key == "wait_s") return seconds(record.observed_wait);
  if (key == "wait_at_most_s") return seconds(job.waited_at_most);
  if (key == "waited_at_least_s") return seconds(job.waited_at_least);
  if (key == "queue_wait_s") return seconds(job.queued);
  if (key == "work_s") return seconds(record.duration);
  if (key == "lost_s") return seconds(record.lost);
  if (key == "all_attempts_s") return seconds(*record.duration + *record.lost);
  if (key == "limit_s") return seconds(record.time_limit);
  if (key == "max_wait_s") return seconds(record.max_wait);
  if (key == "gpus") return number(record.gpus_total);
  if (key == "gpus_per_node") return number(record.gpus_per_node);
  if (key == "nodes") return number(record.nodes);
  if (key == "attempts") return number(record.attempts);
  if (key == "interruptions") return number(record.interruptions);
  if (key == "restarts") return number(record.restarts);
  if (key == "priority") return number(record.priority);
  if (key == "type") return record.instance_type;
  if (key == "beside") return job.beside;
  if (key == "market" && record.market) {
    return policy::market_names[static_cast<std::size_t>(*record.market)];
  }
  if (key == "status") return std::string{name_of(record.end_status)};
  if (key == "class") return batch_cause(job);
  if (key == "reason") return record.failure_reason;
  if (key == "censored") return *record.censored;
  if (key == "joins") return job.runs_as;
  if (key == "queue") return record.queue;
  if (key == "user") return record.user;
  if (key == "sweep") return record.sweep;
  if (key == "saves") return job.saves_checkpoints;
  if (key == "at_most") return job.work_at_most;
  if (key == "tags") return record.tags.size();
  return "no such key";
}

TEST(BatchHistory, CasesReadAsExpected) {
  const json cases = expected("batch");
  if (cases.is_null()) GTEST_SKIP() << "no ../shared/cases/history here";
  for (const auto& [file, wanted] : cases.items()) {
    if (wanted["jobs"].empty()) continue;
    const History history = read(folder_of("batch") / file);
    expect_jobs(file, wanted["jobs"], history, batch_value);
    EXPECT_TRUE(codes(history).empty()) << file;
  }
}

TEST(BatchHistory, AListWithoutResourcesNamesTheCommandThatHasThem) {
  if (expected("batch").is_null()) GTEST_SKIP() << "no ../shared/cases/history here";
  EXPECT_EQ(error_of([] { read(folder_of("batch") / "list-jobs.json"); }), "E0393");
  EXPECT_EQ(error_of([] {
              read_text(R"({"jobSummaryList": [{"jobId": "a", "serviceJobType":
                  "SAGEMAKER_TRAINING", "createdAt": 1785715200000}]})");
            }),
            "E0393");
}

/// A job of one container that ran from second 100 to 400; `more` keys replace these.
std::string batch_job(const std::string& more = {}) {
  return R"({"jobs": [{"jobId": "a", "jobQueue": "arn:aws:batch:r:1:job-queue/gpu",
      "status": "SUCCEEDED", "createdAt": 1000000000000, "startedAt": 1000000100000,
      "stoppedAt": 1000000400000,
      "container": {"resourceRequirements": [{"type": "GPU", "value": "4"}]})" +
         more + "}]}";
}

std::string failed_job(const std::string& more) {
  return batch_job(R"(, "status": "FAILED")" + more);
}

/// A service job that ran from second 100 to 400.
std::string service_job(const std::string& more) {
  return R"({"jobId": "a", "jobQueue": "arn:aws:batch:r:1:job-queue/sm",
      "serviceJobType": "SAGEMAKER_TRAINING", "status": "SUCCEEDED",
      "createdAt": 1000000000000, "startedAt": 1000000100000, "stoppedAt": 1000000400000)" +
         more + "}";
}

struct BatchOddity {
  std::string what, text, key;
  json value;
};

void expect_readings(const std::vector<BatchOddity>& oddities) {
  for (const BatchOddity& oddity : oddities) {
    const History history = read_text(oddity.text);
    ASSERT_EQ(history.jobs.size(), 1U) << oddity.what;
    const json have = batch_value(history.jobs[0], oddity.key);
    EXPECT_TRUE(same(have, oddity.value)) << oddity.what << ": " << have;
  }
}

const std::string two_attempts = R"(, "attempts": [
    {"stoppedAt": 1000000050000, "statusReason": "CannotPullContainerError: x"},
    {"startedAt": 1000000100000, "stoppedAt": 1000000400000}])";
const std::string never_ran = R"(, "startedAt": null, "statusReason": "Dependent Job failed")";

TEST(BatchHistory, TimesOutOfRangeAreToldAndTheJobIsLeftOut) {
  const History history = read_text(batch_job(R"(, "startedAt": 1e19)"));
  EXPECT_TRUE(history.jobs.empty());
  EXPECT_EQ(codes(history), std::vector<std::string>{"W0632"});
}

TEST(BatchHistory, OdditiesOfTimesAndEnds) {
  expect_readings({
      {"one attempt is told by the job alone", batch_job(), "work_s", 300},
      {"nothing is lost by it", batch_job(), "lost_s", 0},
      {"the wait lasts until the first attempt that started", batch_job(two_attempts), "wait_s",
       100},
      {"an attempt that never started counts", batch_job(two_attempts), "attempts", 2},
      {"an attempt that failed by its image is no fault of the platform", batch_job(two_attempts),
       "restarts", 0},
      {"an attempt that the platform failed", batch_job(R"(, "attempts": [
          {"startedAt": 1000000050000, "stoppedAt": 1000000060000,
           "statusReason": "DockerTimeoutError: x"},
          {"startedAt": 1000000100000, "stoppedAt": 1000000400000}])"),
       "restarts", 1},
      {"a running retry is open, and the earlier attempt is lost",
       batch_job(R"(, "status": "RUNNING", "stoppedAt": null, "startedAt": 1000000500000,
          "attempts": [{"startedAt": 1000000100000, "stoppedAt": 1000000400000}])"),
       "lost_s", 300},
      {"a running job is censored", batch_job(R"(, "status": "RUNNING", "stoppedAt": null)"),
       "censored", true},
      {"starting is not running", batch_job(R"(, "status": "STARTING", "startedAt": null)"),
       "status", "pending"},
      {"zero is no time", batch_job(R"(, "status": "RUNNABLE", "startedAt": 0, "stoppedAt": 0)"),
       "wait_s", nullptr},
      {"cancelled in the queue", failed_job(R"(, "isCancelled": true, "startedAt": null)"),
       "status", "never_started"},
      {"it waited at least so long", failed_job(R"(, "isCancelled": true, "startedAt": null)"),
       "waited_at_least_s", 400},
      {"a dependency failed", failed_job(never_ran), "status", "never_started"},
      {"the limit of an attempt",
       failed_job(R"(, "statusReason": "Job attempt duration exceeded timeout",
          "timeout": {"attemptDurationSeconds": 300})"),
       "status", "timeout"},
      {"a person's words are no reason of the platform",
       failed_job(R"(, "isTerminated": true, "statusReason": "Host EC2 is too dear")"), "status",
       "killed"},
      {"the last host was taken",
       failed_job(R"(, "statusReason": "Host EC2 (instance i-0a) terminated.")"), "class", "spot"},
      {"memory, told by the container only",
       failed_job(R"(, "statusReason": "Essential container in task exited", "attempts": [
          {"startedAt": 1000000100000, "stoppedAt": 1000000400000,
           "container": {"exitCode": 137, "reason": "OutOfMemoryError: Container killed"}}])"),
       "status", "oom"},
      {"an exit code of the program",
       failed_job(R"(, "attempts": [{"startedAt": 1000000100000, "stoppedAt": 1000000400000,
           "container": {"exitCode": 2}}])"),
       "class", "code"},
      {"SIGKILL says nothing of who sent it",
       failed_job(R"(, "attempts": [{"startedAt": 1000000100000, "stoppedAt": 1000000400000,
           "container": {"exitCode": 137}}])"),
       "class", "unknown"},
      {"attempts of a task of ECS",
       failed_job(R"(, "attempts": [{"startedAt": 1000000100000, "stoppedAt": 1000000400000,
           "taskProperties": [{"containers": [{"exitCode": 0}, {"exitCode": 3}]}]}])"),
       "class", "code"},
      {"attempts of a pod of EKS", batch_job(R"(, "eksAttempts": [
          {"startedAt": 1000000100000, "stoppedAt": 1000000200000},
          {"startedAt": 1000000300000, "stoppedAt": 1000000400000}])"),
       "work_s", 100},
  });
}

/// A multi-node job with these ranges of nodes.
std::string gang(const std::string& ranges) {
  return batch_job(R"(, "nodeProperties": {"numNodes": 6, "nodeRangeProperties": [)" + ranges +
                   "]}");
}
std::string node_range(const std::string& nodes, const std::string& type, int gpus) {
  return R"({"targetNodes": ")" + nodes + R"(", "container": {"instanceType": ")" + type +
         R"(", "resourceRequirements": [{"type": "GPU", "value": ")" + std::to_string(gpus) +
         R"("}]}})";
}

/// The request of a service job, as it stands in a text.
std::string request_of_service() {
  const std::string payload =
      R"(, "serviceRequestPayload": "{\"ResourceConfig\": {\"InstanceType\": \"ml.p5.48xlarge\",
         \"InstanceCount\": 2}, \"EnableManagedSpotTraining\": true,
         \"CheckpointConfig\": {\"S3Uri\": \"s3://b\"},
         \"StoppingCondition\": {\"MaxRuntimeInSeconds\": 60, \"MaxWaitTimeInSeconds\": 90}}")";
  std::string escaped;
  for (const char byte : payload) {
    if (byte != '\n') escaped += byte;
  }
  return escaped;
}

TEST(BatchHistory, OdditiesOfContainersAndNodes) {
  expect_readings({
      {"a container without GPUs", batch_job(R"(, "container": {"vcpus": 4})"), "gpus", 0},
      {"containers of a task of ECS are added up", batch_job(R"(, "container": null,
          "ecsProperties": {"taskProperties": [{"containers": [
            {"resourceRequirements": [{"type": "GPU", "value": "1"}]},
            {"resourceRequirements": [{"type": "GPU", "value": "2"},
                                      {"type": "VCPU", "value": "8"}]}]}]})"),
       "gpus", 3},
      {"a pod of EKS", batch_job(R"(, "container": null, "eksProperties": {"podProperties": {
          "containers": [{"resources": {"limits": {"nvidia.com/gpu": "2"},
                                        "requests": {"nvidia.com/gpu": "2"}}}]}})"),
       "gpus", 2},
      {"open ranges of nodes",
       gang(node_range(":1", "p4d.24xlarge", 8) + "," + node_range("2:", "p4d.24xlarge", 8)),
       "gpus", 48},
      {"a narrower range takes its nodes out of a wider one",
       gang(node_range("0:5", "p4d.24xlarge", 8) + "," + node_range("4:5", "p4d.24xlarge", 4)),
       "gpus", 40},
      {"whichever stands first",
       gang(node_range("4:5", "p4d.24xlarge", 4) + "," + node_range("0:5", "p4d.24xlarge", 8)),
       "gpus", 40},
      {"a second instance type is counted apart",
       gang(node_range("0", "p4d.24xlarge", 8) + "," + node_range("1:5", "c5.large", 0)),
       "beside",
       {{"c5.large", 5}}},
      {"the type of a node of EKS or ECS stands beside the container",
       gang(R"({"targetNodes": "0:", "instanceTypes": ["p5.48xlarge"], "ecsProperties":
          {"taskProperties": [{"containers": [
            {"resourceRequirements": [{"type": "GPU", "value": "8"}]}]}]}})"),
       "type", "p5.48xlarge"},
  });
}

TEST(BatchHistory, OdditiesOfServiceJobs) {
  const std::string escaped = request_of_service();
  expect_readings({
      {"a service job on Spot", service_job(escaped), "market", "spot"},
      {"its machines", service_job(escaped), "nodes", 2},
      {"its limit of the wait", service_job(escaped), "max_wait_s", 90},
      {"its attempts may go on where the last one was", service_job(escaped + R"(, "attempts": [
          {"startedAt": 1000000100000, "stoppedAt": 1000000200000},
          {"startedAt": 1000000300000, "stoppedAt": 1000000400000}])"),
       "work_s", 200},
      {"without its request, the capacity that it uses",
       service_job(R"(, "capacityUsage": [{"capacityUnit": "ml.p5.48xlarge", "quantity": 3.0}])"),
       "nodes", 3},
      {"an attempt under way is the latest one",
       service_job(R"(, "latestAttempt": {"serviceResourceId": {"name": "TrainingJobArn",
          "value": "arn:aws:sagemaker:r:1:training-job/AWSBatch-a-1"}})"),
       "joins", "AWSBatch-a-1"},
      {"attempts that were preempted stand apart",
       service_job(R"(, "startedAt": 1000000300000, "attempts": [
          {"startedAt": 1000000300000, "stoppedAt": 1000000400000}],
          "preemptionSummary": {"preemptedAttemptCount": 1, "recentPreemptedAttempts": [
          {"startedAt": 1000000100000, "stoppedAt": 1000000200000}]})"),
       "wait_s", 100},
      {"of many preemptions the last ones are kept",
       service_job(R"(, "startedAt": 1000000300000, "attempts": [
          {"startedAt": 1000000300000, "stoppedAt": 1000000400000}],
          "preemptionSummary": {"preemptedAttemptCount": 9, "recentPreemptedAttempts": [
          {"startedAt": 1000000100000, "stoppedAt": 1000000200000}]})"),
       "wait_at_most_s", 100},
      {"a job counts for its share of a queue",
       batch_job(R"(, "shareIdentifier": "vision", "schedulingPriority": 7)"), "user", "vision"},
      {"tags", batch_job(R"(, "tags": {"team": "vision", "empty": ""})"), "tags", 1},
  });
}

TEST(BatchHistory, PartsOfJobsAreNoJobs) {
  const std::string times = R"("jobQueue": "q", "status": "RUNNABLE", "createdAt": 1000000000000)";
  const History nodes = read_text(R"([{"jobs": [
      {"jobId": "g", "nodeProperties": {"numNodes": 2}, )" +
                                  times + R"(},
      {"jobId": "g#0", "nodeDetails": {"nodeIndex": 0, "isMainNode": true}, )" +
                                  times + "}]}]");
  ASSERT_EQ(nodes.jobs.size(), 1U);
  EXPECT_TRUE(codes(nodes).empty());
  const History tasks = read_text(R"({"jobs": [
      {"jobId": "s:1", "arrayProperties": {"index": 1}, )" +
                                  times + R"(},
      {"jobId": "s", "arrayProperties": {"size": 2}, )" +
                                  times + "}]}");
  ASSERT_EQ(tasks.jobs.size(), 1U);
  EXPECT_EQ(tasks.jobs[0].record.sweep, "s");
  EXPECT_TRUE(codes(tasks).empty());
  const History alone = read_text(R"({"jobs": [
      {"jobId": "s", "arrayProperties": {"size": 2}, )" +
                                  times + R"(},
      {"jobId": "g#0", )" + times +
                                  "}]}");
  EXPECT_TRUE(alone.jobs.empty());
  EXPECT_EQ(codes(alone), (std::vector<std::string>{"W0655", "W0655"}));
}

TEST(BatchHistory, BadRecordsAreTold) {
  EXPECT_EQ(codes(read_text(batch_job(R"(, "createdAt": null)"))),
            std::vector<std::string>{"W0632"});
  EXPECT_EQ(codes(read_text(service_job(R"(, "serviceRequestPayload": "{cut")"))),
            std::vector<std::string>{"W0632"});
  EXPECT_EQ(
      codes(read_text(batch_job().substr(0, batch_job().size() - 1) + R"(, "nextToken": "x"})")),
      std::vector<std::string>{"W0631"});
  EXPECT_EQ(error_of([] { read_text(batch_job().substr(0, 200)); }), "E0400");
}

TEST(BatchHistory, AServiceJobWaitsFromItsQueueOn) {
  History history = read_text(service_job(R"(, "scheduledAt": 1000000090000)"));
  EXPECT_EQ(seconds(*history.jobs.at(0).queued), 90);
  EXPECT_EQ(seconds(*history.jobs.at(0).record.observed_wait), 100);
}

}  // namespace
}  // namespace reeve::scenarios
