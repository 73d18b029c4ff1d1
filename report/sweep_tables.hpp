// The tables of a sweep: its cells, the numbers of each policy in each, and the effects of keys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/csv.hpp"
#include "report/schema.hpp"

namespace reeve::report {

/// What one key of the scenario is set to in one cell.
struct SweepCellRow {
  std::uint64_t cell = 0;
  std::string_view key;
  std::string_view value;
};

/// A policy in one cell and metric.  None: unknown, or without an interval.
struct SweepRow {
  std::uint64_t cell = 0;
  std::string_view policy;
  std::string_view metric;
  std::optional<double> mean;
  std::optional<double> low;
  std::optional<double> high;
  std::optional<double> change;  ///< against cell 0
  std::optional<double> change_low;
  std::optional<double> change_high;
  std::uint64_t runs = 0;
};

/// How the value of a key moves a metric of a policy.
struct SweepEffectRow {
  std::string_view policy;
  std::string_view metric;
  std::string_view key;
  std::string_view value;
  std::optional<double> change;
  std::optional<double> low;
  std::optional<double> high;
  std::uint64_t runs = 0;
};

const TableSchema& sweep_cells_schema();
const TableSchema& sweep_schema();
const TableSchema& sweep_effects_schema();

void write_row(CsvWriter& csv, const SweepCellRow& row);
void write_row(CsvWriter& csv, const SweepRow& row);
void write_row(CsvWriter& csv, const SweepEffectRow& row);

}  // namespace reeve::report
