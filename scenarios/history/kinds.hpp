// The kinds of files that reeve joins into a history: a reader each.
#pragma once

#include "scenarios/history/reader.hpp"

namespace reeve::scenarios {

bool is_sagemaker(std::string_view head);
void read_sagemaker(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_slurm(std::string_view head);
void read_slurm(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_slurm_json(std::string_view head);
void read_slurm_json(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_focus(std::string_view head);
void read_focus(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_cur(std::string_view head);
void read_cur(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_cloudwatch(std::string_view head);
void read_cloudwatch(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_prometheus(std::string_view head);
void read_prometheus(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_nvidia_smi(std::string_view head);
void read_nvidia_smi(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_dcgmi(std::string_view head);
void read_dcgmi(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_spot_prices(std::string_view head);
void read_spot_prices(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_cloudtrail(std::string_view head);
void read_cloudtrail(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_eventbridge(std::string_view head);
void read_eventbridge(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_aws_batch(std::string_view head);
void read_aws_batch(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_kubernetes(std::string_view head);
void read_kubernetes(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_wandb(std::string_view head);
void read_wandb(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_mlflow(std::string_view head);
void read_mlflow(HistoryInput& input, const HistoryOptions& options, History& into);

inline constexpr HistoryReader sagemaker_reader{
    .name = "sagemaker",
    .what = "SageMaker training jobs: search or describe-training-job",
    .one_file = "a description of SageMaker training jobs",
    .export_by = "aws sagemaker search --resource TrainingJob --output json > jobs.json",
    .recognizes = is_sagemaker,
    .read = read_sagemaker,
};
inline constexpr HistoryReader slurm_reader{
    .name = "slurm",
    .what = "Slurm: the text of sacct with delimiters (-P, -p)",
    .one_file = "the output of sacct",
    .export_by =
        "TZ=UTC SLURM_TIME_FORMAT=%s sacct -aXDP -S now-90days --format=JobID,JobIDRaw,"
        "User,Account,Partition,State,ExitCode,Submit,Start,End,ElapsedRaw,TimelimitRaw,"
        "NNodes,ReqTRES,AllocTRES,Restarts,AdminComment > sacct.psv",
    .recognizes = is_slurm,
    .read = read_slurm,
};
inline constexpr HistoryReader slurm_json_reader{
    .name = "slurm-json",
    .what = "Slurm: sacct --json, 21.08 to 24.05",
    .one_file = "the output of sacct --json",
    .export_by = "TZ=UTC sacct -aXD -S now-90days --json > sacct.json",
    .recognizes = is_slurm_json,
    .read = read_slurm_json,
};
inline constexpr HistoryReader focus_reader{
    .name = "focus",
    .what = "a bill in FOCUS 1.0 to 1.2, in CSV",
    .one_file = "a bill in FOCUS",
    .export_by = "Data Exports: FOCUS 1.2, hourly, with resource ids, CSV",
    .recognizes = is_focus,
    .read = read_focus,
};
inline constexpr HistoryReader cur_reader{
    .name = "cur",
    .what = "a Cost and Usage Report of AWS, legacy or 2.0, in CSV",
    .one_file = "a Cost and Usage Report",
    .export_by = "Data Exports: CUR 2.0, hourly, with resource ids, CSV",
    .recognizes = is_cur,
    .read = read_cur,
};
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
inline constexpr HistoryReader spot_prices_reader{
    .name = "spot-prices",
    .what = "EC2: describe-spot-price-history",
    .one_file = "a history of Spot prices",
    .export_by = "aws ec2 describe-spot-price-history --start-time ... > prices.json",
    .recognizes = is_spot_prices,
    .read = read_spot_prices,
};
inline constexpr HistoryReader cloudtrail_reader{
    .name = "cloudtrail",
    .what = "CloudTrail: lookup-events, or its log files",
    .one_file = "a trail of CloudTrail",
    .export_by =
        "aws cloudtrail lookup-events --lookup-attributes "
        "AttributeKey=EventName,AttributeValue=StopTrainingJob > stops.json",
    .recognizes = is_cloudtrail,
    .read = read_cloudtrail,
};
inline constexpr HistoryReader eventbridge_reader{
    .name = "eventbridge",
    .what = "EventBridge events, one a line",
    .one_file = "a file of EventBridge events",
    .export_by = "",
    .recognizes = is_eventbridge,
    .read = read_eventbridge,
};
inline constexpr HistoryReader aws_batch_reader{
    .name = "aws-batch",
    .what = "AWS Batch: describe-jobs and describe-service-job",
    .one_file = "a description of AWS Batch jobs",
    .export_by = "aws batch describe-jobs --jobs ... > batch.json",
    .recognizes = is_aws_batch,
    .read = read_aws_batch,
};
inline constexpr HistoryReader kubernetes_reader{
    .name = "kubernetes",
    .what = "Kubernetes: workloads of Kueue, jobs, pods, training jobs, as kubectl get -o json",
    .one_file = "a list of Kubernetes objects",
    .export_by =
        "kubectl get workloads.kueue.x-k8s.io,jobs,pods,pytorchjobs -A -o json > objects.json",
    .recognizes = is_kubernetes,
    .read = read_kubernetes,
};
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
