// What is said of the exports of a team.
#include "scenarios/history/errors.hpp"

#include <array>

namespace reeve::scenarios {
namespace {

constexpr std::array history_rows = std::to_array<ErrorCode>({
    {"E0390", "an export of no known kind",
     "reeve recognizes a file by its first lines. `reeve help import` lists the kinds, and `--as` "
     "names one.",
     "notes.txt", "jobs.json of aws sagemaker search"},
    {"E0391", "a packed file", "reeve reads plain text and gzip. Unpack the file first.",
     "jobs.zip", "jobs.json.gz"},
    {"E0392", "a Parquet file",
     "reeve does not read Parquet. Convert the columns that it uses to CSV with DuckDB.",
     "bill.parquet", "bill.csv"},
    {"E0393", "a list without details",
     "The lists of AWS have neither sizes nor starts of jobs. Export the descriptions.",
     "aws sagemaker list-training-jobs", "aws sagemaker search --resource TrainingJob"},
    {"E0394", "a table with cut columns",
     "The default table of a command cuts long values. Export it with delimiters.", "sacct",
     "sacct --parsable2"},
    {"E0395", "one instant instead of a range",
     "An instant query has one value per series. Use a range query.", "/api/v1/query",
     "/api/v1/query_range"},
    {"E0396", "a recording of a test tool",
     "The file is a recording of replies (placebo). The reply itself is the value of `data`.",
     "{ \"status_code\": 200, \"data\": { ... } }", "{ \"Results\": [ ... ] }"},
    {"E0397", "times that cannot be dated",
     "Relative times have no year. Export seconds or ISO 8601.", "SLURM_TIME_FORMAT=relative",
     "SLURM_TIME_FORMAT=%s"},
    {"E0398", "a currency without a rate", "A bill in another currency needs dollars per unit.",
     "BillingCurrency EUR", "--usd-per EUR=1.10"},
    {"E0399", "metrics too coarse for a rule",
     "A sample of an hour cannot show a stall of ten minutes. CloudWatch keeps minutes for 15 days "
     "and five minutes for 63 days.",
     "an alarm over 10 minutes on samples of an hour", "samples of a minute"},
    {"E0400", "not JSON", "The file breaks off or is not JSON.", "{ \"Results\": [",
     "{ \"Results\": [] }"},
    {"E0401", "no header", "The columns of a file without a header must be named.", "5060|TIMEOUT",
     "--columns JobIDRaw,State"},
    {"E0402", "metrics of an unknown job or host",
     "The answers of CloudWatch have labels only. Label queries JOB/algo-N, or name the job.",
     "\"Label\": \"GPUUtilization\"", "\"Label\": \"train-1/algo-1\""},
    {"E0403", "no job in the files", "The files have no job that can be replayed.", "a bill alone",
     "a bill and the descriptions of the jobs"},
    {"W0620", "a job that stands twice",
     "Two files describe the job. The newer description counts.", "a job of two exports",
     "one export"},
    {"W0622", "a second instance type",
     "The job has machines of several types. reeve simulates the first.", "two InstanceGroups",
     "one InstanceGroup"},
    {"W0630", "an error among the records",
     "The file holds an error reply. The job it stands for is missing.",
     "{ \"Error\": { \"Code\": \"ThrottlingException\" } }", "the export, repeated"},
    {"W0631", "a missing page", "The file ends with a token: more records exist.",
     "\"NextToken\": \"eyJ...\"", "all pages"},
    {"W0632", "a record that cannot be used",
     "The record lacks a value that is needed, or contradicts itself.",
     "a job without CreationTime", "a job with CreationTime"},
    // Slurm
    // Bills
    // Metrics
    // Events
    // Batch and Kubernetes
    {"E0425", "objects of Kubernetes that are not JSON",
     "reeve reads objects as JSON, not as YAML or the table that kubectl shows.",
     "kubectl get pods -A", "kubectl get pods -A -o json"},
    {"E0426", "objects that train nothing",
     "reeve reads Workload, Job, JobSet, Pod and the jobs of the training operator.",
     "kubectl get deployments -A -o json", "kubectl get jobs,pods -A -o json"},
    {"W0655", "a job of AWS Batch without its parts",
     "An array is described by its tasks, and a node by its multi-node job. The file has one "
     "without the other.",
     "describe-jobs --jobs ARRAY", "describe-jobs --jobs ARRAY:0 ARRAY:1"},
    {"W0656", "parts of GPUs",
     "The job has slices of GPUs (MIG, time slices). How much of a GPU they are is not known.",
     "nvidia.com/mig-3g.40gb: 1", "nvidia.com/gpu: 1"},
    {"W0657", "an earlier start that is not kept",
     "Kueue keeps the last admission only. The wait before the first one is not known.",
     "a Workload that was evicted", "a Workload that was admitted once"},
    {"W0658", "a job without its pods",
     "The start of the object is not the start of its pods. A wait for machines counts as work.",
     "kubectl get jobs -A -o json", "kubectl get jobs,pods -A -o json"},
    {"W0659", "objects that are not read",
     "The objects are no jobs: services, or a kind that reeve does not read.",
     "the pods of a Deployment", "the pods of a Job"},
    // Runs
    // Joining
});

}  // namespace

std::span<const ErrorCode> history_errors() {
  return history_rows;
}

}  // namespace reeve::scenarios
