#include "report/history_tables.hpp"

#include <array>

#include "report/column.hpp"
#include "report/schema.hpp"

namespace reeve::report {
namespace {

constexpr std::array saving_columns{
    Column<SavingRow>{{"policy", FieldType::text, "", "policies.NAME of the scenario"},
                      [](CsvWriter& csv, const SavingRow& of) { csv.text(of.policy); }},
    Column<SavingRow>{{"baseline", FieldType::text, "", "policy to compare with"},
                      [](CsvWriter& csv, const SavingRow& of) { csv.text(of.baseline); }},
    Column<SavingRow>{
        {"saved_usd", FieldType::number, "USD", "saved of the bill of the history"},
        [](CsvWriter& csv, const SavingRow& of) { csv.number_or_empty(of.saved_usd); }},
    Column<SavingRow>{{"saved_lo_usd", FieldType::number, "USD",
                       "low end of its 95 % interval; empty without drawn weeks"},
                      [](CsvWriter& csv, const SavingRow& of) { csv.number_or_empty(of.low); }},
    Column<SavingRow>{{"saved_hi_usd", FieldType::number, "USD", "high end of it"},
                      [](CsvWriter& csv, const SavingRow& of) { csv.number_or_empty(of.high); }},
    Column<SavingRow>{
        {"list_usd", FieldType::number, "USD",
         "saved at list prices; empty if the scenario lacks one"},
        [](CsvWriter& csv, const SavingRow& of) { csv.number_or_empty(of.list_usd); }},
    Column<SavingRow>{
        {"list_lo_usd", FieldType::number, "USD", "low end of its 95 % interval"},
        [](CsvWriter& csv, const SavingRow& of) { csv.number_or_empty(of.list_low); }},
    Column<SavingRow>{
        {"list_hi_usd", FieldType::number, "USD", "high end of it"},
        [](CsvWriter& csv, const SavingRow& of) { csv.number_or_empty(of.list_high); }},
    Column<SavingRow>{{"jobs_stopped", FieldType::integer, "", "jobs that the policy stops"},
                      [](CsvWriter& csv, const SavingRow& of) { csv.count_or_empty(of.stopped); }},
    Column<SavingRow>{
        {"jobs_without_result", FieldType::integer, "",
         "jobs with a result under the baseline only"},
        [](CsvWriter& csv, const SavingRow& of) { csv.count_or_empty(of.without_result); }},
    Column<SavingRow>{{"jobs_later", FieldType::integer, "", "jobs that finish later"},
                      [](CsvWriter& csv, const SavingRow& of) { csv.count_or_empty(of.later); }},
    Column<SavingRow>{
        {"lost_usd", FieldType::number, "USD",
         "what the jobs of the last two columns waste beyond the baseline"},
        [](CsvWriter& csv, const SavingRow& of) { of.lost ? csv.usd(*of.lost) : csv.empty(); }},
    Column<SavingRow>{{"held_out_weeks", FieldType::integer, "",
                       "weeks whose saving was predicted from the weeks before"},
                      [](CsvWriter& csv, const SavingRow& of) { csv.count(of.held_out_weeks); }},
    Column<SavingRow>{
        {"error_pct", FieldType::number, "%",
         "mean error of these predictions, of the mean saving"},
        [](CsvWriter& csv, const SavingRow& of) { csv.number_or_empty(of.error_pct); }},
    Column<SavingRow>{
        {"coverage90_pct", FieldType::number, "%", "these weeks within the 90 % interval"},
        [](CsvWriter& csv, const SavingRow& of) { csv.number_or_empty(of.coverage90_pct); }},
    Column<SavingRow>{
        {"bill_matched_pct", FieldType::number, "%",
         "part of what instances cost on the bill that jobs explain; empty without a bill"},
        [](CsvWriter& csv, const SavingRow& of) { csv.number_or_empty(of.matched_pct); }},
};

constexpr std::array hurt_columns{
    Column<HurtJobRow>{{"policy", FieldType::text, "", "policies.NAME of the scenario"},
                       [](CsvWriter& csv, const HurtJobRow& of) { csv.text(of.policy); }},
    Column<HurtJobRow>{{"job", FieldType::text, "", "job with a result under the baseline"},
                       [](CsvWriter& csv, const HurtJobRow& of) { csv.text(of.job); }},
    Column<HurtJobRow>{
        {"later_s", FieldType::number, "s", "how much later it has its result; empty: it has none"},
        [](CsvWriter& csv, const HurtJobRow& of) { csv.seconds_or_empty(of.later); }},
    Column<HurtJobRow>{{"lost_usd", FieldType::number, "USD", "what it wastes beyond the baseline"},
                       [](CsvWriter& csv, const HurtJobRow& of) { csv.usd(of.lost); }},
};

}  // namespace

const TableSchema& savings_schema() {
  static constexpr std::array fields = fields_of(saving_columns);
  static constexpr TableSchema savings{"savings", "What policies would have saved of a history", 1,
                                       fields};
  return savings;
}

const TableSchema& hurt_jobs_schema() {
  static constexpr std::array fields = fields_of(hurt_columns);
  static constexpr TableSchema hurt{"hurt_jobs", "Jobs of a history that policies hurt", 2, fields};
  return hurt;
}

void write_row(CsvWriter& csv, const SavingRow& row) {
  write_row(csv, saving_columns, row);
}

void write_row(CsvWriter& csv, const HurtJobRow& row) {
  write_row(csv, hurt_columns, row);
}

}  // namespace reeve::report
