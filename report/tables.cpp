#include "report/tables.hpp"

#include "report/table_definition.hpp"

namespace reeve::report {

void write_header(CsvWriter& csv, const TableSchema& table) {
  for (const Field& field : table.fields) csv.text(field.name);
  csv.end_row();
}

void write_header(CsvWriter& csv, TableName table) {
  write_header(csv, schema(table));
}

std::string write_rows(CsvWriter& csv, TableName table, const RunRows& run) {
  return definition(table).write(csv, RunNames{run});
}

}  // namespace reeve::report
