// Objects of Kubernetes: what lists of workloads, jobs and pods say about jobs.
#include "cases.hpp"

namespace reeve::scenarios {
namespace {

using namespace history_cases;
using nlohmann::json;

/// What a key of expected.json is called here.
json object_value(const HistoryJob& job, const std::string& key) {
  const ImportedJob& record = job.record;
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? json(*value) : json{};
  };
  if (key == "wait_s") return seconds(record.observed_wait);
  if (key == "wait_at_most_s") return seconds(job.waited_at_most);
  if (key == "waited_at_least_s") return seconds(job.waited_at_least);
  if (key == "work_s") return seconds(record.duration);
  if (key == "startup_s") return seconds(record.startup);
  if (key == "earlier_s" || key == "lost_s") return seconds(record.lost);
  if (key == "limit_s") return seconds(record.time_limit);
  if (key == "gpus") return number(record.gpus_total);
  if (key == "nodes") return number(record.nodes);
  if (key == "attempts") return number(record.attempts);
  if (key == "interruptions") return number(record.interruptions);
  if (key == "restarts" || key == "restarts_at_least") return number(record.restarts);
  if (key == "priority") return number(record.priority);
  if (key == "id") return record.job_id;
  if (key == "queue") return record.queue;
  if (key == "user") return record.user;
  if (key == "sweep") return record.sweep;
  if (key == "type") return record.instance_type;
  if (key == "gpu_type") return record.gpu_type;
  if (key == "slices") return job.sliced ? json(record.gpu_type) : json{};
  if (key == "market" && record.market) {
    return policy::market_names[static_cast<std::size_t>(*record.market)];
  }
  if (key == "status") return std::string{name_of(record.end_status)};
  if (key == "class") return record.end_cause ? json(name_of(*record.end_cause)) : json{};
  if (key == "cause") return record.failure_reason;
  if (key == "tags") return record.tags.size();
  return "no such key";
}

TEST(KubernetesHistory, CasesReadAsExpected) {
  const json cases = expected("kubernetes");
  if (cases.is_null()) GTEST_SKIP() << "no ../shared/cases/history here";
  for (const auto& [file, wanted] : cases.items()) {
    const History history = read(folder_of("kubernetes") / file);
    expect_jobs(file, wanted["jobs"], history, object_value);
  }
}

TEST(KubernetesHistory, PodsAndTheirTrainingJobInTwoFilesAreOneJob) {
  if (expected("kubernetes").is_null()) GTEST_SKIP() << "no ../shared/cases/history here";
  const auto folder = folder_of("kubernetes");
  const History history =
      read_history({(folder / "pods.json").string(), (folder / "pytorchjob.json").string()}, {});
  EXPECT_EQ(history.jobs.size(), 2U);  // and a pod of its own
  const auto job = job_named(history, "nlp/llm");
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(*job->record.gpus_total, 32);
  EXPECT_EQ(job->record.end_status, EndStatus::completed);
}

// Times are minutes of 2026-08-03.
std::string at(int minute) {
  char text[40];
  std::snprintf(text, sizeof text, "\"2026-08-03T%02d:%02d:00Z\"", minute / 60, minute % 60);
  return text;
}

std::string meta(const std::string& name, const std::string& more = {}) {
  return R"("metadata": {"name": ")" + name + R"(", "namespace": "n", "uid": "uid-)" + name +
         R"(", "creationTimestamp": )" + at(0) + more + "}";
}

std::string owned_by(const std::string& kind, const std::string& name) {
  return R"(, "ownerReferences": [{"kind": ")" + kind + R"(", "name": ")" + name +
         R"(", "uid": "uid-)" + name + R"(", "controller": true}])";
}

std::string condition(const std::string& type, int minute, const std::string& more = {},
                      const std::string& status = "True") {
  return R"({"type": ")" + type + R"(", "status": ")" + status + R"(", "lastTransitionTime": )" +
         at(minute) + more + "}";
}

const std::string pod_spec =
    R"({"containers": [{"name": "t", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]})";

/// A pod that was scheduled and ran; `terminated` has more keys of how it ended.
std::string pod(const std::string& name, const std::string& meta_more, const std::string& phase,
                int scheduled, int ran, int ended, const std::string& terminated = "",
                const std::string& status = "") {
  return R"({"kind": "Pod", "apiVersion": "v1", )" + meta(name, meta_more) + R"(, "spec": )" +
         pod_spec + R"(, "status": {"phase": ")" + phase + R"(", "conditions": [)" +
         condition("PodScheduled", scheduled) + R"(], "containerStatuses": [{"name": "t",
         "restartCount": 0, "state": {"terminated": {"startedAt": )" +
         at(ran) + R"(, "finishedAt": )" + at(ended) + terminated + "}}}]" + status + "}}";
}

std::string running_pod(const std::string& name, const std::string& meta_more, int scheduled,
                        int ran) {
  return R"({"kind": "Pod", )" + meta(name, meta_more) + R"(, "spec": )" + pod_spec +
         R"(, "status": {"phase": "Running", "conditions": [)" +
         condition("PodScheduled", scheduled) + R"(], "containerStatuses": [{"name": "t",
         "state": {"running": {"startedAt": )" +
         at(ran) + "}}}]}}";
}

std::string batch_v1(const std::string& name, const std::string& meta_more,
                     const std::string& spec_more, const std::string& status) {
  return R"({"kind": "Job", "apiVersion": "batch/v1", )" + meta(name, meta_more) +
         R"(, "spec": {"template": {"spec": )" + pod_spec + "}" + spec_more + R"(}, "status": {)" +
         status + "}}";
}

std::string kueue(const std::string& meta_more, const std::string& conditions,
                  const std::string& status_more = "", const std::string& spec_more = "") {
  return R"({"kind": "Workload", "apiVersion": "kueue.x-k8s.io/v1beta1", )" + meta("w", meta_more) +
         R"(, "spec": {"queueName": "q", "podSets": [{"name": "main",
         "count": 2, "template": {"spec": )" +
         pod_spec + "}}]" + spec_more + R"(}, "status": {"conditions": [)" + conditions + "]" +
         status_more + "}}";
}

std::string list(const std::vector<std::string>& objects) {
  std::string text = R"({"apiVersion": "v1", "items": [)";
  for (std::size_t i = 0; i < objects.size(); ++i) text += (i == 0 ? "" : ",") + objects[i];
  return text + R"(], "kind": "List", "metadata": {"resourceVersion": ""}})";
}

const std::string completed_job = R"("startTime": )" + at(1) + R"(, "completionTime": )" + at(61) +
                                  R"(, "succeeded": 1, "conditions": [)" +
                                  condition("Complete", 61) + "]";

struct ObjectOddity {
  std::string what, text, key;
  json value;
};

void expect_objects(const std::vector<ObjectOddity>& oddities) {
  for (const ObjectOddity& oddity : oddities) {
    const History history = read_text(oddity.text);
    ASSERT_EQ(history.jobs.size(), 1U) << oddity.what;
    const json have = object_value(history.jobs[0], oddity.key);
    EXPECT_TRUE(same(have, oddity.value)) << oddity.what << ": " << have;
  }
}

TEST(KubernetesHistory, AWorkloadItsJobAndItsPodsAreOneJob) {
  const std::string job = batch_v1("train", "", "", completed_job);
  const std::string workload =
      kueue(owned_by("Job", "train"), condition("Admitted", 1) + "," +
                                          condition("Finished", 61, R"(, "reason": "Succeeded")"));
  const std::string one = pod("p", owned_by("Job", "train"), "Succeeded", 2, 5, 60);
  std::vector<std::string> objects{job, workload, one};
  std::sort(objects.begin(), objects.end());
  do {  // in every order
    const History history = read_text(list(objects));
    ASSERT_EQ(history.jobs.size(), 1U);
    const HistoryJob& read = history.jobs[0];
    EXPECT_EQ(read.record.job_id, "n/train");
    EXPECT_EQ(read.record.queue, "q");
    EXPECT_EQ(read.record.user, "n");
    EXPECT_EQ(*read.record.gpus_total, 16);  // as Kueue admitted it
    EXPECT_EQ(seconds(*read.record.observed_wait), 60);
    EXPECT_EQ(seconds(*read.record.startup), 240);
    EXPECT_EQ(seconds(*read.record.duration), 56 * 60);
    EXPECT_EQ(read.record.end_status, EndStatus::completed);
    EXPECT_TRUE(codes(history).empty());
  } while (std::next_permutation(objects.begin(), objects.end()));
}

TEST(KubernetesHistory, FormsOfALonelyJob) {
  const std::string job = batch_v1("train", "", "", completed_job);
  const std::string bare = R"({)" + job.substr(job.find(R"("metadata")"));
  const std::vector<std::string> forms = {
      job,
      list({job}),
      job + "\n" + job,  // twice the same uid
      R"({"kind": "JobList", "items": [)" + bare + "]}",
      R"({"type": "ADDED", "object": )" + job + "}\n" + R"({"type": "MODIFIED", "object": )" + job +
          "}",
      "[" + list({job}) + "]",
  };
  for (const std::string& form : forms) {
    const History history = read_text(form);
    ASSERT_EQ(history.jobs.size(), 1U) << form;
    EXPECT_EQ(history.jobs[0].record.job_id, "n/train");
    EXPECT_EQ(seconds(*history.jobs[0].record.duration), 3600);
  }
}

TEST(KubernetesHistory, OdditiesOfJobs) {
  const std::string child = owned_by("JobSet", "set");
  const std::string set =
      R"({"kind": "JobSet", "apiVersion": "jobset.x-k8s.io/v1alpha2", )" + meta("set") +
      R"(, "spec": {"replicatedJobs": [{"name": "w", "replicas": 2, "template": {"spec":
         {"parallelism": 3, "completions": 3, "template": {"spec": )" +
      pod_spec + R"(}}}}]},
         "status": {"restarts": 2, "conditions": [)" +
      condition("Completed", 70) + "]}}";
  const std::string failed = R"("startTime": )" + at(1) + R"(, "failed": 3, "conditions": [)";
  expect_objects({
      {"pods at once, not in all",
       batch_v1("j", "", R"(, "parallelism": 2, "completions": 10)", completed_job), "gpus", 16},
      {"no more pods than are wanted",
       batch_v1("j", "", R"(, "parallelism": 8, "completions": 1)", completed_job), "gpus", 8},
      {"a deadline",
       batch_v1("j", "", R"(, "activeDeadlineSeconds": 60)",
                failed + condition("Failed", 9, R"(, "reason": "DeadlineExceeded")") + "]"),
       "status", "timeout"},
      {"no more retries",
       batch_v1("j", "", "",
                failed + condition("Failed", 9, R"(, "reason": "BackoffLimitExceeded")") + "]"),
       "restarts", 2},
      {"suspended is not running",
       batch_v1("j", "", R"(, "suspend": true)",
                R"("conditions": [)" + condition("Suspended", 1) + "]"),
       "status", "pending"},
      {"active is running", batch_v1("j", "", "", R"("active": 1, "startTime": )" + at(3)),
       "status", "running"},
      {"runs of a CronJob are a sweep",
       batch_v1("j", owned_by("CronJob", "nightly"), "", completed_job), "sweep", "nightly"},
      {"labels without a domain are tags",
       batch_v1("j", R"(, "labels": {"team": "v", "job-name": "j", "app.kubernetes.io/name": "x"})",
                "", completed_job),
       "tags", 1},
      {"the queue of a label",
       batch_v1("j", R"(, "labels": {"kueue.x-k8s.io/queue-name": "lq"})", "", completed_job),
       "queue", "lq"},
      {"a set of jobs", list({set}), "gpus", 48},
      {"its restarts", list({set}), "restarts", 2},
      {"a set starts when its first job does",
       list({batch_v1("set-w-0", child, "", completed_job), set,
             batch_v1("set-w-1", child, "", completed_job)}),
       "wait_s", 60},
      {"jobs of a set that is not in the file",
       list({batch_v1("set-w-0", child, "", completed_job),
             batch_v1("set-w-1", child, "", completed_job)}),
       "gpus", 16},
      {"are called as it is",
       list({batch_v1("set-w-0", child, "", completed_job),
             batch_v1("set-w-1", child, "", completed_job)}),
       "id", "n/set"},
  });
}

std::string mpi(const std::string& status) {
  return R"({"kind": "MPIJob", "apiVersion": "kubeflow.org/v2beta1", )" + meta("mpi") +
         R"(, "spec": {"slotsPerWorker": 8, "mpiReplicaSpecs": {
         "Launcher": {"replicas": 1, "template": {"spec": {"containers": [{"name": "l"}]}}},
         "Worker": {"replicas": 4, "template": {"spec": )" +
         pod_spec + R"(}}}},
         "status": {"startTime": )" +
         at(1) + R"(, "conditions": [)" + status + "]}}";
}

TEST(KubernetesHistory, OdditiesOfTrainingJobs) {
  const std::string one_line = R"(, "message": "it was active longer than specified deadline")";
  expect_objects({
      {"a launcher has no GPUs", mpi(condition("Succeeded", 61)), "nodes", 4},
      {"workers have", mpi(condition("Succeeded", 61)), "gpus", 32},
      {"a deadline is told in words", mpi(condition("Failed", 61, one_line)), "class", "limit"},
      {"running now", mpi(condition("Running", 11)), "startup_s", nullptr},
      {"it runs from when all pods do",
       mpi(condition("Running", 11) + "," + condition("Created", 71)), "status", "running"},
      {"a launcher is a Job of its own",
       list({mpi(condition("Succeeded", 61)),
             batch_v1("mpi-launcher", owned_by("MPIJob", "mpi"), "", completed_job)}),
       "gpus", 32},
      {"an older TFJob names its deadline in the specification",
       R"({"apiVersion": "kubeflow.org/v1", "kind": "TFJob", )" + meta("tf") +
           R"(, "spec": {"activeDeadlineSeconds": 77, "tfReplicaSpecs": {"PS": {"replicas": 1},
           "Worker": {"replicas": 2, "template": {"spec": )" +
           pod_spec + "}}}}}",
       "limit_s", 77},
      {"without a status it waits",
       R"({"apiVersion": "kubeflow.org/v1", "kind": "TFJob", )" + meta("tf") +
           R"(, "spec": {"tfReplicaSpecs": {"Worker": {"template": {"spec": )" + pod_spec + "}}}}}",
       "status", "pending"},
  });
}

TEST(KubernetesHistory, OdditiesOfPods) {
  const std::string of_job = owned_by("Job", "train");
  const std::string failed = R"(, "exitCode": 1, "reason": "Error")";
  const auto ended_by = [&](const std::string& reason) {
    return pod("p", "", "Failed", 2, 5, 60, R"(, "exitCode": 137)",
               R"(, "conditions": [)" + condition("PodScheduled", 2) + "," +
                   condition("DisruptionTarget", 60, R"(, "reason": ")" + reason + "\"") + "]");
  };
  expect_objects({
      {"a retry: the pod before it is lost",
       list({pod("a", of_job, "Failed", 2, 3, 12, failed),
             pod("b", of_job, "Succeeded", 13, 14, 60)}),
       "lost_s", 600},
      {"and only the last one worked",
       list({pod("b", of_job, "Succeeded", 13, 14, 60),
             pod("a", of_job, "Failed", 2, 3, 12, failed)}),
       "work_s", 46 * 60},
      {"which is one restart, not two machines",
       list({pod("a", of_job, "Failed", 2, 3, 12, failed),
             pod("b", of_job, "Succeeded", 13, 14, 60)}),
       "gpus", 8},
      {"one after another, all with success, is all work",
       list({pod("a", of_job, "Succeeded", 2, 3, 13), pod("b", of_job, "Succeeded", 14, 15, 35)}),
       "work_s", 1800},
      {"pods at one time are a gang",
       list({pod("a", of_job, "Succeeded", 2, 5, 60), pod("b", of_job, "Succeeded", 3, 6, 60)}),
       "gpus", 16},
      {"a gang of which one runs, runs",
       list({pod("a", of_job, "Failed", 2, 5, 60, failed), running_pod("b", of_job, 3, 6)}),
       "status", "running"},
      {"memory", pod("p", "", "Failed", 2, 5, 60, R"(, "exitCode": 137, "reason": "OOMKilled")"),
       "status", "oom"},
      {"the scheduler preempts", ended_by("PreemptionByScheduler"), "class", "preempted"},
      {"a node that is tainted is lost", ended_by("DeletionByTaintManager"), "class", "hardware"},
      {"a drained node says not why", ended_by("EvictionByEvictionAPI"), "class", "unknown"},
      {"a node that shuts down",
       pod("p", "", "Failed", 2, 5, 60, "", R"(, "reason": "Terminated")"), "status", "node_fail"},
      {"no room on the node", pod("p", "", "Failed", 2, 5, 60, "", R"(, "reason": "OutOfcpu")"),
       "status", "never_started"},
      {"a container that lost its status has no times",
       R"({"kind": "Pod", )" + meta("p") + R"(, "spec": )" + pod_spec +
           R"(, "status": {"phase": "Failed", "startTime": )" + at(2) +
           R"(, "containerStatuses": [{"name": "t", "state": {"terminated": {"exitCode": 137,
           "reason": "ContainerStatusUnknown", "startedAt": null, "finishedAt": null}}}]}})",
       "work_s", nullptr},
      {"a failed Job with a pod that tells why",
       list({batch_v1("train", "", "",
                      R"("startTime": )" + at(1) + R"(, "conditions": [)" +
                          condition("Failed", 61) + "]"),
             pod("p", of_job, "Failed", 2, 5, 60, R"(, "reason": "OOMKilled")")}),
       "status", "oom"},
  });
}

TEST(KubernetesHistory, OdditiesOfWhatPodsRequest) {
  const auto asking = [&](const std::string& containers) {
    std::string text = pod("p", "", "Succeeded", 2, 5, 60);
    return text.replace(text.find(pod_spec), pod_spec.size(), containers);
  };
  expect_objects({
      {"amounts as numbers",
       asking(R"({"containers": [{"name": "t", "resources": {"limits": {"nvidia.com/gpu": 4}}}]})"),
       "gpus", 4},
      {"requests alone", asking(R"({"containers": [{"name": "t",
           "resources": {"requests": {"amd.com/gpu": "2", "cpu": "3500m"}}}]})"),
       "gpus", 2},
      {"containers add up, one that prepares does not",
       asking(R"({"initContainers": [{"name": "i", "resources": {"limits": {"nvidia.com/gpu": 1}}}],
           "containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": 1}}},
                          {"name": "b", "resources": {"limits": {"nvidia.com/gpu": 1}}}]})"),
       "gpus", 2},
      {"the type of the machine",
       asking(R"({"nodeSelector": {"node.kubernetes.io/instance-type": "p4d.24xlarge",
           "karpenter.sh/capacity-type": "spot"}, "containers": [
           {"name": "t", "resources": {"limits": {"nvidia.com/gpu": 8}}}]})"),
       "type", "p4d.24xlarge"},
      {"and its market",
       asking(R"({"nodeSelector": {"karpenter.sh/capacity-type": "spot"}, "containers": [
           {"name": "t", "resources": {"limits": {"nvidia.com/gpu": 8}}}]})"),
       "market", "spot"},
      {"the GPU of a selector",
       asking(R"({"nodeSelector": {"nvidia.com/gpu.product": "H100"}, "containers": [
           {"name": "t", "resources": {"limits": {"nvidia.com/gpu": 8}}}]})"),
       "gpu_type", "H100"},
      {"pods of an owner of an unknown kind are jobs of a sweep",
       pod("p", owned_by("Workflow", "flow"), "Succeeded", 2, 5, 60), "sweep", "flow"},
      {"an older label of the operator",
       pod("p", R"(, "labels": {"pytorch-job-name": "llm"})", "Succeeded", 2, 5, 60), "id",
       "n/llm"},
  });
}

TEST(KubernetesHistory, OdditiesOfKueue) {
  const std::string admitted = condition("Admitted", 60);
  const std::string evicted = condition("Evicted", 60, R"(, "reason": "Preempted")", "False");
  const auto stats = [](const std::string& reason, int count) {
    return R"(, "schedulingStats": {"evictions": [{"reason": ")" + reason + R"(", "count": )" +
           std::to_string(count) + "}]}";
  };
  expect_objects({
      {"never evicted: the wait is known", kueue("", admitted), "wait_s", 3600},
      {"before v1beta2 the past time was misspelled",
       kueue("", admitted, R"(, "accumulatedPastExexcutionTimeSeconds": 90)"), "earlier_s", 90},
      {"an older Kueue does not count evictions", kueue("", admitted + "," + evicted),
       "interruptions", 1},
      {"then the first wait is not known", kueue("", admitted + "," + evicted), "wait_s", nullptr},
      {"pods that were not ready in time",
       kueue("", admitted + "," + evicted, stats("PodsReadyTimeout", 3)), "restarts", 3},
      {"a stopped queue takes machines",
       kueue("", admitted + "," + evicted, stats("ClusterQueueStopped", 2)), "interruptions", 2},
      {"evicted and waiting again",
       kueue("", condition("Admitted", 61, "", "False") + "," +
                     condition("Evicted", 61, R"(, "reason": "Preempted")")),
       "status", "pending"},
      {"deactivated by a person",
       kueue("",
             condition("Admitted", 61, "", "False") + "," +
                 condition("Evicted", 61, R"(, "reason": "Deactivated")"),
             R"(, "accumulatedPastExecutionTimeSeconds": 60)", R"(, "active": false)"),
       "status", "killed"},
      {"it ran until then",
       kueue("", condition("Evicted", 61, R"(, "reason": "Deactivated")"),
             R"(, "accumulatedPastExecutionTimeSeconds": 60)", R"(, "active": false)"),
       "work_s", 60},
      {"its time was over",
       kueue("", condition("Evicted", 61, R"(, "reason":
                 "DeactivatedDueToMaximumExecutionTimeExceeded")"),
             "", R"(, "active": false, "maximumExecutionTimeSeconds": 60)"),
       "limit_s", 60},
      {"partly admitted",
       kueue("", admitted, R"(, "admission": {"podSetAssignments": [{"name": "main", "count": 1,
           "flavors": {"nvidia.com/gpu": "p4d", "cpu": "any"},
           "resourceUsage": {"nvidia.com/gpu": "8"}}]})"),
       "gpus", 8},
      {"the flavor of its GPUs",
       kueue("", admitted, R"(, "admission": {"podSetAssignments": [{"name": "main", "count": 2,
           "flavors": {"cpu": "any", "nvidia.com/gpu": "p4d"},
           "resourceUsage": {"nvidia.com/gpu": "16"}}]})"),
       "gpu_type", "p4d"},
      {"admitted, but its pods are not ready",
       kueue("", admitted + "," + condition("PodsReady", 60, "", "False")), "status", "pending"},
      {"an older reason of the end",
       kueue("", admitted + "," + condition("Finished", 120, R"(, "reason": "JobFinished",
           "message": "Job finished successfully")")),
       "status", "completed"},
      {"a failure",
       kueue("", admitted + "," + condition("Finished", 120, R"(, "reason": "Failed")")), "status",
       "failed"},
      {"a group of pods has them all as owners",
       list({kueue(R"(, "ownerReferences": [{"kind": "Pod", "name": "a", "uid": "uid-a"},
                     {"kind": "Pod", "name": "b", "uid": "uid-b"}])",
                   admitted),
             running_pod("a", "", 61, 62), running_pod("b", "", 61, 62)}),
       "gpus", 16},
  });
}

TEST(KubernetesHistory, NamesAreUsedAgain) {
  std::string later = batch_v1("train", "", "", completed_job);
  later.replace(later.find("uid-train"), 9, "uid-other");
  later.replace(later.find(at(0)), at(0).size(), at(1));
  const History history = read_text(list({batch_v1("train", "", "", completed_job), later}));
  ASSERT_EQ(history.jobs.size(), 2U);
  EXPECT_EQ(history.jobs[0].record.job_id, "n/train");
  EXPECT_EQ(history.jobs[1].record.job_id, "n/train@2026-08-03T00:01:00Z");
}

TEST(KubernetesHistory, WhatIsLeftOutIsTold) {
  const auto codes_of = [](const std::string& text) { return codes(read_text(text)); };
  using Codes = std::vector<std::string>;
  const std::string service = pod("p", owned_by("ReplicaSet", "web"), "Succeeded", 2, 5, 60);
  EXPECT_EQ(codes_of(list({service})), Codes{"W0659"});
  EXPECT_TRUE(read_text(list({service})).jobs.empty());
  const std::string job = batch_v1("j", "", "", completed_job);
  EXPECT_EQ(codes_of(job), Codes{"W0658"});
  EXPECT_EQ(codes_of(list({pod("p", "", "Succeeded", 2, 5, 60),
                           R"({"kind": "Service", "metadata": {"name": "s"}})"})),
            Codes{"W0659"});
  EXPECT_EQ(codes_of(R"({"kind": "Job", "apiVersion": "batch/v1", "metadata": {"name": "j"},
                         "spec": {"template": {}}})"),
            Codes{"W0632"});
  EXPECT_EQ(codes_of(R"({"apiVersion": "v1", "items": [], "metadata": {"continue": "x"}})"),
            Codes{"W0631"});
  EXPECT_EQ(codes_of(R"({"kind": "Status", "apiVersion": "v1", "metadata": {}, "code": 403,
                         "message": "pods is forbidden"})"),
            Codes{"W0630"});
  EXPECT_TRUE(codes_of(list({})).empty());
}

TEST(KubernetesHistory, OtherFormsAndKindsAreRefused) {
  EXPECT_EQ(error_of([] { read_text("apiVersion: v1\nitems:\n- kind: Pod\n"); }), "E0425");
  EXPECT_EQ(error_of([] { read_text("NAMESPACE   NAME   READY   STATUS\n"); }), "E0425");
  EXPECT_EQ(error_of([] {
              read_text(R"({"apiVersion": "v1", "items": [{"kind": "Service"}], "kind": "List"})");
            }),
            "E0426");
  EXPECT_EQ(
      error_of([] { read_text(R"({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job"})"); }),
      "E0426");
  EXPECT_EQ(error_of([] { read_text(R"({"apiVersion": "v1", "items": [)"); }), "E0400");
}

}  // namespace
}  // namespace reeve::scenarios
