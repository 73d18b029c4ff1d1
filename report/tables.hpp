// The rows of every CSV table, from the record of a run.
#pragma once

#include <string>

#include "report/csv.hpp"
#include "report/run_rows.hpp"
#include "report/schema.hpp"

namespace reeve::report {

/// The header line of `table`.
void write_header(CsvWriter& csv, const TableSchema& table);
void write_header(CsvWriter& csv, TableName table);

/// All rows of one run, in the columns of `schema(table)`.  Of tables the run did not keep: none.
/// A record that contradicts itself (ledger lines that do not sum to the bill) aborts.
/// Returns the hash of the last decision if `table` is `decisions`, else nothing.
std::string write_rows(CsvWriter& csv, TableName table, const RunRows& run);

}  // namespace reeve::report
