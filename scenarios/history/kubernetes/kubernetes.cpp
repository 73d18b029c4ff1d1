// Objects of Kubernetes, as kubectl get -o json and the API return them: lists, single objects, and
// the events of a watch.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "scenarios/history/kubernetes/kinds.hpp"
#include "scenarios/history/kubernetes/objects.hpp"
#include "scenarios/history/reading/json_parts.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/csv_header.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;
using policy::Instant;

constexpr auto object_arrays = std::to_array<std::string_view>({"items"});
constexpr auto object_keys = std::to_array<std::string_view>({
    "apiVersion",
    "kind",
    "metadata",
    "object",
    "type",
    "code",
    "message",
    "continue",
    // metadata
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    // specifications
    "spec",
    "template",
    "containers",
    "initContainers",
    "resources",
    "restartPolicy",
    "replicas",
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "podSets",
    "count",
    "queueName",
    "priority",
    "active",
    "maximumExecutionTimeSeconds",
    "replicatedJobs",
    "runPolicy",
    // roles of training jobs
    "pytorchReplicaSpecs",
    "tfReplicaSpecs",
    "mpiReplicaSpecs",
    "xgbReplicaSpecs",
    "paddleReplicaSpecs",
    "jaxReplicaSpecs",
    "mxReplicaSpecs",
    "Master",
    "Worker",
    "Launcher",
    "Chief",
    "PS",
    "Evaluator",
    "Scheduler",
    "Server",
    "Eval",
    // status
    "status",
    "startTime",
    "completionTime",
    "failed",
    "restarts",
    "phase",
    "reason",
    "containerStatuses",
    "restartCount",
    "admission",
    "podSetAssignments",
    "accumulatedPastExecutionTimeSeconds",
    "accumulatedPastExexcutionTimeSeconds",
});
constexpr auto object_whole_keys = std::to_array<std::string_view>(
    {"labels", "ownerReferences", "nodeSelector", "limits", "requests", "conditions", "state",
     "lastState", "schedulingStats", "resourceUsage", "flavors"});

/// How the objects of a kind are read.
struct ObjectKind {
  std::string_view kind;
  std::string_view group;  ///< how apiVersion begins
  std::string_view mark;   ///< a key of spec that only this kind has
  KubernetesObject::Role role;
  void (*read)(const json& object, KubernetesObject& to);
  std::string_view label;  ///< of its pods: names the object; empty: they have none
};
using Role = KubernetesObject::Role;
constexpr auto object_kinds = std::to_array<ObjectKind>({
    {"Workload", "kueue.x-k8s.io/", "podSets", Role::workload, read_workload,
     "kueue.x-k8s.io/pod-group-name"},
    {"JobSet", "jobset.x-k8s.io/", "replicatedJobs", Role::controller, read_job_set,
     "jobset.sigs.k8s.io/jobset-name"},
    {"PyTorchJob", "kubeflow.org/", "pytorchReplicaSpecs", Role::controller, read_training_job,
     "training.kubeflow.org/job-name"},
    {"TFJob", "kubeflow.org/", "tfReplicaSpecs", Role::controller, read_training_job,
     "training.kubeflow.org/job-name"},
    {"MPIJob", "kubeflow.org/", "mpiReplicaSpecs", Role::controller, read_training_job,
     "training.kubeflow.org/job-name"},
    {"XGBoostJob", "kubeflow.org/", "xgbReplicaSpecs", Role::controller, read_training_job,
     "training.kubeflow.org/job-name"},
    {"PaddleJob", "kubeflow.org/", "paddleReplicaSpecs", Role::controller, read_training_job,
     "training.kubeflow.org/job-name"},
    {"JAXJob", "kubeflow.org/", "jaxReplicaSpecs", Role::controller, read_training_job,
     "training.kubeflow.org/job-name"},
    {"MXJob", "kubeflow.org/", "mxReplicaSpecs", Role::controller, read_training_job,
     "training.kubeflow.org/job-name"},
    {"Pod", "v1", "containers", Role::pod, read_pod, ""},
    {"Job", "batch/", "template", Role::controller, read_batch_job, "batch.kubernetes.io/job-name"},
});

/// What creates the objects of one job; an object of another kind creates several jobs.
constexpr auto whole_jobs = std::to_array<std::string_view>(
    {"Job", "JobSet", "PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob",
     "TrainJob", "RayJob", "RayCluster", "AppWrapper", "Workload", "PodGroup", "Pod"});
/// What keeps pods running without an end.
constexpr auto services =
    std::to_array<std::string_view>({"ReplicaSet", "ReplicationController", "Deployment",
                                     "StatefulSet", "DaemonSet", "Node", "LeaderWorkerSet"});

/// Labels by which pods without an owner name their job, older spellings too.
struct OwnerLabel {
  std::string_view label;
  std::string_view named;  ///< the label of ObjectKind that means the same
};
constexpr auto owner_labels = std::to_array<OwnerLabel>({
    {"jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/jobset-name"},
    {"training.kubeflow.org/job-name", "training.kubeflow.org/job-name"},
    {"pytorch-job-name", "training.kubeflow.org/job-name"},
    {"tf-job-name", "training.kubeflow.org/job-name"},
    {"mpi-job-name", "training.kubeflow.org/job-name"},
    {"batch.kubernetes.io/job-name", "batch.kubernetes.io/job-name"},
    {"job-name", "batch.kubernetes.io/job-name"},
    {"kueue.x-k8s.io/pod-group-name", "kueue.x-k8s.io/pod-group-name"},
});
/// Labels that hold the uid of what an object belongs to.
constexpr auto uid_labels = std::to_array<std::string_view>(
    {"jobset.sigs.k8s.io/jobset-uid", "batch.kubernetes.io/controller-uid", "controller-uid",
     "kueue.x-k8s.io/job-uid"});

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The kind of an object; items of a typed list have no `kind`.
const ObjectKind* kind_of(const json& object) {
  const std::string kind = text_at(object, "kind");
  const std::string version = text_at(object, "apiVersion");
  const json& spec = inside(object, "spec");
  for (const ObjectKind& known : object_kinds) {
    if (kind.empty() ? member(spec, known.mark) != nullptr
                     : kind == known.kind && (version.empty() || version.starts_with(known.group)))
      return &known;
  }
  return nullptr;
}

std::string full_name(std::string_view space, std::string_view name) {
  return space.empty() ? std::string{name} : fmt::format("{}/{}", space, name);
}

std::string alias_of(std::string_view space, std::string_view name, std::string_view label) {
  return fmt::format("{}/{} {}", space, name, label);
}

/// Reads the objects of one file.
class ObjectFile {
 public:
  ObjectFile(HistoryInput& input, History& into) : input_{input}, into_{into} {}

  void take(const JsonRecord& record) {
    const json* watched = member(record.value, "object");  // {"type": "ADDED", "object": {...}}
    const json& object = watched == nullptr ? record.value : *watched;
    if (record.is_rest || text_at(object, "kind") == "BOOKMARK") {
      tell_pages(object, record.line);
      return;
    }
    ++input_.report.records;
    const std::string written = text_at(object, "kind");
    if (written == "Status") {
      input_.findings.warn("W0630", record.line,
                           fmt::format("no object: {}", text_at(object, "message")),
                           "export the objects again");
      return;
    }
    const ObjectKind* kind = kind_of(object);
    if (kind == nullptr) {
      ++unread_[written.empty() ? "object without kind" : written];
      return;
    }
    const json& metadata = inside(object, "metadata");
    const auto created = kubernetes_time(metadata, "creationTimestamp");
    const std::string name = text_at(metadata, "name");
    if (name.empty() || !created) {
      input_.findings.warn("W0632", record.line,
                           fmt::format("a {} without name or creationTimestamp", kind->kind));
      return;
    }
    KubernetesObject read;
    read.role = kind->role;
    read.created = *created;
    read.file = into_.files.size();
    read.line = record.line;
    const std::string space = text_at(metadata, "namespace");
    read.name = full_name(space, name);
    read.uid = text_at(metadata, "uid");
    if (!kind->label.empty()) read.alias = alias_of(space, name, kind->label);
    if (!read_owners(metadata, space, read)) {
      ++services_;
      return;
    }
    read_labels(metadata, space, read);
    kind->read(object, read);
    for (const auto& time : {std::optional{read.created}, read.started, read.ready, read.ended}) {
      if (time) into_.see(*time);
    }
    into_.objects.push_back(std::move(read));
    ++input_.report.used;
  }

  void finish() {
    if (input_.report.used == 0 && services_ == 0 && !unread_.empty()) {
      throw InputError{
          about_trace(input_.name, "E0426",
                      fmt::format("no object that trains: {} is not read", unread_.begin()->first),
                      "kubectl get workloads.kueue.x-k8s.io,jobs,pods -A -o json")};
    }
    if (services_ > 0) {
      input_.findings.warn("W0659", 0,
                           fmt::format("{} of a service (Deployment, DaemonSet, ...): no job",
                                       counted(services_, "pod")));
    }
    for (const auto& [kind, count] : unread_) {
      input_.findings.warn("W0659", 0, fmt::format("{}: not read ({})", kind, count));
    }
  }

 private:
  void tell_pages(const json& list, std::uint64_t line) {
    if (text_at(inside(list, "metadata"), "continue").empty()) return;
    input_.findings.warn("W0631", line, "a page is missing: the list ends with continue",
                         "export without limit");
  }

  /// What an object belongs to; false if that is a service.
  static bool read_owners(const json& metadata, const std::string& space, KubernetesObject& to) {
    const json& owners = list_at(metadata, "ownerReferences");
    const json* chosen = owners.empty() ? nullptr : &owners.front();
    for (const json& owner : owners) {
      if (is_true(owner, "controller")) chosen = &owner;
    }
    for (const json& owner : owners) {
      if (&owner != chosen && to.role != Role::workload) continue;  // a group of pods has many
      const std::string kind = text_at(owner, "kind"), name = text_at(owner, "name");
      if (to.role == Role::pod && is_one_of(kind, services)) return false;
      if (!is_one_of(kind, whole_jobs)) {
        if (to.role != Role::workload) to.sweep = name;
        continue;
      }
      to.has_uids = true;
      to.belongs_to.push_back(text_at(owner, "uid"));
      to.owner = full_name(space, name);
    }
    return true;
  }

  static void read_labels(const json& metadata, const std::string& space, KubernetesObject& to) {
    const json& labels = inside(metadata, "labels");
    if (!labels.is_object()) return;
    to.queue = text_at(labels, "kueue.x-k8s.io/queue-name");
    const std::string sweep = text_at(labels, "katib.kubeflow.org/experiment");
    if (!sweep.empty()) to.sweep = sweep;
    for (const auto label : uid_labels) {
      const std::string uid = text_at(labels, label);
      const bool is_own = to.role == Role::controller && label.ends_with("controller-uid");
      if (to.has_uids || uid.empty() || uid == to.uid || is_own) continue;
      to.has_uids = true;
      to.belongs_to.push_back(uid);
    }
    for (const OwnerLabel& known : owner_labels) {
      const std::string name = text_at(labels, known.label);
      if (name.empty() || to.role == Role::workload) continue;
      const std::string alias = alias_of(space, name, known.named);
      if (alias == to.alias) continue;
      if (to.owner.empty()) to.owner = full_name(space, name);
      if (!to.has_uids && to.belongs_to.empty()) to.belongs_to.push_back(alias);
    }
    for (auto label = labels.begin(); label != labels.end(); ++label) {
      const std::string& key = label.key();  // with a domain, or of a controller: not the user's
      const bool is_own = key.find('/') == key.npos && key != "controller-uid" &&
                          key != "pod-template-hash" && !key.ends_with("job-name");
      if (is_own && label->is_string() && !label->get_ref<const std::string&>().empty()) {
        to.tags.emplace_back(key, label->get<std::string>());
      }
    }
  }

  HistoryInput& input_;
  History& into_;
  std::uint64_t services_ = 0;
  std::map<std::string, std::uint64_t> unread_;  ///< by kind
};

/// YAML, or the table that kubectl shows.
bool is_other_form(std::string_view head) {
  for (const std::string_view begin :
       {"apiVersion:", "---\napiVersion:", "kind:", "items:", "NAMESPACE ", "NAME  "}) {
    if (head.starts_with(begin)) return true;
  }
  return false;
}

}  // namespace

bool is_kubernetes(std::string_view head) {
  const auto has = [&](std::string_view text) { return head.find(text) != head.npos; };
  if (is_other_form(head)) return true;
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == head.npos || (head[first] != '{' && head[first] != '[')) return false;
  if (has("\"detail-type\"") || has("\"eventName\"") || has("\"CloudTrailEvent\"")) return false;
  return has("\"apiVersion\"") || (has("\"metadata\"") && has("\"creationTimestamp\""));
}

void read_kubernetes(HistoryInput& input, const HistoryOptions&, History& into) {
  const int first = input.stream->peek();
  if (first == '-' || first == 'N' || (first >= 'a' && first <= 'z')) {
    throw InputError{about_trace(input.name, "E0425", "objects of Kubernetes that are not JSON",
                                 "kubectl get ... -o json")};
  }
  ObjectFile file{input, into};
  for_each_record(input, {object_arrays, object_keys, object_whole_keys},
                  [&](const JsonRecord& record) { file.take(record); });
  file.finish();
}

}  // namespace reeve::scenarios
