#include "report/comparison_tables.hpp"

#include <array>

#include "report/column.hpp"
#include "report/schema.hpp"

namespace reeve::report {
namespace {

constexpr std::array comparison_columns{
    Column<ComparisonRow>{{"policy_a", FieldType::text, "", "policy"},
                          [](CsvWriter& csv, const ComparisonRow& of) { csv.text(of.policy_a); }},
    Column<ComparisonRow>{{"policy_b", FieldType::text, "", "baseline policy"},
                          [](CsvWriter& csv, const ComparisonRow& of) { csv.text(of.policy_b); }},
    Column<ComparisonRow>{
        {"metric", FieldType::text, "", "metric; its unit is its suffix, durations are in seconds"},
        [](CsvWriter& csv, const ComparisonRow& of) { csv.text(of.metric); }},
    Column<ComparisonRow>{
        {"mean_a", FieldType::number, "", "mean over the runs of policy_a"},
        [](CsvWriter& csv, const ComparisonRow& of) { csv.number_or_empty(of.mean_a); }},
    Column<ComparisonRow>{
        {"mean_b", FieldType::number, "", "mean over the runs of policy_b"},
        [](CsvWriter& csv, const ComparisonRow& of) { csv.number_or_empty(of.mean_b); }},
    Column<ComparisonRow>{
        {"diff", FieldType::number, "", "mean of policy_a - policy_b, paired by run"},
        [](CsvWriter& csv, const ComparisonRow& of) { csv.number_or_empty(of.diff); }},
    Column<ComparisonRow>{
        {"lo", FieldType::number, "",
         "low end of the 95 % interval of diff; empty for a single random run"},
        [](CsvWriter& csv, const ComparisonRow& of) { csv.number_or_empty(of.low); }},
    Column<ComparisonRow>{
        {"hi", FieldType::number, "",
         "high end of the 95 % interval of diff; empty for a single random run"},
        [](CsvWriter& csv, const ComparisonRow& of) { csv.number_or_empty(of.high); }},
    Column<ComparisonRow>{
        {"runs", FieldType::integer, "", "pairs of runs in which both have the metric"},
        [](CsvWriter& csv, const ComparisonRow& of) { csv.count(of.runs); }},
    Column<ComparisonRow>{
        {"paired", FieldType::boolean, "", "true: both policies use common random numbers"},
        [](CsvWriter& csv, const ComparisonRow&) { csv.boolean(true); }},
};

constexpr std::array speed_columns{
    Column<SpeedRow>{{"policy", FieldType::text, "", "policies.NAME of the scenario"},
                     [](CsvWriter& csv, const SpeedRow& of) { csv.text(of.policy); }},
    Column<SpeedRow>{{"metric", FieldType::text, "", "metric, as in metrics.csv"},
                     [](CsvWriter& csv, const SpeedRow& of) { csv.text(of.metric); }},
    Column<SpeedRow>{{"factor", FieldType::number, "", "speed factor of the jobs: --what-if-speed"},
                     [](CsvWriter& csv, const SpeedRow& of) { csv.number(of.factor); }},
    Column<SpeedRow>{{"mean", FieldType::number, "",
                      "mean over the runs at the speed of the scenario; empty: no value"},
                     [](CsvWriter& csv, const SpeedRow& of) { csv.number_or_empty(of.mean); }},
    Column<SpeedRow>{{"mean_then", FieldType::number, "", "mean over the runs at the other speed"},
                     [](CsvWriter& csv, const SpeedRow& of) { csv.number_or_empty(of.mean_then); }},
    Column<SpeedRow>{
        {"diff", FieldType::number, "", "mean of other speed - scenario speed, paired by run"},
        [](CsvWriter& csv, const SpeedRow& of) { csv.number_or_empty(of.diff); }},
    Column<SpeedRow>{
        {"lo", FieldType::number, "",
         "low end of the 95 % interval of diff; empty for a single random run and of rules"},
        [](CsvWriter& csv, const SpeedRow& of) { csv.number_or_empty(of.low); }},
    Column<SpeedRow>{
        {"hi", FieldType::number, "",
         "high end of the 95 % interval of diff; empty for a single random run and of rules"},
        [](CsvWriter& csv, const SpeedRow& of) { csv.number_or_empty(of.high); }},
    Column<SpeedRow>{
        {"runs", FieldType::integer, "", "pairs of runs in which both have the metric"},
        [](CsvWriter& csv, const SpeedRow& of) { csv.count(of.runs); }},
};

}  // namespace

const TableSchema& comparison_schema() {
  static constexpr std::array fields = fields_of(comparison_columns);
  static constexpr TableSchema comparison{"compare", "Differences between policies", 3, fields};
  return comparison;
}

const TableSchema& speed_schema() {
  static constexpr std::array fields = fields_of(speed_columns);
  static constexpr TableSchema speed{"speed", "The same policies with faster or slower jobs", 2,
                                     fields};
  return speed;
}

void write_row(CsvWriter& csv, const ComparisonRow& row) {
  write_row(csv, comparison_columns, row);
}

void write_row(CsvWriter& csv, const SpeedRow& row) {
  write_row(csv, speed_columns, row);
}

}  // namespace reeve::report
