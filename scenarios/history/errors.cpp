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
    {"E0391", "a packed file",
     "reeve reads plain text and gzip. Unpack the file first. In a folder, reeve leaves it out "
     "(W0636).",
     "jobs.zip", "jobs.json.gz"},
    {"E0392", "a Parquet file",
     "reeve does not read Parquet. Convert the columns that it uses to CSV with DuckDB. In a "
     "folder, reeve leaves the file out (W0636).",
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
    {"E0401", "a file of Slurm without a header",
     "sacct was called with --noheader. Export again without it, or name the columns in the order "
     "of --format.",
     "5060|TIMEOUT", "--columns JobIDRaw,State"},
    {"E0402", "metrics of an unknown job or host",
     "The answers of CloudWatch have labels only. Label queries JOB/algo-N, or name the job.",
     "\"Label\": \"GPUUtilization\"", "\"Label\": \"train-1/algo-1\""},
    {"E0403", "no job in the files", "The files have no job that can be replayed.", "a bill alone",
     "a bill and the descriptions of the jobs"},
    {"W0614", "a part of the history that AWS did not give",
     "A call of `--from-aws` was refused, or failed. What came before is used.",
     "credentials without cloudtrail:LookupEvents", "credentials with it"},
    {"W0620", "a job that stands twice",
     "The job is described twice. The newer description counts. Jobs of one name and several "
     "regions or accounts get these behind their names, in all tables; an event that does not tell "
     "which of them it is of has NAME@?.",
     "a job of two exports", "one export"},
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
    {"W0633", "jobs that a replay cannot run",
     "A replay needs the size and the duration of a job. Jobs without them are left out.",
     "a job without GPUs among jobs of GPUs", "its GPUs"},
    {"W0634", "events or metrics of no certain job",
     "Jobs of several regions, accounts or clusters have one name. What does not tell which job it "
     "is of is not used.",
     "CloudTrail of two accounts, jobs of one", "jobs and CloudTrail of the same accounts"},
    {"W0635", "metrics of part of the hosts",
     "Alarms of the replay see only the hosts with metrics. A stall of another host is not seen.",
     "metrics of train-1/algo-1 alone", "metrics of train-1/algo-1 and train-1/algo-2"},
    {"W0636", "what is left out of a folder",
     "A folder may have files of no known kind, archives and packed files, and what `reeve import "
     "history` wrote. All are left out. Named by itself, such a file is an error.",
     "dump/notes.txt", "a folder with exports alone"},
    {"W0637", "metrics of no job in the files",
     "They name a pod or a job that no file describes. They are not used.",
     "metrics of pods, jobs of Slurm alone", "the pods and jobs of the cluster too"},
    {"W0638", "metrics that name no job",
     "Idle GPUs have no job. An exporter that does not know the job names none either.",
     "DCGM without exported_pod and hpc_job", "--job 5030 for a log of one job"},
    {"E0404", "a file that is no key of names",
     "`--key` takes the names.key that an earlier import wrote. Its weeks are 1 to 520.",
     "--key notes.txt", "--key ours/names.key"},
    {"E0427", "no job in the account",
     "`--from-aws` found no training job and no job of AWS Batch, in this region and this span.",
     "AWS_REGION of another team", "AWS_REGION of the jobs"},
    // Slurm
    {"E0410", "an unknown time zone",
     "Local times need a zone of the system's time zone database, or an offset from UTC.",
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
    {"W0618", "jobs of one id that contradict",
     "Jobs of two users, or two runs at a time, have one id of Slurm. Without the column Cluster, "
     "clusters cannot be told apart. Both jobs count; the second is called ID@DAY.",
     "exports of two clusters without Cluster", "sacct --format=Cluster,..."},
    // Bills
    {"E0415", "one month in bills of two forms",
     "A month of an account is in a Cost and Usage Report and in FOCUS. Both together would count "
     "it twice.",
     "cur.csv and focus.csv of August", "cur.csv of July and focus.csv of August"},
    {"E0416", "a bill that is too large",
     "reeve adds up to $9 billion and 900 million instance-hours exactly. A column may be shifted.",
     "UnblendedCost 900000000000", "UnblendedCost 67.0008888907"},
    {"W0645", "a line item that stands twice",
     "Two deliveries of a report have it. The one with an invoice counts, else the first.",
     "August of two exports", "one export"},
    {"W0608", "line items of two files that differ in little",
     "A line item of an earlier file has the same resource, hour and price, and another id or "
     "amount. It counts: a report may come in parts. Two exports of one month without invoices "
     "would count twice.",
     "August of two exports", "the newer export"},
    {"W0646", "a new usage type",
     "The row belongs to a training job, and its usage type is new to reeve.",
     "USE1-TrainOther:ml.p5.48xlarge", "USE1-Train:ml.p5.48xlarge"},
    {"W0647", "a rounded EffectiveCost",
     "Some providers round EffectiveCost to dollars. BilledCost counts instead; there, hours that "
     "a "
     "commitment covers cost 0.",
     "BilledCost 67.0008, EffectiveCost 67", "EffectiveCost 67.0008"},
    {"W0648", "a bill by day or month",
     "A row covers more than an hour. It cannot tell when the hours were used.", "rows of a day",
     "an hourly export"},
    {"W0649", "a bill without resource ids",
     "Hours of instances without a resource id cannot be joined to jobs.", "an empty ResourceId",
     "an export with resource ids"},
    // Kinds
    {"E0417", "a file of another kind",
     "The file cannot be read as the kind that the command names, and its first lines are those of "
     "another kind.",
     "reeve import slurm focus.csv", "reeve import focus focus.csv"},
    {"E0418", "a tar archive",
     "An archive holds several files. Unpack it into a folder, and import the folder. In a folder, "
     "reeve leaves an archive out (W0636).",
     "dump.tgz", "dump/"},
    // Metrics
    {"E0420", "a download of the CloudWatch console",
     "reeve reads the answers of the API, which name each query and tell if data is missing.",
     "Full label,train-1/algo-1", "aws cloudwatch get-metric-data --output json"},
    {"E0421", "a query that Prometheus refused", "The file holds an error and no data.",
     "{ \"status\": \"error\", \"errorType\": \"timeout\" }", "the query, repeated"},
    {"E0422", "no series of GPU utilization",
     "The file has other metrics only, or no sample. reeve reads DCGM_FI_DEV_GPU_UTIL, "
     "DCGM_FI_PROF_GR_ENGINE_ACTIVE and GPUUtilization.",
     "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_GPU_UTIL"},
    {"E0423", "a log of GPUs without dates",
     "Samples without dates cannot be compared with jobs. Put the date into each line.",
     "dcgmi dmon -e 203", "nvidia-smi dmon -o DT"},
    {"W0650", "data that the source left out",
     "The source reports that samples or series are missing, or could not measure them.",
     "\"warnings\": [\"results truncated due to limit\"]", "a query of a shorter time"},
    {"W0651", "a series without a name",
     "The series names no job and host, or no metric. Without a job it is not used; without a "
     "metric, values up to 1 are ratios.",
     "avg(DCGM_FI_DEV_GPU_UTIL)", "DCGM_FI_DEV_GPU_UTIL"},
    {"W0652", "other metrics", "Only GPU utilization is used.", "GPUMemoryUtilization",
     "GPUUtilization"},
    {"W0653", "samples with longer periods",
     "Older metrics are coarser. A stall of less than two periods cannot be seen there.",
     "samples of an hour, older than 63 days", "minutes, exported each week"},
    {"W0654", "samples that contradict", "Two values at one instant, or a value outside its range.",
     "101 % of one GPU", "0 to 100 % of one GPU"},
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
    {"E0411", "a setting that no run has", "No run has the setting that should name its job.",
     "--join config.training_job", "--join config.training_job_name"},
    {"W0644", "runs that name no job",
     "No run has a setting like training_job_name, so their heartbeats belong to no job.",
     "no --join", "--join config.job"},
    // Joining
    {"W0627", "a history that a program has shaped",
     "CloudTrail shows stops by a program. What a rule saves comes on top of what the program "
     "saved.",
     "StopTrainingJob by a function", "the rule's saving read as an addition"},
    {"W0628", "a job whose bill differs from its description",
     "The instance-hours of the bill and the billed time of the job differ by more than 0.5 %.",
     "a bill of another month", "a bill of the same days"},
});

}  // namespace

std::span<const ErrorCode> history_errors() {
  return history_rows;
}

}  // namespace reeve::scenarios
