// Joins the objects of a cluster into jobs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "scenarios/history/data/history.hpp"
#include "scenarios/history/kubernetes/objects.hpp"
#include "scenarios/history/kubernetes/runs.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using Objects = std::vector<KubernetesObject>;
using Role = KubernetesObject::Role;

/// Sets of objects that describe one job.
class ObjectGroups {
 public:
  explicit ObjectGroups(const Objects& objects) {
    for (const KubernetesObject& object : objects) add(object);
    for (std::size_t i = 0; i < objects.size(); ++i) link(objects[i], i);
  }

  /// By the first object of each.
  std::vector<std::vector<std::size_t>> all() {
    std::vector<std::vector<std::size_t>> groups;
    std::map<std::size_t, std::size_t> places;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto [place, is_new] = places.try_emplace(root(i), groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back(i);
    }
    return groups;
  }
  /// Whether what it belongs to stands in a file.
  bool has_owner(const KubernetesObject& object) const {
    const auto& names = object.has_uids ? by_uid_ : by_alias_;
    return std::any_of(object.belongs_to.begin(), object.belongs_to.end(), [&](const auto& name) {
      const auto found = names.find(name);
      return found != names.end() && found->second < count_;
    });
  }

 private:
  void add(const KubernetesObject& object) {
    parents_.push_back(count_);
    if (!object.uid.empty()) by_uid_[object.uid] = count_;
    if (!object.alias.empty()) by_alias_[object.alias] = count_;  // of equal names the last
    ++count_;
  }

  void link(const KubernetesObject& object, std::size_t place) {
    auto& names = object.has_uids ? by_uid_ : by_alias_;
    for (const std::string& name : object.belongs_to) {
      const auto [found, is_new] = names.try_emplace(name, parents_.size());
      if (is_new) parents_.push_back(parents_.size());  // it stands in no file
      unite(place, found->second);
    }
  }

  std::size_t root(std::size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }
  void unite(std::size_t a, std::size_t b) {
    a = root(a), b = root(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

  std::size_t count_ = 0;  ///< of objects; what is only named follows them
  std::vector<std::size_t> parents_;
  std::map<std::string, std::size_t> by_uid_, by_alias_;
};

/// The objects of one job, by what they say.
struct ObjectsOfJob {
  const KubernetesObject* workload = nullptr;
  const KubernetesObject* top = nullptr;       ///< the controller that created the others
  std::vector<const KubernetesObject*> parts;  ///< other controllers
  std::vector<const KubernetesObject*> pods;   ///< with GPUs, unless none has
  std::vector<Generation> runs;
  std::vector<const KubernetesObject*> by_rank;

  /// The first of them that has a value.
  template <class Value>
  Value first(Value KubernetesObject::*field) const {
    for (const KubernetesObject* each : by_rank) {
      if (each->*field != Value{}) return each->*field;
    }
    return {};
  }
};

ObjectsOfJob sorted_out(const Objects& objects, const std::vector<std::size_t>& group,
                        const ObjectGroups& groups) {
  ObjectsOfJob of;
  std::vector<const KubernetesObject*> controllers;
  bool has_gpus = false;
  for (const std::size_t place : group) {
    const KubernetesObject& object = objects[place];
    if (object.role == Role::workload) {
      const bool is_later = of.workload == nullptr || object.created >= of.workload->created;
      if (is_later) of.workload = &object;
    } else if (object.role == Role::controller) {
      controllers.push_back(&object);
    } else {
      of.pods.push_back(&object);
      has_gpus = has_gpus || object.asked.gpu_pods > 0;
    }
  }
  for (const KubernetesObject* each : controllers) {
    const bool is_top = of.top == nullptr && !groups.has_owner(*each) &&
                        (controllers.size() == 1 || each->belongs_to.empty());
    if (is_top) {
      of.top = each;
    } else {
      of.parts.push_back(each);
    }
  }
  if (has_gpus) std::erase_if(of.pods, [](const auto* pod) { return pod->asked.gpu_pods == 0; });
  of.runs = generations_of(of.pods);
  if (of.top != nullptr) of.by_rank.push_back(of.top);
  if (of.workload != nullptr) of.by_rank.push_back(of.workload);
  of.by_rank.insert(of.by_rank.end(), of.parts.begin(), of.parts.end());
  of.by_rank.insert(of.by_rank.end(), of.pods.begin(), of.pods.end());
  return of;
}

PodsAsked size_of(const ObjectsOfJob& of) {
  for (const KubernetesObject* each : {of.workload, of.top}) {
    if (each != nullptr && each->asked.pods > 0) return each->asked;
  }
  PodsAsked sum;
  for (const KubernetesObject* part : of.parts) sum.add(part->asked, 1);
  return sum.pods > 0 ? sum : held_at_once(of.pods);
}

void set_size(const ObjectsOfJob& of, HistoryJob& to) {
  PodsAsked asked = size_of(of);
  for (const KubernetesObject* pod : of.pods) {  // what a template does not say
    if (asked.instance_type.empty()) asked.instance_type = pod->asked.instance_type;
    if (asked.gpu_type.empty()) asked.gpu_type = pod->asked.gpu_type;
    if (!asked.market) asked.market = pod->asked.market;
  }
  ImportedJob& record = to.record;
  record.nodes = asked.gpu_pods > 0 ? asked.gpu_pods : asked.pods;
  record.instance_type = asked.instance_type;
  record.gpu_type = asked.slice.empty() ? asked.gpu_type : asked.slice;
  record.market = asked.market;
  to.sliced = !asked.slice.empty();
  if (to.sliced && asked.gpus == 0) return;
  record.gpus_total = asked.gpus;
  if (*record.nodes > 0 && asked.gpus % *record.nodes == 0) {
    record.gpus_per_node = asked.gpus / *record.nodes;
  }
}

/// Who tells that the job has ended: its controller, else Kueue, else all parts of it.
const KubernetesObject* teller_of(const ObjectsOfJob& of) {
  for (const KubernetesObject* each : {of.top, of.workload}) {
    if (each != nullptr && is_final(each->end)) return each;
  }
  const KubernetesObject* last = nullptr;
  if (of.top != nullptr) return last;
  for (const KubernetesObject* part : of.parts) {
    if (!is_final(part->end)) return nullptr;
    const bool is_worse = last != nullptr && last->end == EndStatus::completed;
    const bool is_later = last != nullptr && part->ended > last->ended;
    if (last == nullptr || (is_worse && part->end != EndStatus::completed) ||
        (is_later && part->end == last->end)) {
      last = part;
    }
  }
  return last;
}

/// How far a job is that no controller calls ended.
EndStatus open_end(const ObjectsOfJob& of) {
  const EndStatus of_pods = of.runs.empty() ? EndStatus::unknown : of.runs.back().end;
  if (of_pods == EndStatus::running || of_pods == EndStatus::pending) return of_pods;
  for (const KubernetesObject* each : of.by_rank) {  // it waits for another try of its pods
    if (each->role == Role::pod) break;
    if (!is_final(each->end) && each->end != EndStatus::unknown) return each->end;
  }
  return of_pods;
}

/// How it ended.  Of a failure, what the pods say: they know who took their machine.
void set_end(const ObjectsOfJob& of, HistoryJob& to) {
  ImportedJob& record = to.record;
  const Generation* last = of.runs.empty() ? nullptr : &of.runs.back();
  const KubernetesObject* teller = teller_of(of);
  if (teller != nullptr) {
    record.end_status = teller->end;
    record.end_cause = teller->cause;
    record.failure_reason = teller->reason;
    to.ended = teller->ended;
  } else {
    record.end_status = open_end(of);
    if (is_final(record.end_status)) to.ended = last->ended;
  }
  const bool is_vague =
      teller == nullptr ? is_final(record.end_status) : record.end_status == EndStatus::failed;
  if (!is_vague || last == nullptr || last->failed == nullptr) return;
  record.end_status = last->failed->end;
  record.end_cause = last->failed->cause;
  record.failure_reason = last->failed->reason;
}

/// The tries before the last one: work that succeeded stays, what failed is lost.
void add_earlier_runs(const ObjectsOfJob& of, std::optional<Instant> admitted, HistoryJob& to,
                      Duration& lost) {
  ImportedJob& record = to.record;
  std::int64_t taken = 0, faults = 0;
  for (std::size_t i = 0; i + 1 < of.runs.size(); ++i) {
    const Generation& run = of.runs[i];
    if (!run.started || !run.ended) continue;
    if (!run.has_failed) {
      to.work.push_back({run.ready.value_or(*run.started), run.ended});
      continue;
    }
    const bool was_taken =
        run.failed->end == EndStatus::node_failure || run.failed->cause == EndCause::preempted;
    ++(was_taken ? taken : faults);
    if (!admitted || *run.started >= *admitted) {
      lost += std::max(Duration{0}, *run.ended - *run.started);
    }
  }
  if (!of.runs.empty()) faults += of.runs.back().restarts;
  for (const KubernetesObject* each : of.by_rank) {
    if (each->role == Role::pod) break;
    taken = std::max(taken, each->interruptions);
    faults = std::max(faults, each->restarts);
  }
  record.interruptions = taken;
  record.restarts = faults;
  record.attempts = 1 + taken + faults;
}

/// A job that ended without a start that is told.
void settle_unstarted(const ObjectsOfJob& of, HistoryJob& to) {
  ImportedJob& record = to.record;
  if (to.started || !to.work.empty() || !is_final(record.end_status)) return;
  if (record.end_status == EndStatus::completed) return;
  if (of.workload != nullptr && of.workload->started_before) {  // evicted, and then given up
    record.duration = of.workload->earlier;
    record.lost = Duration{0};
    to.work_at_most = record.interruptions > 0;
    return;
  }
  if (of.workload != nullptr || !of.pods.empty()) record.end_status = EndStatus::never_started;
}

void set_times(const ObjectsOfJob& of, HistoryJob& to) {
  ImportedJob& record = to.record;
  const KubernetesObject* kueue = of.workload;
  const Generation* last = of.runs.empty() ? nullptr : &of.runs.back();
  const auto admitted = kueue == nullptr ? std::nullopt : kueue->started;
  to.started = admitted;
  if (!to.started && last != nullptr) to.started = of.runs.front().started;
  if (!to.started && of.pods.empty()) {
    for (const KubernetesObject* each : of.by_rank) {
      if (!to.started) to.started = each->started;
    }
  }
  const bool ready_of_kueue = kueue != nullptr && kueue->ready.has_value();
  auto ready = ready_of_kueue ? kueue->ready : last != nullptr ? last->ready : std::nullopt;
  const bool is_told = ready.has_value();
  if (!ready && last == nullptr && of.top != nullptr) ready = of.top->ready;
  if (!ready && last == nullptr) ready = to.started;
  Duration lost = kueue == nullptr ? Duration{0} : kueue->earlier;
  add_earlier_runs(of, admitted, to, lost);
  if (ready && record.end_status != EndStatus::pending) {
    const auto until = to.ended ? std::optional{std::max(*to.ended, *ready)} : std::nullopt;
    to.work.push_back({*ready, until});
  }
  const bool restarted = last != nullptr && last->restarts > 0 && !ready_of_kueue;
  const auto from = of.runs.size() > 1 && last->started ? last->started : to.started;
  if (is_told && from && *ready > *from) {
    (restarted ? lost : record.startup.emplace(0)) += *ready - *from;
  }
  if (to.started || lost > Duration{0}) record.lost = lost;
  to.work_at_most = !is_told && *record.restarts > 0 && !to.work.empty();
  if (to.started) {
    const Duration wait = std::max(Duration{0}, *to.started - to.submitted);
    const bool is_known = kueue == nullptr || !kueue->started_before;
    (is_known ? record.observed_wait : to.waited_at_most) = wait;
  } else if (to.ended) {
    to.waited_at_least = std::max(Duration{0}, *to.ended - to.submitted);
  }
  settle_unstarted(of, to);
}

HistoryJob job_of_objects(const ObjectsOfJob& of) {
  HistoryJob to;
  const KubernetesObject& told = *of.by_rank.front();
  const bool is_named = told.role == Role::workload && of.parts.empty() && of.pods.empty();
  to.record.job_id = told.name;
  to.submitted = told.created;
  for (const KubernetesObject* each : of.by_rank) {
    const bool names = each->role != Role::workload && !each->owner.empty();
    if (of.top == nullptr && !is_named && names) {
      to.record.job_id = each->owner;
      break;
    }
  }
  if (of.top != nullptr && !of.top->owner.empty()) to.record.job_id = of.top->owner;
  if (of.top == nullptr) {
    for (const KubernetesObject* each : of.by_rank) {
      to.submitted = std::min(to.submitted, each->created);
    }
  }
  to.source = "kubernetes";
  to.resource = told.uid;
  to.record.line = told.line;
  const std::size_t slash = to.record.job_id.find('/');
  if (slash != std::string::npos) to.record.user = to.record.job_id.substr(0, slash);
  to.record.queue = of.first(&KubernetesObject::queue);
  to.record.sweep = of.first(&KubernetesObject::sweep);
  to.record.tags = of.first(&KubernetesObject::tags);
  to.record.priority = of.first(&KubernetesObject::priority);
  to.record.time_limit = of.first(&KubernetesObject::limit);
  set_size(of, to);
  set_end(of, to);
  set_times(of, to);
  const EndStatus end = to.record.end_status;
  to.record.censored = end == EndStatus::running || end == EndStatus::killed ||
                       end == EndStatus::timeout || end == EndStatus::node_failure;
  return to;
}

/// An object of several exports once: as it was when it had ended, else as it was last.
void drop_copies(Objects& objects) {
  std::map<std::string, std::size_t> places;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    KubernetesObject& object = objects[i];
    if (!object.uid.empty()) {
      const auto [place, is_new] = places.try_emplace(object.uid, kept);
      if (!is_new) {
        KubernetesObject& known = objects[place->second];
        if (is_final(object.end) || !is_final(known.end)) known = std::move(object);
        continue;
      }
    }
    if (kept != i) objects[kept] = std::move(object);
    ++kept;
  }
  objects.resize(kept);
}

/// What the join assumed, told for the file of the job's first object.
void tell(const ObjectsOfJob& of, const HistoryJob& job, FileFindings& findings) {
  const std::uint64_t line = job.record.line;
  if (job.sliced) {
    findings.warn("W0656", line,
                  fmt::format("{} has parts of GPUs ({}), whose size is not known",
                              job.record.job_id, job.record.gpu_type));
  }
  if (job.waited_at_most) {
    findings.warn("W0657", line,
                  fmt::format("{} was evicted: its first start is not kept", job.record.job_id),
                  "its wait is not used");
  }
  const bool of_kueue = of.workload != nullptr && of.workload->ready;
  if (of.pods.empty() && !of_kueue && !job.work.empty()) {
    findings.warn(
        "W0658", line,
        fmt::format("{} has no pods here: a wait for machines counts as work", job.record.job_id),
        "export pods too");
  }
}

/// The names of jobs that metrics give, in order to keep only their pods.
std::set<std::string, std::less<>> names_of_metrics(const History& history) {
  std::set<std::string, std::less<>> names;
  for (const UtilizationSeries& series : history.series) names.insert(series.job);
  return names;
}

/// Whose pod it is, for the metrics that name it.
void note_pod(const std::string& pod, const std::string& job,
              const std::set<std::string, std::less<>>& measured, History& history) {
  const std::string_view bare = std::string_view{pod}.substr(pod.find('/') + 1);
  for (const std::string_view name : {std::string_view{pod}, bare}) {
    if (!measured.contains(name)) continue;
    const auto [known, is_new] = history.jobs_of_pods.try_emplace(std::string{name}, job);
    if (!is_new && known->second != job) known->second.clear();
  }
}

}  // namespace

void join_objects(History& history) {
  Objects objects = std::move(history.objects);
  history.objects.clear();
  drop_copies(objects);
  ObjectGroups groups{objects};
  LateFindings findings{history.files};
  std::set<std::string> names;
  const auto measured = names_of_metrics(history);
  const auto all = groups.all();
  for (const auto& group : all) {
    const ObjectsOfJob of = sorted_out(objects, group, groups);
    if (of.by_rank.empty()) continue;
    HistoryJob job = job_of_objects(of);
    // A name is free again when its object is deleted.
    if (!names.insert(job.record.job_id).second) {
      job.record.job_id += '@' + show(job.submitted);
      if (!names.insert(job.record.job_id).second) {
        job.record.job_id += '@' + job.resource;
        names.insert(job.record.job_id);
      }
    }
    for (const std::size_t place : group) {
      const KubernetesObject& each = objects[place];
      if (each.role == Role::pod) note_pod(each.name, job.record.job_id, measured, history);
    }
    for (const KubernetesObject* each : of.by_rank) {
      if (each->file >= history.files.size()) continue;
      job.seen = std::max(job.seen, history.files[each->file].newest);
    }
    const std::size_t file = of.by_rank.front()->file;
    if (file < history.files.size()) {
      job.file = history.files[file].file;
      tell(of, job, findings.of(file));
    }
    history.jobs.add(job);
  }
  findings.tell();
}

}  // namespace reeve::scenarios
