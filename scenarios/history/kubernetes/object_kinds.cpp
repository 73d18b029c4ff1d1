// Objects of Kubernetes that stand for jobs: Kueue's Workload, batch/v1 Job, JobSet, and the jobs
// of Kubeflow's training operator.  Source: their API types, and Kueue's reasons of conditions.
#include <algorithm>
#include <array>

#include "scenarios/history/kubernetes/objects.hpp"
#include "scenarios/history/reading/cluster_resources.hpp"
#include "scenarios/history/reading/json_parts.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;
using policy::Duration;
using policy::Instant;

constexpr std::int64_t most_events = 1'000'000;
constexpr auto replica_specs = std::to_array<std::string_view>(
    {"pytorchReplicaSpecs", "tfReplicaSpecs", "mpiReplicaSpecs", "xgbReplicaSpecs",
     "paddleReplicaSpecs", "jaxReplicaSpecs", "mxReplicaSpecs"});

std::optional<Duration> limit_at(const json& object, std::string_view key) {
  const auto seconds = count_at(object, key);
  if (!seconds || *seconds > 3'000'000'000) return {};
  return Duration{std::chrono::seconds{*seconds}};
}

/// What ended a controller, by the condition that says so.
void end_by(const json& condition, EndStatus end, KubernetesObject& to) {
  to.end = end;
  if (!to.ended) to.ended = kubernetes_time(condition);
  if (end == EndStatus::completed) return;
  to.reason = text_at(condition, "reason");
  to.cause = EndCause::unknown;
  const bool is_late =
      to.reason == "DeadlineExceeded" ||
      text_at(condition, "message").find("active longer than specified deadline") !=
          std::string::npos;
  if (!is_late) return;
  to.end = EndStatus::timeout;
  to.cause = EndCause::limit;
}

/// Kueue's evictions: who took the machines, and how often.
void read_evictions(const json& status, KubernetesObject& to) {
  const json& evicted = condition_named(status, "Evicted");
  const json& evictions = list_at(inside(status, "schedulingStats"), "evictions");
  const auto count_one = [&](std::string_view reason, std::int64_t count) {
    if (reason.find("Deactivated") != reason.npos || reason == "InactiveWorkload") return;
    const bool is_fault = reason == "PodsReadyTimeout" || reason == "WorkloadSliceReplaced";
    std::int64_t& events = is_fault ? to.restarts : to.interruptions;
    events = std::min(most_events, events + std::min(count, most_events));
  };
  for (const json& each : evictions) {
    count_one(text_at(each, "reason"), count_at(each, "count").value_or(0));
  }
  // Before Kueue counted them, the condition is all that is left of an eviction.
  if (evictions.empty() && evicted.is_object() && !evicted.empty()) {
    const bool is_now = holds(evicted);
    count_one(is_now ? text_at(evicted, "reason") : "", 1);
  }
  std::optional<Duration> past;  // Kueue spelled it so up to v1beta1
  for (const auto* key :
       {"accumulatedPastExecutionTimeSeconds", "accumulatedPastExexcutionTimeSeconds"}) {
    if (!past) past = limit_at(status, key);
  }
  to.earlier = past.value_or(Duration{0});
  to.started_before = to.interruptions + to.restarts > 0 || to.earlier > Duration{0};
}

/// What the admission grants, which may be less than was asked for.
void read_granted(const json& spec, const json& status, KubernetesObject& to) {
  const json& granted = list_at(inside(status, "admission"), "podSetAssignments");
  for (const json& set : list_at(spec, "podSets")) {
    const json& pod = inside(inside(set, "template"), "spec");
    std::int64_t count = count_at(set, "count").value_or(1);
    PodsAsked one = pods_asked(pod);
    for (const json& assignment : granted) {
      if (text_at(assignment, "name") != text_at(set, "name")) continue;
      count = count_at(assignment, "count").value_or(count);
      const std::int64_t gpus = gpus_among(inside(assignment, "resourceUsage")).gpus;
      if (gpus > 0 && count > 0 && gpus % count == 0) one.gpus = gpus / count;
      const json& flavors = inside(assignment, "flavors");
      if (!flavors.is_object() || one.gpu_pods == 0 || !one.gpu_type.empty()) continue;
      for (auto flavor = flavors.begin(); flavor != flavors.end(); ++flavor) {
        const AskedGpus is_gpu = gpus_among(json{{flavor.key(), 1}});
        if (is_gpu.gpus > 0 && flavor->is_string()) one.gpu_type = flavor->get<std::string>();
      }
    }
    to.asked.add(one, count);
  }
}

void read_workload_end(const json& spec, const json& status, KubernetesObject& to) {
  const json& finished = condition_named(status, "Finished");
  const json& evicted = condition_named(status, "Evicted");
  const json& ready = condition_named(status, "PodsReady");
  if (holds(finished)) {
    const std::string reason = text_at(finished, "reason");
    const std::string message = text_at(finished, "message");
    const bool succeeded = reason == "Succeeded" ||
                           (reason != "Failed" && message.find("success") != std::string::npos);
    end_by(finished, succeeded ? EndStatus::completed : EndStatus::failed, to);
    return;
  }
  const json* active = member(spec, "active");
  const bool is_off = active != nullptr && active->is_boolean() && !active->get<bool>();
  if (is_off ||
      (holds(evicted) && text_at(evicted, "reason").find("Deactivated") != std::string::npos)) {
    const bool has_run = to.started || to.started_before;
    to.end = has_run ? EndStatus::killed : EndStatus::never_started;
    to.ended = kubernetes_time(evicted);
    to.reason = text_at(evicted, "reason");
    if (text_at(evicted, "message").find("aximum execution time") != std::string::npos ||
        to.reason.find("MaximumExecutionTime") != std::string::npos) {
      to.end = EndStatus::timeout;
      to.cause = EndCause::limit;
    }
    return;
  }
  const bool waits = !to.started || (!ready.empty() && !holds(ready));
  to.end = waits ? EndStatus::pending : EndStatus::running;
}

std::int64_t pods_at_once(const json& spec) {
  const auto completions = count_at(spec, "completions");
  const std::int64_t parallel = count_at(spec, "parallelism").value_or(1);
  return completions ? std::min(parallel, *completions) : parallel;
}

}  // namespace

void read_workload(const json& workload, KubernetesObject& to) {
  const json& spec = inside(workload, "spec");
  const json& status = inside(workload, "status");
  read_granted(spec, status, to);
  to.queue = text_at(spec, "queueName");
  to.priority = count_at(spec, "priority");
  to.limit = limit_at(spec, "maximumExecutionTimeSeconds");
  const json& admitted = condition_named(status, "Admitted");
  const json& reserved = condition_named(status, "QuotaReserved");
  if (holds(admitted)) to.started = kubernetes_time(admitted);
  if (admitted.empty() && holds(reserved)) to.started = kubernetes_time(reserved);
  const json& ready = condition_named(status, "PodsReady");
  if (to.started && holds(ready)) to.ready = kubernetes_time(ready);
  read_evictions(status, to);
  read_workload_end(spec, status, to);
}

void read_batch_job(const json& job, KubernetesObject& to) {
  const json& spec = inside(job, "spec");
  const json& status = inside(job, "status");
  to.asked.add(pods_asked(inside(inside(spec, "template"), "spec")), pods_at_once(spec));
  to.limit = limit_at(spec, "activeDeadlineSeconds");
  to.started = kubernetes_time(status, "startTime");
  to.ended = kubernetes_time(status, "completionTime");
  const json& failed = condition_named(status, "Failed");
  const json& complete = condition_named(status, "Complete");
  to.end = to.started ? EndStatus::running : EndStatus::pending;
  if (holds(condition_named(status, "Suspended"))) {
    to.end = EndStatus::pending;
    to.started.reset();
  }
  if (holds(complete)) end_by(complete, EndStatus::completed, to);
  if (holds(failed)) end_by(failed, EndStatus::failed, to);
  const std::int64_t faults = std::min(count_at(status, "failed").value_or(0), most_events);
  to.restarts = std::max<std::int64_t>(0, faults - (holds(failed) ? 1 : 0));
  if (!to.started && to.ended && to.end == EndStatus::failed) to.end = EndStatus::never_started;
}

void read_job_set(const json& set, KubernetesObject& to) {
  const json& spec = inside(set, "spec");
  const json& status = inside(set, "status");
  for (const json& each : list_at(spec, "replicatedJobs")) {
    const json& job = inside(inside(each, "template"), "spec");
    const std::int64_t replicas = count_at(each, "replicas").value_or(1);
    PodsAsked one;
    one.add(pods_asked(inside(inside(job, "template"), "spec")), pods_at_once(job));
    to.asked.add(one, replicas);
    if (!to.limit) to.limit = limit_at(job, "activeDeadlineSeconds");
  }
  to.restarts = std::min(count_at(status, "restarts").value_or(0), most_events);
  const json& completed = condition_named(status, "Completed");
  const json& failed = condition_named(status, "Failed");
  to.end = holds(condition_named(status, "Suspended")) ? EndStatus::pending : EndStatus::unknown;
  if (holds(completed)) end_by(completed, EndStatus::completed, to);
  if (holds(failed)) end_by(failed, EndStatus::failed, to);
}

void read_training_job(const json& job, KubernetesObject& to) {
  const json& spec = inside(job, "spec");
  const json& status = inside(job, "status");
  for (const auto key : replica_specs) {
    const json& roles = inside(spec, key);
    if (!roles.is_object()) continue;
    for (auto role = roles.begin(); role != roles.end(); ++role) {
      const json& pod = inside(inside(*role, "template"), "spec");
      to.asked.add(pods_asked(pod), count_at(*role, "replicas").value_or(1));
    }
  }
  // Before v1, the deadline stood in the specification itself.
  to.limit = limit_at(inside(spec, "runPolicy"), "activeDeadlineSeconds");
  if (!to.limit) to.limit = limit_at(spec, "activeDeadlineSeconds");
  to.started = kubernetes_time(status, "startTime");
  to.ended = kubernetes_time(status, "completionTime");
  const json& running = condition_named(status, "Running");
  const json& restarting = condition_named(status, "Restarting");
  // Conditions keep their last change: how often it restarted is not known.
  to.restarts = restarting.empty() ? 0 : 1;
  const bool runs = holds(running);
  if (runs && restarting.empty()) to.ready = kubernetes_time(running);
  to.end = runs ? EndStatus::running : EndStatus::pending;
  if (to.started && holds(restarting)) to.end = EndStatus::running;
  if (holds(condition_named(status, "Suspended"))) to.started.reset();
  const json& succeeded = condition_named(status, "Succeeded");
  const json& failed = condition_named(status, "Failed");
  if (holds(succeeded)) end_by(succeeded, EndStatus::completed, to);
  if (holds(failed)) end_by(failed, EndStatus::failed, to);
}

}  // namespace reeve::scenarios
