#include "report/schema.hpp"

#include <array>

#include "report/table_definition.hpp"

namespace reeve::report {

using enum FieldType;

constexpr Field run_id_column{"run_id", text, "", "policy/replication; key of runs"};
constexpr Field job_name{"job", text, "", "name of the job"};
constexpr Field t_s{"t_s", number, "s", "time since the start of the clock"};
constexpr std::array runs_fields{
    run_id_column,
    Field{"scenario", text, "", "name of the scenario"},
    Field{"policy", text, "", "name of the policy"},
    Field{"rep", integer, "", "replication, from 0"},
    Field{"seed", integer, "", "seed of the scenario; unsigned, 64 bits"},
    Field{"digest", text, "", "digest of the run's journal; equal digests are equal runs"},
    Field{"engine_version", text, "", "version of reeve"},
    Field{"price_book", text, "", "source of the prices"},
    Field{"billed_usd", number, "usd",
          "cost of instance time: productive, startup and checkpoint plus wasted, exactly"},
    Field{"productive_usd", number, "usd", "work that counted"},
    Field{"wasted_usd", number, "usd",
          "sum of stalled, lost work, drain, orphan, idle reserved and false stops"},
    Field{"startup_usd", number, "usd", "startup: downloads and setup"},
    Field{"checkpoint_usd", number, "usd", "pauses for checkpoints"},
    Field{"stalled_usd", number, "usd", "instances held without progress"},
    Field{"lost_work_usd", number, "usd", "work redone after an interruption, failure or stop"},
    Field{"drain_usd", number, "usd", "stop grace: from a stop to the end of billing"},
    Field{"orphan_usd", number, "usd", "orphaned instances: their job has ended"},
    Field{"idle_reserved_usd", number, "usd", "reserved instances without a job"},
    Field{"guardrail_usd", number, "usd", "alarms and calls; not part of billed_usd"},
    Field{"residual_usd", number, "usd", "billed minus all uses: 0, or reeve has a bug"},
    Field{"makespan_s", number, "s",
          "time from the first submission to the last end; a job without an end counts until the "
          "end of the run"},
    Field{"jobs_done", integer, "", "jobs that completed"},
    Field{"jobs_failed", integer, "", "jobs whose last attempt failed"},
    Field{"false_stops", integer, "", "stops by rules that were false positives"},
    Field{"missed_stalls", integer, "", "stalls that nothing detected"},
    Field{"peak_instances", integer, "instances",
          "largest number allocated at once, over all pools"},
    Field{"mean_allocated_pct", number, "pct",
          "mean allocated share of the available capacity, from the first submission until no "
          "instance is held"},
    Field{"mean_used_pct", number, "pct",
          "mean share of the available capacity that made progress, over the same time"},
    Field{"partial", boolean, "", "true if the run was interrupted"},
    Field{"false_stop_usd", number, "usd", "cost of false stops: their stop grace and redone work"},
    Field{"peak_allocated_pct", number, "pct", "largest allocated share of the available capacity"},
    Field{"peak_used_pct", number, "pct",
          "largest share of the available capacity that made progress"},
};

constexpr std::array jobs_fields{
    run_id_column,
    job_name,
    Field{"share", text, "", "share of its queue; empty: none"},
    Field{"queue", text, "", "queue of the job; empty: none"},
    Field{"tier", text, "", "the tag `tier`"},
    Field{"owner", text, "", "owner of the job"},
    Field{"project", text, "", "the tag `project`"},
    Field{"tags_json", object, "", "all tags of its first attempt"},
    Field{"instance_type", text, "",
          "type of its last attempt that held instances; else the type that it requested"},
    Field{"instances", integer, "instances", "instances that the job holds at once"},
    Field{"submit_s", number, "s", "submission, after the start of the clock"},
    Field{"first_start_s", number, "s",
          "when it first held instances and startup began; empty: never"},
    Field{"end_s", number, "s",
          "when the work was done, else the end of the last attempt; empty if neither"},
    Field{"wait_s", number, "s",
          "first_start_s - submit_s: queue and provisioning, without startup"},
    Field{"time_to_result_s", number, "s", "end_s - submit_s of completed jobs"},
    Field{"status", text, "", "SageMaker's TrainingJobStatus of the last attempt, or Queued"},
    Field{"attempts", integer, "", "number of attempts"},
    Field{"interruptions", integer, "", "times that the platform took its instances"},
    Field{"preemptions", integer, "", "times that its queue preempted it; empty: it has no queue"},
    Field{"work_s", number, "s", "undisturbed training time it needs"},
    Field{"progress_s", number, "s", "part of the work that is durable at the end"},
    Field{"billed_usd", number, "usd", "cost of all its attempts: the sum of its ledger lines"},
    Field{"wasted_usd", number, "usd", "wasted part of billed_usd"},
    Field{"exit_code", integer, "",
          "exit code of its script: 0 if it completed, 1 if it failed because of the job itself; "
          "else empty"},
    Field{"log_ref", text, "",
          "name of its last attempt and of its log stream; empty: it never started"},
    Field{"code_ref", text, "", "the tag `code`"},
    Field{
        "wait_again_s", number, "s",
        "requeue wait: queue and provisioning after first_start_s; empty: it never held instances"},
};

constexpr std::array attempts_fields{
    run_id_column,
    job_name,
    Field{"attempt", integer, "", "from 1"},
    Field{"start_s", number, "s", "start of billing; empty if it never held instances"},
    Field{"end_s", number, "s", "end of the attempt"},
    Field{"market", text, "",
          "on_demand, spot, reserved or capacity_block: market of its last instances, or of those "
          "it waited for"},
    Field{"instance_type", text, "",
          "type of the pool in which it ran or waited, which may differ from the type requested"},
    Field{"resumed_from_s", number, "s", "work that was durable when the attempt started"},
    Field{"end_reason", text, "",
          "completed, failed, stopped, max_runtime, max_wait, capacity, preempted, runnable_limit "
          "(of its queue), or horizon: the run ended first"},
    Field{"failure_class", text, "", "failure class, or none"},
    Field{"billed_s", number, "s", "billed wall time of each instance"},
    Field{"billable_s", number, "s",
          "SageMaker's BillableTimeInSeconds: billed_s; for managed Spot scaled by its discount, "
          "in whole seconds"},
    Field{"log_ref", text, "",
          "name of the attempt and of its log stream; empty if it never held instances"},
};

constexpr std::array ledger_fields{
    run_id_column,
    Field{"line", integer, "", "from 1"},
    Field{"BilledCost", number, "usd",
          "as on an invoice: a Purchase in full, and no further charge for prepaid time; sums to "
          "unblended_usd exactly"},
    Field{"EffectiveCost", number, "usd",
          "amortized cost; sums exactly: by x_class to that column of runs, by x_job to jobs"},
    Field{"BillingCurrency", text, "", "USD"},
    Field{"ChargeCategory", text, "", "Usage, or Purchase: paid up front"},
    Field{"ChargePeriodStart", datetime, "", "start, inclusive, UTC"},
    Field{"ChargePeriodEnd", datetime, "", "end, exclusive, UTC"},
    Field{"ResourceId", text, "", "job/attempt, or the pool for time without a job"},
    Field{"RegionId", text, "", "region of the pool; empty if the scenario does not set it"},
    Field{"Tags", object, "", "tags of the attempt; a clone may lack tags of the job"},
    Field{"x_job", text, "", "job; empty for time without a job"},
    Field{"x_attempt", integer, "", "attempt; empty for time without a job"},
    Field{"x_class", text, "", "use of the time: stalled, lost_work, ...; empty for a purchase"},
    Field{"x_instances", integer, "instances", "instances held"},
    Field{"x_instance_type", text, "", "instance type of the pool"},
    Field{"x_market", text, "", "on_demand, spot, reserved or capacity_block"},
};

constexpr std::array utilization_fields{
    run_id_column,
    t_s,
    Field{"scope", text, "",
          "pool; share, in one pool; host, of a job with a trace or phases; drawn_host, from a "
          "distribution"},
    Field{"name", text, "",
          "name of the pool, SHARE/POOL or JOB/algo-N; the row holds until its next one"},
    Field{"capacity", integer, "instances",
          "available instances, held or not, plus held ones beyond that; for shares: empty"},
    Field{"allocated", integer, "instances", "instances held by attempts"},
    Field{"used", integer, "instances", "instances that make progress; for shares: empty"},
    Field{"quota", integer, "instances", "for shares: quota"},
    Field{"borrowed", integer, "instances", "for shares: held beyond their quota"},
    Field{"lent", integer, "instances", "for shares: unused quota that others have borrowed"},
    Field{"runnable", integer, "instances", "instances that pending attempts request"},
    Field{"gpu_util_pct", number, "pct",
          "for hosts: percent of one GPU, empty where the metric is missing; for pools: empty"},
};

constexpr std::array decisions_fields{
    run_id_column,
    Field{"decision_id", integer, "", "id of the action; unsigned, 64 bits"},
    t_s,
    job_name,
    Field{"rule", text, "", "name of the rule"},
    Field{"mode", text, "", "off, shadow, warn or enforce"},
    Field{"verdict", text, "", "accepted, refused, shadow or warn"},
    Field{"action", text, "", "proposed action: stop_job, ..."},
    Field{"inputs_json", object, "",
          "basis of the decision: attempt, reason, basis, tries, who refused; for an alarm its "
          "datapoints, when each begins (datapoints_from_s) and when it fired (alarm_at_s)"},
    Field{"threshold", number, "",
          "threshold of the alarm, if the decision used one; the basis of other rules is in "
          "inputs_json"},
    Field{"alternatives_json", object, "",
          "could: possible alternatives, which reeve explain prices; lost: actions proposed for "
          "the job at that instant and not done, with decision_id, rule, action, and by what; "
          "empty if neither, and for actions that do not change the job"},
    Field{"dedupe_key", text, "", "client token, if one was sent: makes repeated calls harmless"},
    Field{"latency_s", number, "s", "time from decision to settlement; empty if never settled"},
    Field{"cost_if_not_usd", number, "usd",
          "for a stop: additional cost of its attempt, running or pending, with this rule in "
          "shadow; empty if that run has no such attempt, or if it uses only reserved instances"},
    Field{"outcome", text, "", "done, partly_done, refused or expired; empty if never settled"},
    Field{"prev_hash", text, "",
          "hash of the previous decision of the run; 64 zeros for the first"},
    Field{"hash", text, "",
          "SHA-256 of this row's other cells, each as LENGTH:CELL, with its length in bytes"},
};

constexpr std::array events_fields{
    run_id_column,
    Field{"seq", integer, "", "from 1"},
    t_s,
    Field{"source", text, "", "platform model that sent it"},
    job_name,
    Field{"primary", text, "", "SageMaker's TrainingJobStatus"},
    Field{"secondary", text, "", "SageMaker's SecondaryStatus"},
    Field{"duplicate_of", integer, "", "seq of the event that this one duplicates"},
    Field{"delivered_s", number, "s", "when rules received it; empty if never"},
    Field{"failure_reason", text, "",
          "SageMaker's FailureReason, or plain words; empty: no failure"},
};

constexpr std::array alarms_fields{
    run_id_column,
    Field{"alarm", text, "", "job/attempt/host/rule, and #n when created again"},
    job_name,
    Field{"created_s", number, "s", "creation, after the start of the clock"},
    Field{"deleted_s", number, "s", "deletion; empty: it exists at the end"},
    Field{"fired_s", number, "s", "first ALARM; empty if none"},
    Field{"state", text, "", "CloudWatch's OK, ALARM or INSUFFICIENT_DATA, at the end"},
    Field{"orphan", boolean, "", "true: it exists at the end although its job has ended"},
};

constexpr std::array pools_fields{
    run_id_column,
    Field{"pool", text, "", "name of the fleet"},
    Field{"instance_type", text, "", "type of its instances"},
    Field{"market", text, "", "on_demand, spot, reserved or capacity_block"},
    Field{"zone", text, "", "empty if the scenario does not set it"},
    Field{"capacity", integer, "instances", "total number of instances"},
    Field{"capacity_instance_s", number, "s", "capacity times the length of the run"},
    Field{"offered_instance_s", number, "s", "available, held or not"},
    Field{"allocated_instance_s", number, "s", "held by attempts, or orphaned"},
    Field{"used_instance_s", number, "s", "making progress"},
    Field{"free_instance_s", number, "s", "available and not held"},
    Field{"down_instance_s", number, "s", "broken instances not yet repaired or replaced"},
    Field{"interruptions", integer, "", "interruptions of attempts"},
    Field{"node_faults", integer, "", "instances that broke or hung"},
    Field{"node_hits", integer, "", "times that an instance of an attempt broke or hung"},
    Field{"billed_usd", number, "usd", "sums to billed_usd of runs, exactly"},
};

constexpr std::array spot_fields{
    run_id_column,
    Field{"seq", integer, "", "from 1, by pool and time"},
    t_s,
    Field{"instance_type", text, "", "instance type of the pool"},
    Field{"zone", text, "", "empty if the scenario does not set it"},
    Field{"available", integer, "instances", "available instances from then on"},
    Field{"price_usd", number, "usd", "price of an instance hour from then on"},
    Field{"notice_s", number, "s",
          "time from the first interruption notice to the loss; empty: no notice"},
    Field{"nodes_hit", integer, "instances", "instances lost at that time"},
    Field{"pool", text, "", "name of the fleet"},
};

constexpr std::array metrics_fields{
    run_id_column,
    Field{"metric", text, "", "name as in `expect` lines; `reeve explain METRIC` describes it"},
    Field{"unit", text, "", "usd, s, count, pct, instance_hours, per_hour"},
    Field{"value", number, "", "value in that unit; empty if there is none"},
};

constexpr std::array stops_fields{
    run_id_column,
    Field{"seq", integer, "", "position in the run, from 1"},
    Field{"seat", text, "", "name of the rule"},
    Field{"rule", text, "", "kind of the rule"},
    Field{"mode", text, "", "enforce; for shadow or warn the stop was only proposed"},
    job_name,
    Field{"attempt", integer, "", "from 1"},
    Field{"verdict", text, "",
          "right, late, false or missed, for stops of stalled attempts; kept_rule: a "
          "policy-violation stop"},
    Field{"onset_s", number, "s", "when the stall began; empty: no stall"},
    Field{"decided_s", number, "s", "when the stop was decided; empty: missed"},
    Field{"delay_s", number, "s", "detection delay: from onset to decision"},
    Field{"usd", number, "usd",
          "false: cost of the stop, which sums to false_stop_usd; late: cost of the stall beyond "
          "late_after; missed: whole cost of the stall; else 0"},
};

constexpr std::array preemptions_fields{
    run_id_column,
    Field{"seq", integer, "", "position in the run, from 1"},
    t_s,
    Field{"job", text, "", "jobs.job: the preempted job"},
    Field{"attempt", integer, "", "number of the attempt"},
    Field{"share", text, "", "share of its queue; empty: none"},
    Field{"instances", integer, "instances", "instances that it held"},
    Field{"cause", text, "",
          "reclaim: another share reclaimed its borrowed quota; in_share: a job ahead of it in the "
          "same share needed instances; lowered_quota: the quota of its share was lowered"},
    Field{"for_job", text, "", "job that was to get the instances; empty: no specific job"},
    Field{"for_share", text, "", "share of that job; empty: none"},
    Field{"requeued", boolean, "", "true: it is pending again; false: it has ended"},
    Field{"lost_work_usd", number, "usd",
          "work of the attempt that was not saved; empty without the table ledger"},
};

constexpr std::array comparison_fields{
    Field{"policy_a", text, "", "policy"},
    Field{"policy_b", text, "", "baseline policy"},
    Field{"metric", text, "", "metric; its unit is its suffix, durations are in seconds"},
    Field{"mean_a", number, "", "mean over the runs of policy_a"},
    Field{"mean_b", number, "", "mean over the runs of policy_b"},
    Field{"diff", number, "", "mean of policy_a - policy_b, paired by run"},
    Field{"lo", number, "", "low end of the 95 % interval of diff; empty for a single random run"},
    Field{"hi", number, "", "high end of the 95 % interval of diff; empty for a single random run"},
    Field{"runs", integer, "", "pairs of runs in which both have the metric"},
    Field{"paired", boolean, "", "true: both policies use common random numbers"},
};

constexpr std::array speed_fields{
    Field{"policy", text, "", "policies.NAME of the scenario"},
    Field{"metric", text, "", "metric, as in metrics.csv"},
    Field{"factor", number, "", "speed factor of the jobs: --what-if-speed"},
    Field{"mean", number, "", "mean over the runs at the speed of the scenario; empty: no value"},
    Field{"mean_then", number, "", "mean over the runs at the other speed"},
    Field{"diff", number, "", "mean of other speed - scenario speed, paired by run"},
    Field{"runs", integer, "", "pairs of runs in which both have the metric"},
};

constexpr std::array queue_fields{
    Field{"run_id", text, "", "runs.run_id"},
    Field{"t_s", number, "s",
          "the instant, after the start of the clock and after all events at that time"},
    Field{"pool", text, "", "fleet that it waits for"},
    Field{"position", integer, "", "position among the jobs pending for that fleet, from 1"},
    Field{"queue", text, "", "queue of the job; empty: none"},
    Field{"job", text, "", "jobs.job"},
    Field{"attempt", integer, "", "number of the pending attempt"},
    Field{"share", text, "", "share of its queue; empty: none"},
    Field{"priority", integer, "", "priority of the job at that time"},
    Field{"instances", integer, "instances", "instances that it requests"},
    Field{"state", text, "", "RUNNABLE, as in AWS Batch"},
    Field{"reason", text, "",
          "machines: too few instances are free; environment: its limit is reached; user_limit: "
          "its user reached the limit of the share; quota: beyond the quota of its share; turn: "
          "others are ahead"},
    Field{"waited_s", number, "s", "time since this attempt was submitted or lost its instances"},
    Field{"starts_s", number, "s", "when it got its instances; empty: not in this run"},
};

constexpr std::array<TableSchema, table_count> tables{{
    {"runs", "One replication of one policy", 1, runs_fields},
    {"jobs", "Every job at the end of its run", 2, jobs_fields},
    {"attempts", "Every attempt at a job", 3, attempts_fields},
    {"ledger", "The use of every billed second (FOCUS names)", 2, ledger_fields},
    {"utilization", "Capacity in use, at each change", 4, utilization_fields},
    {"decisions", "Proposed actions of rules and their outcomes", 2, decisions_fields},
    {"events", "Status events as the platform sent them", 2, events_fields},
    {"alarms", "Every alarm that existed", 2, alarms_fields},
    {"pools", "Capacity, use and faults of each fleet", 2, pools_fields},
    {"spot", "Availability, price and losses of Spot, at each change", 2, spot_fields},
    {"metrics", "Every metric of each run, one per row", 2, metrics_fields},
    {"stops", "Right and false stops of rules, and missed stalls", 2, stops_fields},
    {"queue", "Pending jobs at each requested instant", 4, queue_fields},
    {"preemptions", "Preempted jobs, the jobs that got their instances, and the lost work", 2,
     preemptions_fields},
}};

}  // namespace

const TableSchema& schema(TableName table) {
  return definition(table).schema;
}

std::vector<const TableSchema*> schemas() {
  std::vector<const TableSchema*> all;
  for (std::size_t table = 0; table < table_count; ++table) {
    all.push_back(&schema(static_cast<TableName>(table)));
  }
  all.push_back(&comparison_schema());
  all.push_back(&speed_schema());
  return all;
}

std::string_view name(FieldType type) {
  static constexpr std::array<std::string_view, 6> names{"string",  "integer",  "number",
                                                         "boolean", "datetime", "object"};
  return names[static_cast<std::size_t>(type)];
}

}  // namespace reeve::report
