#include "scenarios/history/kubernetes/runs.hpp"

#include <algorithm>

namespace reeve::scenarios {

using policy::Instant;

namespace {

bool says_more(const KubernetesObject& pod, const KubernetesObject* than) {
  if (than == nullptr) return true;
  const auto rank = [](const KubernetesObject& each) {
    if (each.end != EndStatus::failed) return 2;
    return each.cause == EndCause::code ? 1 : 0;
  };
  return rank(pod) > rank(*than);
}

}  // namespace

bool is_final(EndStatus end) {
  return end != EndStatus::unknown && end != EndStatus::running && end != EndStatus::pending;
}

std::vector<Generation> generations_of(std::vector<const KubernetesObject*> pods) {
  const auto start = [](const KubernetesObject* pod) {
    return pod->started.value_or(pod->created);
  };
  std::stable_sort(pods.begin(), pods.end(),
                   [&](const auto* a, const auto* b) { return start(a) < start(b); });
  std::vector<Generation> all;
  bool one_runs = false;
  for (const KubernetesObject* pod : pods) {
    const bool follows =
        !all.empty() && !one_runs && all.back().ended && start(pod) > *all.back().ended;
    if (all.empty() || follows) {
      all.emplace_back();
      one_runs = false;
    }
    Generation& now = all.back();
    if (pod->started && !now.started) now.started = pod->started;
    if (pod->ready && (!now.ready || *pod->ready < *now.ready)) now.ready = pod->ready;
    if (pod->ended && (!now.ended || *pod->ended > *now.ended)) now.ended = pod->ended;
    now.restarts = std::max(now.restarts, pod->restarts);
    const bool runs = pod->end == EndStatus::running || pod->end == EndStatus::unknown;
    one_runs = one_runs || runs || pod->end == EndStatus::pending;
    if (is_final(pod->end) && pod->end != EndStatus::completed) {
      if (says_more(*pod, now.failed)) now.failed = pod;
      now.has_failed = true;
    }
    if (runs) now.end = EndStatus::running;
    if (now.end != EndStatus::running && is_final(pod->end)) now.end = EndStatus::completed;
    if (one_runs) now.ended.reset();
  }
  for (Generation& each : all) {
    if (each.end == EndStatus::completed && each.failed != nullptr) each.end = each.failed->end;
  }
  return all;
}

PodsAsked held_at_once(const std::vector<const KubernetesObject*>& pods) {
  struct Change {
    Instant at;
    int sign;
    const KubernetesObject* pod;
  };
  std::vector<Change> changes;
  PodsAsked now, most;
  for (const KubernetesObject* pod : pods) {
    changes.push_back({pod->started.value_or(pod->created), 1, pod});
    if (pod->ended) changes.push_back({std::max(*pod->ended, changes.back().at), -1, pod});
    most.add(pod->asked, 0);
    if (most.instance_type.empty()) most.instance_type = pod->asked.instance_type;
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.at != b.at ? a.at < b.at : a.sign < b.sign;
  });
  for (const Change& change : changes) {
    now.gpus += change.sign * change.pod->asked.gpus;
    now.pods += change.sign;
    now.gpu_pods += change.sign * change.pod->asked.gpu_pods;
    most.gpus = std::max(most.gpus, now.gpus);
    most.pods = std::max(most.pods, now.pods);
    most.gpu_pods = std::max(most.gpu_pods, now.gpu_pods);
  }
  return most;
}

}  // namespace reeve::scenarios
