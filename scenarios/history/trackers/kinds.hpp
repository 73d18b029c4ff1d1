// The files of experiment trackers: a reader for each kind.
#pragma once

#include <string_view>

#include "scenarios/history/reading/reader.hpp"

namespace reeve::scenarios {

bool is_wandb(std::string_view head);
void read_wandb(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_mlflow(std::string_view head);
void read_mlflow(HistoryInput& input, const HistoryOptions& options, History& into);

inline constexpr HistoryReader wandb_reader{
    .name = "wandb",
    .what = "Weights & Biases: runs of its API in JSON, or a table in CSV",
    .one_file = "a list of Weights & Biases runs",
    .export_by = "",
    .recognizes = is_wandb,
    .read = read_wandb,
};
inline constexpr HistoryReader mlflow_reader{
    .name = "mlflow",
    .what = "MLflow: search_runs().to_csv, or runs/search in JSON",
    .one_file = "a list of MLflow runs",
    .export_by =
        "python3 -c 'import mlflow; mlflow.search_runs(search_all_experiments=True)"
        ".to_csv(\"runs.csv\")'",
    .recognizes = is_mlflow,
    .read = read_mlflow,
};

}  // namespace reeve::scenarios
