// The files with objects of Kubernetes: their reader.
#pragma once

#include <string_view>

#include "scenarios/history/reading/reader.hpp"

namespace reeve::scenarios {

bool is_kubernetes(std::string_view head);
void read_kubernetes(HistoryInput& input, const HistoryOptions& options, History& into);

inline constexpr HistoryReader kubernetes_reader{
    .name = "kubernetes",
    .what = "Kubernetes: workloads of Kueue, jobs, pods, training jobs, as kubectl get -o json",
    .one_file = "a list of Kubernetes objects",
    .export_by =
        "kubectl get workloads.kueue.x-k8s.io,jobs,pods,pytorchjobs -A -o json > objects.json",
    .recognizes = is_kubernetes,
    .read = read_kubernetes,
};

}  // namespace reeve::scenarios
