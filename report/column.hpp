// One column of a table: its name, unit, help and what writes its cells.
#pragma once

#include <array>
#include <cstddef>

#include "report/csv.hpp"
#include "report/schema.hpp"

namespace reeve::report {

/// A column of tables whose rows are made of `Row`.
template <class Row>
struct Column {
  Field field;
  void (*write)(CsvWriter& csv, const Row& of);  ///< one cell
};

template <class Row, std::size_t count>
constexpr std::array<Field, count> fields_of(const std::array<Column<Row>, count>& columns) {
  std::array<Field, count> fields{};
  for (std::size_t column = 0; column < count; ++column) fields[column] = columns[column].field;
  return fields;
}

template <class Row, std::size_t count>
void write_row(CsvWriter& csv, const std::array<Column<Row>, count>& columns, const Row& row) {
  for (const Column<Row>& column : columns) column.write(csv, row);
  csv.end_row();
}

// Columns of several tables.

inline constexpr Field run_id_field{"run_id", FieldType::text, "",
                                    "policy/replication; key of runs"};
inline constexpr Field job_field{"job", FieldType::text, "", "name of the job"};
inline constexpr Field t_s_field{"t_s", FieldType::number, "s",
                                 "time since the start of the clock"};

}  // namespace reeve::report
