#include "report/sweep_tables.hpp"

#include <array>

#include "report/column.hpp"

namespace reeve::report {
namespace {

constexpr Field cell_field{"cell", FieldType::integer, "",
                           "number of the cell; 0 is the scenario as it is"};
constexpr Field metric_field{"metric", FieldType::text, "", "metric; durations are in seconds"};
constexpr Field policy_field{"policy", FieldType::text, "", "policies.NAME of the scenario"};
constexpr Field key_field{"key", FieldType::text, "", "path of the key in the scenario"};

constexpr std::array cell_columns{
    Column<SweepCellRow>{cell_field,
                         [](CsvWriter& csv, const SweepCellRow& of) { csv.count(of.cell); }},
    Column<SweepCellRow>{key_field,
                         [](CsvWriter& csv, const SweepCellRow& of) { csv.text(of.key); }},
    Column<SweepCellRow>{
        {"value", FieldType::text, "", "what the key is set to; empty: it is not in the file"},
        [](CsvWriter& csv, const SweepCellRow& of) { csv.text(of.value); }},
};

constexpr std::array sweep_columns{
    Column<SweepRow>{cell_field, [](CsvWriter& csv, const SweepRow& of) { csv.count(of.cell); }},
    Column<SweepRow>{policy_field, [](CsvWriter& csv, const SweepRow& of) { csv.text(of.policy); }},
    Column<SweepRow>{metric_field, [](CsvWriter& csv, const SweepRow& of) { csv.text(of.metric); }},
    Column<SweepRow>{{"mean", FieldType::number, "", "mean over the runs; empty: no value"},
                     [](CsvWriter& csv, const SweepRow& of) { csv.number_or_empty(of.mean); }},
    Column<SweepRow>{{"lo", FieldType::number, "",
                      "low end of the 95 % interval of mean; empty for a single random run"},
                     [](CsvWriter& csv, const SweepRow& of) { csv.number_or_empty(of.low); }},
    Column<SweepRow>{{"hi", FieldType::number, "",
                      "high end of the 95 % interval of mean; empty for a single random run"},
                     [](CsvWriter& csv, const SweepRow& of) { csv.number_or_empty(of.high); }},
    Column<SweepRow>{{"change", FieldType::number, "",
                      "mean of this cell - cell 0 under the same policy, paired by run"},
                     [](CsvWriter& csv, const SweepRow& of) { csv.number_or_empty(of.change); }},
    Column<SweepRow>{
        {"change_lo", FieldType::number, "", "low end of the 95 % interval of change"},
        [](CsvWriter& csv, const SweepRow& of) { csv.number_or_empty(of.change_low); }},
    Column<SweepRow>{
        {"change_hi", FieldType::number, "", "high end of the 95 % interval of change"},
        [](CsvWriter& csv, const SweepRow& of) { csv.number_or_empty(of.change_high); }},
    Column<SweepRow>{{"runs", FieldType::integer, "", "runs that have the metric"},
                     [](CsvWriter& csv, const SweepRow& of) { csv.count(of.runs); }},
};

constexpr std::array effect_columns{
    Column<SweepEffectRow>{policy_field,
                           [](CsvWriter& csv, const SweepEffectRow& of) { csv.text(of.policy); }},
    Column<SweepEffectRow>{metric_field,
                           [](CsvWriter& csv, const SweepEffectRow& of) { csv.text(of.metric); }},
    Column<SweepEffectRow>{key_field,
                           [](CsvWriter& csv, const SweepEffectRow& of) { csv.text(of.key); }},
    Column<SweepEffectRow>{
        {"value", FieldType::text, "", "value of the key; of a sampled sweep: over its range"},
        [](CsvWriter& csv, const SweepEffectRow& of) { csv.text(of.value); }},
    Column<SweepEffectRow>{
        {"change", FieldType::number, "",
         "mean over the cells with the value - mean over all cells; of a single key - cell 0; of a "
         "sampled sweep: from end to end"},
        [](CsvWriter& csv, const SweepEffectRow& of) { csv.number_or_empty(of.change); }},
    Column<SweepEffectRow>{
        {"lo", FieldType::number, "", "low end of the 95 % interval of change"},
        [](CsvWriter& csv, const SweepEffectRow& of) { csv.number_or_empty(of.low); }},
    Column<SweepEffectRow>{
        {"hi", FieldType::number, "", "high end of the 95 % interval of change"},
        [](CsvWriter& csv, const SweepEffectRow& of) { csv.number_or_empty(of.high); }},
    Column<SweepEffectRow>{{"runs", FieldType::integer, "", "runs that have the metric"},
                           [](CsvWriter& csv, const SweepEffectRow& of) { csv.count(of.runs); }},
};

}  // namespace

const TableSchema& sweep_cells_schema() {
  static constexpr std::array fields = fields_of(cell_columns);
  static constexpr TableSchema cells{"cells", "The cells of a sweep", 2, fields};
  return cells;
}

const TableSchema& sweep_schema() {
  static constexpr std::array fields = fields_of(sweep_columns);
  static constexpr TableSchema sweep{"sweep", "Policies in each cell of a sweep", 3, fields};
  return sweep;
}

const TableSchema& sweep_effects_schema() {
  static constexpr std::array fields = fields_of(effect_columns);
  static constexpr TableSchema effects{"effects", "The effect of each key of a sweep", 4, fields};
  return effects;
}

void write_row(CsvWriter& csv, const SweepCellRow& row) {
  write_row(csv, cell_columns, row);
}

void write_row(CsvWriter& csv, const SweepRow& row) {
  write_row(csv, sweep_columns, row);
}

void write_row(CsvWriter& csv, const SweepEffectRow& row) {
  write_row(csv, effect_columns, row);
}

}  // namespace reeve::report
