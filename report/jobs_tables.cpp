#include <array>
#include <reeve/policy/training_job_name.hpp>
#include <set>
#include <utility>
#include <vector>

#include "models/attempt_names.hpp"
#include "report/column.hpp"
#include "report/table_definition.hpp"
#include "report/words.hpp"

namespace reeve::report {
namespace {

using models::Record;
using policy::Instant;
using policy::never;

struct JobCost {
  policy::Usd billed;
  policy::Usd wasted;
};

/// By job: the sum of its ledger lines; without those, to the nearest micro-dollar.
std::vector<JobCost> job_costs(const RunNames& names) {
  const Record& record = names.rows().record;
  std::vector<JobCost> costs(record.job_rows.size());
  const std::vector<policy::Usd> lines = line_costs(names);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const models::LedgerLine& line = record.ledger_lines[at];
    if (line.attempt == 0) continue;
    costs[line.job.index].billed += lines[at];
    if (models::is_waste(line.use)) costs[line.job.index].wasted += lines[at];
  }
  if (!lines.empty()) return costs;
  for (std::size_t job = 0; job < costs.size(); ++job) {
    costs[job] = {models::to_usd(record.job_rows[job].billed),
                  models::to_usd(record.job_rows[job].wasted)};
  }
  return costs;
}

/// What its script ended with: 0 is success.  What a machine took with it, what never started, and
/// what was stopped has said nothing.
void write_exit_code(CsvWriter& csv, const models::JobRow& row) {
  using policy::FailureClass;
  if (row.status == policy::Primary::completed) return csv.integer(0);
  const bool failed = row.status == policy::Primary::failed;
  const bool by_machines =
      row.failure == FailureClass::capacity || row.failure == FailureClass::infrastructure ||
      row.failure == FailureClass::hardware || row.failure == FailureClass::quota;
  if (!failed || by_machines) return csv.empty();
  csv.integer(1);
}

/// Attempts that are called as their job with "clone" behind it.
using AppendedNames = std::set<std::pair<policy::JobId, policy::AttemptNumber>>;

AppendedNames appended_names(const RunRows& run) {
  AppendedNames names;
  for (const DecisionRow& row : run.decisions) {
    if (row.appends_to_name && row.outcome == "done") names.insert({row.job, row.attempt});
  }
  return names;
}

/// What the platform calls attempts, and their log streams.
class LogNames {
 public:
  explicit LogNames(const RunRows& run)
      : jobs_{run.record.jobs}, names_{jobs_}, appended_{appended_names(run)} {}

  std::string of(policy::JobId job, policy::AttemptNumber attempt) const {
    const bool appended = attempt > 1 && appended_.contains({job, attempt});
    return appended ? policy::appended_name(jobs_.name(job), attempt)
                    : names_.numbered(job, attempt);
  }

 private:
  const models::Jobs& jobs_;
  models::AttemptNames names_;
  AppendedNames appended_;
};

/// By job: of its newest attempt that had machines; that it asked for if none had.
std::vector<policy::PoolId> newest_pools(const RunNames& names) {
  const Record& record = names.rows().record;
  std::vector<policy::PoolId> pools(record.job_rows.size());
  std::vector<policy::AttemptNumber> newest(record.job_rows.size(), 0);
  for (std::uint32_t job = 0; job < pools.size(); ++job) pools[job] = names.profile({job}).pool;
  for (const models::AttemptRow& attempt : record.attempts) {
    if (!attempt.had_machines() || attempt.number < newest[attempt.job.index]) continue;
    newest[attempt.job.index] = attempt.number;
    pools[attempt.job.index] = attempt.pool;
  }
  return pools;
}

struct JobLine {
  const RunNames& names;
  const LogNames& logs;
  policy::JobId job;
  policy::PoolId ran_in;
  JobCost cost;
  std::uint32_t preemptions;
  const models::JobSpec& spec = names.spec(job);
  const models::JobRow& row = names.rows().record.job_rows[job.index];
  const models::JobProfile& profile = names.profile(job);

  const policy::JobTerms& terms() const { return names.terms(profile); }
  std::string_view tag(std::string_view key) const { return names.tag(profile.tags, key); }
  bool started() const { return row.first_start != never; }
  bool is_done() const { return row.status == policy::Primary::completed && row.end != never; }
};

constexpr std::array jobs_columns{
    Column<JobLine>{run_id_field,
                    [](CsvWriter& csv, const JobLine& of) { csv.text(of.names.run()); }},
    Column<JobLine>{job_field,
                    [](CsvWriter& csv, const JobLine& of) { csv.text(of.names.job(of.job)); }},
    Column<JobLine>{
        {"share", FieldType::text, "", "share of its queue; empty: none"},
        [](CsvWriter& csv, const JobLine& of) { csv.text(of.names.share(of.terms())); }},
    Column<JobLine>{
        {"queue", FieldType::text, "", "queue of the job; empty: none"},
        [](CsvWriter& csv, const JobLine& of) { csv.text(of.names.queue(of.terms())); }},
    Column<JobLine>{{"tier", FieldType::text, "", "the tag `tier`"},
                    [](CsvWriter& csv, const JobLine& of) { csv.text(of.tag("tier")); }},
    Column<JobLine>{{"owner", FieldType::text, "", "owner of the job"},
                    [](CsvWriter& csv, const JobLine& of) { csv.text(of.profile.owner); }},
    Column<JobLine>{{"project", FieldType::text, "", "the tag `project`"},
                    [](CsvWriter& csv, const JobLine& of) { csv.text(of.tag("project")); }},
    Column<JobLine>{
        {"tags_json", FieldType::object, "", "all tags of its first attempt"},
        [](CsvWriter& csv, const JobLine& of) { csv.text(of.names.tags_json(of.profile.tags)); }},
    Column<JobLine>{
        {"instance_type", FieldType::text, "",
         "type of its last attempt that held instances; else the type that it requested"},
        [](CsvWriter& csv, const JobLine& of) {
          csv.text(of.names.type(of.names.pool(of.ran_in)));
        }},
    Column<JobLine>{
        {"instances", FieldType::integer, "instances", "instances that the job holds at once"},
        [](CsvWriter& csv, const JobLine& of) { csv.count(of.spec.instances); }},
    Column<JobLine>{
        {"submit_s", FieldType::number, "s", "submission, after the start of the clock"},
        [](CsvWriter& csv, const JobLine& of) { csv.since(of.names.start(), of.spec.submit); }},
    Column<JobLine>{
        {"first_start_s", FieldType::number, "s",
         "when it first held instances and startup began; empty: never"},
        [](CsvWriter& csv, const JobLine& of) { csv.since(of.names.start(), of.row.first_start); }},
    Column<JobLine>{
        {"end_s", FieldType::number, "s",
         "when the work was done, else the end of the last attempt; empty if neither"},
        [](CsvWriter& csv, const JobLine& of) { csv.since(of.names.start(), of.row.end); }},
    Column<JobLine>{
        {"wait_s", FieldType::number, "s",
         "first_start_s - submit_s: queue and provisioning, without startup"},
        [](CsvWriter& csv, const JobLine& of) { csv.since(of.spec.submit, of.row.first_start); }},
    Column<JobLine>{
        {"time_to_result_s", FieldType::number, "s", "end_s - submit_s of completed jobs"},
        [](CsvWriter& csv, const JobLine& of) {
          csv.since(of.spec.submit, of.is_done() ? of.row.end : never);
        }},
    Column<JobLine>{{"status", FieldType::text, "",
                     "SageMaker's TrainingJobStatus of the last attempt, or Queued"},
                    [](CsvWriter& csv, const JobLine& of) { csv.text(word(of.row.status)); }},
    Column<JobLine>{{"attempts", FieldType::integer, "", "number of attempts"},
                    [](CsvWriter& csv, const JobLine& of) { csv.count(of.row.attempts); }},
    Column<JobLine>{
        {"interruptions", FieldType::integer, "", "times that the platform took its instances"},
        [](CsvWriter& csv, const JobLine& of) { csv.count(of.row.interruptions); }},
    Column<JobLine>{{"preemptions", FieldType::integer, "",
                     "times that its queue preempted it; empty: it has no queue"},
                    [](CsvWriter& csv, const JobLine& of) {
                      of.terms().queue ? csv.count(of.preemptions) : csv.empty();
                    }},
    Column<JobLine>{{"work_s", FieldType::number, "s", "undisturbed training time it needs"},
                    [](CsvWriter& csv, const JobLine& of) { csv.seconds(of.spec.work); }},
    Column<JobLine>{
        {"progress_s", FieldType::number, "s", "part of the work that is durable at the end"},
        [](CsvWriter& csv, const JobLine& of) { csv.seconds(of.row.progress); }},
    Column<JobLine>{{"billed_usd", FieldType::number, "usd",
                     "cost of all its attempts: the sum of its ledger lines"},
                    [](CsvWriter& csv, const JobLine& of) { csv.usd(of.cost.billed); }},
    Column<JobLine>{{"wasted_usd", FieldType::number, "usd", "wasted part of billed_usd"},
                    [](CsvWriter& csv, const JobLine& of) { csv.usd(of.cost.wasted); }},
    Column<JobLine>{
        {"exit_code", FieldType::integer, "",
         "exit code of its script: 0 if it completed, 1 if it failed because of the job itself; "
         "else empty"},
        [](CsvWriter& csv, const JobLine& of) { write_exit_code(csv, of.row); }},
    Column<JobLine>{{"log_ref", FieldType::text, "",
                     "name of its last attempt and of its log stream; empty: it never started"},
                    [](CsvWriter& csv, const JobLine& of) {
                      csv.text(of.started() ? of.logs.of(of.job, of.row.attempts) : std::string{});
                    }},
    Column<JobLine>{{"code_ref", FieldType::text, "", "the tag `code`"},
                    [](CsvWriter& csv, const JobLine& of) { csv.text(of.tag("code")); }},
    Column<JobLine>{{"wait_again_s", FieldType::number, "s",
                     "requeue wait: queue and provisioning after first_start_s; empty: it never "
                     "held instances"},
                    [](CsvWriter& csv, const JobLine& of) {
                      of.started()
                          ? csv.seconds(models::waited_again(of.names.rows().record, of.job))
                          : csv.empty();
                    }},
    Column<JobLine>{{"not_in_data", FieldType::boolean, "",
                     "true: it ran again after an end from outside, so the data of its trace do "
                     "not show what followed"},
                    [](CsvWriter& csv, const JobLine& of) { csv.boolean(of.row.beyond_log); }},
};

std::string write_jobs(CsvWriter& csv, const RunNames& names) {
  const Record& record = names.rows().record;
  const std::vector<JobCost> costs = job_costs(names);
  const std::vector<policy::PoolId> pools = newest_pools(names);
  std::vector<std::uint32_t> preemptions(record.job_rows.size());
  for (const models::PreemptionRow& each : record.preemptions) ++preemptions[each.job.index];
  const LogNames logs{names.rows()};
  for (std::uint32_t job = 0; job < record.job_rows.size(); ++job) {
    write_row(csv, jobs_columns,
              JobLine{names, logs, {job}, pools[job], costs[job], preemptions[job]});
  }
  return {};
}

struct AttemptLine {
  const RunNames& names;
  const LogNames& logs;
  const models::AttemptRow& row;

  const models::Pool& pool() const { return names.pool(row.pool); }
};

constexpr std::array attempts_columns{
    Column<AttemptLine>{run_id_field,
                        [](CsvWriter& csv, const AttemptLine& of) { csv.text(of.names.run()); }},
    Column<AttemptLine>{
        job_field,
        [](CsvWriter& csv, const AttemptLine& of) { csv.text(of.names.job(of.row.job)); }},
    Column<AttemptLine>{{"attempt", FieldType::integer, "", "from 1"},
                        [](CsvWriter& csv, const AttemptLine& of) { csv.count(of.row.number); }},
    Column<AttemptLine>{
        {"start_s", FieldType::number, "s", "start of billing; empty if it never held instances"},
        [](CsvWriter& csv, const AttemptLine& of) {
          csv.since(of.names.start(), of.row.billed_from);
        }},
    Column<AttemptLine>{
        {"end_s", FieldType::number, "s", "end of the attempt"},
        [](CsvWriter& csv, const AttemptLine& of) { csv.since(of.names.start(), of.row.end); }},
    Column<AttemptLine>{
        {"market", FieldType::text, "",
         "on_demand, spot, reserved or capacity_block: market of its last instances, or of those "
         "it waited for"},
        [](CsvWriter& csv, const AttemptLine& of) { csv.text(word(of.pool().market)); }},
    Column<AttemptLine>{
        {"instance_type", FieldType::text, "",
         "type of the pool in which it ran or waited, which may differ from the type requested"},
        [](CsvWriter& csv, const AttemptLine& of) { csv.text(of.names.type(of.pool())); }},
    Column<AttemptLine>{
        {"resumed_from_s", FieldType::number, "s",
         "work that was durable when the attempt started"},
        [](CsvWriter& csv, const AttemptLine& of) { csv.seconds(of.row.resumed_from); }},
    Column<AttemptLine>{
        {"end_reason", FieldType::text, "",
         "completed, failed, stopped, max_runtime, max_wait, capacity, preempted, runnable_limit "
         "(of its queue), or horizon: the run ended first"},
        [](CsvWriter& csv, const AttemptLine& of) { csv.text(word(of.row.reason)); }},
    Column<AttemptLine>{
        {"failure_class", FieldType::text, "", "failure class, or none"},
        [](CsvWriter& csv, const AttemptLine& of) { csv.text(word(of.row.failure)); }},
    Column<AttemptLine>{{"billed_s", FieldType::number, "s", "billed wall time of each instance"},
                        [](CsvWriter& csv, const AttemptLine& of) { csv.seconds(of.row.billed); }},
    Column<AttemptLine>{
        {"billable_s", FieldType::number, "s",
         "SageMaker's BillableTimeInSeconds: billed_s; for managed Spot scaled by its discount, "
         "in whole seconds"},
        [](CsvWriter& csv, const AttemptLine& of) { csv.seconds(of.row.billable); }},
    Column<AttemptLine>{
        {"log_ref", FieldType::text, "",
         "name of the attempt and of its log stream; empty if it never held instances"},
        [](CsvWriter& csv, const AttemptLine& of) {
          csv.text(of.row.had_machines() ? of.logs.of(of.row.job, of.row.number) : std::string{});
        }},
};

std::string write_attempts(CsvWriter& csv, const RunNames& names) {
  const LogNames logs{names.rows()};
  for (const models::AttemptRow& attempt : names.rows().record.attempts) {
    write_row(csv, attempts_columns, AttemptLine{names, logs, attempt});
  }
  return {};
}

}  // namespace

const TableDefinition& jobs_table() {
  static constexpr std::array fields = fields_of(jobs_columns);
  static constexpr TableDefinition table{{"jobs", "Every job at the end of its run", 2, fields},
                                         write_jobs};
  return table;
}

const TableDefinition& attempts_table() {
  static constexpr std::array fields = fields_of(attempts_columns);
  static constexpr TableDefinition table{{"attempts", "Every attempt at a job", 3, fields},
                                         write_attempts};
  return table;
}

}  // namespace reeve::report
