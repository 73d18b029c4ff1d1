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
    {"E0410", "an unknown time zone", "Local times need a zone of the system's time zone database.",
     "--timezone CEST", "--timezone Europe/Berlin"},
    {"E0412", "columns that do not fit the file",
     "The names of the columns are not as many as the fields of the first line.",
     "--columns JobIDRaw,State", "--columns, each field once"},
    {"W0640", "a job that ended unnoticed",
     "The accounting has the job as running, far beyond its limit. It is left out.",
     "RUNNING for 1,296 days", "sacctmgr show runawayjobs"},
    {"W0641", "an export without part of the jobs' time",
     "With --truncate, sacct cuts times to the window. Without --duplicates, it leaves out the "
     "attempts before a requeue.",
     "sacct -T", "sacct -D"},
    {"W0642", "a damaged summary of jobstats",
     "AdminComment begins with JS1: and the rest is not gzip in base64. The job has no mean "
     "utilization.",
     "JS1:H4sIAAAA", "JS1:Short"},
    {"W0643", "times that contradict each other",
     "Start, End and the elapsed time do not fit, as after a change of the clocks. The elapsed "
     "time counts.",
     "local times without --timezone", "TZ=UTC sacct"},
    // Bills
    // Metrics
    // Events
    // Batch and Kubernetes
    // Runs
    {"E0411", "a setting that no run has", "No run has the setting that should name its job.",
     "--join config.training_job", "--join config.training_job_name"},
    {"W0644", "runs that name no job",
     "No run has a setting like training_job_name, so their heartbeats belong to no job.",
     "no --join", "--join config.job"},
    // Joining
});

}  // namespace

std::span<const ErrorCode> history_errors() {
  return history_rows;
}

}  // namespace reeve::scenarios
