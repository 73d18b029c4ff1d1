// Which jobs the metrics of batch systems and clusters are of, and what they show.
#include <fmt/format.h>

#include <array>

#include "cases.hpp"
#include "scenarios/history/gpu_counts.hpp"
#include "scenarios/history/join.hpp"
#include "scenarios/history/metrics/stalls.hpp"
#include "scenarios/history/metrics/utilization_files.hpp"
#include "scenarios/history/readers.hpp"
#include "scenarios/history/sum_up.hpp"

namespace reeve::scenarios::measured_jobs_test {

using namespace history_cases;

/// 2026-08-03T01:00:00Z.
constexpr int one_oclock = 1'785'718'800;

/// The answer of Prometheus: GPUs with these labels are busy until 01:20, idle until 02:00.
std::string gpus_idle_at_last(const std::vector<std::string>& labels) {
  std::string values, results;
  for (int minute = 10; minute < 60; ++minute) {
    values += fmt::format(R"({}[{}, "{}"])", values.empty() ? "" : ",", one_oclock + 60 * minute,
                          minute < 20 ? 90 : 0);
  }
  for (const std::string& each : labels) {
    results += fmt::format(R"({}{{ "metric": {{ "__name__": "DCGM_FI_DEV_GPU_UTIL", {} }},
        "values": [{}] }})",
                           results.empty() ? "" : ",", each, values);
  }
  return R"({ "status": "success", "data": { "resultType": "matrix", "result": [)" + results +
         "] } }";
}

JoinedHistory joined_of(const std::vector<std::string>& texts, History& history) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    read_history_stream(fmt::format("file{}", i), std::make_unique<std::istringstream>(texts[i]),
                        {}, history);
  }
  sum_up_work(history, {});
  return join_history(history, {});
}

/// Seconds of idle GPUs up to the end of the first job; -1: not measured.
double stalled(const std::vector<std::string>& texts) {
  History history;
  const JoinedHistory joined = joined_of(texts, history);
  const auto found = joined.jobs[0].record.stalled;
  return found ? seconds(*found) : -1;
}

/// Rows of sacct, each from minute to minute after one o'clock.
std::string sacct(const std::vector<std::string>& rows) {
  std::string text = "JobID|JobIDRaw|State|Submit|Start|End|ElapsedRaw|NNodes|AllocTRES\n";
  for (const std::string& row : rows) text += row + "|1|gres/gpu=8,node=1\n";
  return text;
}

const std::string gpu_of_7 = R"("Hostname": "n1", "gpu": "0", "hpc_job": "7")";

TEST(MeasuredJobs, AStallOfASlurmJobIsFound) {
  const std::string killed = sacct(
      {"7|7|CANCELLED by 5|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:40:00|1800"});
  EXPECT_EQ(stalled({killed, gpus_idle_at_last({gpu_of_7})}), 1200);
  History history;
  const JoinedHistory joined = joined_of({killed}, history);
  EXPECT_EQ(seconds(*joined.jobs[0].record.duration), 1800);
}

TEST(MeasuredJobs, OfASlurmJobThatRanTwiceTheLastRunCounts) {
  const std::string twice =
      sacct({"7|7|REQUEUED|2026-08-03T01:00:00|2026-08-03T01:02:00|2026-08-03T01:12:00|600",
             "7|7|TIMEOUT|2026-08-03T01:12:00|2026-08-03T01:15:00|2026-08-03T01:35:00|1200"});
  EXPECT_EQ(stalled({twice, gpus_idle_at_last({gpu_of_7})}), 900);
}

/// The jobs with metrics, and what each has: "7: 600 s idle".
std::string measured(const std::vector<std::string>& texts) {
  History history;
  const JoinedHistory joined = joined_of(texts, history);
  std::string text;
  const auto series = series_by_job(history, joined.jobs);
  for (const HistoryJob& job : joined.jobs) {
    if (!series.contains(job.record.job_id)) continue;
    const auto idle = job.record.stalled;
    text += fmt::format("{}: {} s idle, ", job.record.job_id, idle ? seconds(*idle) : 0);
  }
  for (const Diagnostic& warning : joined.warnings) text += warning.code + " ";
  return text;
}

TEST(MeasuredJobs, AnIdThatIsUsedAgainIsJoinedByTime) {
  const std::string before =
      "7|7|COMPLETED|2026-07-01T01:00:00|2026-07-01T01:10:00|2026-07-01T01:40:00|1800";
  const std::string now =
      "7|7|CANCELLED by 5|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:40:00|1800";
  EXPECT_EQ(measured({sacct({before, now}), gpus_idle_at_last({gpu_of_7})}),
            "7@2026-08-03: 1200 s idle, ");
}

/// The same with a column for the cluster.
std::string sacct_of_clusters(const std::vector<std::string>& rows) {
  std::string text = "Cluster|JobID|JobIDRaw|State|Submit|Start|End|ElapsedRaw|NNodes|AllocTRES\n";
  for (const std::string& row : rows) text += row + "|1|gres/gpu=8,node=1\n";
  return text;
}

TEST(MeasuredJobs, AnIdOfTwoClustersIsJoinedByTimeOrNotAtAll) {
  const auto other = [](std::string_view day) {
    return fmt::format("b|7|7|CANCELLED by 5|{0}T01:00:00|{0}T01:10:00|{0}T01:40:00|1800", day);
  };
  const auto home = [](std::string_view day) {
    return fmt::format("a|7|7|CANCELLED by 5|{0}T00:30:00|{0}T01:10:00|{0}T01:40:00|1800", day);
  };
  const std::string gpus = gpus_idle_at_last({gpu_of_7});
  EXPECT_EQ(measured({sacct_of_clusters({home("2026-08-01"), other("2026-08-03")}), gpus}),
            "b/7: 1200 s idle, ");
  EXPECT_EQ(measured({sacct_of_clusters({home("2026-08-03"), other("2026-08-01")}), gpus}),
            "7: 1200 s idle, ");
  EXPECT_EQ(measured({sacct_of_clusters({home("2026-08-03"), other("2026-08-03")}), gpus}),
            "W0634 ");
}

TEST(MeasuredJobs, ATaskOfAnArrayIsNamedByItsRawId) {
  const std::string task = sacct(
      {"5_2|7|CANCELLED by 5|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:40:00|1800"});
  EXPECT_EQ(stalled({task, gpus_idle_at_last({gpu_of_7})}), 1200);
}

TEST(MeasuredJobs, MetricsOfWhatRunsForAQueuedJobAreOfTheQueuedJob) {
  const std::string queued = R"({"jobId": "q", "jobQueue": "arn:aws:batch:r:1:job-queue/sm",
      "serviceJobType": "SAGEMAKER_TRAINING", "status": "FAILED", "createdAt": 1785718800000,
      "startedAt": 1785719400000, "stoppedAt": 1785721800000, "latestAttempt":
      {"serviceResourceId": {"value": "arn:aws:sagemaker:r:1:training-job/7"}}})";
  EXPECT_EQ(stalled({queued, gpus_idle_at_last({gpu_of_7})}), 1800);
}

std::string metadata(const std::string& name, const std::string& more) {
  return fmt::format(R"("metadata": {{ "namespace": "ml", "name": "{}",
      "creationTimestamp": "2026-08-03T01:00:00Z"{} }})",
                     name, more);
}

/// A training job, from 01:10 until it failed at 01:50.
std::string training_job(const std::string& name) {
  return R"({ "kind": "PyTorchJob", "apiVersion": "kubeflow.org/v1", )" +
         metadata(name, R"(, "uid": "u-)" + name + '"') +
         R"(, "spec": { "pytorchReplicaSpecs": { "Worker": { "replicas": 2, "template": { "spec": {
          "containers": [ { "resources": { "limits": { "nvidia.com/gpu": 1 } } } ] } } } } },
        "status": { "startTime": "2026-08-03T01:10:00Z", "completionTime": "2026-08-03T01:50:00Z",
          "conditions": [ { "type": "Failed", "status": "True",
                            "lastTransitionTime": "2026-08-03T01:50:00Z" } ] } })";
}

/// A pod of the same time; `of` in its metadata says whose.
std::string pod(const std::string& name, const std::string& of) {
  return R"({ "kind": "Pod", "apiVersion": "v1", )" + metadata(name, ", " + of) +
         R"(, "spec": { "containers": [ { "resources": { "limits": { "nvidia.com/gpu": 1 } } } ] },
        "status": { "phase": "Failed", "startTime": "2026-08-03T01:10:00Z", "containerStatuses": [
          { "state": { "terminated": { "startedAt": "2026-08-03T01:10:00Z",
            "finishedAt": "2026-08-03T01:50:00Z", "exitCode": 1 } } } ] } })";
}

std::string of_pod(const std::string& name, const std::string& space = "ml") {
  const std::string in = space.empty() ? "" : fmt::format(R"("exported_namespace": "{}", )", space);
  return fmt::format(R"("Hostname": "n1", "gpu": "0", {}"exported_pod": "{}")", in, name);
}

TEST(MeasuredJobs, PodsThatAreReadAreHostsOfTheirJob) {
  const std::string by_label = R"("labels": { "training.kubeflow.org/job-name": "a" })";
  const std::string by_owner = R"("ownerReferences": [ { "kind": "PyTorchJob", "name": "a",
                                  "uid": "u-a", "controller": true } ])";
  for (const std::string& of : {by_label, by_owner}) {
    const std::string objects = training_job("a") + pod("x", of) + pod("y", of);
    History history;
    const JoinedHistory joined =
        joined_of({objects, gpus_idle_at_last({of_pod("x"), of_pod("y", "")})}, history);
    const auto series = series_by_job(history, joined.jobs);
    ASSERT_EQ(series.size(), 1U);
    ASSERT_EQ(series.at("ml/a").size(), 2U);
    EXPECT_EQ(series.at("ml/a")[0]->host, "ml/x");
    EXPECT_EQ(series.at("ml/a")[1]->host, "y");
    EXPECT_EQ(seconds(*joined.jobs[0].record.stalled), 1800);
    EXPECT_TRUE(joined.warnings.empty());
  }
}

TEST(MeasuredJobs, APodThatIsNotReadIsOfTheOnlyJobThatNamesPodsSo) {
  for (const char* name : {"a-worker-1", "a-master-0", "a-0-x7k2b", "a-zzb42"}) {
    EXPECT_EQ(stalled({training_job("a"), gpus_idle_at_last({of_pod(name)})}), 1800) << name;
  }
  for (const char* name : {"a-worker-x", "b-worker-1", "a-0-aaaaa", "a-1-worker"}) {
    EXPECT_EQ(stalled({training_job("a"), gpus_idle_at_last({of_pod(name)})}), -1) << name;
  }
}

/// The codes and messages of what a join says of metrics with these labels.
std::string told(const std::vector<std::string>& jobs, const std::vector<std::string>& labels) {
  std::vector<std::string> texts = jobs;
  texts.push_back(gpus_idle_at_last(labels));
  History history;
  std::string text;
  for (const Diagnostic& each : joined_of(texts, history).warnings) {
    text += each.code + " " + each.message + "; ";
  }
  return text;
}

TEST(MeasuredJobs, WhatJoinsNoJobIsTold) {
  const std::string two = training_job("a") + training_job("a-0");
  EXPECT_EQ(told({two}, {of_pod("a-0-x7k2b")}),
            "W0634 metrics of 1 pod that may be of several jobs; ");
  const std::string nameless = R"("Hostname": "n1", "gpu": "3")";
  EXPECT_EQ(told({two}, {of_pod("b-worker-0"), nameless}),
            "W0637 metrics with 1 name of no job in the files; "
            "W0638 1 series of metrics without a job; ");
}

TEST(GpusOfTypes, AreKnownOfTypesThatNoPriceBookHas) {
  EXPECT_EQ(gpus_of_ec2_type("p5e.48xlarge"), 8);
  EXPECT_EQ(gpus_of_ec2_type("g6e.12xlarge"), 4);
  EXPECT_EQ(gpus_of_ec2_type("g6e.2xlarge"), 1);
  EXPECT_EQ(gpus_of_ec2_type("g7e.12xlarge"), 2);
  EXPECT_EQ(gpus_of_ec2_type("m5.large"), std::nullopt);
}

TEST(GpusOfTypes, AreAsManyAsMetricsShow) {
  UtilizationSeries sum;
  sum.is_sum = true;
  sum.samples.push_back({policy::Instant{}, 12});
  sum.samples.push_back({policy::Instant{}, 391});
  EXPECT_EQ(gpus_seen(std::array<const UtilizationSeries*, 1>{&sum}), 4);
  UtilizationSeries one, two;
  one.gpu = "0";
  two.gpu = "1";
  EXPECT_EQ(gpus_seen(std::array<const UtilizationSeries*, 2>{&one, &two}), 2);
}

}  // namespace reeve::scenarios::measured_jobs_test
