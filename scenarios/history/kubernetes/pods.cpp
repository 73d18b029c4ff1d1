// Pods of Kubernetes: what they ask for, when they ran, and how they ended.  Source: the API
// reference of core/v1, and the guide on disruptions (DisruptionTarget).
#include <algorithm>
#include <array>

#include "scenarios/history/kubernetes/objects.hpp"
#include "scenarios/history/reading/cluster_resources.hpp"
#include "scenarios/history/reading/json_parts.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;
using policy::Instant;

constexpr auto gpu_labels = std::to_array<std::string_view>(
    {"nvidia.com/gpu.product", "cloud.google.com/gke-accelerator",
     "karpenter.k8s.aws/instance-gpu-name", "gpu.nvidia.com/class"});
constexpr auto type_labels = std::to_array<std::string_view>(
    {"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"});
constexpr auto spot_labels =
    std::to_array<std::string_view>({"karpenter.sh/capacity-type", "eks.amazonaws.com/capacityType",
                                     "cloud.google.com/gke-spot", "node.kubernetes.io/lifecycle"});

/// A reason of a pod or of its disruption, and what it means.
struct PodReason {
  std::string_view reason;
  EndStatus status;
  EndCause cause;
};
constexpr auto pod_reasons = std::to_array<PodReason>({
    {"PreemptionByScheduler", EndStatus::killed, EndCause::preempted},
    {"PreemptionByKubeScheduler", EndStatus::killed, EndCause::preempted},
    {"Preempting", EndStatus::killed, EndCause::preempted},
    {"Preempted", EndStatus::killed, EndCause::preempted},
    {"DeletionByTaintManager", EndStatus::node_failure, EndCause::hardware},
    {"DeletionByPodGC", EndStatus::node_failure, EndCause::hardware},
    {"TerminationByKubelet", EndStatus::node_failure, EndCause::hardware},
    {"EvictionByEvictionAPI", EndStatus::killed, EndCause::unknown},
    {"DeadlineExceeded", EndStatus::timeout, EndCause::limit},
    {"OOMKilled", EndStatus::out_of_memory, EndCause::out_of_memory},
    {"NodeLost", EndStatus::node_failure, EndCause::hardware},
    {"NodeShutdown", EndStatus::node_failure, EndCause::hardware},
    {"Shutdown", EndStatus::node_failure, EndCause::hardware},
    {"Terminated", EndStatus::node_failure, EndCause::hardware},
    {"ContainerStatusUnknown", EndStatus::node_failure, EndCause::hardware},
    {"UnexpectedAdmissionError", EndStatus::never_started, EndCause::hardware},
    {"NodeAffinity", EndStatus::never_started, EndCause::hardware},
    {"StartError", EndStatus::failed, EndCause::code},
    {"ContainerCannotRun", EndStatus::failed, EndCause::code},
});

const PodReason* pod_reason(std::string_view reason) {
  const auto found = std::find_if(pod_reasons.begin(), pod_reasons.end(),
                                  [&](const PodReason& each) { return each.reason == reason; });
  return found == pod_reasons.end() ? nullptr : &*found;
}

/// The container that trains: the first with GPUs, else the first.
std::string main_container(const json& spec) {
  const json& containers = list_at(spec, "containers");
  for (const json& each : containers) {
    const AskedGpus asked = gpus_asked(inside(each, "resources"));
    if (asked.gpus > 0 || !asked.slice.empty()) return text_at(each, "name");
  }
  return containers.empty() ? "" : text_at(containers.front(), "name");
}

const json& status_of_container(const json& status, const std::string& name) {
  const json& all = list_at(status, "containerStatuses");
  for (const json& each : all) {
    if (text_at(each, "name") == name) return each;
  }
  return all.empty() ? inside(status, "containerStatuses") : all.front();
}

/// Why a pod failed: who took its machine, else what its container says.
void read_failure(const json& status, const json& terminated, KubernetesObject& to) {
  const json& disruption = condition_named(status, "DisruptionTarget");
  const auto take = [&](const std::string& reason) {
    const PodReason* known = pod_reason(reason);
    if (known == nullptr) return false;
    to.end = known->status;
    to.cause = known->cause;
    to.reason = reason;
    return true;
  };
  if (holds(disruption) && take(text_at(disruption, "reason"))) return;
  const std::string reason = text_at(status, "reason");
  if (take(reason) || take(text_at(terminated, "reason"))) return;
  to.end = EndStatus::failed;
  if (reason.starts_with("OutOf")) to.end = EndStatus::never_started;  // the node had no room
  const std::int64_t code = count_at(terminated, "exitCode").value_or(0);
  // 137 and 143 are SIGKILL and SIGTERM: something outside ended it.
  to.cause = code > 0 && code != 137 && code != 143 ? EndCause::code : EndCause::unknown;
  to.reason = reason.empty() ? text_at(terminated, "reason") : reason;
}

}  // namespace

PodsAsked pods_asked(const json& spec) {
  PodsAsked one;
  std::int64_t at_start = 0;
  for (const auto* key : {"initContainers", "containers"}) {
    const bool is_init = std::string_view{key} == "initContainers";
    for (const json& container : list_at(spec, key)) {
      AskedGpus asked = gpus_asked(inside(container, "resources"));
      const bool stays = !is_init || text_at(container, "restartPolicy") == "Always";
      if (stays) one.gpus += asked.gpus;
      if (!stays) at_start = std::max(at_start, asked.gpus);
      if (!asked.slice.empty()) one.slice = std::move(asked.slice);
    }
  }
  one.gpus = std::max(one.gpus, at_start);
  one.pods = 1;
  one.gpu_pods = one.gpus > 0 || !one.slice.empty() ? 1 : 0;
  const json& selector = inside(spec, "nodeSelector");
  for (const auto label : gpu_labels) {
    if (one.gpu_type.empty()) one.gpu_type = text_at(selector, label);
  }
  for (const auto label : type_labels) {
    if (one.instance_type.empty()) one.instance_type = text_at(selector, label);
  }
  for (const auto label : spot_labels) {
    const std::string value = text_at(selector, label);
    if (value.empty()) continue;
    const bool is_spot = same_word(value, "spot") || value == "true";
    one.market = is_spot ? policy::Market::spot : policy::Market::on_demand;
  }
  return one;
}

const json& condition_named(const json& object, std::string_view type) {
  static const json none = json::object();
  for (const json& each : list_at(object, "conditions")) {
    if (text_at(each, "type") == type) return each;
  }
  return none;
}

bool holds(const json& condition) {
  return text_at(condition, "status") == "True";
}

std::optional<Instant> kubernetes_time(const json& object, std::string_view key) {
  const auto time = instant_at(object, key);
  return time && *time > Instant{} ? time : std::nullopt;
}

void read_pod(const json& pod, KubernetesObject& to) {
  const json& spec = inside(pod, "spec");
  const json& status = inside(pod, "status");
  to.asked = pods_asked(spec);
  to.priority = count_at(spec, "priority");
  if (const auto limit = count_at(spec, "activeDeadlineSeconds"); limit && *limit < 3'000'000'000) {
    to.limit = policy::Duration{std::chrono::seconds{*limit}};
  }
  const json& scheduled = condition_named(status, "PodScheduled");
  if (holds(scheduled)) to.started = kubernetes_time(scheduled);
  if (!to.started) to.started = kubernetes_time(status, "startTime");
  const json& container = status_of_container(status, main_container(spec));
  to.restarts = std::min<std::int64_t>(count_at(container, "restartCount").value_or(0), 1'000'000);
  const json& state = inside(container, "state");
  const json* terminated = &inside(state, "terminated");
  to.ready = kubernetes_time(inside(state, "running"), "startedAt");
  if (!to.ready) to.ready = kubernetes_time(*terminated, "startedAt");
  if (member(state, "waiting") != nullptr) {  // between two runs
    terminated = &inside(inside(container, "lastState"), "terminated");
    to.ready = kubernetes_time(*terminated, "startedAt");
  }
  const std::string phase = text_at(status, "phase");
  if (phase == "Running") to.end = EndStatus::running;
  if (phase == "Pending") to.end = EndStatus::pending;
  if (phase != "Succeeded" && phase != "Failed") return;
  to.ended = kubernetes_time(*terminated, "finishedAt");
  for (const auto* type : {"DisruptionTarget", "Ready", "ContainersReady"}) {
    const json& change = condition_named(status, type);
    if (!to.ended) to.ended = kubernetes_time(change);
  }
  if (!to.ended) to.ended = to.ready ? to.ready : to.started;
  to.end = EndStatus::completed;
  if (phase == "Failed") read_failure(status, *terminated, to);
}

}  // namespace reeve::scenarios
