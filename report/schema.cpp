#include "report/schema.hpp"

#include <array>

#include "report/sweep_tables.hpp"
#include "report/table_definition.hpp"

namespace reeve::report {

const TableDefinition& definition(TableName table) {
  static const std::array<const TableDefinition*, table_count> tables{
      &runs_table(),        &jobs_table(),       &attempts_table(), &ledger_table(),
      &utilization_table(), &decisions_table(),  &events_table(),   &alarms_table(),
      &pools_table(),       &spot_table(),       &metrics_table(),  &stops_table(),
      &queue_table(),       &preemptions_table()};
  return *tables[static_cast<std::size_t>(table)];
}

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
  all.push_back(&savings_schema());
  all.push_back(&hurt_jobs_schema());
  all.push_back(&sweep_cells_schema());
  all.push_back(&sweep_schema());
  all.push_back(&sweep_effects_schema());
  return all;
}

std::string_view name(FieldType type) {
  static constexpr std::array<std::string_view, 6> names{"string",  "integer",  "number",
                                                         "boolean", "datetime", "object"};
  return names[static_cast<std::size_t>(type)];
}

}  // namespace reeve::report
