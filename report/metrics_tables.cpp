#include <array>
#include <optional>
#include <variant>

#include "report/column.hpp"
#include "report/table_definition.hpp"

namespace reeve::report {
namespace {

struct MetricLine {
  const RunNames& names;
  const MetricRow& row;
};

void write_value(CsvWriter& csv, const decltype(MetricRow::value)& value) {
  if (!value) return csv.empty();
  if (const auto* usd = std::get_if<policy::Usd>(&*value)) return csv.usd(*usd);
  if (const auto* length = std::get_if<policy::Duration>(&*value)) return csv.seconds(*length);
  csv.number(std::get<double>(*value));
}

constexpr std::array metrics_columns{
    Column<MetricLine>{run_id_field,
                       [](CsvWriter& csv, const MetricLine& of) { csv.text(of.names.run()); }},
    Column<MetricLine>{{"metric", FieldType::text, "",
                        "name as in `expect` lines; `reeve explain METRIC` describes it"},
                       [](CsvWriter& csv, const MetricLine& of) { csv.text(of.row.name); }},
    Column<MetricLine>{{"unit", FieldType::text, "",
                        "usd, s, count, pct, instance_hours, gpu_hours, per_hour, ratio"},
                       [](CsvWriter& csv, const MetricLine& of) { csv.text(of.row.unit); }},
    Column<MetricLine>{
        {"value", FieldType::number, "", "value in that unit; empty if there is none"},
        [](CsvWriter& csv, const MetricLine& of) { write_value(csv, of.row.value); }},
};

std::string write_metrics(CsvWriter& csv, const RunNames& names) {
  for (const MetricRow& row : names.rows().metrics) {
    write_row(csv, metrics_columns, MetricLine{names, row});
  }
  return {};
}

struct StopLine {
  const RunNames& names;
  std::uint64_t number;
  const StopVerdictRow& row;

  std::optional<policy::Duration> delay() const {
    if (row.onset == policy::never || row.decided == policy::never) return std::nullopt;
    return row.decided - row.onset;
  }
};

constexpr std::array stops_columns{
    Column<StopLine>{run_id_field,
                     [](CsvWriter& csv, const StopLine& of) { csv.text(of.names.run()); }},
    Column<StopLine>{{"seq", FieldType::integer, "", "position in the run, from 1"},
                     [](CsvWriter& csv, const StopLine& of) { csv.count(of.number); }},
    Column<StopLine>{{"seat", FieldType::text, "", "name of the rule"},
                     [](CsvWriter& csv, const StopLine& of) { csv.text(of.row.seat); }},
    Column<StopLine>{{"rule", FieldType::text, "", "kind of the rule"},
                     [](CsvWriter& csv, const StopLine& of) { csv.text(of.row.rule); }},
    Column<StopLine>{
        {"mode", FieldType::text, "", "enforce; for shadow or warn the stop was only proposed"},
        [](CsvWriter& csv, const StopLine& of) { csv.text(of.row.mode); }},
    Column<StopLine>{
        job_field, [](CsvWriter& csv, const StopLine& of) { csv.text(of.names.job(of.row.job)); }},
    Column<StopLine>{{"attempt", FieldType::integer, "", "from 1"},
                     [](CsvWriter& csv, const StopLine& of) { csv.count(of.row.attempt); }},
    Column<StopLine>{{"verdict", FieldType::text, "",
                      "right, late, false or missed, for stops of stalled attempts; kept_rule: a "
                      "policy-violation stop"},
                     [](CsvWriter& csv, const StopLine& of) { csv.text(of.row.verdict); }},
    Column<StopLine>{
        {"onset_s", FieldType::number, "s", "when the stall began; empty: no stall"},
        [](CsvWriter& csv, const StopLine& of) { csv.since(of.names.start(), of.row.onset); }},
    Column<StopLine>{
        {"decided_s", FieldType::number, "s", "when the stop was decided; empty: missed"},
        [](CsvWriter& csv, const StopLine& of) { csv.since(of.names.start(), of.row.decided); }},
    Column<StopLine>{{"delay_s", FieldType::number, "s", "detection delay: from onset to decision"},
                     [](CsvWriter& csv, const StopLine& of) { csv.seconds_or_empty(of.delay()); }},
    Column<StopLine>{
        {"usd", FieldType::number, "usd",
         "false: cost of the stop, which sums to false_stop_usd; late: cost of the stall beyond "
         "late_after; missed: whole cost of the stall; else 0"},
        [](CsvWriter& csv, const StopLine& of) { csv.usd(of.row.usd); }},
};

std::string write_stops(CsvWriter& csv, const RunNames& names) {
  std::uint64_t seq = 0;
  for (const StopVerdictRow& row : names.rows().stops) {
    write_row(csv, stops_columns, StopLine{names, ++seq, row});
  }
  return {};
}

}  // namespace

const TableDefinition& metrics_table() {
  static constexpr std::array fields = fields_of(metrics_columns);
  static constexpr TableDefinition table{
      {"metrics", "Every metric of each run, one per row", 2, fields}, write_metrics};
  return table;
}

const TableDefinition& stops_table() {
  static constexpr std::array fields = fields_of(stops_columns);
  static constexpr TableDefinition table{
      {"stops", "Right and false stops of rules, and missed stalls", 2, fields}, write_stops};
  return table;
}

}  // namespace reeve::report
