#include "scenarios/records/trace_columns.hpp"

#include <algorithm>
#include <array>

namespace reeve::scenarios {
namespace {

using Column = TraceOrder;

constexpr std::array<TraceColumn, Column::column_count + 1> columns{{
    {"job_id", "text", true, "the job's name, unique in the file"},
    {"submit_s", "seconds or date", true,
     "submission time: seconds after `clock.start`, or a date, in UTC if it has no offset; rows in "
     "any order"},
    {"user", "text", false, "owner of the job and its tag `username`, unless `workload` names one"},
    {"queue", "text", false, "the job's share, with `\"shares_from\": \"queue\"`"},
    {"nodes", "count", false,
     "instances of the job; required with `\"instances_from\": \"nodes\"`"},
    {"gpus_per_node", "count", false, "with `nodes`: must fit the GPUs of an instance"},
    {"gpus_total", "count", false,
     "GPUs of the job, from which its instances follow, unless `instances_from` is `nodes`. "
     "Default: `nodes` times `gpus_per_node`"},
    {"gpu_milli", "count", false, "thousandths of one GPU; checked, not used yet"},
    {"gpu_type", "text", false, "checked, not used yet"},
    {"duration_s", "time", true,
     "work: training time without disturbance, in seconds or as D-HH:MM:SS"},
    {"end_status", "status", false,
     "how the job ends once its work is done: completed, failed, killed, timeout, oom, node_fail, "
     "preempted, running or unknown, also as Slurm and Philly write it. running: it is stopped "
     "there. never_started, pending: the row is left out"},
    {"failure_reason", "text", false, "checked, not used yet"},
    {"gpu_util_mean", "percent", false, "of one GPU, 0 to 100; checked, not used yet"},
    {"priority", "whole number", false, "larger is more urgent. Default: the value in `workload`"},
    {"preemptible", "0 or 1", false,
     "0: its queue never preempts it. Default: the value in `workload`"},
    {"observed_wait_s", "time", false, "wait in the log; checked, not used yet"},
    {"attempts", "count", false, "checked, not used yet"},
    {"weight", "count", false,
     "number of jobs that the row represents, only in weighted means. Default: the value in "
     "`workload`"},
    {"estimate_s", "time", false,
     "the user's estimate of the run time, by which schedulers plan. Default: `time_limit_s`"},
    {"time_limit_s", "time", false,
     "time limit that the user requested; schedulers plan by it if there is no estimate, and "
     "nothing enforces it"},
    {"instance_type", "text", false,
     "with several fleets: the job runs on one of this type. Default: the fleet of `workload`"},
    {"market", "market", false,
     "on_demand, spot, reserved or capacity_block; with several fleets: the job runs on one of "
     "this market"},
    {"censored", "0 or 1", false,
     "1: `duration_s` is only a lower bound of the work, because the job was still running or was "
     "ended from outside. The job ends there, and what a rule lets it run beyond has no number"},
    {"max_wait_s", "time", false,
     "limit of the wait for Spot that the user requested; checked, not used yet"},
    {"startup_s", "time", false, "billed time before the work. Default: the startup of `platform`"},
    {"interruptions", "count", false, "by the platform; checked, not used yet"},
    {"restarts", "count", false, "after faults; checked, not used yet"},
    {"lost_s", "time", false,
     "time of the job's instances in attempts that ended without a result; billed as lost work "
     "before the work"},
    {"stalled_s", "time", false,
     "the last part of `duration_s`, in which the GPUs of all hosts were idle: a stop in it is no "
     "false stop"},
    {"billed_s", "time", false, "per instance, on the bill; checked, not used yet"},
    {"billed_usd", "dollars", false, "of the whole job, on the bill; checked, not used yet"},
    {"list_usd", "dollars", false, "the same at list prices; checked, not used yet"},
    {"end_cause", "cause", false,
     "why the job ended: limit, max_wait, person, rule, preempted, spot, hardware, oom, code, "
     "capacity, quota or unknown; checked, not used yet"},
    {"sweep", "text", false, "tuning job or array that the job is part of; checked, not used yet"},
    {"tag.KEY", "text", false,
     "the job's tag KEY, in any number of columns. Default: the tag in `workload`"},
}};

// What other logs call the columns.
constexpr auto usual_names = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"id", "job_id"},
    {"job", "job_id"},
    {"jobname", "job_id"},
    {"jobidraw", "job_id"},
    {"submit", "submit_s"},
    {"submittime", "submit_s"},
    {"submittedtime", "submit_s"},
    {"submissiontime", "submit_s"},
    {"createtime", "submit_s"},
    {"creationtime", "submit_s"},
    {"timestamp", "submit_s"},
    {"elapsed", "duration_s"},
    {"elapsedraw", "duration_s"},
    {"runtime", "duration_s"},
    {"walltime", "duration_s"},
    {"username", "user"},
    {"partition", "queue"},
    {"vc", "queue"},
    {"nnodes", "nodes"},
    {"nodenum", "nodes"},
    {"numnodes", "nodes"},
    {"gpus", "gpus_total"},
    {"gpunum", "gpus_total"},
    {"numgpu", "gpus_total"},
    {"numgpus", "gpus_total"},
    {"state", "end_status"},
    {"status", "end_status"},
    {"timelimit", "time_limit_s"},
    {"requestedtime", "estimate_s"},
});

constexpr std::array<std::string_view, Column::column_count> column_names = [] {
  std::array<std::string_view, Column::column_count> names{};
  for (std::size_t column = 0; column < Column::column_count; ++column)
    names[column] = columns[column].name;
  return names;
}();

constexpr std::array<std::string_view, 3> required_columns{
    column_names[Column::job_id], column_names[Column::submit_s], column_names[Column::duration_s]};
static_assert(required_columns.size() ==
              static_cast<std::size_t>(std::count_if(columns.begin(), columns.end(),
                                                     [](const TraceColumn& column) {
                                                       return column.required;
                                                     })));

}  // namespace

std::span<const TraceColumn> trace_columns() {
  return columns;
}

std::span<const std::string_view> trace_column_names() {
  return column_names;
}

std::span<const std::string_view> required_trace_columns() {
  return required_columns;
}

std::span<const std::pair<std::string_view, std::string_view>> usual_trace_names() {
  return usual_names;
}

bool is_trace_column(std::string_view name) {
  if (name.starts_with(tag_prefix)) return name.size() > tag_prefix.size();
  return std::find(column_names.begin(), column_names.end(), name) != column_names.end();
}

}  // namespace reeve::scenarios
