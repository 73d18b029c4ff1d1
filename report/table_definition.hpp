// The tables of runs: what describes each, and what writes the rows of one run.
#pragma once

#include <string>

#include "report/csv.hpp"
#include "report/run_names.hpp"
#include "report/schema.hpp"

namespace reeve::report {

struct TableDefinition {
  TableSchema schema;
  /// Returns the hash of the last row where rows are chained, else nothing.
  std::string (*write)(CsvWriter& csv, const RunNames& names);
};

const TableDefinition& runs_table();
const TableDefinition& jobs_table();
const TableDefinition& attempts_table();
const TableDefinition& ledger_table();
const TableDefinition& utilization_table();
const TableDefinition& decisions_table();
const TableDefinition& events_table();
const TableDefinition& alarms_table();
const TableDefinition& pools_table();
const TableDefinition& spot_table();
const TableDefinition& metrics_table();
const TableDefinition& stops_table();
const TableDefinition& queue_table();
const TableDefinition& preemptions_table();

const TableDefinition& definition(TableName table);

}  // namespace reeve::report
