#include "report/schema.hpp"

#include <array>

namespace reeve::report {
namespace {

using enum FieldType;

constexpr Field run_id_column{"run_id", text, "", "policy/replication; key of runs"};
constexpr Field job_name{"job", text, "", "name of the job"};
constexpr Field t_s{"t_s", number, "s", "time since the start of the clock"};
constexpr std::array runs_fields{
    run_id_column,
    Field{"scenario", text, "", "name of the scenario"},
    Field{"policy", text, "", "name of the policy"},
    Field{"rep", integer, "", "replication, from 0"},
    Field{"seed", integer, "", "of the scenario; unsigned, 64 bits"},
    Field{"digest", text, "", "of the run's journal; equal digests are equal runs"},
    Field{"engine_version", text, "", "version of reeve"},
    Field{"price_book", text, "", "where prices are from"},
    Field{"billed_usd", number, "usd",
          "instance time: productive, startup and checkpoint plus wasted, exactly"},
    Field{"productive_usd", number, "usd", "work that was kept"},
    Field{"wasted_usd", number, "usd",
          "stalled, lost work, drain, orphan, idle reserved and false stops"},
    Field{"startup_usd", number, "usd", "download and set-up"},
    Field{"checkpoint_usd", number, "usd", "pauses for checkpoints"},
    Field{"stalled_usd", number, "usd", "held without progress"},
    Field{"lost_work_usd", number, "usd", "redone after an interruption, failure or stop"},
    Field{"drain_usd", number, "usd", "between a stop and the end of billing"},
    Field{"orphan_usd", number, "usd", "machines nobody used any more"},
    Field{"idle_reserved_usd", number, "usd", "reserved machines without a job"},
    Field{"guardrail_usd", number, "usd", "alarms and calls; not part of billed_usd"},
    Field{"residual_usd", number, "usd", "billed less all uses: 0, or reeve has a bug"},
    Field{"makespan_s", number, "s",
          "first submission to last end; a job that did not end counts until the end of the run"},
    Field{"jobs_done", integer, "", "jobs that completed"},
    Field{"jobs_failed", integer, "", "jobs whose newest attempt failed"},
    Field{"false_stops", integer, "",
          "stops by rules of attempts that were not what they were accused of"},
    Field{"missed_stalls", integer, "", "stalls that nothing noticed"},
    Field{"peak_instances", integer, "instances", "most allocated together, over all pools"},
    Field{"mean_allocated_pct", number, "pct",
          "allocated share of the capacity on offer over the makespan, and on until no machine is "
          "held"},
    Field{"mean_used_pct", number, "pct",
          "share of the capacity on offer that made progress in that time"},
    Field{"partial", boolean, "", "true if the run was interrupted"},
    Field{"false_stop_usd", number, "usd",
          "what wrong stops destroyed: their drain and redone work"},
    Field{"peak_allocated_pct", number, "pct",
          "the largest share of the capacity on offer that was allocated at one time"},
    Field{"peak_used_pct", number, "pct", "the largest that made progress at one time"},
};

constexpr std::array jobs_fields{
    run_id_column,
    job_name,
    Field{"share", text, "", "of its queue that it stands in; empty: in none"},
    Field{"queue", text, "", "that it stands in; empty: in none"},
    Field{"tier", text, "", "the tag `tier`"},
    Field{"owner", text, "", "the person who looks after it"},
    Field{"project", text, "", "the tag `project`"},
    Field{"tags_json", object, "", "all tags of its first attempt"},
    Field{"instance_type", text, "",
          "of its newest attempt that had machines; that it asked for if none had"},
    Field{"instances", integer, "instances", "held together"},
    Field{"submit_s", number, "s", "since the start of the clock"},
    Field{"first_start_s", number, "s",
          "its first machines were there and start-up began; empty: never"},
    Field{"end_s", number, "s", "work done, else end of the last attempt; empty if neither"},
    Field{"wait_s", number, "s",
          "first_start_s - submit_s: the queue and provisioning, not start-up"},
    Field{"time_to_result_s", number, "s", "end_s - submit_s of completed jobs"},
    Field{"status", text, "", "SageMaker's TrainingJobStatus of the newest attempt, or Queued"},
    Field{"attempts", integer, "", "attempts made"},
    Field{"interruptions", integer, "", "times the platform took its machines"},
    Field{"preemptions", integer, "",
          "times its queue took its machines for others; empty: it stands in none"},
    Field{"work_s", number, "s", "undisturbed training time it needs"},
    Field{"progress_s", number, "s", "of which durable at the end"},
    Field{"billed_usd", number, "usd", "of all its attempts: the sum of its ledger lines"},
    Field{"wasted_usd", number, "usd", "of which wasted"},
    Field{"exit_code", integer, "",
          "of its script: 0 if it completed, 1 if it failed by its own doing; else empty"},
    Field{"log_ref", text, "",
          "the name of its newest attempt, and of its log stream; empty: it never started"},
    Field{"code_ref", text, "", "the tag `code`"},
    Field{"wait_again_s", number, "s",
          "in line and for provisioning after first_start_s, when it had lost its machines; empty: "
          "it never had any"},
};

constexpr std::array attempts_fields{
    run_id_column,
    job_name,
    Field{"attempt", integer, "", "from 1"},
    Field{"start_s", number, "s", "start of billing; empty if it never had machines"},
    Field{"end_s", number, "s", "end of the attempt"},
    Field{
        "market", text, "",
        "on_demand, spot, reserved or capacity_block; of the machines it had last, or waited for"},
    Field{"instance_type", text, "",
          "of the pool it ran in, or waited for, whatever the job asked for"},
    Field{"resumed_from_s", number, "s", "work that was durable when it began"},
    Field{"end_reason", text, "",
          "completed, failed, stopped, max_runtime, max_wait, capacity, preempted, runnable_limit "
          "(of its queue), or horizon: the run ended first"},
    Field{"failure_class", text, "", "none, or what failed"},
    Field{"billed_s", number, "s", "billed wall time of each instance"},
    Field{"billable_s", number, "s",
          "SageMaker's BillableTimeInSeconds: billed_s; of managed Spot scaled by its discount, in "
          "whole seconds"},
    Field{"log_ref", text, "",
          "what the attempt is called, and so its log stream; empty if it never had machines"},
};

constexpr std::array ledger_fields{
    run_id_column,
    Field{"line", integer, "", "from 1"},
    Field{"BilledCost", number, "usd",
          "as an invoice says it: a Purchase in full, what was paid for up front then no more; "
          "sums to unblended_usd exactly"},
    Field{"EffectiveCost", number, "usd",
          "amortized; sums, exactly: by x_class to that column of runs, by x_job to jobs"},
    Field{"BillingCurrency", text, "", "USD"},
    Field{"ChargeCategory", text, "", "Usage, or Purchase: paid up front"},
    Field{"ChargePeriodStart", datetime, "", "inclusive, UTC"},
    Field{"ChargePeriodEnd", datetime, "", "exclusive, UTC"},
    Field{"ResourceId", text, "", "job/attempt, or the pool for time without a job"},
    Field{"RegionId", text, "", "of the pool; empty if the scenario does not say it"},
    Field{"Tags", object, "", "with which the attempt was submitted: a clone may lack the job's"},
    Field{"x_job", text, "", "job; empty for time without a job"},
    Field{"x_attempt", integer, "", "attempt; empty for time without a job"},
    Field{"x_class", text, "", "the use of the time: stalled, lost_work, ...; of a purchase none"},
    Field{"x_instances", integer, "instances", "held"},
    Field{"x_instance_type", text, "", "of the pool"},
    Field{"x_market", text, "", "on_demand, spot, reserved or capacity_block"},
};

constexpr std::array utilization_fields{
    run_id_column,
    t_s,
    Field{"scope", text, "",
          "pool; share, of one pool; host, of a job with a trace or phases; drawn_host, from a "
          "distribution"},
    Field{"name", text, "",
          "of the pool, SHARE/POOL or JOB/algo-N; the row holds until its next one"},
    Field{"capacity", integer, "instances",
          "on offer then, held or not, and what is held beyond that; of shares: empty"},
    Field{"allocated", integer, "instances", "held by attempts"},
    Field{"used", integer, "instances", "that make progress; of shares: empty"},
    Field{"quota", integer, "instances", "of shares: what is their own, then"},
    Field{"borrowed", integer, "instances", "of shares: held beyond their quota"},
    Field{"lent", integer, "instances", "of shares: idle of their quota, and borrowed by others"},
    Field{"runnable", integer, "instances", "that queued attempts ask for"},
    Field{"gpu_util_pct", number, "pct",
          "of hosts: percent of one GPU, empty where the metric is missing; of pools: empty"},
};

constexpr std::array decisions_fields{
    run_id_column,
    Field{"decision_id", integer, "", "the id of the action; unsigned, 64 bits"},
    t_s,
    job_name,
    Field{"rule", text, "", "label of the rule"},
    Field{"mode", text, "", "off, shadow, warn or enforce"},
    Field{"verdict", text, "", "accepted, refused, shadow or warn"},
    Field{"action", text, "", "what it wanted: stop_job, ..."},
    Field{"inputs_json", object, "",
          "what it went by: attempt, reason, basis, tries, who refused; of its alarm datapoints, "
          "when each of them begins (datapoints_from_s) and when it went off (alarm_at_s)"},
    Field{"threshold", number, "",
          "of the alarm that it rested on, if any; what other rules go by is the basis in "
          "inputs_json"},
    Field{"alternatives_json", object, "",
          "could: what could have been done instead, which reeve explain prices; lost: what was "
          "wanted of the job at that instant and not done, with decision_id, rule, action, and by "
          "what; empty if neither, and of what leaves the job as it is"},
    Field{"dedupe_key", text, "", "makes a repetition harmless: the client token, if one was sent"},
    Field{"latency_s", number, "s", "decision to settlement; empty if never settled"},
    Field{
        "cost_if_not_usd", number, "usd",
        "of a stop: what its attempt alone, even one that still waited, would have cost more with "
        "this rule in shadow; empty if there is no such attempt then, and on reserved machines, "
        "which are paid for anyway"},
    Field{"outcome", text, "", "done, partly_done, refused or expired; empty if never settled"},
    Field{"prev_hash", text, "", "hash of the run's decision before; 64 zeros before the first"},
    Field{"hash", text, "",
          "SHA-256 of this row's other cells, each as LENGTH:CELL, with its length in bytes"},
};

constexpr std::array events_fields{
    run_id_column,
    Field{"seq", integer, "", "from 1"},
    t_s,
    Field{"source", text, "", "the platform model that sent it"},
    job_name,
    Field{"primary", text, "", "SageMaker's TrainingJobStatus"},
    Field{"secondary", text, "", "SageMaker's SecondaryStatus"},
    Field{"duplicate_of", integer, "", "seq of the event this one repeats"},
    Field{"delivered_s", number, "s", "when reeve learnt of it; empty if never"},
    Field{"failure_reason", text, "",
          "SageMaker's FailureReason, or plain words; empty: no failure"},
};

constexpr std::array alarms_fields{
    run_id_column,
    Field{"alarm", text, "", "job/attempt/host/rule, and #n when put anew"},
    job_name,
    Field{"created_s", number, "s", "since the start of the clock"},
    Field{"deleted_s", number, "s", "empty: still there at the end"},
    Field{"fired_s", number, "s", "first ALARM; empty if none"},
    Field{"state", text, "", "CloudWatch's OK, ALARM or INSUFFICIENT_DATA, at the end"},
    Field{"orphan", boolean, "", "still there at the end although its job is over"},
};

constexpr std::array pools_fields{
    run_id_column,
    Field{"pool", text, "", "name of the fleet"},
    Field{"instance_type", text, "", "of its machines"},
    Field{"market", text, "", "on_demand, spot, reserved or capacity_block"},
    Field{"zone", text, "", "empty if the scenario does not say it"},
    Field{"capacity", integer, "instances", "in all"},
    Field{"capacity_instance_s", number, "s", "of all its machines: how long it was looked at"},
    Field{"offered_instance_s", number, "s", "on offer, held or not"},
    Field{"allocated_instance_s", number, "s", "held by attempts, or left behind"},
    Field{"used_instance_s", number, "s", "making progress"},
    Field{"free_instance_s", number, "s", "on offer, and nobody's"},
    Field{"down_instance_s", number, "s", "broken machines until they are back"},
    Field{"interruptions", integer, "", "of attempts"},
    Field{"node_faults", integer, "", "machines that broke or hung"},
    Field{"node_hits", integer, "", "times an attempt's machine broke or hung"},
    Field{"billed_usd", number, "usd", "sums to billed_usd of runs, exactly"},
};

constexpr std::array spot_fields{
    run_id_column,
    Field{"seq", integer, "", "from 1, by pool and time"},
    t_s,
    Field{"instance_type", text, "", "of the pool"},
    Field{"zone", text, "", "empty if the scenario does not say it"},
    Field{"available", integer, "instances", "on offer from then on"},
    Field{"price_usd", number, "usd", "of an instance and hour from then on"},
    Field{"notice_s", number, "s",
          "how long before the loss the first was told that its machines go; empty: nobody was"},
    Field{"nodes_hit", integer, "instances", "that were lost then"},
    Field{"pool", text, "", "name of the fleet"},
};

constexpr std::array metrics_fields{
    run_id_column,
    Field{"metric", text, "", "as in `expect` lines; `reeve explain METRIC` says what it is"},
    Field{"unit", text, "", "usd, s, count, pct, instance_hours, per_hour"},
    Field{"value", number, "", "in that unit; empty if it never came to be"},
};

constexpr std::array stops_fields{
    run_id_column,
    Field{"seq", integer, "", "order in the run, from 1"},
    Field{"seat", text, "", "label of the rule's seat"},
    Field{"rule", text, "", "its kind"},
    Field{"mode", text, "", "enforce; shadow or warn: a stop that was only wished for"},
    job_name,
    Field{"attempt", integer, "", "from 1"},
    Field{"verdict", text, "",
          "right, late, false or missed, of attempts accused of standing still; kept_rule: a stop "
          "for a broken rule"},
    Field{"onset_s", number, "s", "since when it stood still; empty: it did not"},
    Field{"decided_s", number, "s", "when the stop was decided on; empty: missed"},
    Field{"delay_s", number, "s", "from onset to decision"},
    Field{"usd", number, "usd",
          "false: what the stop destroyed, which sums to false_stop_usd; late: what standing still "
          "cost beyond late_after; missed: all that it cost; else 0"},
};

constexpr std::array preemptions_fields{
    run_id_column,
    Field{"seq", integer, "", "order in the run, from 1"},
    t_s,
    Field{"job", text, "", "jobs.job: who lost its machines"},
    Field{"attempt", integer, "", "which attempt at it"},
    Field{"share", text, "", "of its queue that it stands in; empty: in none"},
    Field{"instances", integer, "instances", "that it held"},
    Field{
        "cause", text, "",
        "reclaim: its share had borrowed what another wanted back; in_share: one that goes before "
        "it needed machines; lowered_quota: its share had less quota than before"},
    Field{"for_job", text, "", "who was to have the machines; empty: nobody in particular"},
    Field{"for_share", text, "", "its share; empty: none"},
    Field{"requeued", boolean, "", "true: it stands in its line again; false: it has ended"},
    Field{"lost_work_usd", number, "usd",
          "what the attempt had done and not saved; empty without the table ledger"},
};

constexpr std::array comparison_fields{
    Field{"policy_a", text, "", "the policy"},
    Field{"policy_b", text, "", "the baseline"},
    Field{"metric", text, "", "the measure; its unit is its suffix, durations are seconds"},
    Field{"mean_a", number, "", "mean over the runs of policy_a"},
    Field{"mean_b", number, "", "mean over the runs of policy_b"},
    Field{"diff", number, "", "mean of policy_a - policy_b, run by run"},
    Field{"lo", number, "", "low end of the 95 % interval of diff; empty: one random run has none"},
    Field{"hi", number, "", "high end of the 95 % interval of diff, likewise"},
    Field{"runs", integer, "", "pairs of runs in which both have the measure"},
    Field{"paired", boolean, "", "the policies met the same draws"},
};

constexpr std::array speed_fields{
    Field{"policy", text, "", "policies.NAME of the scenario"},
    Field{"metric", text, "", "the measure, as in metrics.csv"},
    Field{"factor", number, "", "so many times as fast the jobs train: --what-if-speed"},
    Field{"mean", number, "", "mean over the runs as the scenario has them; empty: it never came"},
    Field{"mean_then", number, "", "mean over the runs at the other speed"},
    Field{"diff", number, "", "mean of the other speed - the scenario's, run by run"},
    Field{"runs", integer, "", "pairs of runs in which both have the measure"},
};

constexpr std::array queue_fields{
    Field{"run_id", text, "", "runs.run_id"},
    Field{"t_s", number, "s",
          "the instant, after the start of the clock; after all that happens then"},
    Field{"pool", text, "", "the fleet that it waits for"},
    Field{"position", integer, "",
          "its place among those, from 1, in the order in which they came to start"},
    Field{"queue", text, "", "that it stands in; empty: in none"},
    Field{"job", text, "", "jobs.job"},
    Field{"attempt", integer, "", "which attempt at it waits"},
    Field{"share", text, "", "of its queue that it stands in; empty: in none"},
    Field{"priority", integer, "", "of the job, then"},
    Field{"instances", integer, "instances", "that it wants"},
    Field{"state", text, "", "RUNNABLE, as AWS Batch says"},
    Field{"reason", text, "",
          "machines: fewer are free; environment: it has no room; user_limit: its user has as much "
          "of "
          "the share as one may; quota: beyond its share's; turn: others go first"},
    Field{"waited_s", number, "s", "since this attempt was asked for, or lost its machines"},
    Field{"starts_s", number, "s", "when it got its machines; empty: not in this run"},
};

constexpr std::array<TableSchema, table_count> tables{{
    {"runs", "One replication of one policy", 1, runs_fields},
    {"jobs", "Every job at the end of its run", 2, jobs_fields},
    {"attempts", "Every attempt at a job", 3, attempts_fields},
    {"ledger", "Where every billed second went (FOCUS names)", 2, ledger_fields},
    {"utilization", "Capacity in use, at each change", 4, utilization_fields},
    {"decisions", "What rules wanted and what became of it", 2, decisions_fields},
    {"events", "Status events as the platform sent them", 2, events_fields},
    {"alarms", "Every alarm that existed", 2, alarms_fields},
    {"pools", "What each fleet had, and what happened to it", 2, pools_fields},
    {"spot", "What Spot offered at what price, and took, at each change", 2, spot_fields},
    {"metrics", "Every metric of each run, one in a row", 2, metrics_fields},
    {"stops", "Right and wrong stops of rules, and what they missed", 2, stops_fields},
    {"queue", "Who waited, at each of the instants asked for", 4, queue_fields},
    {"preemptions", "Who lost machines to whom, and what that cost", 2, preemptions_fields},
}};

}  // namespace

const TableSchema& schema(TableName table) {
  return tables[static_cast<std::size_t>(table)];
}

const TableSchema& comparison_schema() {
  static constexpr TableSchema comparison{"compare", "Differences between policies", 3,
                                          comparison_fields};
  return comparison;
}

const TableSchema& speed_schema() {
  static constexpr TableSchema speed{"speed", "The same policies with faster or slower jobs", 2,
                                     speed_fields};
  return speed;
}

std::vector<const TableSchema*> schemas() {
  std::vector<const TableSchema*> all;
  for (const TableSchema& table : tables) all.push_back(&table);
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
