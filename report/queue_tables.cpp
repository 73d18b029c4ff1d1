#include <array>
#include <map>
#include <optional>
#include <utility>

#include "report/column.hpp"
#include "report/table_definition.hpp"

namespace reeve::report {
namespace {

using models::Charge;
using models::Record;

struct QueueLine {
  const RunNames& names;
  const QueueRow& row;
};

constexpr std::array queue_columns{
    Column<QueueLine>{{"run_id", FieldType::text, "", "runs.run_id"},
                      [](CsvWriter& csv, const QueueLine& of) { csv.text(of.names.run()); }},
    Column<QueueLine>{
        {"t_s", FieldType::number, "s",
         "the instant, after the start of the clock and after all events at that time"},
        [](CsvWriter& csv, const QueueLine& of) { csv.since(of.names.start(), of.row.at); }},
    Column<QueueLine>{
        {"pool", FieldType::text, "", "fleet that it waits for"},
        [](CsvWriter& csv, const QueueLine& of) { csv.text(of.names.pool(of.row.pool).name); }},
    Column<QueueLine>{{"position", FieldType::integer, "",
                       "position among the jobs pending for that fleet, from 1"},
                      [](CsvWriter& csv, const QueueLine& of) { csv.count(of.row.position); }},
    Column<QueueLine>{{"queue", FieldType::text, "", "queue of the job; empty: none"},
                      [](CsvWriter& csv, const QueueLine& of) { csv.text(of.row.queue); }},
    Column<QueueLine>{
        {"job", FieldType::text, "", "jobs.job"},
        [](CsvWriter& csv, const QueueLine& of) { csv.text(of.names.job(of.row.job)); }},
    Column<QueueLine>{{"attempt", FieldType::integer, "", "number of the pending attempt"},
                      [](CsvWriter& csv, const QueueLine& of) { csv.count(of.row.attempt); }},
    Column<QueueLine>{{"share", FieldType::text, "", "share of its queue; empty: none"},
                      [](CsvWriter& csv, const QueueLine& of) { csv.text(of.row.share); }},
    Column<QueueLine>{{"priority", FieldType::integer, "", "priority of the job at that time"},
                      [](CsvWriter& csv, const QueueLine& of) { csv.integer(of.row.priority); }},
    Column<QueueLine>{{"instances", FieldType::integer, "instances", "instances that it requests"},
                      [](CsvWriter& csv, const QueueLine& of) { csv.count(of.row.instances); }},
    Column<QueueLine>{{"state", FieldType::text, "", "RUNNABLE, as in AWS Batch"},
                      [](CsvWriter& csv, const QueueLine&) { csv.text("RUNNABLE"); }},
    Column<QueueLine>{
        {"reason", FieldType::text, "",
         "instances: too few are free; environment: its limit is reached; user_limit: "
         "its user reached the limit of the share; quota: beyond the quota of its share; "
         "account_quota: a service quota of the account refused its start; turn: others are ahead"},
        [](CsvWriter& csv, const QueueLine& of) { csv.text(of.row.reason); }},
    Column<QueueLine>{
        {"waited_s", FieldType::number, "s",
         "time since this attempt was submitted or lost its instances"},
        [](CsvWriter& csv, const QueueLine& of) { csv.since(of.row.since, of.row.at); }},
    Column<QueueLine>{
        {"starts_s", FieldType::number, "s", "when it got its instances; empty: not in this run"},
        [](CsvWriter& csv, const QueueLine& of) { csv.since(of.names.start(), of.row.starts); }},
};

std::string write_queue(CsvWriter& csv, const RunNames& names) {
  if (!names.rows().queue) return {};
  names.rows().queue([&](const QueueRow& row) {
    write_row(csv, queue_columns, QueueLine{names, row});
  });
  return {};
}

using AttemptId = std::pair<policy::JobId, policy::AttemptNumber>;

/// Of the attempts that lost any.
std::map<AttemptId, Charge> lost_work(const Record& record) {
  std::map<AttemptId, Charge> lost;
  for (const models::LedgerLine& line : record.ledger_lines) {
    if (line.use == models::Use::lost_work) lost[{line.job, line.attempt}] += line.amount;
  }
  return lost;
}

struct PreemptionLine {
  const RunNames& names;
  std::uint64_t number;
  const models::PreemptionRow& row;
  std::optional<policy::Usd> lost_work;

  bool is_for_job() const { return row.to != row.job; }
  std::string_view share_of(policy::JobId job) const {
    return names.share(names.terms(names.profile(job)));
  }
};

constexpr std::array preemptions_columns{
    Column<PreemptionLine>{
        run_id_field, [](CsvWriter& csv, const PreemptionLine& of) { csv.text(of.names.run()); }},
    Column<PreemptionLine>{{"seq", FieldType::integer, "", "position in the run, from 1"},
                           [](CsvWriter& csv, const PreemptionLine& of) { csv.count(of.number); }},
    Column<PreemptionLine>{
        t_s_field,
        [](CsvWriter& csv, const PreemptionLine& of) { csv.since(of.names.start(), of.row.at); }},
    Column<PreemptionLine>{
        {"job", FieldType::text, "", "jobs.job: the preempted job"},
        [](CsvWriter& csv, const PreemptionLine& of) { csv.text(of.names.job(of.row.job)); }},
    Column<PreemptionLine>{
        {"attempt", FieldType::integer, "", "number of the attempt"},
        [](CsvWriter& csv, const PreemptionLine& of) { csv.count(of.row.attempt); }},
    Column<PreemptionLine>{
        {"share", FieldType::text, "", "share of its queue; empty: none"},
        [](CsvWriter& csv, const PreemptionLine& of) { csv.text(of.share_of(of.row.job)); }},
    Column<PreemptionLine>{
        {"instances", FieldType::integer, "instances", "instances that it held"},
        [](CsvWriter& csv, const PreemptionLine& of) { csv.count(of.row.instances); }},
    Column<PreemptionLine>{
        {"cause", FieldType::text, "",
         "reclaim: another share reclaimed its borrowed quota; in_share: a job ahead of it in the "
         "same share needed instances; lowered_quota: the quota of its share was lowered"},
        [](CsvWriter& csv, const PreemptionLine& of) {
          csv.text(policy::preempt_cause_names[static_cast<std::size_t>(of.row.cause)]);
        }},
    Column<PreemptionLine>{{"for_job", FieldType::text, "",
                            "job that was to get the instances; empty: no specific job"},
                           [](CsvWriter& csv, const PreemptionLine& of) {
                             csv.text(of.is_for_job() ? of.names.job(of.row.to) : std::string{});
                           }},
    Column<PreemptionLine>{{"for_share", FieldType::text, "", "share of that job; empty: none"},
                           [](CsvWriter& csv, const PreemptionLine& of) {
                             csv.text(of.is_for_job() ? of.share_of(of.row.to)
                                                      : std::string_view{});
                           }},
    Column<PreemptionLine>{
        {"requeued", FieldType::boolean, "", "true: it is pending again; false: it has ended"},
        [](CsvWriter& csv, const PreemptionLine& of) { csv.boolean(of.row.requeued); }},
    Column<PreemptionLine>{
        {"lost_work_usd", FieldType::number, "usd",
         "work of the attempt that was not saved; empty without the table ledger"},
        [](CsvWriter& csv, const PreemptionLine& of) {
          of.lost_work ? csv.usd(*of.lost_work) : csv.empty();
        }},
};

std::string write_preemptions(CsvWriter& csv, const RunNames& names) {
  const Record& record = names.rows().record;
  if (record.preemptions.empty()) return {};
  const std::map<AttemptId, Charge> lost = lost_work(record);
  std::uint64_t seq = 0;
  for (const models::PreemptionRow& row : record.preemptions) {
    PreemptionLine line{names, ++seq, row, std::nullopt};
    const auto found = lost.find({row.job, row.attempt});
    if (!record.ledger_lines.empty()) {
      line.lost_work = models::to_usd(found == lost.end() ? Charge{0} : found->second);
    }
    write_row(csv, preemptions_columns, line);
  }
  return {};
}

}  // namespace

const TableDefinition& queue_table() {
  static constexpr std::array fields = fields_of(queue_columns);
  static constexpr TableDefinition table{
      {"queue", "Pending jobs at each requested instant", 4, fields}, write_queue};
  return table;
}

const TableDefinition& preemptions_table() {
  static constexpr std::array fields = fields_of(preemptions_columns);
  static constexpr TableDefinition table{
      {"preemptions", "Preempted jobs, the jobs that got their instances, and the lost work", 2,
       fields},
      write_preemptions};
  return table;
}

}  // namespace reeve::report
