#include <algorithm>
#include <array>
#include <utility>

#include "models/invoice.hpp"
#include "report/column.hpp"
#include "report/table_definition.hpp"

namespace reeve::report {
namespace {

using models::Charge;
using models::Record;
using models::Use;
using policy::never;

struct RunLine {
  const RunNames& names;
  const RunInfo& info;
  const Record& record;
  models::Occupancy occupied;
  decltype(models::apportion(std::declval<const models::Ledger&>().uses())) costs;

  policy::Usd cost(Use use) const { return costs[static_cast<std::size_t>(use)]; }
  policy::Usd wasted() const {
    policy::Usd sum;
    for (std::size_t use = 0; use < costs.size(); ++use) {
      if (models::is_waste(static_cast<Use>(use))) sum += costs[use];
    }
    return sum;
  }
  std::uint64_t jobs_that(policy::Primary status) const {
    return static_cast<std::uint64_t>(
        std::ranges::count(record.job_rows, status, &models::JobRow::status));
  }
  std::uint64_t missed_stalls() const {
    return static_cast<std::uint64_t>(
        std::ranges::count(record.stalls, never, &models::StallRow::detected));
  }
};

constexpr std::array runs_columns{
    Column<RunLine>{run_id_field,
                    [](CsvWriter& csv, const RunLine& of) { csv.text(of.names.run()); }},
    Column<RunLine>{{"scenario", FieldType::text, "", "name of the scenario"},
                    [](CsvWriter& csv, const RunLine& of) { csv.text(of.info.scenario); }},
    Column<RunLine>{{"policy", FieldType::text, "", "name of the policy"},
                    [](CsvWriter& csv, const RunLine& of) { csv.text(of.info.policy); }},
    Column<RunLine>{{"rep", FieldType::integer, "", "replication, from 0"},
                    [](CsvWriter& csv, const RunLine& of) { csv.count(of.info.replication); }},
    Column<RunLine>{{"seed", FieldType::integer, "", "seed of the scenario; unsigned, 64 bits"},
                    [](CsvWriter& csv, const RunLine& of) { csv.count(of.info.seed); }},
    Column<RunLine>{{"digest", FieldType::text, "",
                     "digest of the run's journal; equal digests are equal runs"},
                    [](CsvWriter& csv, const RunLine& of) { csv.text(of.info.digest); }},
    Column<RunLine>{{"engine_version", FieldType::text, "", "version of reeve"},
                    [](CsvWriter& csv, const RunLine& of) { csv.text(of.info.engine_version); }},
    Column<RunLine>{{"price_book", FieldType::text, "", "source of the prices"},
                    [](CsvWriter& csv, const RunLine& of) { csv.text(of.info.price_book); }},
    Column<RunLine>{
        {"billed_usd", FieldType::number, "usd",
         "cost of instance time: productive, startup and checkpoint plus wasted, exactly"},
        [](CsvWriter& csv, const RunLine& of) {
          csv.usd(models::to_usd(of.record.ledger.billed()));
        }},
    Column<RunLine>{{"productive_usd", FieldType::number, "usd", "work that counted"},
                    [](CsvWriter& csv, const RunLine& of) { csv.usd(of.cost(Use::productive)); }},
    Column<RunLine>{
        {"wasted_usd", FieldType::number, "usd",
         "sum of stalled, lost work, stop grace, orphan, idle reserved and false stops"},
        [](CsvWriter& csv, const RunLine& of) { csv.usd(of.wasted()); }},
    Column<RunLine>{{"startup_usd", FieldType::number, "usd", "startup: downloads and setup"},
                    [](CsvWriter& csv, const RunLine& of) { csv.usd(of.cost(Use::startup)); }},
    Column<RunLine>{{"checkpoint_usd", FieldType::number, "usd", "pauses for checkpoints"},
                    [](CsvWriter& csv, const RunLine& of) { csv.usd(of.cost(Use::checkpoint)); }},
    Column<RunLine>{{"stalled_usd", FieldType::number, "usd", "instances held without progress"},
                    [](CsvWriter& csv, const RunLine& of) { csv.usd(of.cost(Use::stalled)); }},
    Column<RunLine>{{"lost_work_usd", FieldType::number, "usd",
                     "work redone after an interruption, failure or stop"},
                    [](CsvWriter& csv, const RunLine& of) { csv.usd(of.cost(Use::lost_work)); }},
    Column<RunLine>{
        {"drain_usd", FieldType::number, "usd", "stop grace: from a stop to the end of billing"},
        [](CsvWriter& csv, const RunLine& of) { csv.usd(of.cost(Use::drain)); }},
    Column<RunLine>{
        {"orphan_usd", FieldType::number, "usd", "orphaned instances: their job has ended"},
        [](CsvWriter& csv, const RunLine& of) { csv.usd(of.cost(Use::orphan)); }},
    Column<RunLine>{
        {"idle_reserved_usd", FieldType::number, "usd", "reserved instances without a job"},
        [](CsvWriter& csv, const RunLine& of) { csv.usd(of.cost(Use::idle_reserved)); }},
    Column<RunLine>{
        {"guardrail_usd", FieldType::number, "usd", "alarms and calls; not part of billed_usd"},
        [](CsvWriter& csv, const RunLine& of) {
          csv.usd(models::to_usd(of.record.ledger.guardrail()));
        }},
    Column<RunLine>{
        {"residual_usd", FieldType::number, "usd", "billed minus all uses: 0, or reeve has a bug"},
        [](CsvWriter& csv, const RunLine& of) { csv.usd(of.record.ledger.residual_usd()); }},
    Column<RunLine>{
        {"makespan_s", FieldType::number, "s",
         "time from the first submission to the last end; a job without an end counts until the "
         "end of the run"},
        [](CsvWriter& csv, const RunLine& of) {
          csv.seconds_or_empty(models::makespan(of.record));
        }},
    Column<RunLine>{{"jobs_done", FieldType::integer, "", "jobs that completed"},
                    [](CsvWriter& csv, const RunLine& of) {
                      csv.count(of.jobs_that(policy::Primary::completed));
                    }},
    Column<RunLine>{{"jobs_failed", FieldType::integer, "", "jobs whose last attempt failed"},
                    [](CsvWriter& csv, const RunLine& of) {
                      csv.count(of.jobs_that(policy::Primary::failed));
                    }},
    Column<RunLine>{
        {"false_stops", FieldType::integer, "", "stops by rules that were false positives"},
        [](CsvWriter& csv, const RunLine& of) { csv.count(of.record.false_stops); }},
    Column<RunLine>{{"missed_stalls", FieldType::integer, "", "stalls that nothing detected"},
                    [](CsvWriter& csv, const RunLine& of) { csv.count(of.missed_stalls()); }},
    Column<RunLine>{{"peak_instances", FieldType::integer, "instances",
                     "largest number allocated at once, over all pools"},
                    [](CsvWriter& csv, const RunLine& of) { csv.count(of.record.peak_instances); }},
    Column<RunLine>{
        {"mean_allocated_pct", FieldType::number, "pct",
         "mean allocated share of the available capacity, from the first submission until no "
         "instance is held"},
        [](CsvWriter& csv, const RunLine& of) {
          csv.percent(of.occupied.allocated, of.occupied.capacity);
        }},
    Column<RunLine>{{"mean_used_pct", FieldType::number, "pct",
                     "mean share of the available capacity that made progress, over the same time"},
                    [](CsvWriter& csv, const RunLine& of) {
                      csv.percent(of.occupied.used, of.occupied.capacity);
                    }},
    Column<RunLine>{{"partial", FieldType::boolean, "", "true if the run was interrupted"},
                    [](CsvWriter& csv, const RunLine& of) { csv.boolean(of.record.partial); }},
    Column<RunLine>{{"false_stop_usd", FieldType::number, "usd",
                     "cost of false stops: their stop grace and redone work"},
                    [](CsvWriter& csv, const RunLine& of) { csv.usd(of.cost(Use::false_stop)); }},
    Column<RunLine>{{"peak_allocated_pct", FieldType::number, "pct",
                     "largest allocated share of the available capacity"},
                    [](CsvWriter& csv, const RunLine& of) {
                      csv.percent(Charge{of.record.peak_allocated.part},
                                  Charge{of.record.peak_allocated.whole});
                    }},
    Column<RunLine>{{"peak_used_pct", FieldType::number, "pct",
                     "largest share of the available capacity that made progress"},
                    [](CsvWriter& csv, const RunLine& of) {
                      csv.percent(Charge{of.record.peak_used.part},
                                  Charge{of.record.peak_used.whole});
                    }},
};

std::string write_runs(CsvWriter& csv, const RunNames& names) {
  const RunRows& run = names.rows();
  const models::Ledger& ledger = run.record.ledger;
  write_row(csv, runs_columns,
            RunLine{names, run.info, run.record, models::occupancy(run.record),
                    models::apportion(ledger.uses())});
  return {};
}

}  // namespace

const TableDefinition& runs_table() {
  static constexpr std::array fields = fields_of(runs_columns);
  static constexpr TableDefinition table{{"runs", "One replication of one policy", 1, fields},
                                         write_runs};
  return table;
}

}  // namespace reeve::report
