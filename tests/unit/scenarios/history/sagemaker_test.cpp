// Exports of SageMaker: what search and describe-training-job say about training jobs.
#include <fmt/format.h>

#include "cases.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using namespace history_cases;
using nlohmann::json;

std::string iso(policy::Instant at) {
  const auto since = at.time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(since).count() % 1000;
  std::string text = show(at);
  text.pop_back();
  char fraction[8];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(ms));
  return text + fraction;
}

std::string class_of(const HistoryJob& job) {
  return job.record.end_cause ? std::string{name_of(*job.record.end_cause)} : "";
}

/// What a key of expected.json is called here.
json value_of(const HistoryJob& job, const std::string& key) {
  const ImportedJob& record = job.record;
  if (key == "submit") return iso(job.submitted);
  if (key == "wait_s") return seconds(record.observed_wait);
  if (key == "startup_s") return seconds(record.startup);
  if (key == "work_s") return seconds(record.duration);
  if (key == "billed_s") return seconds(record.billed);
  if (key == "limit_s") return seconds(record.time_limit);
  if (key == "waited_at_least_s") return seconds(job.waited_at_least);
  if (key == "warm_s") return seconds(job.warm);
  if (key == "status") return std::string{name_of(record.end_status)};
  if (key == "class") return class_of(job);
  if (key == "type") return record.instance_type;
  if (key == "nodes") return *record.nodes;
  if (key == "market") return policy::market_names[static_cast<std::size_t>(*record.market)];
  if (key == "censored") return *record.censored;
  if (key == "interruptions") return *record.interruptions;
  if (key == "restarts") return *record.restarts;
  if (key == "reason_cut") return job.reason_cut;
  if (key == "reused_by") return job.reused_by;
  if (key == "sweep") return record.sweep;
  if (key == "beside") return job.beside;
  if (key == "saving") return 1 - seconds(*record.billed) / seconds(*job.held);
  if (key == "tags") {
    json tags = json::object();
    for (const auto& [name, value] : record.tags) tags[name] = value;
    return tags;
  }
  return {};
}

TEST(SageMakerHistory, CasesReadAsExpected) {
  const json cases = expected("sagemaker");
  if (cases.is_null()) GTEST_SKIP() << "no ../shared/cases/history here";
  for (const auto& [file, wanted] : cases.items()) {
    if (!wanted.contains("jobs") || wanted["jobs"].empty()) continue;
    const History history =
        read(folder_of("sagemaker") / file, {.as_of = *parse_instant("2026-08-31T00:00:00Z")});
    json jobs = wanted["jobs"];
    for (const auto& [name, values] : wanted["jobs"].items()) {
      jobs[name].erase("told");
      if (jobs[name].erase("work_is") == 0) continue;
      const auto job = job_named(history, name);
      EXPECT_TRUE(job != nullptr && job->work_at_most) << file << ' ' << name;
    }
    expect_jobs(file, jobs, history, value_of);
    EXPECT_EQ(codes(history).empty(), !wanted.contains("warning")) << file;
  }
}

TEST(SageMakerHistory, AListWithoutDetailsNamesTheCommandThatHasThem) {
  if (expected("sagemaker").is_null()) GTEST_SKIP() << "no ../shared/cases/history here";
  EXPECT_EQ(error_of([] { read(folder_of("sagemaker") / "list-only.json"); }), "E0393");
}

/// A job that ended, with `more` keys.
std::string job_text(const std::string& more = {}) {
  return R"({"TrainingJobName": "a", "TrainingJobArn": "arn:aws:sagemaker:r:1:training-job/a",
    "TrainingJobStatus": "Completed", "SecondaryStatus": "Completed",
    "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
    "CreationTime": 1000000.5, "TrainingStartTime": 1000100.5, "TrainingEndTime": 1000400.5)" +
         more + "}";
}

TEST(SageMakerHistory, JobsInEveryContainerAreTheSame) {
  const std::string job = job_text();
  const std::vector<std::string> forms = {
      job,
      "[" + job + "]",
      R"({"Results": [{"TrainingJob": )" + job + "}]}",
      R"([{"Results": [{"TrainingJob": )" + job + "}]}]",
      R"({"TrainingJobs": [)" + job + "]}",
      "\xEF\xBB\xBF" + job,
      "\n\n  " + job + "\n",
  };
  for (const std::string& form : forms) {
    const History history = read_text(form);
    ASSERT_EQ(history.jobs.size(), 1U) << form;
    EXPECT_EQ(history.jobs[0].record.job_id, "a");
    EXPECT_EQ(seconds(*history.jobs[0].record.duration), 300);
    EXPECT_EQ(seconds(*history.jobs[0].record.observed_wait), 100);
  }
}

TEST(SageMakerHistory, BilledTimeIsTheSumOfStartWorkAndLoss) {
  const History history = read_text(job_text(R"(, "BillableTimeInSeconds": 300,
    "SecondaryStatusTransitions": [
      {"Status": "Starting", "StartTime": 1000000.5, "EndTime": 1000100.5},
      {"Status": "Downloading", "StartTime": 1000100.5, "EndTime": 1000150.5},
      {"Status": "Training", "StartTime": 1000150.5, "EndTime": 1000380.5},
      {"Status": "Uploading", "StartTime": 1000380.5, "EndTime": 1000400.5}])"));
  const ImportedJob& job = history.jobs.at(0).record;
  EXPECT_EQ(seconds(*job.startup), 50);
  EXPECT_EQ(seconds(*job.duration), 230);
  EXPECT_EQ(seconds(*job.lost), 20);
}

struct Oddity {
  std::string what, more, key;
  json value;
};

TEST(SageMakerHistory, OdditiesOfTheDocumentation) {
  const std::vector<Oddity> oddities = {
      {"null and absent mean the same", R"(, "FailureReason": null, "Tags": null)", "class", ""},
      {"a plan of reserved capacity",
       R"(, "ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 2,
           "TrainingPlanArn": "arn:aws:sagemaker:r:1:training-plan/p"})",
       "market", "reserved"},
      {"groups of one type are added up",
       R"(, "ResourceConfig": {"InstanceGroups": [
           {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 2, "InstanceGroupName": "x"},
           {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 3, "InstanceGroupName": "y"}]})",
       "nodes", 5},
      {"an AutoML job is a sweep", R"(, "AutoMLJobArn": "arn:aws:sagemaker:r:1:automl-job/auto-1")",
       "sweep", "auto-1"},
      {"a quota", R"(, "TrainingJobStatus": "Failed",
           "FailureReason": "ResourceLimitExceeded: the account-level limit")",
       "class", "quota"},
      {"a user's mistake", R"(, "TrainingJobStatus": "Failed",
           "FailureReason": "ClientError: Data download failed: no data")",
       "class", "code"},
      {"the platform's fault", R"(, "TrainingJobStatus": "Failed",
           "FailureReason": "InternalServerError: We encountered an internal error")",
       "class", "hardware"},
      {"an unknown prefix is told as unknown", R"(, "TrainingJobStatus": "Failed",
           "FailureReason": "Something new")",
       "class", "unknown"},
      {"a stop that outlasts the export", R"(, "TrainingJobStatus": "Stopping",
           "SecondaryStatus": "Stopping")",
       "status", "running"},
      {"a limit of Spot after some training", R"(, "TrainingJobStatus": "Stopped",
           "SecondaryStatus": "MaxWaitTimeExceeded")",
       "class", "max_wait"},
      {"no end, although it was stopped", R"(, "TrainingJobStatus": "Stopped",
           "SecondaryStatus": "Stopped", "TrainingEndTime": null,
           "SecondaryStatusTransitions": [
             {"Status": "Training", "StartTime": 1000150.5, "EndTime": 1000250.5}])",
       "work_s", 100},
      {"retired statuses of the start", R"(, "SecondaryStatusTransitions": [
             {"Status": "LaunchingMLInstances", "StartTime": 1000100.5, "EndTime": 1000140.5},
             {"Status": "Training", "StartTime": 1000140.5, "EndTime": 1000400.5}])",
       "startup_s", 40},
      {"no Starting after Interrupted", R"(, "SecondaryStatusTransitions": [
             {"Status": "Training", "StartTime": 1000110.5, "EndTime": 1000200.5},
             {"Status": "Interrupted", "StartTime": 1000200.5, "EndTime": 1000250.5},
             {"Status": "Downloading", "StartTime": 1000250.5, "EndTime": 1000260.5},
             {"Status": "Training", "StartTime": 1000260.5, "EndTime": 1000400.5}])",
       "interruptions", 1},
      {"times in ISO 8601 with microseconds",
       R"(, "CreationTime": "2026-08-03T11:00:00.125000+02:00",
            "TrainingStartTime": "2026-08-03T09:01:00Z",
            "TrainingEndTime": "2026-08-03T05:02:00-04:00")",
       "wait_s", 59.875},
      {"instances kept warm", R"(, "WarmPoolStatus": {"Status": "Available",
           "ResourceRetainedBillableTimeInSeconds": 12})",
       "warm_s", 12},
  };
  for (const Oddity& oddity : oddities) {
    // The last of two equal keys counts, as in all parsers of the AWS CLI.
    const History history = read_text(job_text(oddity.more));
    ASSERT_EQ(history.jobs.size(), 1U) << oddity.what;
    const json have = value_of(history.jobs[0], oddity.key);
    EXPECT_TRUE(same(have, oddity.value)) << oddity.what << ": " << have;
  }
}

TEST(SageMakerHistory, TimesInMillisecondsAreToldAndTheJobIsLeftOut) {
  for (const auto* key : {"CreationTime", "TrainingStartTime", "TrainingEndTime"}) {
    const std::string bad = job_text(fmt::format(R"(, "{}": 1785575855000)", key));
    const History history = read_text(job_text() + bad);
    EXPECT_EQ(history.jobs.size(), 1U) << key;
    EXPECT_EQ(codes(history), std::vector<std::string>{"W0632"}) << key;
  }
}

TEST(SageMakerHistory, ALimitThatIsNoLengthOfTimeIsToldAndLeftOut) {
  for (const auto* limit : {"1e18", "1e308", "-5", "\"soon\""}) {
    const History history = read_text(
        job_text(fmt::format(R"(, "StoppingCondition": {{"MaxRuntimeInSeconds": {}}})", limit)));
    ASSERT_EQ(history.jobs.size(), 1U) << limit;
    EXPECT_FALSE(history.jobs[0].record.time_limit) << limit;
    EXPECT_EQ(codes(history), std::vector<std::string>{"W0632"}) << limit;
  }
}

TEST(SageMakerHistory, UnknownKeysAreSkippedAtAnyDepth) {
  const History history = read_text(job_text(
      R"(, "HyperParameters": {"secret": "x", "deep": [[[{"TrainingJobName": "no"}]]]},
         "Environment": {"TOKEN": "y"}, "New": {"CreationTime": 1})"));
  ASSERT_EQ(history.jobs.size(), 1U);
  EXPECT_EQ(history.jobs[0].record.job_id, "a");
}

TEST(SageMakerHistory, BrokenTextIsRefusedWithItsLine) {
  try {
    read_text("\n" + job_text().substr(0, 200));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().front().code, "E0400");
    EXPECT_GE(error.diagnostics().front().position.line, 2U);
  }
}

TEST(HistoryReaders, PackedAndUnknownFilesSayWhatToDo) {
  EXPECT_EQ(error_of([] { read_text("PK\x03\x04 zip"); }), "E0391");
  EXPECT_EQ(error_of([] { read_text("\x28\xB5\x2F\xFD zstd"); }), "E0391");
  EXPECT_EQ(error_of([] { read_text("PAR1 columns"); }), "E0392");
  EXPECT_EQ(error_of([] { read_text("dear diary"); }), "E0390");
  EXPECT_EQ(error_of([] { read_text(""); }), "E0390");
  EXPECT_EQ(error_of([] {
              read_text(R"({"status_code": 200, "data": {"a": {"__class__": "datetime"}}})");
            }),
            "E0396");
}

}  // namespace
}  // namespace reeve::scenarios
