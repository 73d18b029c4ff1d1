// The files with the utilization of GPUs: a reader for each kind.
#pragma once

#include <string_view>

#include "scenarios/history/reading/reader.hpp"

namespace reeve::scenarios {

bool is_cloudwatch(std::string_view head);
void read_cloudwatch(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_prometheus(std::string_view head);
void read_prometheus(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_nvidia_smi(std::string_view head);
void read_nvidia_smi(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_dcgmi(std::string_view head);
void read_dcgmi(HistoryInput& input, const HistoryOptions& options, History& into);

inline constexpr HistoryReader cloudwatch_reader{
    .name = "cloudwatch",
    .what = "CloudWatch: get-metric-data or get-metric-statistics",
    .one_file = "an answer of CloudWatch",
    .export_by =
        "aws cloudwatch get-metric-data --metric-data-queries file://queries.json ... > gpu.json",
    .recognizes = is_cloudwatch,
    .read = read_cloudwatch,
};
inline constexpr HistoryReader prometheus_reader{
    .name = "prometheus",
    .what = "Prometheus: query_range of DCGM metrics",
    .one_file = "an answer of Prometheus",
    .export_by =
        "curl \"$PROMETHEUS/api/v1/query_range?query=DCGM_FI_DEV_GPU_UTIL&step=60...\" > gpu.json",
    .recognizes = is_prometheus,
    .read = read_prometheus,
};
inline constexpr HistoryReader nvidia_smi_reader{
    .name = "nvidia-smi",
    .what = "nvidia-smi --query-gpu or dmon",
    .one_file = "a log of nvidia-smi",
    .export_by =
        "nvidia-smi --query-gpu=timestamp,index,utilization.gpu --format=csv -l 60 > gpu.csv",
    .recognizes = is_nvidia_smi,
    .read = read_nvidia_smi,
};
inline constexpr HistoryReader dcgmi_reader{
    .name = "dcgmi",
    .what = "dcgmi dmon",
    .one_file = "a log of dcgmi",
    .export_by = "dcgmi dmon -e 203 -d 60000 > gpu.txt",
    .recognizes = is_dcgmi,
    .read = read_dcgmi,
};

}  // namespace reeve::scenarios
