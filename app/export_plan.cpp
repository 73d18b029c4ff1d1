// reeve export-plan: the commands that export a team's history, as a shell script.  It calls
// nothing itself.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/session.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"

namespace reeve::app {
namespace {

/// One source of a history and how it is exported.
struct ExportSource {
  std::string_view name;
  std::string_view what;   ///< a comment: what it is for, and what to know
  std::string_view needs;  ///< commands that the script calls
  std::string_view commands;
  bool of_aws = true;  ///< in a plan that names no source
};

constexpr auto export_sources = std::to_array<ExportSource>({
    {"sagemaker",
     "Training jobs of SageMaker: machines, times, billed time, tags. Only `search` has all of "
     "them.",
     "aws",
     R"sh(filter='{"Filters": [{"Name": "CreationTime", "Operator": "GreaterThanOrEqualTo",'
save jobs.json aws sagemaker search --resource TrainingJob --output json \
  --search-expression "$filter \"Value\": \"$since\"}]}" || status=1
)sh"},
    {"cur",
     "The bill. Set BILL to the S3 folder of a Data Export: FOCUS 1.2 or CUR 2.0, CSV, hourly, "
     "with resource ids.",
     "aws",
     R"sh(if [ -n "${BILL:-}" ]; then
  aws s3 cp --recursive "$BILL" "$out/bill" --exclude '*' --include '*.csv' \
    --include '*.csv.gz' || lost 'the bill'
else
  echo 'no bill: BILL is not set, as in BILL=s3://bucket/folder' >&2
fi
)sh"},
    {"cloudwatch",
     "GPU utilization of each host. CloudWatch keeps minutes for 15 days, 5 minutes for 63 days: "
     "run this each week. One call per job of $out/jobs.json.",
     "aws jq",
     R"sh(jq -c --arg now "$now" --argjson today "$(date -u +%s)" '
  def day: if type == "number" then . else .[0:10] + "T00:00:00Z" | fromdateiso8601 end;
  .Results[].TrainingJob | select(.TrainingStartTime != null) | .TrainingJobName as $job
  | (($today - (.TrainingStartTime | day)) / 86400) as $age
  | (if $age < 14 then 60 elif $age < 62 then 300 else 3600 end) as $period
  | (.ResourceConfig | .InstanceCount // ([.InstanceGroups[].InstanceCount] | add)) as $hosts
  | { job: $job, query: {
      StartTime: .TrainingStartTime, EndTime: (.TrainingEndTime // $now),
      MetricDataQueries: [range(1; $hosts + 1) | { Id: "h\(.)", Label: "\($job)/algo-\(.)",
        MetricStat: { Period: $period, Stat: "Average", Metric: {
          Namespace: "/aws/sagemaker/TrainingJobs", MetricName: "GPUUtilization",
          Dimensions: [{ Name: "Host", Value: "\($job)/algo-\(.)" }] } } }] } }' \
  "$out/jobs.json" > "$out/.queries" || lost 'GPU utilization: no jobs'
while IFS= read -r line; do
  job=$(printf '%s\n' "$line" | jq -r .job)
  printf '%s\n' "$line" | jq -c .query > "$out/.query.json"
  save "gpu-$job.json" aws cloudwatch get-metric-data \
    --cli-input-json "file://$out/.query.json" --output json < /dev/null
done < "$out/.queries"
rm -f "$out/.queries" "$out/.query.json"
)sh"},
    {"cloudtrail",
     "Who started and stopped jobs, and which Spot requests ended. CloudTrail keeps 90 days and "
     "takes two calls a second.",
     "aws",
     R"sh(for event in CreateTrainingJob StopTrainingJob BidEvictedEvent; do
  save "cloudtrail-$event.json" aws cloudtrail lookup-events --start-time "$since" \
    --output json --lookup-attributes "AttributeKey=EventName,AttributeValue=$event"
done
)sh"},
    {"spot-prices", "Spot prices of the types in $out/jobs.json, or in TYPES. AWS keeps 90 days.",
     "aws jq",
     R"sh(if [ -z "${TYPES:-}" ] && [ -f "$out/jobs.json" ]; then
  TYPES=$(jq -r '[.Results[].TrainingJob.ResourceConfig | .InstanceType,
    .InstanceGroups[]?.InstanceType] | map(select(. != null) | sub("^ml\\."; "")) | unique | .[]' \
    "$out/jobs.json") || lost 'the types of jobs.json'
fi
[ -n "${TYPES:-}" ] || echo "no Spot prices: TYPES is not set, as in TYPES='p4d.24xlarge'" >&2
for type in ${TYPES:-}; do
  save "spot-$type.json" aws ec2 describe-spot-price-history --start-time "$since" \
    --instance-types "$type" --product-descriptions Linux/UNIX --output json
done
)sh"},
    {"aws-batch",
     "Jobs of AWS Batch. It keeps finished jobs for some days only: run this each day.", "aws",
     R"sh(after="name=AFTER_CREATED_AT,values=$(($(date -u +%s) - days * 86400))000"
batch_ids() {
  aws batch list-jobs --job-queue "$1" --filters "$after" --output text \
    --query 'jobSummaryList[].[jobId]' || return 1
  arrays=$(aws batch list-jobs --job-queue "$1" --filters "$after" --output text \
    --query 'jobSummaryList[?arrayProperties.size].[jobId]') || return 1
  for array in $arrays; do
    for state in RUNNING SUCCEEDED FAILED; do
      aws batch list-jobs --array-job-id "$array" --job-status "$state" --output text \
        --query 'jobSummaryList[].[jobId]' || return 1
    done
  done
}
batch_queues() {
  aws batch describe-job-queues --output text \
    --query "jobQueues[?jobQueueType$1'SAGEMAKER_TRAINING'].jobQueueName"
}
: > "$out/.batch.json"
queues=$(batch_queues '!=') || lost_jobs 'queues of AWS Batch'
for queue in $queues; do
  batch_ids "$queue" > "$out/.ids" || lost_jobs "the list of AWS Batch queue $queue"
  if grep -v '^None$' "$out/.ids" > "$out/.known"; then
    xargs -n 100 aws batch describe-jobs --output json --jobs < "$out/.known" \
      >> "$out/.batch.json" || lost_jobs "jobs of AWS Batch queue $queue"
  else
    echo "no job of AWS Batch in $queue" >&2
  fi
done
queues=$(batch_queues '==') || lost_jobs 'queues of AWS Batch for SageMaker'
for queue in $queues; do
  ids=$(aws batch list-service-jobs --job-queue "$queue" --filters "$after" --output text \
    --query 'jobSummaryList[].[jobId]') || lost_jobs "the list of AWS Batch queue $queue"
  for job in $ids; do
    aws batch describe-service-job --job-id "$job" --output json >> "$out/.batch.json" ||
      lost_jobs "job $job of AWS Batch"
  done
done
[ ! -s "$out/.batch.json" ] || mv "$out/.batch.json" "$out/batch.json"
rm -f "$out/.batch.json" "$out/.ids" "$out/.known"
)sh"},
    {"slurm",
     "Jobs of Slurm, with all their requeues (-D) and without their steps (-X). Run it where "
     "sacct works.",
     "sacct",
     R"sh(save sacct.psv env TZ=UTC SLURM_TIME_FORMAT=%s sacct -aXDP -S "now-${days}days" \
  --format=JobID,JobIDRaw,User,Account,Partition,QOS,State,ExitCode,Submit,Eligible,Start,End,\
ElapsedRaw,TimelimitRaw,NNodes,ReqTRES,AllocTRES,Restarts,Priority,Flags,Reason,AdminComment ||
  status=1
)sh",
     false},
    {"kubernetes",
     "Jobs of Kubernetes. Finished objects are deleted after a while: run this each day.",
     "kubectl",
     R"sh(objects=
for kind in workloads.kueue.x-k8s.io jobs.batch jobsets.jobset.x-k8s.io \
  pytorchjobs.kubeflow.org tfjobs.kubeflow.org mpijobs.kubeflow.org pods; do
  save "$kind.json" kubectl get "$kind" -A -o json && objects=some
done
[ -n "$objects" ] || lost_jobs 'objects of Kubernetes'
)sh",
     false},
    {"prometheus",
     "GPU utilization of DCGM, a day per file. Set PROMETHEUS to the address of the server.",
     "curl",
     R"sh(end=$(date -u +%s)
start=$((end - days * 86400))
if [ -z "${PROMETHEUS:-}" ]; then
  lost 'PROMETHEUS is not set, as in PROMETHEUS=http://127.0.0.1:9090'
  start=$end
fi
while [ "$start" -lt "$end" ]; do
  save "dcgm-$start.json" curl -fsS -G "$PROMETHEUS/api/v1/query_range" \
    --data-urlencode query=DCGM_FI_DEV_GPU_UTIL \
    -d "start=$start" -d "end=$((start + 86399))" -d step=60s
  start=$((start + 86400))
done
)sh",
     false},
});

struct ExportPlan {
  std::vector<std::string> from;
  std::uint32_t days = 90;
  std::string out = "dump";
};

const ExportSource& source_named(const std::string& name) {
  const auto found = std::find_if(export_sources.begin(), export_sources.end(),
                                  [&](const ExportSource& source) { return source.name == name; });
  if (found != export_sources.end()) return *found;
  std::string known;
  for (const ExportSource& source : export_sources) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", source.name);
  }
  throw UsageError{fmt::format("--from: {} is no source", name), "the sources: " + known};
}

/// In the order of the table, since a source may use the files of one before it.
std::vector<const ExportSource*> sources_of(const ExportPlan& plan) {
  std::vector<const ExportSource*> wanted;
  for (const std::string& name : plan.from) wanted.push_back(&source_named(name));
  std::vector<const ExportSource*> chosen;
  for (const ExportSource& source : export_sources) {
    const bool is_wanted = plan.from.empty()
                               ? source.of_aws
                               : std::find(wanted.begin(), wanted.end(), &source) != wanted.end();
    if (is_wanted) chosen.push_back(&source);
  }
  return chosen;
}

/// A comment of at most 78 columns.
std::string comment(std::string_view text) {
  constexpr std::size_t width = 76;
  std::string lines;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > width) end = std::min(text.rfind(' ', width), text.size());
    lines += fmt::format("# {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// What fails is told, and no half of a file is left.  Without jobs the script fails at its end.
constexpr std::string_view helpers = R"sh(status=0
lost() { echo "not exported: $1" >&2; }
lost_jobs() { lost "$1" && status=1; }
save() {
  file=$1
  shift
  if "$@" > "$out/.part"; then
    mv "$out/.part" "$out/$file"
  else
    rm -f "$out/.part"
    lost "$file"
    return 1
  fi
}
)sh";

constexpr std::string_view closing = R"sh(
if rmdir "$out" 2> /dev/null; then
  echo 'nothing was exported' >&2
  exit 1
fi
echo "next: reeve import history $out" >&2
echo "or all exports together: reeve import history $folder" >&2
exit "$status"
)sh";

std::string script_of(const ExportPlan& plan) {
  const auto sources = sources_of(plan);
  const bool needs_jobs = std::any_of(sources.begin(), sources.end(), [](const auto* source) {
    return source->name == "cloudwatch";
  });
  const bool has_jobs = sources.front()->name == "sagemaker";
  if (needs_jobs && !has_jobs) {
    throw UsageError{"cloudwatch needs the names of the jobs",
                     "add sagemaker: --from sagemaker,cloudwatch"};
  }
  std::string script = "#!/bin/sh\n";
  script +=
      comment(fmt::format("Exports the last {} days for `reeve import history`. It only "
                          "reads, with your credentials, profile and region. Leave out "
                          "what you do not have. What fails is named, and the rest is "
                          "exported; the exit status is 1 if jobs are missing. Each run "
                          "writes a folder of its own, so that no export mixes with another.",
                          plan.days));
  script += fmt::format("set -u\nfolder={}\ndays={}\n", shell_word(plan.out), plan.days);
  script +=
      "since=$(date -u -d \"-$days days\" +%Y-%m-%dT00:00:00Z 2> /dev/null ||\n"
      "  date -u -v \"-${days}d\" +%Y-%m-%dT00:00:00Z) || exit 1  # GNU, or BSD\n"
      "now=$(date -u +%Y-%m-%dT%H:%M:%SZ)\n"
      "out=$folder/$(printf %s \"$now\" | tr -d :)\n";
  std::vector<std::string> needs;
  for (const ExportSource* source : sources) {
    for (std::string_view rest = source->needs; !rest.empty();) {
      const std::size_t blank = std::min(rest.find(' '), rest.size());
      const std::string need{rest.substr(0, blank)};
      if (std::find(needs.begin(), needs.end(), need) == needs.end()) needs.push_back(need);
      rest.remove_prefix(std::min(blank + 1, rest.size()));
    }
  }
  script += fmt::format(
      "for program in {}; do\n"
      "  command -v \"$program\" > /dev/null || {{\n"
      "    echo \"$program is not installed\" >&2\n"
      "    exit 1\n"
      "  }}\n"
      "done\n",
      fmt::join(needs, " "));
  script +=
      "mkdir -p \"$folder\" || exit 1\n"
      "first=$out number=1\n"
      "until mkdir \"$out\" 2> /dev/null; do  # another run in this second has it\n"
      "  [ \"$number\" -lt 99 ] || { mkdir \"$out\"; exit 1; }\n"
      "  number=$((number + 1))\n"
      "  out=$first-$number\n"
      "done\n"
      "echo \"exports from $since to $now into $out\" >&2\n";
  script += helpers;
  for (const ExportSource* source : sources) {
    script += fmt::format("\n# {}\n{}{}", source->name, comment(source->what), source->commands);
  }
  script += closing;
  return script;
}

}  // namespace

void add_export_plan(Program& program, Session& session) {
  auto plan = std::make_shared<ExportPlan>();
  Command& command =
      add_command(program, "export-plan",
                  "Prints a shell script that exports your own history; calls nothing itself",
                  "reeve export-plan > export.sh\n"
                  "reeve export-plan --from slurm,prometheus --days 30 -o dump");
  std::string sources;
  for (const ExportSource& source : export_sources) {
    sources += fmt::format("{}{}", sources.empty() ? "" : ", ", source.name);
  }
  command.option("--from", &plan->from,
                 fmt::format("The sources: {}. Default: all of AWS", sources),
                 {.comma_separated = true, .type = "SOURCE"});
  command.option("--days", &plan->days, "How far back",
                 {.whole_in = WholeNumbers{1, 3650}, .shows_default = true});
  command.option("-o,--out", &plan->out, "The folder in which each run of the script writes one",
                 {.shows_default = true});
  on_parse(command, session, [&session, plan] {
    session.console.print_as("script", script_of(*plan));
    return ExitCode::done;
  });
}

}  // namespace reeve::app
