// Objects of a Kubernetes cluster that hold GPUs or describe who does, before they are joined into
// jobs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string_view>

#include "scenarios/history/data/kubernetes_object.hpp"

namespace reeve::scenarios {

struct History;

/// What one pod of this specification requests.
PodsAsked pods_asked(const nlohmann::json& pod_spec);

// What the specification and status of an object say; its metadata is read by then.

void read_pod(const nlohmann::json& pod, KubernetesObject& to);
void read_workload(const nlohmann::json& workload, KubernetesObject& to);
void read_batch_job(const nlohmann::json& job, KubernetesObject& to);
void read_job_set(const nlohmann::json& set, KubernetesObject& to);
/// PyTorchJob, TFJob, MPIJob and the others of the training operator.
void read_training_job(const nlohmann::json& job, KubernetesObject& to);

/// The condition of that type, or an empty object; and whether it is true now.
const nlohmann::json& condition_named(const nlohmann::json& object, std::string_view type);
bool holds(const nlohmann::json& condition);
/// When the condition last changed, or a time at `key`; 1970 stands for none.
std::optional<policy::Instant> kubernetes_time(const nlohmann::json& object,
                                               std::string_view key = "lastTransitionTime");

/// Joins History::objects into jobs: a Workload, what it was made for and its pods are one.  Warns
/// in the report of the file: W0656 parts of GPUs, W0657 an earlier start that is not kept, W0658
/// no pods.  The objects are gone afterwards.
void join_objects(History& history);

}  // namespace reeve::scenarios
